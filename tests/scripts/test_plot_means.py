"""Tests of scripts/plot_means.py and scripts/plot_tables.py: they are run as users run them, on result folders made here."""

import csv
import json
import math
import re
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import write_record
from run_script import ALL_KINDS, run_plot

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "report")]
from plot_means import exponent, residual_over_time, scaling_of, time_over_iterations, traces_of  # noqa: E402
from cell_values import cases, read_cells, values_of  # noqa: E402
from ccpbench_results import InputError  # noqa: E402
from reading import read_study  # noqa: E402
from result_tables import csv_of, latex_of, latex_text, markdown_of, table_of  # noqa: E402
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
                    write_record(cell, {"problem": problem, "model": "ncp", "status": "solved",
                                        "solver": {"name": label.lower(), "parameters": {}}})
                    count = 4 if label == "Newton" else size
                    if label == "Newton":
                        text = trace([(1e-3 * (1 + k), 10.0 ** (-load * k)) for k in range(5)], [0, 1, 1, 2, 2])
                    else:
                        text = trace([(1e-4 * (1 + k), 0.1 / (1 + k)) for k in range(size + 1)])
                    (cell / "trace.csv").write_text(text)
                    if sequences:
                        (cell / "steps.csv").write_text("step,status,setup_s,solve_s,iterations,contact_residual\n"
                                                        "1,solved,0.001,0.1,4,1e-2\n2,iteration_limit,0.001,0.3,3,1e-4\n")
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
        result = self.run_script("plot_means.py", self.folder, "--title", *ALL_KINDS)
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
        self.assertEqual(time_over_iterations([([], [], end) for end in ends]), [(1, 2.0), (2, 2.5), (3, 3.0)])  # a run that ended keeps its time

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
        self.assertLessEqual({"degrees of freedom", "solver time (ms)", "exponents: time 2.00 ± 0.00, residual 0.00 ± 0.00"}, said)
        means = scaling_of(list(cases(SCALING, cells).values())[1], SCALING)
        self.assertEqual([x for x, _ in means[0].panels[0]], [30.0, 60.0, 120.0])
        slope, error = exponent([(1.0, 2.0), (2.0, 16.0), (4.0, 128.0)])
        self.assertAlmostEqual(slope, 3.0)
        self.assertAlmostEqual(error, 0.0)
        # log₂ of the values 0, 2, 1 at 0, 1, 2: slope 1/2, misses −1/2, 1, −1/2, error √(3/2 / 1 / 2).
        slope, error = exponent([(1.0, 1.0), (2.0, 4.0), (4.0, 2.0)])
        self.assertAlmostEqual(slope, 0.5)
        self.assertAlmostEqual(error, math.sqrt(0.75))
        self.assertTrue(math.isnan(exponent([(1.0, 2.0), (1.0, 3.0)])[0]))
        self.assertTrue(math.isnan(exponent([(1.0, 2.0), (2.0, 3.0)])[1]))

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
        self.assertEqual(self.drawn(), [f"table-Paper_2025_Table_II.{ending}" for ending in ("csv", "md", "tex")])
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
        self.assertEqual(table_of({**newton, "over": "largest"}, cells).rows[0][2][0].value, 4.0)  # the largest residual, not logarithm
        self.assertEqual(table_of({**newton, "over": "smallest"}, cells).rows[0][2][0].value, 8.0)

    def end_unsolved(self, *numbers):
        """Rows of the summary that ended at their limit, counted from 1."""
        lines = (self.folder / "summary.csv").read_text().splitlines()
        for number in numbers:
            lines[number] = lines[number].replace(",solved,", ",iteration_limit,")
        (self.folder / "summary.csv").write_text("\n".join(lines) + "\n")
        return read_cells(self.folder)

    def test_what_an_unsolved_run_cost_is_marked_as_a_lower_bound(self):
        self.make_folder([TABLE])
        cells = self.end_unsolved(2, 6, 10, 4)  # PGS under the first load at all sizes, under the second at the first size
        table = table_of({**TABLE, "metrics": ["iterations", "contact_residual"]}, cells)
        texts = {(row[0], row[1]): [number.text for number in row[2]] for row in table.rows}
        self.assertEqual(texts["load 1", "iterations, mean"], ["4", "> 23.33 ✗"])
        self.assertEqual(texts["load 2", "iterations, mean"], ["4", "> 23.33 ✗ 1/3"])
        self.assertEqual(texts["load 1", "−log₁₀ contact residual, mean"], ["4", "2"])  # no cost, and so no bound
        self.assertIn("✗: ended unsolved", markdown_of(table))
        self.assertIn(r"iterations, mean & 4 & $>$ 23.33 $\times$ \\", latex_of(table))
        rows = list(csv.reader(csv_of(table).splitlines()))
        self.assertEqual(rows[0], ["case", "quantity", "Newton", "PGS", "Newton: unsolved", "PGS: unsolved"])
        self.assertEqual(rows[1][2:], ["4", "23.333333333333332", "0 of 3", "3 of 3"])
        self.assertEqual(rows[-1][4:], ["", ""])  # the paper says nothing of that
        self.assertIn("✗: ended unsolved", plot_tables(read_study(self.folder)))

    def test_only_what_grows_with_a_run_is_a_bound(self):
        self.make_folder([TABLE])
        table = table_of({"kind": "table", "metrics": ["solve_s", "setup_s"], "of": "PGS"}, self.end_unsolved(2))
        self.assertEqual([row[2][0].mark for row in table.rows], ["✗ 1/6", ""])

    def make_busy(self, *numbers):
        """Rows of the summary whose times were taken on a busy machine, counted from 1."""
        lines = (self.folder / "summary.csv").read_text().splitlines()
        lines = [line + (",busy_runs" if k == 0 else f",{int(k in numbers)}") for k, line in enumerate(lines)]
        (self.folder / "summary.csv").write_text("\n".join(lines) + "\n")
        return read_cells(self.folder)

    def test_times_of_a_busy_machine_are_marked(self):
        self.make_folder([TABLE, MEAN, SCALING])
        table = table_of({**TABLE, "metrics": ["iterations", "solve_s"]}, self.make_busy(2, 6, 10, 4))
        texts = {(row[0], row[1]): [number.text for number in row[2]] for row in table.rows}
        self.assertEqual(texts["load 1", "iterations, mean"], ["4", "23.33"])
        self.assertRegex(texts["load 1", "solve (ms), mean"][1], r"^[\d.]+ \(busy\)$")
        self.assertRegex(texts["load 2", "solve (ms), mean"][1], r"^[\d.]+ \(1 of 3 busy\)$")
        for text in (markdown_of(table), latex_of(table)):
            self.assertIn("(busy): timed while other programs", text)
        rows = list(csv.reader(csv_of(table).splitlines()))
        self.assertEqual((rows[0][4:], rows[1][4:], rows[2][4:]), (["Newton: busy", "PGS: busy"], ["", ""], ["0 of 3", "3 of 3"]))
        self.assertEqual(self.run_script("plot_means.py", self.folder, "--format", "svg").returncode, 0)
        for path in (self.folder / "plots").glob("*.svg"):
            said = " ".join(re.findall("<!-- (.*?) -->", path.read_text()))
            self.assertRegex(said, r"3 of 6 times were taken on a busy machine: PGS\.|1 of 6 times were taken on a busy machine: PGS \(1 of 3\)\.", path.name)

    def test_only_leaves_columns_of_tables_and_of_the_papers_numbers(self):
        self.make_folder([{**TABLE, "paper": {"iterations": [7, 70]}}])
        result = self.run_script("plot_tables.py", self.folder, "--format", "markdown", "--only", "pgs")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "plots" / self.drawn()[0]).read_text()
        self.assertIn("|  |  | PGS |", text)
        self.assertIn("| paper | iterations, mean | 70 |", text)
        refused = self.run_script("plot_tables.py", self.folder, "--only", "x")
        self.assertEqual((refused.returncode, refused.stderr.count("no solver matches 'x'; there are: ")), (2, 1))

    def test_one_run_each_is_no_mean(self):
        cells = self.make_folder([TABLE])
        table = table_of({"kind": "table", "metrics": ["iterations", "solve_s"], "by": [LOAD, SIZE]}, cells)
        self.assertEqual({row[1] for row in table.rows}, {"iterations", "solve (ms)"})

    def test_latex_prints_what_its_marks_mean_and_powers_of_ten(self):
        self.make_folder([TABLE])
        text = latex_of(table_of({**TABLE, "metrics": ["iterations"]}, self.end_unsolved(2)))
        self.assertTrue(text.startswith("% \\usepackage{booktabs}\n\\begin{tabular}"))
        self.assertRegex(text, r"\n\\par\\smallskip\{\\footnotesize \$\\times\$: ended unsolved[^%]*\}\n$")
        self.assertEqual(latex_text("iterations to 1e-4, 2.5e−05 m, SPG1e-4, 3e+02 & x"),
                         r"iterations to $10^{-4}$, $2.5\cdot10^{-5}$ m, SPG1e-4, $3\cdot10^{2}$ \& x")

    def test_a_table_of_solved_runs_has_no_marks(self):
        table = table_of(TABLE, self.make_folder([TABLE]))
        for text in (markdown_of(table), latex_of(table), csv_of(table)):
            self.assertNotIn("unsolved", text)

    def test_unsolved_steps_of_sequences_are_counted(self):
        cells = self.make_folder([SCALING], sequences=True)
        number = table_of({"kind": "table", "metrics": "iterations", "of": "PGS", "by": LOAD}, cells).rows[0][2][0]
        self.assertEqual(number.text, "> 3.5 ✗ 3/6")

    def test_a_metric_to_an_accuracy_counts_those_that_never_came_there(self):
        self.make_folder([TABLE])
        lines = (self.folder / "summary.csv").read_text().splitlines()
        lines = [line + ("," if k % 3 == 0 else ",12") for k, line in enumerate(lines)]
        (self.folder / "summary.csv").write_text("\n".join([lines[0] + "iterations_to_1e-4", *lines[1:]]) + "\n")
        plot = {"kind": "table", "metrics": ["iterations_to"], "at": 1e-4}
        self.assertEqual([number.text for number in table_of(plot, read_cells(self.folder)).rows[0][2]], ["12 ✗ 2/6", "12 ✗ 2/6"])
        with self.assertRaisesRegex(InputError, "iterations_to needs an accuracy, such as"):
            table_of({"kind": "table", "metrics": ["iterations_to"]}, read_cells(self.folder))

    def test_formats_of_tables_are_asked_for_by_name(self):
        self.make_folder([TABLE])
        result = self.run_script("plot_tables.py", self.folder, "--format", "latex")
        self.assertEqual((result.returncode, self.drawn()), (0, ["table-Paper_2025_Table_II.tex"]))
        result = self.run_script("plot_tables.py", self.folder, "--format", "gif")
        self.assertEqual(result.returncode, 2)
        self.assertIn("expected some of png,svg,pdf,csv,markdown,latex", result.stderr)

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
                self.assertEqual(self.run_script(script, self.folder, *ALL_KINDS).returncode, 0)
            files.append([path.read_bytes() for path in sorted((self.folder / "plots").iterdir())])
        self.assertEqual(len(files[0]), 15)
        self.assertEqual(*files)

    def test_what_cannot_be_drawn_is_said(self):
        self.make_folder([{**MEAN, "y": "merit"}, {**TABLE, "metrics": ["merit"], "paper": {}}])
        result = self.run_script("plot_means.py", self.folder)
        self.assertEqual((result.returncode, result.stderr), (0, f"{self.folder}: no cell with merit above 0 in its trace\n"))
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
