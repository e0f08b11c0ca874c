"""A disk that fills up in the middle of a run, for which a small file system is mounted in a name space of its own. Exit code 4 where
that is not allowed. CCPBENCH_PROGRAM names the program."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
# Cells of 5 to 10 kB, then one with a trace of half a megabyte, then others.
CONFIG = {"name": "full", "problems": [{"scene": "odd_mass_stack", "parameters": {"heavy_index": 2, "spheres": 4}}],
          "solvers": [{"solver": "admm"}, {"solver": "jacobi"}, {"solver": "gauss_seidel"}], "stop": {"max_iterations": 20},
          "sweep": {"/stop/max_iterations": [20, 3000]}}


def isolated(*command, **options):
    """Runs a command as root of a user name space, whose mounts end with it."""
    return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", *command], capture_output=True, text=True, timeout=300, **options)


class FullDisk(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)
        (self.place / "disk").mkdir()
        (self.place / "full.json").write_text(json.dumps(CONFIG))

    def on_disk(self, script):
        made = isolated("sh", "-ec", script, cwd=self.place, env={**os.environ, "PROGRAM": PROGRAM})
        self.assertEqual(made.returncode, 0, made.stderr)
        return made

    def test_a_full_disk_behind_stderr_stops_no_run(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            made = subprocess.run([PROGRAM, "run", "full.json", "--only", "*admm*"], cwd=self.place, stdout=subprocess.DEVNULL, stderr=full, timeout=300)
        self.assertEqual(made.returncode, 0)

    def test_loses_the_running_cell_alone_and_says_so(self):
        self.on_disk("""
            mount -t tmpfs -o size=300k none disk
            "$PROGRAM" run full.json --out disk --quiet 2>first.err && code=0 || code=$?
            echo $code >first.code
            cp -r disk first
            mount -o remount,size=8m disk
            "$PROGRAM" run full.json --out disk --quiet 2>second.err && code=0 || code=$?
            echo $code >second.code
            cp -r disk second""")
        self.assertEqual((self.place / "first.code").read_text(), "2\n")
        said = (self.place / "first.err").read_text()
        self.assertRegex(said, r"^ccpbench: error: disk/full/[^\n]*: cannot be written \(No space left on device\)\n"
                               r"ccpbench: note: finished cells are kept; make room and give the same command again\n$")
        kept = {path.parent.name: path.read_bytes() for path in (self.place / "first/full/cells").glob("*/cell.json")}
        self.assertEqual(len(kept), 3)  # those before the large one
        for content in kept.values():
            self.assertIn(json.loads(content)["status"], ("solved", "iteration_limit"))

        self.assertEqual(((self.place / "second.code").read_text(), (self.place / "second.err").read_text()), ("0\n", ""))
        for name, content in kept.items():  # they were not run again
            self.assertEqual((self.place / "second/full/cells" / name / "cell.json").read_bytes(), content)
        with (self.place / "second/full/summary.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["iterations"]) for row in rows][2:], [20, 3000, 20, 3000])
        for row in rows:
            with (self.place / "second/full/cells" / row["hash"] / "trace.csv").open() as trace:
                self.assertEqual(sum(1 for _ in trace), int(row["iterations"]) + 2)
        self.assertEqual([path for path in (self.place / "second").rglob("*") if path.name.endswith(".part")], [])

    def test_a_disk_that_is_full_already(self):
        self.on_disk("""
            mount -t tmpfs -o size=64k none disk
            head -c 64k /dev/zero >disk/ballast || true
            "$PROGRAM" run full.json --out disk --quiet 2>first.err && code=0 || code=$?
            echo $code >first.code""")
        said = (self.place / "first.err").read_text()
        self.assertEqual((self.place / "first.code").read_text(), "2\n", said)
        self.assertRegex(said, r"^ccpbench: error: disk/full/[^\n]* \(No space left on device\)\nccpbench: note: [^\n]* make room [^\n]*\n$")


if __name__ == "__main__":
    if not shutil.which("unshare") or isolated("sh", "-c", "mount -t tmpfs none /mnt").returncode != 0:
        print("skipped: no small file system can be mounted here")
        sys.exit(4)
    unittest.main()
