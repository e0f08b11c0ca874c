"""Tests of scripts/plot_means.py and scripts/plot_tables.py: they are run as users run them, on result folders made here."""

import csv
import json
import math
import re
import sys
import tempfile
import unittest
from pathlib import Path

from run_script import run_plot

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "report")]
from plot_means import exponent, residual_over_time, scaling_of, time_over_iterations, traces_of  # noqa: E402
from cell_values import cases, read_cells, values_of  # noqa: E402
from reading import read_study  # noqa: E402
from result_tables import markdown_of, table_of  # noqa: E402
from sections import plot_tables  # noqa: E402

SIZE, LOAD = "/problems/0/parameters/size", "/problems/0/parameters/load"
MEAN = {"kind": "mean", "y": "contact_residual", "by": LOAD}
SCALING = {"kind": "scaling", "y": "contact_residual", "against": "dofs", "by": [LOAD]}
TABLE = {"kind": "table", "where": "Paper 2025, Table II", "metrics": ["iterations", "failures", "contact_residual"], "of": ["New*", "PGS"],
         "by": [LOAD], "paper": {"iterations": [7, 70], "contact_residual": [1e-9, None]}}


def trace(rows, loops=None):
    """rows: (seconds, residual); loops: the outer iteration of each, for methods that have them."""
    names = ["iteration", "elapsed_s", "contact_residual", *(["al_iteration", "failures"] if loops else [])]
    lines = [[k, time, value, *([loops[k], k // 2] if loops else [])] for k, (time, value) in enumerate(rows)]
    return "\n".join(",".join(map(str, line)) for line in [names, *lines]) + "\n"


class Means(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "nuts"

    def make_folder(self, plots, sequences=False):
        """Sizes 10, 20 and 40 under two loads; Newton: 4 rows in 2 loops, 1 s to 4 s; PGS: 0.1 s an iteration, size iterations."""
        config = {"name": "nuts", "title": "Made-up nuts", "plots": plots, "sweep": {SIZE: [10, 20, 40], LOAD: [1, 2]}}
        names = ["problem", "model", "label", "hash", "status", "iterations", "contact_residual", "setup_s", "solve_s", "contacts"]
        rows = [names]
        for size in (10, 20, 40):
            for load in (1, 2):
                for label in ("Newton", "PGS"):
                    cell = self.folder / "cells" / f"{len(rows):016x}"
                    cell.mkdir(parents=True)
                    problem = {"name": "nut", "dofs": 3 * size, "parameters": {"size": size, "load": load}}
                    (cell / "cell.json").write_text(json.dumps({"problem": problem, "model": "ncp", "status": "solved",
                                                                "solver": {"name": label.lower(), "parameters": {}}}))
                    count = 4 if label == "Newton" else size
                    if label == "Newton":
                        text = trace([(1e-3 * (1 + k), 10.0 ** (-load * k)) for k in range(5)], [0, 1, 1, 2, 2])
                    else:
                        text = trace([(1e-4 * (1 + k), 0.1 / (1 + k)) for k in range(size + 1)])
                    (cell / "trace.csv").write_text(text)
                    if sequences:
                        (cell / "steps.csv").write_text("step,setup_s,solve_s,iterations,contact_residual\n1,0.001,0.1,4,1e-2\n2,0.001,0.3,3,1e-4\n")
                    rows.append(["nut", "ncp", label, cell.name, "solved", count, 10.0 ** (-4 * load) if label == "Newton" else 1e-2,
                                 0.0, 1e-6 * size**2, size])
        (self.folder / "manifest.json").write_text(json.dumps({"config": config}))
        with (self.folder / "summary.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        return read_cells(self.folder)

    def run_script(self, script, *arguments):
        return run_plot(script, *arguments)

    def drawn(self):
        return sorted(path.name for path in (self.folder / "plots").iterdir())

    def said(self, name):
        return set(re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / name).read_text(encoding="utf-8")))

    def test_a_figure_for_each_case_has_the_residual_over_time_and_the_time_over_iterations(self):
        self.make_folder([MEAN])
        result = self.run_script("plot_means.py", self.folder, "--title")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^plots: .*plots \(2 figures of means\)\n$")
        self.assertEqual(self.drawn(), [f"mean-contact_residual-load_{load}.{kind}" for load in (1, 2) for kind in ("pdf", "png", "svg")])
        said = self.said("mean-contact_residual-load_1.svg")
        self.assertLessEqual({"Newton", "PGS", "3 problems", "Made-up nuts", "load 1", "contact residual", "solver time (ms)", "iteration"}, said)
        self.assertTrue(any("Iterations of Newton: outer ones." in text for text in said), said)

    def test_a_run_that_ended_stays_where_it_ended_and_logarithms_are_averaged(self):
        traces = [([1.0, 2.0], [1.0, 1e-4], {1: 2.0}), ([1.0, 2.0, 4.0], [1.0, 1e-2, 1e-8], {1: 2.0, 2: 4.0})]
        points = residual_over_time(traces)
        self.assertEqual(points[0], (1.0, 1.0))
        self.assertAlmostEqual(points[-1][0], 4.0)
        self.assertAlmostEqual(points[-1][1] / 1e-6, 1.0)  # of 1e-4, where the first has ended, and 1e-8
        self.assertAlmostEqual([y for x, y in points if x > 2.0][0] / 1e-3, 1.0)
        self.assertEqual(residual_over_time([([0.0], [1.0], {})]), [])

    def test_lines_over_iterations_end_where_half_of_the_runs_have(self):
        ends = [{1: 1.0, 2: 2.0, 3: 3.0, 4: 9.0}, {1: 3.0, 2: 4.0, 3: 5.0}, {1: 2.0}, {1: 2.0}]
        self.assertEqual(time_over_iterations([([], [], end) for end in ends]), [(1, 2.0), (2, 3.0), (3, 4.0)])

    def test_outer_iterations_end_with_their_last_step(self):
        cells = self.make_folder([MEAN])
        traces, outer = traces_of([cell for cell in cells if cell.label == "Newton"][:1], "contact_residual")
        self.assertEqual((traces[0][2], outer), ({1: 0.003, 2: 0.005}, True))
        traces, outer = traces_of([cell for cell in cells if cell.label == "PGS"][:1], "contact_residual")
        self.assertEqual((len(traces[0][2]), outer), (10, False))

    def test_scaling_has_the_exponents_of_time_and_residual(self):
        cells = self.make_folder([SCALING])
        result = self.run_script("plot_means.py", self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = self.said("scaling-contact_residual-dofs-load_1.svg")
        self.assertLessEqual({"degrees of freedom", "solver time (ms)", "exponents: time 2.00, residual 0.00"}, said)
        means = scaling_of(list(cases(SCALING, cells).values())[1], SCALING)
        self.assertEqual([x for x, _ in means[0].panels[0]], [30.0, 60.0, 120.0])
        self.assertAlmostEqual(exponent([(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)]), 3.0)
        self.assertTrue(math.isnan(exponent([(1.0, 2.0), (1.0, 3.0)])))

    def test_steps_of_sequences_are_averaged_one_by_one(self):
        cells = self.make_folder([SCALING], sequences=True)
        self.assertEqual(values_of(cells[0], "contact_residual"), [1e-2, 1e-4])
        self.assertEqual(values_of(cells[0], "seconds_per_iteration"), [0.1 / 4, 0.3 / 3])
        means = scaling_of(cells[:1], SCALING)
        self.assertAlmostEqual(means[0].panels[0][0][1], 0.201)
        self.assertAlmostEqual(means[0].panels[1][0][1], 1e-3)

    def test_a_table_has_the_solvers_asked_for_and_the_paper_below(self):
        self.make_folder([TABLE])
        result = self.run_script("plot_tables.py", self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.drawn(), ["table-Paper_2025_Table_II.csv", "table-Paper_2025_Table_II.md"])
        lines = (self.folder / "plots" / "table-Paper_2025_Table_II.md").read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "|  |  | Newton | PGS |")
        self.assertEqual(lines[2:5], ["| load 1 | iterations, mean | 4 | 23.33 |", "|  | failures, mean | 2 | – |",
                                      "|  | −log₁₀ contact residual, mean | 4 | 2 |"])
        self.assertEqual(lines[-2:], ["| paper | iterations, mean | 7 | 70 |", "|  | −log₁₀ contact residual, mean | 9 | – |"])
        with (self.folder / "plots" / "table-Paper_2025_Table_II.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["case", "quantity", "Newton", "PGS"])
        self.assertEqual([row[0] for row in rows[1:]], ["load 1"] * 3 + ["load 2"] * 3 + ["paper"] * 2)
        self.assertEqual(rows[1][2:], ["4", "23.333333333333332"])

    def test_the_papers_values_of_a_case_stand_below_it(self):
        cells = self.make_folder([TABLE])
        table = table_of({**TABLE, "paper": {"iterations": {"1": [7, None], "3": [1, 1]}}}, cells)
        self.assertEqual([row[0] for row in table.rows], ["load 1"] * 3 + ["paper"] + ["load 2"] * 3)
        self.assertIn("| paper | iterations, mean | 7 | – |", markdown_of(table).splitlines())

    def test_over_is_of_the_quantity_and_times_are_in_ms(self):
        cells = self.make_folder([TABLE])
        for over, iterations, residual, time in (("smallest", 10, "2", "0.1"), ("largest", 40, "2", "1.6"), ("median", 20, "2", "0.4")):
            plot = {"kind": "table", "of": "PGS", "metrics": ["iterations", "contact_residual", "solve_s"], "over": over}
            text = markdown_of(table_of(plot, cells))
            self.assertIn(f"| iterations, {over} | {iterations} |", text)
            self.assertIn(f"| solve (ms), {over} | {time} |", text)
        newton = {"kind": "table", "of": "Newton", "metrics": "contact_residual"}
        self.assertEqual(table_of({**newton, "over": "largest"}, cells).rows[0][2], [4.0])  # the largest residual, not logarithm
        self.assertEqual(table_of({**newton, "over": "smallest"}, cells).rows[0][2], [8.0])

    def test_the_report_has_the_tables(self):
        self.make_folder([TABLE])
        text = plot_tables(read_study(self.folder))
        self.assertIn("Paper 2025, Table II: ours, and the paper's", text)
        for cell in ("<td class=n>23.33</td>", '<th scope="row">paper</th><td>iterations, mean</td><td class=n>7</td><td class=n>70</td>'):
            self.assertIn(cell, text)
        (self.folder / "manifest.json").write_text(json.dumps({"config": {"name": "nuts", "plots": [MEAN]}}))
        self.assertEqual(plot_tables(read_study(self.folder)), "")

    def test_the_same_data_give_the_same_bytes(self):
        self.make_folder([MEAN, SCALING, TABLE])
        files = []
        for _ in range(2):
            for script in ("plot_means.py", "plot_tables.py"):
                self.assertEqual(self.run_script(script, self.folder).returncode, 0)
            files.append([path.read_bytes() for path in sorted((self.folder / "plots").iterdir())])
        self.assertEqual(len(files[0]), 14)
        self.assertEqual(*files)

    def test_what_cannot_be_drawn_is_said(self):
        self.make_folder([{**MEAN, "y": "merit"}, {**TABLE, "metrics": ["merit"], "paper": {}}])
        result = self.run_script("plot_means.py", self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, f"{self.folder}: no cell with merit in its trace\n"))
        result = self.run_script("plot_tables.py", self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, f"{self.folder}: no cell with a number for the table 'Paper 2025, Table II'\n"))
        for script in ("plot_means.py", "plot_tables.py"):
            result = self.run_script(script, self.folder / "nowhere")
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"^plot_(means|tables)\.py: .*no such folder\n$")

    def test_configs_without_such_plots_are_left_alone(self):
        self.make_folder([{"kind": "sweep", "against": SIZE}])
        for script in ("plot_means.py", "plot_tables.py"):
            result = self.run_script(script, self.folder)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
