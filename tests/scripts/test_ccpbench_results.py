"""Tests of scripts/ccpbench_results.py: on made-up folders, on real runs, and of the example in the user guide.
CCPBENCH_PROGRAM names the program."""

import csv
import doctest
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_result_folder

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import ccpbench_results  # noqa: E402
from ccpbench_results import COLUMN_UNITS, PARAMETER_UNITS, InputError, Results, Table, csv_text, plain_text, unit_of  # noqa: E402

PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
NO_PROGRAM = "CCPBENCH_PROGRAM names no program"


def has(interpreter, module):
    return subprocess.run([interpreter, "-c", f"import {module}"], capture_output=True).returncode == 0


def python_with(module):
    """This interpreter or Debian's, whichever has the module; None where neither has."""
    return next((path for path in (sys.executable, "/usr/bin/python3") if os.access(path, os.X_OK) and has(path, module)), None)


class Folders(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)

    def run_config(self, config):
        (self.place / "study.json").write_text(json.dumps({"name": "study", **config}))
        made = subprocess.run([PROGRAM, "run", "study.json", "--quiet", "--out", "."], capture_output=True, text=True, cwd=self.place, timeout=300)
        self.assertEqual(made.returncode, 0, made.stderr)
        return Results(self.place / "study")


class Tables(Folders):
    def test_cells_have_numbers_texts_and_units(self):
        folder = make_result_folder(self.place / "r", problems=("a", "b"))
        with (folder / "summary.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        with (folder / "summary.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0], "iterations", "solve_s", "reason"])
            writer.writeheader()
            writer.writerows({**row, "iterations": k, "solve_s": "" if k == 2 else 0.5 * k, "reason": "7"} for k, row in enumerate(rows))
        cells = Results(folder).cells()
        self.assertEqual(len(cells), 8)
        self.assertEqual(cells["problem"], ["a"] * 4 + ["b"] * 4)
        self.assertEqual(cells["iterations"], [float(k) for k in range(8)])
        self.assertEqual(cells["reason"], ["7"] * 8)
        self.assertTrue(math.isnan(cells["solve_s"][2]))
        self.assertEqual(cells["school"], ["ours"] * 8)
        self.assertEqual([cells.units[name] for name in ("solve_s", "iterations", "reason")], ["s", "", ""])
        self.assertEqual([row["iterations"] for row in cells.where(problem="b", label="*admm*", iterations=4).rows()], [])
        self.assertEqual(cells.where(problem="b", label="ADMM*")["iterations"], [4.0])
        self.assertEqual(cells.where(iterations=lambda n: n > 5)["label"], ["NSGS", "IPM $x"])
        with self.assertRaisesRegex(InputError, "no column 'lable'; there are: problem, model, label"):
            cells["lable"]

    def test_texts_that_look_like_formulas_come_back(self):
        for text in ("=1+1", "+a", "-a", "@sum", "\t=1", "\n=1", "'=1", "''-x", "-", "'-1", "-1_0", "-1\n"):
            self.assertEqual(csv_text(text), "'" + text)
            self.assertEqual(plain_text(csv_text(text)), text)
        for text in ("-1", "+2.5e-3", "-.5", "-inf", "a=1", "'quoted'", "", "'"):
            self.assertEqual(csv_text(text), text)
            self.assertEqual(plain_text(text), text)
        folder = make_result_folder(self.place / "r", problems=("'=1+1", "b"))
        self.assertEqual(Results(folder).cells()["problem"][0], "=1+1")

    def test_json_without_end_and_pointers_are_refused_in_one_line(self):
        folder = make_result_folder(self.place / "r")
        for text, said in (("[" * 100000 + "]" * 100000, "lists and objects inside"),
                           ("version https://git-lfs.github.com/spec/v1\noid sha256:07\n", "`git lfs pull` fetches it")):
            (folder / "manifest.json").write_text(text)
            with self.assertRaisesRegex(InputError, said):
                Results(folder)

    def test_traces_are_below_each_other(self):
        folder = make_result_folder(self.place / "r")
        cell = folder / "cells" / f"{1:016x}" / "trace.csv"
        lines = cell.read_text().splitlines()
        cell.write_text("\n".join([lines[0] + ",rho", *(f"{line},2" for line in lines[1:]), "23,0,1"]) + "\n")
        traces = Results(folder).traces(label="[AJ]*")
        self.assertEqual(list(traces.columns)[:5], ["problem", "model", "label", "hash", "iteration"])
        self.assertEqual(len(traces), 23 + 1001)
        self.assertEqual(traces["rho"][:23], [2.0] * 23)
        self.assertTrue(all(map(math.isnan, traces["rho"][23:])))
        self.assertEqual(traces.where(label="Jacobi")["iteration"][-1], 1000.0)
        self.assertEqual((traces.units["rho"], traces.units["elapsed_s"], traces.units["relative_residual"]), ("1/kg", "s", ""))
        self.assertEqual(len(Results(folder).traces(label="nobody")), 0)

    def test_bad_input_is_one_line(self):
        folder = make_result_folder(self.place / "r")
        for path, text, said in ((folder / "manifest.json", "{}", "no object 'config'"), (folder / "summary.csv", "problem,model\na,ccp\n", "line 2: no label or hash"),
                                 (folder / "cells" / f"{1:016x}" / "trace.csv", b"\xff\xfe", "invalid start byte")):
            before = path.read_bytes()
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            with self.assertRaisesRegex(InputError, said) as caught:
                Results(folder).traces()
            self.assertIn(str(path), str(caught.exception))
            self.assertEqual(len(str(caught.exception).splitlines()), 1)
            path.write_bytes(before)
        with self.assertRaisesRegex(InputError, "nowhere: no such folder"):
            Results(self.place / "nowhere")

    def test_data_frames_need_pandas_alone(self):
        script = ("import sys, ccpbench_results as r\n"
                  "t = r.Table({'solve_s': [1.0, 2.0], 'label': ['a', 'b']}, {'solve_s': 's'})\n"
                  "if sys.argv[1] == 'without':\n    sys.modules['pandas'] = None\n"
                  "try:\n    f, g = t.to_pandas(), t.to_pandas(units=True)\n"
                  "except ImportError as error:\n    print(error)\n"
                  "else:\n    print(list(f.columns), f.attrs, list(g.columns), f.solve_s.sum(), list(g.label))\n")

        def said(interpreter, how):
            return subprocess.run([interpreter, "-Bc", script, how], capture_output=True, text=True, cwd=ROOT / "scripts").stdout.strip()

        self.assertEqual(said(sys.executable, "without"), "data frames need pandas: apt-get install python3-pandas")
        interpreter = python_with("pandas")
        if not interpreter:
            self.skipTest("pandas is missing")
        self.assertEqual(said(interpreter, "with"), "['solve_s', 'label'] {'units': {'solve_s': 's', 'label': ''}} ['solve_s (s)', 'label'] 3.0 ['a', 'b']")


@unittest.skipUnless(PROGRAM, NO_PROGRAM)
class RealRuns(Folders):
    def test_swept_values_are_columns(self):
        results = self.run_config({
            "problems": [{"scene": "random_contacts", "parameters": {"contacts": 3}}],
            "solvers": [{"solver": "admm", "label": "ADMM", "parameters": {"rho": 1}}, {"solver": "jacobi"}],
            "stop": {"tolerance": 1e-4, "max_iterations": 5},
            "sweep": {"/problems/0/parameters/contacts": [3, 4], "/solvers/0/parameters/rho": [0.1, 1], "/solvers/0/parameters/step_policy": ["fixed", "balanced"],
                      "/stop/tolerance": [1e-3]}})
        cells = results.cells()
        admm = cells.where(label="ADMM*")
        self.assertEqual(sorted(set(zip(admm["problem.contacts"], admm["rho"], admm["step_policy"]))),
                         [(n, rho, policy) for n in (3.0, 4.0) for rho in (0.1, 1.0) for policy in ("balanced", "fixed")])
        self.assertEqual(admm["contacts"], admm["problem.contacts"])
        self.assertEqual(set(cells["tolerance"]), {1e-3})
        self.assertEqual((cells.units["rho"], cells.units["problem.contacts"], cells.units["tolerance"]), ("1/kg", "", ""))
        jacobi = cells.where(label="jacobi*")
        self.assertTrue(jacobi["rho"] and all(map(math.isnan, jacobi["rho"])))
        self.assertEqual(set(jacobi["step_policy"]), {""})

    def test_sequences_have_steps_and_traces_of_steps(self):
        results = self.run_config({
            "problems": [{"scene": "ball_box", "parameters": {"spheres": 5}, "sequence": {"steps": 4, "trace_steps": [2], "driver": {"solver": "ipm_qp"}}}],
            "solvers": [{"solver": "apgd"}], "stop": {"max_iterations": 3}})
        steps = results.steps()
        self.assertEqual(steps["step"], [0.0, 1.0, 2.0, 3.0])
        self.assertEqual(steps["label"], ["apgd"] * 4)
        self.assertTrue(set(steps["status"]) <= {"solved", "iteration_limit"})
        self.assertEqual((steps.units["step"], steps.units["time_s"], steps.units["kinetic_J"]), ("", "s", "J"))
        traces = results.traces()
        self.assertEqual(set(traces["sequence_step"]), {2.0})
        self.assertEqual(traces.units["velocity_residual"], "m/s")

    def test_a_flipped_digit_in_a_trace_is_noticed(self):
        results = self.run_config({"problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
                                   "solvers": [{"solver": "jacobi"}], "stop": {"max_iterations": 12}})
        trace = next(results.folder.glob("cells/*/trace.csv"))
        text = trace.read_text()
        self.assertEqual(len(results.traces()), 13)
        for damaged in (text.replace("\n3,", "\n8,"), text[:text.rindex("\n12,") + 1]):
            trace.write_text(damaged)
            with self.assertRaisesRegex(InputError, r"trace.csv: is damaged: its checksum is not that of when it was written; .ccpbench run. "):
                results.traces()

    def test_a_file_that_is_gone_is_named(self):
        results = self.run_config({
            "problems": [{"scene": "ball_box", "parameters": {"spheres": 5}, "sequence": {"steps": 4, "trace_steps": [2], "driver": {"solver": "ipm_qp"}}}],
            "solvers": [{"solver": "apgd"}], "stop": {"max_iterations": 3}})
        cell = next(results.folder.glob("cells/*"))
        missing = ": is missing, though cell.json lists it; .ccpbench run. of the config runs the cell again"
        for name in ("trace.2.csv", "steps.csv"):
            content = (cell / name).read_bytes()
            (cell / name).unlink()
            for read in (results.cells, results.traces, results.steps):
                with self.assertRaisesRegex(InputError, name + missing):
                    read()
            (cell / name).write_bytes(content)
        content = (cell / "cell.json").read_bytes()
        (cell / "cell.json").write_bytes(content.replace(b'"threads": 1', b'"threads": 2'))
        with self.assertRaisesRegex(InputError, "cell.json: is damaged: "):
            results.cells()
        (cell / "cell.json").unlink()
        with self.assertRaisesRegex(InputError, "cell.json: is missing, though summary.csv lists the cell"):
            results.cells()
        (cell / "cell.json").write_bytes(content)
        (results.folder / "summary.csv").unlink()
        with self.assertRaisesRegex(InputError, "summary.csv: is missing, though manifest.json lists it; .ccpbench run. of the config writes it again"):
            results.cells()

    def test_a_flipped_digit_in_a_summary_is_noticed(self):
        results = self.run_config({"problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}}],
                                   "solvers": [{"solver": "jacobi"}], "stop": {"max_iterations": 12}})
        summary, manifest = results.folder / "summary.csv", results.folder / "manifest.json"
        self.assertEqual(results.cells()["iterations"], [12.0])
        summary.write_text(summary.read_text().replace(",12,", ",13,"))
        with self.assertRaisesRegex(InputError, r"summary.csv: is damaged: .* .ccpbench run. of the config writes it again"):
            results.cells()
        manifest.write_text(json.dumps({key: value for key, value in json.loads(manifest.read_text()).items() if key != "files"}))
        self.assertEqual(results.cells()["iterations"], [13.0])

    def test_units_are_those_of_the_program(self):
        def listing(*what):
            return subprocess.run([PROGRAM, "list", *what], capture_output=True, text=True, check=True).stdout

        def columns_of(text):
            return re.findall(r"^(?:  )?(\w+) {2,}(\S+) {2,}\S", text, re.M)

        found = {name: {"" if unit == "–" else unit} for name, unit in columns_of(listing("measures")) if name != "name"}
        self.assertGreater(len(found), 10)
        metrics = json.loads(listing("metrics", "--json"))
        self.assertGreater(len(metrics), 50)
        found.update({metric["name"]: {metric["unit"]} for metric in metrics})
        names = re.findall(r"^(\S+)  ", listing("solvers"), re.M)
        # Methods of one program have the same columns, and starting a program takes a while.
        solvers = [name for name in names if "/" not in name] + list({name.split("/")[0]: name for name in names if "/" in name}.values())
        for solver in solvers:
            _, _, columns = listing("solvers", solver).partition("\nColumns of its trace, beside the measures\n")
            for name, unit in columns_of(columns):
                if name != "name":
                    found.setdefault(name, set()).add("" if unit == "–" else unit)
        self.assertGreater(len(found), 50)
        self.assertEqual({name: {unit_of(name)} for name in found}, found)
        facts = {"along", "angle", "depth", "drift", "hover", "jitter", "joint_error", "off_axis", "off_height", "off_helix", "overlap", "path_error", "rattle", "slip", "spinning",
                 "tilt", "turning", "way"}
        self.assertEqual(set(COLUMN_UNITS) - set(found), facts)

        parameters = {}
        for topic, topics in (("scenes", re.findall(r"^(\S+)  ", listing("scenes"), re.M)), ("solvers", solvers)):
            for name in topics:
                for text in re.split(r"\n  (?=\w)", listing(topic, name).split("\nColumns of its trace")[0]):
                    unit = re.search(r"\n +number(?: in \S+ \S+| [<>]=? ?\S+)?, ([^,\n ]+)\n", text + "\n")
                    parameters.setdefault(text.split()[0], set()).add(unit.group(1) if unit else "")
        agreed = {name: next(iter(units)) for name, units in parameters.items() if len(units) == 1 and units != {""}}
        self.assertEqual(PARAMETER_UNITS, agreed)


class Documentation(Folders):
    def test_the_example_of_the_guide(self):
        example = re.search(r"```pycon\n(.*?)```", (ROOT / "apps" / "ccpbench" / "docs" / "python.md").read_text(encoding="utf-8"), re.S).group(1)
        self.assertGreater(len(doctest.DocTestParser().get_examples(example)), 5)
        interpreter = python_with("pandas")
        if not interpreter or not PROGRAM:
            self.skipTest("pandas is missing" if PROGRAM else NO_PROGRAM)
        made = subprocess.run([PROGRAM, "run", ROOT / "configs" / "test1a.json", "--quiet"], capture_output=True, text=True, cwd=self.place, timeout=300)
        self.assertEqual(made.returncode, 0, made.stderr)
        (self.place / "example.txt").write_text(example, encoding="utf-8")
        ran = subprocess.run([interpreter, "-Bm", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", "example.txt"], capture_output=True, text=True,
                             cwd=self.place, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONUTF8": "1"}, timeout=300)
        self.assertEqual((ran.stdout, ran.stderr), ("", ""))

    def test_pip_installs_the_module(self):
        interpreter = next((path for path in (sys.executable, "/usr/bin/python3") if has(path, "setuptools, wheel, pip")), None)
        if not interpreter:
            self.skipTest("pip, setuptools or wheel is missing")
        source = self.place / "scripts"  # setuptools writes beside what it installs
        source.mkdir()
        for name in ("pyproject.toml", "ccpbench_results.py"):
            shutil.copy(ROOT / "scripts" / name, source)
        made = subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target",
                               self.place / "target", source], capture_output=True, text=True, timeout=300)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual((self.place / "target" / "ccpbench_results.py").read_bytes(), Path(ccpbench_results.__file__).read_bytes())

    def test_a_table_stands_by_itself(self):
        table = Table({"a": [1.0, 2.0]})
        self.assertEqual((len(table), table.rows()), (2, [{"a": 1.0}, {"a": 2.0}]))
        self.assertEqual(len(Table({})), 0)

    def test_a_table_prints_what_it_holds_and_not_its_values(self):
        columns = {f"column_{k}": [1.5] * 1000 for k in range(20)}
        self.assertEqual(repr(Table(columns)), "Table of 1000 × 20 (rows × columns): " + ", ".join(list(columns)[:8]) + ", …")
        self.assertEqual(repr(Table({"a": [1]})), "Table of 1 × 1 (rows × columns): a")


if __name__ == "__main__":
    unittest.main()
