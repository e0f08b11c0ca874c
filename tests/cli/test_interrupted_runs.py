"""Results that are interrupted or go missing: a run that is killed at any moment, and a file of results that is removed, cut off or changed.
Then `ccpbench run` gives the results of an undisturbed run, byte for byte but times. CCPBENCH_PROGRAM names the program,
CCPBENCH_KILL_MOMENTS how often a run is killed (8), CCPBENCH_KILL_SEED the first seed (1)."""

import csv
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
MOMENTS = int(os.environ.get("CCPBENCH_KILL_MOMENTS", "8"))
SEED = int(os.environ.get("CCPBENCH_KILL_SEED", "1"))
MOVING = {"scene": "ball_box", "parameters": {"spheres": 6}}
# Tapes of three parts, marks every hundred steps, traces before and after a mark.
SHARED = {**MOVING, "sequence": {"steps": 250, "settle": 20, "trace_steps": [60, 180], "driver": {"solver": "ipm_qp"}}}
OWN = {**MOVING, "label": "own", "sequence": {**SHARED["sequence"], "trajectory": "own"}}
CONFIG = {"name": "moved", "problems": [SHARED, OWN, {"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
          "model": "ccp", "solvers": [{"solver": "apgd"}, {"solver": "admm"}], "stop": {"max_iterations": 60}}
TIMES = re.compile(r"_s(_min|_max)?$|^time_to_1e-|^elapsed_s$|_memory_mb$|^busy_runs$|^instructions$|^solver_share$|^seconds_per_|^late_steps$")
TIMED_KEYS = ("times", "runs", "peak_memory_mb", "files", "checksum", "seconds", "elapsed_s", "build_s", "fallback_s", "seconds_per_step", "step_s_max",
              "late_steps")
WHERE_IT_WENT_ON = "the run was interrupted and went on at step "


def without_times(value):
    """JSON without what depends on time, and without the note on where a sequence went on."""
    if isinstance(value, dict):
        return {key: without_times(entry) for key, entry in value.items() if key not in TIMED_KEYS}
    if isinstance(value, list):
        return [without_times(entry) for entry in value if not (isinstance(entry, str) and entry.startswith(WHERE_IT_WENT_ON))]
    return value


def content(path):
    """The bytes of a file without times."""
    data = path.read_bytes()
    if path.name == "cell.json":
        return without_times(json.loads(data))
    if path.suffix == ".csv":
        rows = list(csv.reader(io.StringIO(data.decode())))
        kept = [k for k, name in enumerate(rows[0]) if not TIMES.search(name)]
        return data[-1:], [[row[k] for k in kept] for row in rows]
    if path.name == "manifest.json":
        manifest = json.loads(data)
        return {"config": manifest["config"], "complete": manifest["complete"], "lists": list(manifest["files"])}
    return "times" if path.name == "driver_s.txt" else data


def tree(folder):
    return {str(path.relative_to(folder)): content(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def cut_off(path, draws):
    path.write_bytes(path.read_bytes()[:draws.randrange(max(1, path.stat().st_size))])


def changed(path, draws):
    data = bytearray(path.read_bytes())
    place = draws.randrange(max(1, len(data) - 1)) if data else 0
    data[place:place + 1] = bytes([(data[place] if data else 0) ^ 1])
    path.write_bytes(bytes(data))


class InterruptedRuns(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.place = Path(cls.scratch.name)
        (cls.place / "moved.json").write_text(json.dumps(CONFIG))
        start = time.monotonic()
        cls.run_config("whole")
        cls.seconds = time.monotonic() - start
        cls.whole = tree(cls.place / "whole/moved")

    @classmethod
    def command(cls, out):
        return [PROGRAM, "run", "moved.json", "--out", out, "--jobs", "2"]

    @classmethod
    def run_config(cls, out):
        ran = subprocess.run(cls.command(out), cwd=cls.place, capture_output=True, text=True, timeout=300)
        if ran.returncode != 0:
            raise AssertionError(f"code {ran.returncode}: {ran.stderr}")
        return ran.stdout + ran.stderr

    def check_whole(self, out, what):
        found = tree(self.place / out / "moved")
        self.assertEqual(sorted(found), sorted(self.whole), what)
        for name, there in found.items():
            self.assertEqual(there, self.whole[name], f"{what}: {name}")

    def kill_at(self, out, seconds):
        running = subprocess.Popen(self.command(out), cwd=self.place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            running.wait(seconds)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait()

    def test_the_undisturbed_run_has_every_kind_of_file(self):
        kinds = {re.sub(r"\d+", "N", Path(name).name) for name in self.whole}
        self.assertEqual(kinds, {"cell.json", "trace.csv", "trace.N.csv", "steps.csv", "tape.N.hdfN", "driver_s.txt", "summary.csv", "manifest.json"})
        self.run_config("again")
        self.check_whole("again", "a second run")

    def test_a_run_that_is_killed_at_any_moment_goes_on_to_the_same_results(self):
        for number in range(MOMENTS):
            draws, out = random.Random(SEED + number), f"killed{number}"
            what = f"seed {SEED + number}"
            for _ in range(draws.choice((1, 1, 2))):
                moment = draws.uniform(0.0, self.seconds)
                self.kill_at(out, moment)
                what += f", killed after {moment:.3f} s"
            with self.subTest(what):
                self.wait_for_reapers(out)
                files = sorted(path for path in (self.place / out).rglob("*") if path.is_file() and path.name != ".lock")
                if files and number % 2:
                    path, damage = draws.choice(files), draws.choice((Path.unlink, cut_off))
                    what += f", then {damage.__name__} {path.relative_to(self.place / out)}"
                    damage(path) if damage is Path.unlink else damage(path, draws)
                self.run_config(out)
                self.check_whole(out, what)
            shutil.rmtree(self.place / out, ignore_errors=True)

    def wait_for_reapers(self, out):
        """Until nobody writes there any more."""
        lock = self.place / out / "moved/.lock"
        if lock.exists():
            subprocess.run(["flock", str(lock), "true"], check=True, timeout=60)

    def test_a_file_that_is_removed_cut_off_or_changed_is_named_and_made_again(self):
        draws = random.Random(SEED)
        self.run_config("damaged")
        folder = self.place / "damaged/moved"
        kinds = {}
        for name in self.whole:
            kinds.setdefault(re.sub(r"\d+", "N", Path(name).name), []).append(name)
        for kind, names in sorted(kinds.items()):
            for damage in (Path.unlink, cut_off, changed):
                if damage is not Path.unlink and kind in ("driver_s.txt", "manifest.json"):
                    continue  # a time, and what every run writes anew
                path = folder / draws.choice(names)
                with self.subTest(kind=kind, damage=damage.__name__):
                    damage(path) if damage is Path.unlink else damage(path, draws)
                    said = self.run_config("damaged")
                    if kind != "manifest.json":
                        self.assertIn(path.name, said)
                    self.check_whole("damaged", f"{damage.__name__} {path.relative_to(folder)}")
        self.assertNotIn("is missing", self.run_config("damaged"))


if __name__ == "__main__":
    unittest.main()
