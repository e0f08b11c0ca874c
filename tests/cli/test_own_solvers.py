"""Solvers of users by the real program (CCPBENCH_PROGRAM): the skeletons in every language, bad solvers that `check-solver` finds out
and that no run dies of, configs, and a new user who follows the guide."""

import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
ROOT = Path(__file__).resolve().parents[2]
BAD = ROOT / "tests" / "peers" / "bad_solver.py"
STACK = "scene:odd_mass_stack:spheres=3,heavy_index=2,heavy_mass=20,lone_mass=0"
CONFIG = """{
  "name": "own", "model": "ncp", "stop": { "tolerance": 1e-6, "max_iterations": 2000, "time_limit_s": 2 },
  "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 3, "heavy_index": 2, "heavy_mass": 20, "lone_mass": 0 } } ],
  "solvers": [ { "solver": "nsgs" }, { "solver": "%s", "parameters": { "omega": 1.0 } } ]
}
"""


class Solvers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="own solver ")  # paths may have blanks
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def ask(self, *arguments, code=0):
        ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(ran.returncode, code, f"{arguments}\n{ran.stdout}{ran.stderr}")
        return ran.stdout + ran.stderr

    def answer(self, *arguments, code=0):
        """What stands on standard output, in JSON."""
        ran = subprocess.run([PROGRAM, *arguments, "--json"], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(ran.returncode, code, f"{arguments}\n{ran.stdout}{ran.stderr}")
        return json.loads(ran.stdout)

    def write_config(self, solver, text=CONFIG):
        (self.folder / "study").mkdir(exist_ok=True)
        (self.folder / "study" / "own.json").write_text(text % solver, encoding="utf-8")
        return "study/own.json"

    def rows(self):
        with open(self.folder / "results" / "own" / "summary.csv", newline="", encoding="utf-8") as file:
            return {row["label"]: row for row in csv.DictReader(file)}

    def bad(self, fault):
        shutil.copy(BAD, self.folder / "bad_solver.py")
        return f"command:./bad_solver.py {fault}"


class Skeletons(Solvers):
    def use(self, language):
        told = self.ask("new-solver", "mine", "--language", language)
        build = re.search(r"^build it: (.*)$", told, re.M)
        if build:
            subprocess.run(build.group(1).split(), cwd=self.folder, check=True)
        solver = re.search(r"check-solver (\S+)", told).group(1)
        checks = self.ask("check-solver", solver)
        self.assertNotRegex(checks, "fault|skipped")
        ranked = json.loads(self.ask("solve", STACK, "--solver", solver, "--solver", f"{solver}:omega=1.5", "--solver", "nsgs", "--tolerance", "1e-6",
                                     "--max-iterations", "3000", "--json"))
        text = json.dumps(ranked)
        self.assertEqual(text.count('"solved"'), 3, text)
        self.assertIn('"mine', text)
        again = self.ask("new-solver", "mine", "--language", language, code=2)
        self.assertIn("is there already", again)

    def test_python(self):
        self.use("python")
        self.assertLessEqual(len((self.folder / "mine.py").read_text().splitlines()), 20)
        guide = (ROOT / "apps" / "ccpbench" / "docs" / "own_solver.md").read_text(encoding="utf-8")
        self.assertIn(f"```python\n{(self.folder / 'mine.py').read_text(encoding='utf-8')}```", guide)

    def test_c(self):
        self.use("c")
        warned = subprocess.run("cc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wconversion -pedantic -Werror -O2 -o strict mine.c -lm".split(),
                                cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(warned.returncode, 0, warned.stderr)

    def test_cpp(self):
        self.use("cpp")

    @unittest.skipUnless(shutil.which("octave-cli"), "GNU Octave is not there (Debian: octave)")
    def test_octave(self):
        self.use("octave")


class Faults(Solvers):
    FOUND = {"death": ("greets", "no licence"), "version": ("greets", "version 2"), "byte order": ("greets", "byte order"),
             "garbage": ("greets", "does not greet"), "silence": ("greets", "did not greet within"),
             "bad description": ("greets", "setting 1/default"), "nan": ("finite", "not finite"), "too few": ("solves", "expected"),
             "hang": ("solves", "does not end within"), "crash": ("solves", "SIGSEGV"), "late garbage": ("solves", "no answer of the protocol"),
             "standstill": ("solves", "it ends with"), "false convergence": ("honest", "criterion holds"), "random": ("deterministic", "differ"),
             "cold": ("warm start", "the same from another start"), "end of range": ("settings", "omega = 1.5"),
             "slow clock": ("clock", "doubtful times"), "fast clock": ("clock", "have passed"), "children": ("alone", "left behind")}

    def test_a_sound_solver_has_none(self):
        self.assertNotRegex(self.ask("check-solver", self.bad("none")), "fault|skipped")

    def test_each_fault_is_found(self):
        self.bad("none")  # its file

        def faults_of(fault):
            patience = "4" if fault in ("hang", "silence", "slow clock") else "30"  # a busy machine starts a process in seconds
            solver = "command:./bad_solver.py " + fault.replace(" ", "\\ ")
            return {row["check"]: row["faults"] for row in self.answer("check-solver", solver, "--patience", patience, code=1) if row["faults"]}

        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # most of them wait
            found = {fault: pool.submit(faults_of, fault) for fault in self.FOUND}
        for fault, (check, text) in self.FOUND.items():
            with self.subTest(fault=fault):
                faults = found[fault].result()
                self.assertIn(text, faults.get(check, f"no fault of {check}: {faults}"))

    def test_what_a_dead_solver_cannot_show_is_skipped(self):
        results = {row["check"]: row["result"] for row in self.answer("check-solver", self.bad("crash"), "--patience", "30s", code=1)}
        self.assertEqual((results["greets"], results["solves"]), ("passed", "fault"))
        for check in ("finite", "honest", "deterministic", "warm start", "clock"):
            self.assertEqual(results[check], "skipped", check)

    def test_a_file_is_no_solver_but_nearly_one(self):
        self.ask("new-solver", "mine")
        self.assertIn("did you mean python:./mine.py?", self.ask("check-solver", "./mine.py", code=2))
        self.assertIn("did you mean python:./mine.py:solve?", self.ask("check-solver", "./mine.py:solve", code=2))
        self.assertNotIn("did you mean", self.ask("check-solver", "./yours.py", code=2))

    def test_no_run_dies_of_one(self):
        ends = {"death": "failed", "version": "failed", "garbage": "failed", "late garbage": "failed", "nan": "diverged", "too few": "failed",
                "crash": "crashed", "hang": "time_limit", "false convergence": "stalled", "fast clock": "failed"}
        for fault, status in ends.items():
            with self.subTest(fault=fault):
                config = self.write_config(f"command:../bad_solver.py {fault.replace(' ', chr(92) * 2 + ' ')}")
                self.bad(fault)
                self.ask("run", config, "--quiet", "--fresh", code=3 if status in ("failed", "crashed") else 0)
                rows = self.rows()
                self.assertEqual(rows["nsgs"]["status"], "solved")
                own = next(row for label, row in rows.items() if label != "nsgs")
                self.assertEqual(own["status"], status, own["reason"])
                self.assertTrue(own["reason"] or status == "diverged")

    def test_processes_left_behind_end_with_the_run(self):
        self.ask("solve", STACK, "--solver", self.bad("children"), "--tolerance", "1e-6", "--max-iterations", "3000")
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "left_behind").read_text(encoding="utf-8")), 0)


class Debugging(Solvers):
    """A solver in Python that prints and throws: where it threw, and what it printed."""

    TEXT = """import sys
print("loading", flush=True)
def third(x):
    return x[5]
def solve(problem, settings, report):
    print("to output")
    print("to errors", file=sys.stderr)
    report(problem.start)
    third(problem.start[:3])
"""
    TOLD = "loading\nto output\nto errors\nTraceback"

    def setUp(self):
        super().setUp()
        (self.folder / "thrower.py").write_text(self.TEXT, encoding="utf-8")

    def test_solve_and_check_solver_pass_on_what_it_prints(self):
        for command in (["solve", STACK, "--solver", "python:./thrower.py"], ["check-solver", "python:./thrower.py"]):
            with self.subTest(command=command[0]):
                ran = subprocess.run([PROGRAM, *command], capture_output=True, text=True, timeout=300, cwd=self.folder)
                self.assertIn("thrower.py:4: IndexError: index 5", " ".join(ran.stdout.split()))
                self.assertIn(self.TOLD, ran.stderr)
                self.assertRegex(ran.stderr, r'thrower.py", line 9, in solve\n(.*\n)+.*thrower.py", line 4, in third')
                self.assertNotIn("<string>", ran.stderr)  # frames of ours

    def test_a_run_keeps_it_in_the_log_of_the_cell(self):
        self.ask("run", self.write_config("python:../thrower.py", CONFIG.replace(', "parameters": { "omega": 1.0 }', "")), "--quiet", code=3)
        row = self.rows()["thrower"]
        self.assertRegex(row["reason"], "^thrower.py:4: IndexError: index 5")
        log = (self.folder / "results" / "own" / "cells" / row["hash"] / "log.txt").read_text(encoding="utf-8")
        self.assertTrue(log.startswith(self.TOLD), log)

    def test_what_is_thrown_while_it_is_loaded_has_a_place_too(self):
        (self.folder / "thrower.py").write_text("import math\nmath.sqrt(-1)\n", encoding="utf-8")
        said = self.ask("solve", STACK, "--solver", "python:./thrower.py", code=2)
        self.assertIn("before it had greeted: exit code 1: thrower.py:2: ValueError", said)
        self.assertIn('thrower.py", line 2, in <module>', said)


class Tuned(Solvers):
    TEXT = CONFIG.replace('"spheres": 3, ', "").replace('"solvers"', '"sweep": { "/problems/0/parameters/spheres": [ 3, 4, 5 ] }, "solvers"')

    def test_a_solver_that_tells_no_flops_is_tuned_by_iterations(self):
        self.ask("new-solver", "mine")
        command = ["tune", self.write_config("python:../mine.py", self.TEXT), "--solver", "mine", "--parameters", "omega", "--candidates", "3", "--quiet", "--no-figure"]
        said = self.ask(*command)
        self.assertIn("note: mine tells no flops; the search goes by iterations", said)
        self.assertIn("geometric means of iterations", said)
        wrong = self.ask(*command, "--by", "products", "--name", "other", code=2)
        self.assertIn("--by: mine tells no products, expected a count that it has, such as iterations", wrong)
        # Beside another solver it has no cost, and does not end the search.
        ours = self.answer("tune", "study/own.json", "--solver", "nsgs", "--parameters", "lambda", "--candidates", "3", "--quiet", "--no-figure", "--beside", "mine", "--name", "ours")
        self.assertEqual((ours["by"], ours["solvers"][-1]["solver"], ours["solvers"][-1]["held_out_cost"]), ("flops", "mine", None))


    def test_settings_that_are_worse_on_held_out_problems_are_called_so(self):
        self.ask("new-solver", "mine")
        text = (self.folder / "mine.py").read_text(encoding="utf-8")
        delay = "    for _ in range((0 if problem.contacts == 3 else 200) if settings.narrow else 100):\n        report(gamma)\n    while report"
        text = text.replace("    while report", delay, 1) + "solve.settings['narrow'] = {'default': False}\n"
        (self.folder / "mine.py").write_text(text, encoding="utf-8")
        config = self.write_config("python:../mine.py", self.TEXT.replace("[ 3, 4, 5 ]", "[ 3, 4, 5, 6, 7, 8 ]"))
        told = self.answer("tune", config, "--solver", "mine", "--parameters", "narrow", "--candidates", "4", "--held-out", "0.8", "--quiet", "--no-figure")
        self.assertEqual((told["training"], told["tuned"]), (["odd_mass_stack (spheres=3)"], {"narrow": True}))
        self.assertEqual(told["verdict"], "worse than the default on the held-out problems")


class Configs(Solvers):
    def mine(self, extra=""):
        self.ask("new-solver", "mine")
        text = (self.folder / "mine.py").read_text(encoding="utf-8")
        (self.folder / "mine.py").write_text(f"open('{self.folder}/started', 'a').write('x')\n{text}{extra}", encoding="utf-8")
        return self.write_config("python:../mine.py")

    def started(self):
        mark = self.folder / "started"
        count = len(mark.read_text()) if mark.exists() else 0
        mark.unlink(missing_ok=True)
        return count

    def test_only_a_run_starts_it_and_says_so(self):
        config = self.mine()
        for command in (["check", config], ["run", config, "--dry-run"], ["list", "config", "--schema"]):
            self.ask(*command)
            self.assertEqual(self.started(), 0, command)
        said = self.ask("run", config)
        self.assertIn(f"starts python:{self.folder}/mine.py:solve", said)
        self.assertEqual(self.started(), 2)  # to be asked, and to solve
        self.assertEqual(self.rows()["mine"]["status"], "solved")
        for command in (["check", config], ["run", config, "--dry-run"], ["report", "results/own"], ["claims", "results/own"]):
            self.ask(*command)
            self.assertEqual(self.started(), 0, command)
        self.assertIn("1 cell", self.ask("run", config, "--dry-run", "--only", "*/mine"))

    def test_results_are_kept_until_the_file_changes(self):
        config = self.mine()
        self.ask("run", config, "--quiet")
        first = self.rows()["mine"]["hash"]
        self.started()
        self.ask("run", config, "--quiet")
        self.assertEqual(self.started(), 1)  # asked alone
        (self.folder / "mine.py").write_text((self.folder / "mine.py").read_text() + "# another\n")
        self.ask("run", config, "--quiet")
        self.assertNotEqual(self.rows()["mine"]["hash"], first)

    def test_settings_are_checked_by_what_the_solver_declares(self):
        config = self.mine()
        self.assertIn("valid", self.ask("check", config, "--set", "/solvers/1/parameters/omega=7"))
        wrong = self.ask("run", config, "--set", "/solvers/1/parameters/omega=7", code=2)
        self.assertIn("/solvers/1/parameters/omega", wrong)
        self.assertIn("in (0, 2)", wrong)
        self.assertIn("did you mean 'omega'", self.ask("run", config, "--set", "/solvers/1/parameters/omeg=1", code=2))
        self.assertIn("'omega' is 3", self.ask("solve", STACK, "--solver", "python:mine.py:omega=3", code=2))
        self.assertIn("relaxation", self.ask("list", "solvers", "python:mine.py"))
        self.assertIn("there is no file", self.ask("check", self.write_config("python:mine.py"), code=2))
        self.assertIn("names no solver", self.ask("check", self.write_config("python:"), code=2))

    def test_claims_run_a_config_as_run_does(self):
        self.mine()
        claim = '"claims": [ { "id": "a", "says": "it converges", "where": "ours", "metric": "iterations", "of": "mine", "at_most": 2000 } ],'
        config = self.write_config("python:../mine.py", CONFIG.replace('"model"', claim + ' "model"').replace(', "parameters": { "omega": 1.0 }', ""))
        self.ask("run", config, "--quiet")
        first = self.rows()["mine"]["hash"]
        self.started()
        self.assertIn("1 of 1 claim", self.ask("claims", config, "--quiet"))
        self.assertEqual((self.started(), self.rows()["mine"]["hash"]), (1, first))  # asked alone: its results are there
        wrong = self.ask("claims", config, "--quiet", "--out", "other", "--set", "/solvers/1/parameters/omega=7", code=2)
        self.assertIn("own.json: /solvers/1/parameters/omega: 'omega' is 7, expected a value in (0, 2)", wrong)
        self.assertFalse((self.folder / "other").exists())  # told before anything runs

    def test_a_convex_solver_joins_a_config_of_coulomb_problems(self):
        self.mine("solve.models = ['ccp']\n")
        text = (self.folder / "mine.py").read_text()
        self.assertIn("ccp; ncp through the De Saxcé fixed point", self.ask("list", "solvers", "python:mine.py"))
        # Without friction discs are cones.
        config = self.write_config("python:../mine.py", CONFIG.replace('"spheres": 3', '"spheres": 3, "friction": 0'))
        self.assertTrue(text.endswith("['ccp']\n"))
        self.ask("run", config, "--quiet")
        row = self.rows()["mine"]
        self.assertEqual((row["status"], row["model"]), ("solved", "ncp"), row["reason"])

    def test_sweeps_own_columns_and_the_manifest(self):
        config = self.mine("\nsolve.columns = {'step': 'length'}\n")
        text = (self.folder / "mine.py").read_text().replace("while report(gamma):", "while report(gamma, error=0.5, step=settings.omega):")
        (self.folder / "mine.py").write_text(text)
        (self.folder / config).write_text((CONFIG % "python:../mine.py").replace(
            '"model": "ncp"', '"model": "ncp", "sweep": { "/solvers/1/parameters/omega": [0.5, 1, 1.5] }, "plots": [ { "kind": "convergence", "y": "own_step" } ]'))
        self.ask("run", config, "--quiet")
        rows = self.rows()
        self.assertEqual(sorted(rows), ["mine (omega=0.5)", "mine (omega=1)", "mine (omega=1.5)", "nsgs"])
        cell = self.folder / "results" / "own" / "cells" / rows["mine (omega=0.5)"]["hash"]
        with open(cell / "trace.csv", newline="", encoding="utf-8") as file:
            trace = list(csv.DictReader(file))
        self.assertEqual(float(trace[2]["own_step"]), 0.5)
        self.assertEqual(float(trace[2]["own_error"]), 0.5)
        manifest = json.loads((self.folder / "results" / "own" / "manifest.json").read_text())
        (peer,) = manifest["peers"].values()
        self.assertEqual(peer["school"], "external")
        self.assertEqual(peer["says"]["settings"][0]["below"], 2)

    def test_the_steps_of_a_sequence_start_from_the_step_before(self):
        self.mine("\nsolve.constraints = ['contact', 'unilateral']\n")
        text = (CONFIG % "python:../mine.py").replace(', "parameters": { "omega": 1.0 }', ', "start": { "from": "previous" }')
        problem = '{ "scene": "single_ball", "sequence": { "steps": 4 } }'
        (self.folder / "study" / "own.json").write_text(re.sub(r'{ "scene".*} }', problem, text))
        self.ask("run", "study/own.json", "--quiet")
        own, ours = self.rows()["mine"], self.rows()["nsgs"]
        self.assertEqual(own["status"], "solved", own["reason"])
        self.assertEqual(own["problem"], ours["problem"])


class NewUser(Solvers):
    def test_from_the_guide_to_a_ranked_report_in_ten_minutes(self):
        """The first block of the chapter, line by line."""
        began = time.monotonic()
        guide = (ROOT / "apps" / "ccpbench" / "docs" / "own_solver.md").read_text(encoding="utf-8")
        lines = [line.split("#")[0].split() for line in guide.split("```")[1].strip().splitlines()]
        self.assertEqual([words[1] for words in lines], ["new-solver", "check-solver", "solve", "new", "run", "report"])
        for words in lines:
            self.ask(*words[1:])
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertIn("mine", page)
        self.assertLess(time.monotonic() - began, 600.0)


if __name__ == "__main__":
    unittest.main()
