"""Tests of scripts/plot_sweep.py: it is run as users run it, on result folders made here."""

import csv
import json
import math
import re
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_divergences, write_record
from run_script import ALL_KINDS, run_plot

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from ensemble_figure import quantile  # noqa: E402

TIME, STEP = "/problems/0/parameters/time", "/problems/0/parameters/time_step"
PLOT = {"kind": "sweep", "against": TIME, "metric": "lift_velocity", "times": STEP, "axes": "linear",
        "x_label": "time (s)", "y_label": "height (m)"}


class PlotSweep(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "slide"

    def make_folder(self, plots, sweep=None, statuses=("solved",), folder=None):
        """Two models, three times and two steps: a lift of 2 m/s under ccp and 0 under ncp; 10, 20, 30 … iterations."""
        folder = folder or self.folder
        zipped = {"/model": ["ccp", "ncp"], "/problems/0/parameters/stepping": ["ccp", "ncp"]}
        sweep = sweep or {TIME: [0.1, 0.2, 0.3], STEP: [0.01, 0.005], "zip": zipped}
        config = {"name": "slide", "title": "A slide", "plots": plots, "sweep": sweep}
        rows = [["problem", "model", "label", "hash", "status", "iterations", "lift_velocity", "iterations_to_1e-6", "contacts"]]
        for time in (0.1, 0.2, 0.3):
            for step in (0.01, 0.005):
                for model in ("ccp", "ncp"):
                    number = len(rows)
                    cell = folder / "cells" / f"{number:016x}"
                    cell.mkdir(parents=True)
                    problem = {"name": "sphere", "parameters": {"time": time, "time_step": step, "stepping": model}}
                    write_record(cell, {"problem": problem, "model": model, "status": "solved",
                                        "solver": {"name": "apgd", "parameters": {"rho": 1}}})
                    rows.append([f"sphere (time={time}, time_step={step}, stepping={model})", model, "APGD", cell.name,
                                 statuses[number % len(statuses)], 10 * number, 2.0 if model == "ccp" else 0.0,
                                 number if number > 2 else "", 1])
        (folder / "manifest.json").write_text(json.dumps({"config": config}))
        with (folder / "summary.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)

    def run_script(self, *arguments, script="plot_sweep.py"):
        return run_plot(script, *arguments)

    def said(self, name):
        return set(re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / name).read_text(encoding="utf-8")))

    def notes(self, name):
        """All texts in their order, so that wrapped lines are whole."""
        return " ".join(re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / name).read_text(encoding="utf-8")))

    def test_times_of_a_busy_machine_are_said_below(self):
        plots = [{"kind": kind, "against": TIME, "metric": metric} for kind in ("sweep", "ensemble") for metric in ("iterations", "solve_s")]
        self.make_folder([{key: value for key, value in plot.items() if plot["kind"] == "sweep" or key != "against"} for plot in plots])
        summary = self.folder / "summary.csv"
        lines = summary.read_text().splitlines()
        summary.write_text("\n".join(line + (",solve_s,busy_runs" if k == 0 else f",0.{k},{k % 3 == 0:d}") for k, line in enumerate(lines)) + "\n")
        self.assertEqual(self.run_script(self.folder, "--format", "svg").returncode, 0)
        for name in ("sweep-solve_s-time", "ensemble-solve_s"):
            self.assertIn("4 of 12 times were taken on a busy machine.", self.notes(f"{name}.svg"))
        for name in ("sweep-iterations-time", "ensemble-iterations"):
            self.assertNotIn("busy", self.notes(f"{name}.svg"))

    def test_only_changes_no_style(self):
        self.make_folder([{"kind": "sweep", "against": STEP, "metric": "iterations"}], sweep={TIME: [0.1, 0.2, 0.3], STEP: [0.01, 0.005]})
        summary = self.folder / "summary.csv"
        text = summary.read_text()
        rows = [row.replace("APGD", "NSGS") for row in text.splitlines()[1:] if ",ccp,APGD" in row and "time=0.1" not in row]
        summary.write_text(text + "\n".join(rows) + "\n")
        looks = []
        for only in ((), ("--only", "NSGS*")):
            self.assertEqual(self.run_script(self.folder, "--format", "svg", *only).returncode, 0)
            drawn = (self.folder / "plots" / "sweep-iterations-time_step.svg").read_text()
            looks.append(set(re.findall(r"fill: none; ((?:stroke-dasharray: [^;]*; [^;]*; )?stroke: #\w{6}); stroke-width: 1.1", drawn)))
        self.assertTrue(looks[1])
        self.assertLess(looks[1], looks[0])

    def test_figures_of_several_results_do_not_take_each_others_names(self):
        """Two folders of the same name: each has its own place below --out, and the same figures as alone."""
        first, second, out = (Path(self.scratch.name) / name for name in ("before/slide", "after/slide", "out"))
        self.make_folder([PLOT], folder=first)
        self.make_folder([{**PLOT, "y_label": "lift"}], folder=second)
        made = self.run_script(first, second, first, "--out", out, "--format", "svg")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(sorted(str(path.relative_to(out)) for path in out.rglob("*.svg")),
                         ["after/slide/sweep-lift_velocity-time.svg", "before/slide/sweep-lift_velocity-time.svg"])
        alone = Path(self.scratch.name) / "alone"
        self.assertEqual(self.run_script(first, "--out", alone, "--format", "svg").returncode, 0)
        name = "sweep-lift_velocity-time.svg"
        self.assertEqual((alone / name).read_text(), (out / "before" / "slide" / name).read_text())
        self.assertIn("<!-- lift -->", (out / "after" / "slide" / name).read_text())

    def test_one_list_of_numbers_is_drawn_without_being_asked_for(self):
        self.make_folder([{"kind": "convergence"}], sweep={TIME: [0.1, 0.2, 0.3]})
        made = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(sorted(path.name for path in (self.folder / "plots").iterdir()), ["sweep-iterations-time.svg"])
        self.assertLessEqual({"time (s)", "iterations"}, self.said("sweep-iterations-time.svg"))

    def test_a_figure_of_one_problem_leaves_the_others_out(self):
        self.make_folder([{**PLOT, "problem": "sph*"}, {**PLOT, "problem": "cube", "metric": "iterations"}])
        made = self.run_script(self.folder, "--format", "svg")
        self.assertEqual(made.returncode, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "plots").iterdir()), ["sweep-lift_velocity-time.svg"])

    def test_a_figure_of_some_solvers_leaves_the_others_out(self):
        self.make_folder([PLOT, {**PLOT, "of": "AP*"}])
        summary = self.folder / "summary.csv"
        summary.write_text(summary.read_text().replace(",ncp,APGD,", ",ncp,reference,"))
        self.assertEqual(self.run_script(self.folder, "--format", "svg").returncode, 0)
        for name, others in (("sweep-lift_velocity-time.svg", True), ("sweep-lift_velocity-time-2.svg", False)):
            self.assertIn("APGD", self.notes(name))
            self.assertEqual("reference" in self.notes(name), others, name)

    def test_other_sweeps_are_left_alone(self):
        for k, (sweep, plots) in enumerate((({TIME: [0.1, 0.2], STEP: [1, 2]}, []), ({TIME: ["a", "b"]}, []), ({TIME: [0.1]}, []),
                                            ({"/model": ["ccp", "ncp"]}, []), ({TIME: [0.1, 0.2]}, [{"kind": "map", "against": TIME}]),
                                            ({"zip": {TIME: [0.1, 0.2], STEP: [1, 2]}}, []))):
            folder = self.folder / str(k)
            self.make_folder(plots, sweep=sweep, folder=folder)
            made = self.run_script(folder, "--format", "svg")
            self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "", ""), sweep)

    def test_two_figures_of_one_name_are_both_kept(self):
        self.make_folder([PLOT, {**PLOT, "y_label": "the second"}])
        made = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertIn("height (m)", self.said("sweep-lift_velocity-time.svg"))
        self.assertIn("the second", self.said("sweep-lift_velocity-time-2.svg"))

    def test_draws_a_line_for_each_model_and_step(self):
        self.make_folder([PLOT])
        result = self.run_script(self.folder, *ALL_KINDS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^plots: .*plots \(1 sweep\)\n$")
        self.assertEqual(sorted(path.name for path in (self.folder / "plots").iterdir()),
                         [f"sweep-lift_velocity-time.{kind}" for kind in ("pdf", "png", "svg")])
        said = self.said("sweep-lift_velocity-time.svg")
        for model in ("convex model (ccp)", "Coulomb model (ncp)"):
            for step in (0.01, 0.005):
                self.assertIn(f"APGD, {model}, time step {step}", said)
        self.assertLessEqual({"time (s)", "height (m)"}, said)
        self.assertIn("0.0200", said)  # 2 m/s × 0.01 s is the top of the height axis
        self.assertNotIn("A slide", said)
        self.run_script(self.folder, "--title", "--format", "svg")
        self.assertIn("A slide", self.said("sweep-lift_velocity-time.svg"))

    def test_zipped_values_that_repeat_make_lines_of_their_own(self):
        make_divergences(self.folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["plots"] = [{"kind": "sweep", "against": "/solvers/0/parameters/delta", "metric": "unsolved_steps", "axes": "linear"}]
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = " ".join(self.notes(path.name) for path in (self.folder / "plots").glob("*.svg"))
        for body in ("rigid", "soft"):
            for pair in ("0.001, m 1000", "0.25, m 1000", "0.001, m 5"):
                self.assertIn(f"kind {body}, epsilon {pair}", said)

    def test_swept_threads_tell_lines_apart_and_the_value_on_the_axis_does_not(self):
        self.make_folder([{"kind": "sweep", "against": "time", "metric": "iterations"}],
                         sweep={TIME: [0.1, 0.2, 0.3], "/solvers/0/threads": [1, 2]})
        for number, cell in enumerate(sorted((self.folder / "cells").iterdir())):
            record = json.loads((cell / "cell.json").read_text())
            write_record(cell, {**record, "threads": 1 + number % 2})
        summary = self.folder / "summary.csv"
        summary.write_text(summary.read_text().replace(",contacts", ",time"))
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = self.said("sweep-iterations-time.svg")
        self.assertTrue(any(text.startswith("APGD") and text.endswith("threads 2") for text in said), said)
        self.assertFalse(any(text.startswith("APGD") and "time" in text for text in said), said)

    def test_a_zipped_model_does_not_tell_lines_apart_twice(self):
        self.make_folder([PLOT])
        self.run_script(self.folder, "--format", "svg")
        self.assertFalse(any("stepping" in text for text in self.said("sweep-lift_velocity-time.svg")))

    def test_decades_never_reached_and_zeros_have_no_point_on_logarithmic_axes(self):
        self.make_folder([{"kind": "sweep", "against": TIME, "metric": "iterations_to", "at": 1e-6},
                          {"kind": "sweep", "against": TIME, "metric": "lift_velocity"}], statuses=("solved", "time_limit"))
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Values of 0 are left out (6 of 12).", self.notes("sweep-lift_velocity-time.svg"))
        said = self.said("sweep-iterations_to_1e-6-time.svg")
        self.assertIn("Filled marker: solved; open: stopped unsolved. Without a value: 2 cells of the lines drawn.", said)
        self.assertIn("10", said)  # a tick of the logarithmic axis

    def test_a_line_that_vanishes_is_named_and_lines_that_coincide_are_too(self):
        self.make_folder([{"kind": "sweep", "against": TIME, "metric": "iterations"}],
                         statuses=("solved", "unsupported", "solved", "unsupported"))
        self.run_script(self.folder, "--format", "svg")
        said = self.notes("sweep-iterations-time.svg")
        self.assertIn("No value at all: APGD, convex model (ccp), time step 0.01, APGD, convex model (ccp), time step 0.005.", said)
        self.assertNotIn("The same points", said)
        self.make_folder([PLOT], folder=self.folder.parent / "same")
        self.folder = self.folder.parent / "same"
        self.run_script(self.folder, "--format", "svg")
        said = self.notes("sweep-lift_velocity-time.svg")
        self.assertIn("The same points: APGD, Coulomb model (ncp), time step 0.01, APGD, Coulomb model (ncp), time step 0.005.", said)

    def test_axes_have_the_units_that_are_known_and_filters_say_what_there_is(self):
        self.make_folder([{"kind": "sweep", "against": TIME, "metric": "iterations"}])
        self.run_script(self.folder, "--format", "svg", "--only", "apgd")
        self.assertIn("time (s)", self.said("sweep-iterations-time.svg"))
        result = self.run_script(self.folder, "--only", "nsgs")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^plot_sweep.py: .*: no solver matches 'nsgs'; there are: APGD\n$")

    def test_counters_at_a_decade_come_from_the_trace_and_seconds_per_iteration_from_the_summary(self):
        self.make_folder([{"kind": "sweep", "against": TIME, "metric": "factorizations_to", "at": 1e-6, "axes": "linear"},
                          {"kind": "sweep", "against": TIME, "metric": "seconds_per_iteration", "axes": "linear"}])
        for cell in (self.folder / "cells").iterdir():
            (cell / "trace.csv").write_text("iteration,factorizations\n" + "".join(f"{k},{700 + k}\n" for k in range(20)))
        summary = self.folder / "summary.csv"
        rows = list(csv.reader(summary.read_text().splitlines()))
        with summary.open("w", newline="") as file:
            csv.writer(file).writerows([[*rows[0], "solve_s"], *([*row, 0.5 * int(row[5])] for row in rows[1:])])
        result = self.run_script(self.folder, "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = self.said("sweep-factorizations_to_1e-6-time.svg")
        self.assertIn("factorizations to 1e-6", said)
        self.assertTrue(any(re.fullmatch(r"7\d\d", text) for text in said), said)  # ticks around 703 … 712
        self.assertIn("0.5", self.said("sweep-seconds_per_iteration-time.svg"))

    def test_an_ensemble_has_a_row_of_points_for_each_solver_and_a_place_for_those_that_never_arrive(self):
        self.make_folder([{"kind": "ensemble", "metric": "iterations_to", "at": 1e-6, "x_label": "iterations to 1e-6"}])
        result = self.run_script(self.folder, "--format", "svg", "--title")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        said = self.said("ensemble-iterations_to_1e-6.svg")
        self.assertLessEqual({"APGD", "A slide", "iterations to 1e-6"}, said)
        self.assertIn("A point for each cell; box: quartiles; bar: median. Right of the line: never.", said)

    def test_quartiles_of_an_ensemble_are_those_of_its_claims(self):
        self.assertEqual([quantile([40, 20, 10], share) for share in (0.25, 0.5, 0.75)], [15, 20, 30])
        self.assertEqual(quantile([8, 40, 10, 20], 0.5), 15)
        self.assertEqual(quantile([4, math.inf, 3], 0.5), 4)
        self.assertEqual(quantile([4, math.inf, 3], 0.75), math.inf)

    def test_an_ensemble_without_a_number_is_said(self):
        self.make_folder([{"kind": "ensemble", "metric": "time_to", "at": 1e-6}])
        result = self.run_script(self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^.*: no cell with time_to_1e-6 above 0\n$")

    def test_the_same_data_give_the_same_bytes(self):
        self.make_folder([PLOT])
        pictures = []
        for _ in range(2):
            self.run_script(self.folder)
            pictures.append([path.read_bytes() for path in sorted((self.folder / "plots").iterdir())])
        self.assertEqual(*pictures)

    def test_what_cannot_be_drawn_is_said(self):
        self.make_folder([{"kind": "sweep", "against": "/problems/0/parameters/size", "metric": "iterations"}])
        result = self.run_script(self.folder)
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr, r"^.*: no cell with iterations against /problems/0/parameters/size\n$")
        result = self.run_script(self.folder / "nowhere")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"^plot_sweep.py: .*nowhere: no such folder")

    def test_each_script_leaves_the_other_kind_alone(self):
        self.make_folder([{"kind": "convergence"}])
        result = self.run_script(self.folder)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertFalse((self.folder / "plots").exists())

    def test_problems_without_traces_are_one_line_of_the_curves(self):
        self.make_folder([PLOT])
        result = self.run_script(self.folder, "--format", "svg", script="plot_convergence.py")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(list((self.folder / "plots").iterdir()), [])
        self.assertRegex(result.stderr, r"^.*: no figure, for no trace has [^\n]* and 9 more\n$")


if __name__ == "__main__":
    unittest.main()
