"""Tests of scripts/plot_sequence.py: it is run as users run it, on result folders made here."""

import csv
import json
import re
import tempfile
import unittest
from pathlib import Path

from make_result_folder import write_record
from run_script import ALL_KINDS, run_plot

COLUMNS = ("step", "time_s", "status", "iterations", "contacts", "rows", "setup_s", "solve_s", "relative_residual", "natural_map",
           "native_converged", "fallback", "kinetic_J", "potential_J", "deepest_gap", "missed")


class PlotSequence(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name) / "balls"

    def steps(self, count, iterations, contacts, unsolved=()):
        """Rows of a steps.csv: 2 ms of set-up and 3 ms of solving a step, a residual of 1e-9 and a natural map of 1e-6."""
        return [dict(zip(COLUMNS, (k, 0.02 * k, "iteration_limit" if k in unsolved else "solved", iterations, contacts(k), 9, 0.002,
                                   0.003, 1e-9, 1e-6, 1, 0, 0.5, 0.25, -1e-4, 0))) for k in range(count)]

    def make_folder(self, cells, plots=(), columns=COLUMNS, models=("ccp",)):
        """cells: label -> rows of its steps.csv; None: a cell that is no sequence."""
        self.folder.mkdir()
        config = {"name": "balls", "title": "Balls in time", "plots": list(plots), "stop": {"tolerance": 1e-8}}
        (self.folder / "manifest.json").write_text(json.dumps({"config": config}))
        rows = [["problem", "model", "label", "hash"]]
        for model in models:
            for label, steps in cells.items():
                cell = self.folder / "cells" / f"{len(rows):016x}"
                cell.mkdir(parents=True)
                write_record(cell, {
                    "problem": {"name": "ball_box"}, "solver": {"name": "ipm_qp", "label": label}, "model": model, "status": "solved",
                    "stop": {"measure": "relative_residual", "tolerance": 1e-8}})
                if steps is not None:
                    with (cell / "steps.csv").open("w", newline="") as file:
                        writer = csv.DictWriter(file, columns, extrasaction="ignore")
                        writer.writeheader()
                        writer.writerows(steps)
                rows.append(["ball_box", model, label, cell.name])
        with (self.folder / "summary.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)

    def run_script(self, *arguments, script="plot_sequence.py"):
        return run_plot(script, *arguments)

    def pictures(self):
        return sorted(path.name for path in (self.folder / "plots").iterdir())

    def svg(self, name="ball_box-ccp-steps.svg"):
        return (self.folder / "plots" / name).read_text(encoding="utf-8")

    def said(self, name="ball_box-ccp-steps.svg"):
        return set(re.findall(r"<!-- (.*?) -->", self.svg(name)))

    def heights(self):
        """Of the points of the line of iterations."""
        line = re.search(r'<g id="line iterations">\s*<path d="([^"]*)"', self.svg()).group(1)
        return {y for _, y in re.findall(r"[ML] ([\d.]+) ([\d.]+)", line)}

    def two_cells(self, **more):
        self.make_folder({"cold": self.steps(50, 12, lambda k: 40 + k), "warm": self.steps(50, 3, lambda k: 40 + k, {7, 8})}, **more)

    def test_draws_a_figure_for_each_problem_and_model(self):
        self.two_cells(models=("ccp", "ncp"))
        result = self.run_script(self.folder, *ALL_KINDS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"plots: {self.folder / 'plots'} (2 sequences)\n")
        self.assertEqual(self.pictures(), [f"ball_box-{m}-steps.{kind}" for m in ("ccp", "ncp") for kind in ("pdf", "png", "svg")])
        self.assertLessEqual({"iterations", "contacts", "time (ms)", "step",
                              "cold", "50 of 50 steps solved, 12 iterations a step, 250 ms",
                              "warm", "48 of 50 steps solved, 3 iterations a step, 250 ms",
                              "Cross: an unsolved step. All meet the same contacts. Grey line: the tolerance."}, self.said())
        self.assertNotIn("Balls in time", self.said())  # in a paper the caption says it
        pictures = [path.read_bytes() for path in sorted((self.folder / "plots").iterdir())]
        self.run_script(self.folder)
        self.assertEqual([path.read_bytes() for path in sorted((self.folder / "plots").iterdir())], pictures)

    def test_a_figure_is_as_wide_as_asked_for_and_has_its_title_on_demand(self):
        self.two_cells()
        for width, points in (("single", 89 / 25.4 * 72), ("double", 180 / 25.4 * 72)):
            self.run_script(self.folder, "--format", "svg", "--width", width, "--title")
            self.assertIn(f'width="{points:.5f}', self.svg())
            self.assertLessEqual({"Balls in time", "ball_box, convex model (ccp)"}, self.said())

    def test_crosses_are_the_unsolved_steps(self):
        self.two_cells()
        self.run_script(self.folder, "--format", "svg")
        crosses = {}
        for column, group in re.findall(r'<g id="unsolved (\w+)">(.*?</g>)', self.svg(), re.DOTALL):
            crosses[column] = crosses.get(column, 0) + group.count("<use ")
        # Of two steps of one cell; contacts have one line for both cells.
        self.assertEqual(crosses, {"iterations": 2, "time": 2, "relative_residual": 2})
        for cell in (self.folder / "cells").iterdir():
            steps = cell / "steps.csv"
            steps.write_text(steps.read_text().replace("iteration_limit", "solved"))
        self.run_script(self.folder, "--format", "svg")
        self.assertFalse("unsolved" in self.svg())
        self.assertIn("All meet the same contacts. Grey line: the tolerance.", self.said())

    def test_own_trajectories_have_a_line_of_contacts_each(self):
        self.make_folder({"one": self.steps(20, 5, lambda k: 40), "other": self.steps(20, 5, lambda k: 41)})
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn("All meet the same contacts.", " ".join(self.said()))

    def test_a_plot_of_this_kind_names_another_residual(self):
        plots = [{"kind": "sequence", "y": "natural_map"}, {"kind": "sequence"}, {"kind": "sequence", "y": "merit"}]
        self.two_cells(plots=plots)
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, f"{self.folder}: ball_box, ccp: no step with merit\n")
        self.assertEqual(self.pictures(), ["ball_box-ccp-steps-natural_map.svg", "ball_box-ccp-steps.svg"])
        self.assertLessEqual({"natural map", "residual"}, self.said("ball_box-ccp-steps-natural_map.svg"))

    def test_a_tolerance_far_below_all_residuals_stretches_no_axis(self):
        self.make_folder({"IPM": self.steps(6, 5, lambda k: 3)})
        self.run_script(self.folder)
        self.assertIn("Grey line: the tolerance.", " ".join(self.said()))
        for cell in (self.folder / "cells").iterdir():
            record = json.loads((cell / "cell.json").read_text())
            write_record(cell, {**record, "stop": {"measure": "relative_residual", "tolerance": 1e-300}})
        self.run_script(self.folder)
        self.assertFalse([words for words in self.said() if "tolerance" in words or "-300" in words or "-200" in words])

    def test_long_sequences_are_thinned_and_keep_their_peaks(self):
        steps = self.steps(20000, 5, lambda k: 40)
        steps[12345]["iterations"] = 29
        self.make_folder({"long": steps})
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess(len(self.svg()), 400_000)
        self.assertEqual(len(self.heights()), 2)
        path = next((self.folder / "cells").iterdir()) / "steps.csv"
        path.write_text(path.read_text().replace(",29,", ",5,"))
        self.run_script(self.folder, "--format", "svg")
        self.assertEqual(len(self.heights()), 1)

    def test_a_cut_row_is_left_out_and_steps_without_contacts_count_for_nothing(self):
        self.make_folder({"one": self.steps(4, 6, lambda k: 0 if k < 2 else 3)})
        path = next((self.folder / "cells").iterdir()) / "steps.csv"
        rows = list(csv.reader(path.read_text().splitlines()))
        for row in rows[1:3]:
            row[3] = "0"
        path.write_text("\n".join(",".join(row) for row in rows) + "\n4,0.08,sol")
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("4 of 4 steps solved, 6 iterations a step, 20 ms", self.said())

    def test_a_traced_step_has_a_convergence_plot_of_its_own(self):
        self.make_folder({"one": self.steps(8, 3, lambda k: 40, unsolved=(7,)), "other": self.steps(8, 3, lambda k: 40)})
        for number, cell in enumerate(sorted((self.folder / "cells").iterdir())):
            for step in (2, 7):
                rows = [f"{k},{1e-3 * k},{10.0 ** -(k + number)}" for k in range(9 - 3 * number)]
                (cell / f"trace.{step}.csv").write_text("\n".join(["iteration,elapsed_s,relative_residual", *rows]) + "\n")
        result = self.run_script(self.folder, "--format", "svg", script="plot_convergence.py")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.pictures(), ["ball_box_step_2-ccp.svg", "ball_box_step_7-ccp.svg"])
        solved, limited = self.svg("ball_box_step_2-ccp.svg"), self.svg("ball_box_step_7-ccp.svg")
        self.assertIn("solved, 8 iterations", solved)
        self.assertNotIn("iteration limit", solved)
        self.assertIn("iteration limit, 8 iterations", limited)
        self.assertIn("solved, 5 iterations", limited)

    def make_traced(self, steps, plots, models=("ccp",)):
        """A cell `one` with the primal residual, which is 0 in the row of the start, and a cell `other` without; residual 10^-k in
        step 2, a hundredth of it in each later one."""
        self.make_folder({"one": self.steps(12, 3, lambda k: 40), "other": self.steps(12, 3, lambda k: 40)}, plots=plots, models=models)
        for number, cell in enumerate(sorted((self.folder / "cells").iterdir())):
            for step in steps:
                head = ["iteration", "elapsed_s", "relative_residual", *(["primal_residual"] if number % 2 == 0 else [])]
                rows = [[k, 1e-3 * k, 10.0 ** (2 - step - k), *([10.0 ** -k if k else 0.0] if number % 2 == 0 else [])] for k in range(7)]
                (cell / f"trace.{step}.csv").write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")

    def side_by_side(self, *arguments):
        """The names of the figures with several steps."""
        result = self.run_script(self.folder, "--format", "svg", *arguments, script="plot_convergence.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [name for name in self.pictures() if name.startswith("steps-")]

    ASKED = ({"kind": "convergence", "x": "iteration", "y": "relative_residual"}, {"kind": "convergence", "x": "elapsed_s", "y": "relative_residual"},
             {"kind": "convergence", "x": "iteration", "y": "primal_residual"}, {"kind": "sweep", "against": "contacts"})

    def test_traced_steps_stand_side_by_side_with_a_row_for_each_plot_of_the_config(self):
        self.make_traced((2, 7, 9), self.ASKED)
        self.assertEqual(self.side_by_side(), ["steps-ccp-elapsed_s.svg", "steps-ccp-iteration.svg"])
        text = self.svg("steps-ccp-iteration.svg")
        said = re.findall(r"<!-- (.*?) -->", text)
        for step in (2, 7, 9):
            self.assertEqual(said.count(f"ball_box, step {step}"), 2)  # above each row
        for words, count in (("relative velocity residual", 1), ("primal residual (N·s)", 1), ("iteration", 3), ("one", 1), ("other", 1)):
            self.assertEqual(said.count(words), count, said)
        self.assertTrue([w for w in said if "Without primal residual: other." in w], said)
        self.assertNotIn("0: ", " ".join(said))  # the row of the start has no primal residual
        self.assertIn("relative velocity residual", self.said("steps-ccp-elapsed_s.svg"))

    def panel_lines(self, name):
        """Of each panel the points of its first curve, from the upper left corner of the page."""
        found = []
        for panel in self.svg(name).split('<g id="axes_')[1:-1]:  # the last one is the legend
            line = re.search(r'<path d="([^"]*)" clip-path="[^"]*" style="fill: none;[^"]* stroke-width: 1.1[";]', panel)
            found.append([(float(x), float(y)) for x, y in re.findall(r"[ML] ([\d.]+) ([\d.]+)", line.group(1))])
        return found

    def test_panels_of_a_row_have_the_same_axes(self):
        self.make_traced((2, 4), self.ASKED[:1])
        self.assertEqual(self.side_by_side("--legend", "labels"), ["steps-ccp-iteration.svg"])
        first, later = self.panel_lines("steps-ccp-iteration.svg")
        self.assertGreater(later[0][0], first[-1][0])
        rises = [b[1] - a[1] for a, b in zip(first, later)]
        decade = first[1][1] - first[0][1]
        for rise in rises:
            self.assertAlmostEqual(rise, 2 * decade, delta=1.0)  # a hundredth

    def test_five_steps_stand_in_two_lines(self):
        self.make_traced((2, 3, 4, 5, 6), self.ASKED[:1])
        self.assertEqual(self.side_by_side(), ["steps-ccp-iteration.svg"])
        said = re.findall(r"<!-- (.*?) -->", self.svg("steps-ccp-iteration.svg"))
        self.assertEqual([said.count(f"ball_box, step {step}") for step in (2, 6)], [1, 1])
        self.assertEqual((said.count("relative velocity residual"), said.count("iteration")), (2, 3))  # below the last of each column

    def test_only_two_to_eight_steps_stand_side_by_side_and_only_where_plots_ask(self):
        self.make_traced(range(1, 10), self.ASKED[:1], models=("ccp", "ncp"))
        self.assertEqual(self.side_by_side("--all"), [])
        self.assertEqual(len(self.pictures()), 36)
        for path in [p for k in range(5, 10) for p in self.folder.glob(f"cells/*/trace.{k}.csv")]:
            path.unlink()
        self.assertEqual(self.side_by_side(), ["steps-ccp-iteration.svg", "steps-ncp-iteration.svg"])
        self.assertEqual(self.side_by_side("--only", "one", "--width", "single", "--title"), ["steps-ccp-iteration.svg", "steps-ncp-iteration.svg"])
        said = re.findall(r"<!-- (.*?) -->", self.svg("steps-ncp-iteration.svg"))
        self.assertNotIn("other", said)
        self.assertIn("Coulomb model (ncp)", said)
        self.assertEqual(said.count("iteration"), 4)  # panels below each other

    def test_side_by_side_plots_of_what_no_trace_has_are_left_out(self):
        self.make_traced((2, 3), [{"kind": "convergence", "x": "products", "y": "relative_residual"}, {"kind": "convergence", "y": "merit"}])
        self.assertEqual(self.side_by_side(), [])

    def test_folders_without_sequences_are_left_alone_and_the_other_way_round(self):
        self.two_cells()
        result = self.run_script(self.folder, "--format", "svg", script="plot_convergence.py")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.pictures(), [])
        for cell in (self.folder / "cells").iterdir():
            (cell / "steps.csv").unlink()
        result = self.run_script(self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_what_cannot_be_read_is_one_line(self):
        columns = [name for name in COLUMNS if name not in ("contacts", "status")]
        self.make_folder({"one": self.steps(4, 6, lambda k: 3)}, columns=columns)
        result = self.run_script(self.folder)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"^plot_sequence.py: .*steps.csv: no column status or contacts, expected a steps.csv .*\n$")
        self.assertFalse((self.folder / "plots").exists())
        result = self.run_script(self.folder / "nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^plot_sequence.py: .*nowhere: no such folder\n$")


if __name__ == "__main__":
    unittest.main()
