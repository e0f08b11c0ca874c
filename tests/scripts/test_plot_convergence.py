"""Tests of scripts/plot_convergence.py: it is run as users run it, on result folders made here."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_result_folder, write_record
from run_script import own_environment, run_plot, run_script

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_convergence.py"
PNG_START = b"\x89PNG\r\n\x1a\n"


class PlotConvergence(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "results" / "stack"

    def run_script(self, *arguments, interpreter=None, **environment):
        if interpreter is None and not environment:
            return run_plot(SCRIPT, *arguments)
        return subprocess.run([*(interpreter or ()), SCRIPT, *arguments, "--quiet"], capture_output=True, text=True,
                              timeout=120, env={**own_environment(), **environment})

    def draw(self, *arguments, **options):
        result = self.run_script(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def assert_one_line(self, text, pattern):
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertRegex(text, pattern)

    def keep_rows(self, *labels):
        """Leaves only these labels in the summary."""
        summary = self.folder / "summary.csv"
        head, *rows = summary.read_text().splitlines()
        summary.write_text("\n".join([head, *(row for row in rows if row.split(",")[2] in labels)]) + "\n")

    def pictures(self, folder=None):
        return sorted(path.name for path in (folder or self.folder / "plots").iterdir())

    def test_draws_one_figure_per_problem_and_model(self):
        make_result_folder(self.folder, problems=("Chute 1/a", "stack"), models=("ccp", "ncp"))
        self.draw(self.folder, "--format", "png")
        self.assertEqual(self.pictures(), ["Chute_1_a-ccp.png", "Chute_1_a-ncp.png", "stack-ccp.png", "stack-ncp.png"])
        for path in (self.folder / "plots").iterdir():
            self.assertEqual(path.read_bytes()[:8], PNG_START)
            self.assertGreater(path.stat().st_size, 10000)

    def test_a_swept_value_in_a_name_leaves_no_stray_underscore(self):
        make_result_folder(self.folder, problems=("stack (mass=10)",))
        self.draw(self.folder, "--format", "png")
        self.assertEqual(self.pictures(), ["stack_mass_10-ccp.png"])

    def test_problems_whose_names_look_alike_get_files_of_their_own(self):
        make_result_folder(self.folder, problems=("a/b", "a b"))
        self.draw(self.folder, "--format", "png")
        self.assertEqual(len(self.pictures()), 2)

    def svg(self, *arguments, name="odd_mass_stack-ccp"):
        self.draw(self.folder, "--format", "svg", *arguments)
        return (self.folder / "plots" / f"{name}.svg").read_text(encoding="utf-8")

    def said(self, *arguments, **options):
        return set(re.findall(r"<!-- (.*?) -->", self.svg(*arguments, **options)))

    def notes(self, *arguments):
        """All texts, one after the other."""
        return " ".join(re.findall(r"<!-- (.*?) -->", self.svg(*arguments)))

    def test_writes_png_svg_and_pdf_by_default(self):
        make_result_folder(self.folder)
        result = run_script(SCRIPT, self.folder, "--quiet")
        self.assertEqual(self.pictures(), [f"odd_mass_stack-ccp.{kind}" for kind in ("pdf", "png", "svg")])
        pdf = (self.folder / "plots" / "odd_mass_stack-ccp.pdf").read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF"))
        self.assertNotIn(b"/Type3", pdf)  # fonts as journals take them
        self.assert_one_line(result.stdout, r"^plots: .*plots \(1 figure\)$")
        self.assertEqual(result.stderr, "")

    def test_a_time_of_a_busy_machine_is_marked(self):
        make_result_folder(self.folder)
        self.assertFalse([text for text in self.said() if "busy" in text])
        self.make_busy(2)
        said = self.said()
        self.assertIn("iteration limit, 1000 iterations, 10 ms (busy)", said)
        self.assertEqual(sum(text.endswith("(busy)") for text in said), 1)
        self.assertIn("(busy): timed while other programs kept", self.notes())
        for options in (("--legend", "outcomes"), ("--legend", "labels"), ("--width", "single"), ("--legend-at", "off"), ("--legend-at", "inside")):
            self.assertIn("1 of 3 times were taken on a busy machine: Jacobi.", self.notes(*options), options)
            self.assertNotIn("(busy)", self.notes(*options))

    def test_the_svg_holds_title_axes_labels_and_all_solvers(self):
        make_result_folder(self.folder)
        said = self.said("--title")
        for words in ("A made-up stack", "odd_mass_stack, convex model (ccp)", "relative velocity residual", "iteration",
                      "solver time (ms)", "$10^{-10}$", "ADMM balanced", "solved, 22 iterations, 220 µs",
                      "Jacobi", "iteration limit, 1000 iterations, 10 ms", "IPM $x", "failed, no curve"):
            self.assertIn(words, said)
        self.assertNotIn("A made-up stack", self.said())  # in a paper the caption says it
        self.assertIn("Grey line: tolerance 10⁻⁸.", self.notes())
        self.assertTrue(any("0: values below" in words for words in said), said)
        self.assertTrue(any("leave the top" in words for words in said), said)

    def test_times_and_outcomes_leave_the_legend_on_request(self):
        make_result_folder(self.folder)
        said = self.said("--legend", "outcomes")
        self.assertIn("solved, 22 iterations", said)
        self.assertFalse([words for words in said if words.endswith("ms") or words.endswith("µs")])
        labels = self.said("--legend", "labels")
        self.assertFalse([words for words in labels if "22 iterations" in words])
        self.assertIn("IPM $x (no curve)", labels)
        self.assertIn("Jacobi", labels)

    def test_widths_are_those_of_columns(self):
        make_result_folder(self.folder)
        for width, millimetres in (("single", 89), ("double", 180), ("100", 100)):
            found = re.search(r'<svg[^>]*? width="([\d.]+)pt"', self.svg("--width", width), re.S)
            self.assertAlmostEqual(float(found.group(1)), millimetres / 25.4 * 72, delta=0.01)
        self.assertIn("solver time (ms)", self.said("--width", "single"))
        refused = self.run_script(self.folder, "--width", "wide")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("expected single, double or a width in mm", refused.stderr)

    def colours(self, text):
        """Colours of the end markers, in the order of the curves."""
        return list(dict.fromkeys(re.findall(r"stroke: (#[0-9a-f]{6})", text)))

    def test_a_filter_leaves_curves_and_changes_no_style(self):
        make_result_folder(self.folder)
        whole, part = self.svg(), self.svg("--only", "jacobi", "--only", "NSG*")
        self.assertIn("<!-- Jacobi -->", part)
        self.assertNotIn("<!-- ADMM balanced -->", part)
        solvers = ("#009e73", "#e69f00", "#d55e00", "#0072b2", "#cc79a7", "#56b4e9", "#7a5c00")
        left = [colour for colour in self.colours(part) if colour in solvers]
        self.assertGreaterEqual(len(left), 1)
        self.assertLessEqual(set(left), set(self.colours(whole)))
        refused = self.run_script(self.folder, "--only", "x*")
        self.assertEqual(refused.returncode, 2)
        self.assert_one_line(refused.stderr, r"no solver matches 'x\*'; there are: ADMM balanced, Jacobi")

    def write_trace(self, number, columns, rows):
        lines = [",".join(columns), *(",".join(f"{value:.17g}" for value in row) for row in rows)]
        (self.folder / "cells" / f"{number:016x}" / "trace.csv").write_text("\n".join(lines) + "\n")

    def test_a_curve_that_oscillates_is_a_band_unless_asked(self):
        make_result_folder(self.folder)
        columns = ("iteration", "elapsed_s", "relative_residual")
        self.write_trace(2, columns, [(k, 1e-5 * k, 10.0 ** ((-1) ** k - 1e-3 * k)) for k in range(1000)])
        note, fill = "Band: the range of a curve that oscillates", r'id="(?:PolyCollection|FillBetweenPolyCollection)_'
        text = self.svg()
        self.assertIn(note, " ".join(re.findall(r"<!-- (.*?) -->", text)))
        self.assertEqual(len(re.findall(fill, text)), 2)  # two panels
        self.assertNotIn("Band", self.svg("--raw"))
        self.write_trace(2, columns, [(k, 1e-5 * k, 10.0 ** (-5e-3 * k)) for k in range(1000)])
        self.assertEqual(len(re.findall(fill, self.svg())), 0)

    def test_curves_over_one_axis_alone(self):
        make_result_folder(self.folder, plots=[{"kind": "convergence", "x": x, "y": "objective"} for x in ("iteration", "elapsed_s")])
        said = self.said("--x", "iteration", name="odd_mass_stack-ccp-iteration")
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp-iteration.svg", "odd_mass_stack-ccp-objective-iteration.svg"])
        self.assertIn("iteration", said)
        self.assertFalse([text for text in said if text.startswith("solver time")])
        self.draw(self.folder, "--x", "elapsed_s", "--format", "svg", "--out", self.folder / "times")
        self.assertEqual(self.pictures(self.folder / "times"), ["odd_mass_stack-ccp-elapsed_s.svg", "odd_mass_stack-ccp-objective-elapsed_s.svg"])

    def test_a_residual_that_is_0_throughout_has_no_figure(self):
        make_result_folder(self.folder, plots=[{"kind": "convergence", "x": "iteration", "y": "merit"}])
        for number in (1, 2):
            self.write_trace(number, ("iteration", "relative_residual", "merit"), [(k, 0.1**k, 0.0) for k in range(9)])
        result = self.draw(self.folder, "--format", "svg")
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp.svg"])
        self.assert_one_line(result.stderr, "no figure, for no trace has merit above 0: odd_mass_stack, ccp")

    def test_a_curve_without_the_column_is_named(self):
        make_result_folder(self.folder, plots=[{"kind": "convergence", "x": "iteration", "y": "dual_residual"}])
        self.write_trace(2, ("iteration", "dual_residual"), [(k, 0.1**k) for k in range(9)])
        name = "odd_mass_stack-ccp-dual_residual-iteration"
        self.assertTrue([w for w in self.said(name=name) if "Without dual residual: ADMM balanced, NSGS." in w])

    def make_swept_folder(self):
        """ADMM with three values of rho."""
        make_result_folder(self.folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["sweep"] = {"/solvers/0/parameters/rho": [1e-3, 1.0, 1e3]}
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        rows = [["problem", "model", "label", "hash"]]
        for number, rho in ((1, 1.0), (2, 1e-3), (3, 1e3)):
            path = self.folder / "cells" / f"{number:016x}" / "cell.json"
            cell = json.loads(path.read_text())
            cell["solver"]["parameters"] = {"rho": rho}
            write_record(path.parent, cell)
            rows.append(["odd_mass_stack", "ccp", f"ADMM (rho={rho})", path.parent.name])
        (self.folder / "summary.csv").write_text("\n".join(",".join(row) for row in rows) + "\n")

    def test_swept_values_have_colours_in_order(self):
        self.make_swept_folder()
        text = self.svg()
        said = re.findall(r"<!-- (.*?) -->", text)
        first = said.index("rho (1/kg):")
        self.assertEqual(said[first - 1:first + 4], ["ADMM", "rho (1/kg):", "$10^{-3}$", "$10^{0}$", "$10^{3}$"])
        self.assertEqual(re.findall(r"stroke: (#\w+); stroke-width: 4", text), ["#440154", "#27828c", "#b1d942"])  # from dark to light

    def test_a_second_swept_value_has_lines_of_its_own(self):
        self.make_swept_folder()
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["sweep"]["/solvers/0/parameters/warm"] = [True, False]
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        rows = ["problem,model,label,hash"]
        for number in range(1, 7):
            cell = self.folder / "cells" / f"{number:016x}"
            if number > 3:
                shutil.copytree(self.folder / "cells" / f"{number - 3:016x}", cell, dirs_exist_ok=True)
            record = json.loads((cell / "cell.json").read_text())
            record["solver"]["parameters"]["warm"] = number <= 3
            write_record(cell, record)
            rho = record["solver"]["parameters"]["rho"]
            rows.append(f'odd_mass_stack,ccp,"ADMM (rho={rho}, warm={str(number <= 3).lower()})",{cell.name}')
        (self.folder / "summary.csv").write_text("\n".join(rows) + "\n")
        said = re.findall(r"<!-- (.*?) -->", self.svg())
        first = said.index("rho (1/kg):")
        self.assertEqual(said[first - 2:first + 1], ["ADMM, warm True", "ADMM, warm False", "rho (1/kg):"])
        lines = re.findall(r"stroke-dasharray: ([\d.,]+); stroke-dashoffset: 0; stroke: #333333", self.svg())
        self.assertEqual(len(lines), 1)  # of the second; the first is solid

    def test_an_overlay_has_the_swept_values_of_a_problem_and_several_folders_in_one_figure(self):
        problems = ("stack (mass=1)", "stack (mass=10)")
        other = self.folder.parent / "other"
        for folder in (self.folder, other):
            make_result_folder(folder, problems=problems)
        result = run_plot("plot.py", self.folder, "--overlay", "--format", "svg")
        self.assertEqual((result.returncode, self.pictures()), (0, ["stack-ccp-overlay.svg"]), result.stderr)
        text = (self.folder / "plots" / "stack-ccp-overlay.svg").read_text()
        for words in ("Jacobi (mass=1)", "Jacobi (mass=10)"):
            self.assertIn(f"<!-- {words} -->", text)
        result = run_plot("plot.py", self.folder, other, "--overlay", "--only", "Jacobi*", "--format", "svg", "--out", self.folder / "both")
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "both" / "stack-ccp-overlay.svg").read_text()
        for words in (f"Jacobi, {self.folder.name} (mass=1)", "Jacobi, other (mass=10)"):
            self.assertIn(f"<!-- {words} -->", text)

    def make_busy(self, number):
        """The run of a cell was disturbed."""
        cell = self.folder / "cells" / f"{number:016x}"
        busy = {"runs": [{"pass": 1, "busy": "it waited 51 % of its time for a core"}]}
        write_record(cell, {**json.loads((cell / "cell.json").read_text()), **busy})

    def test_legends_in_order_mark_the_times_of_a_busy_machine_too(self):
        self.make_swept_folder()
        self.make_busy(3)
        said = re.findall(r"<!-- (.*?) -->", self.svg())
        first = said.index("rho (1/kg):")
        self.assertEqual(said[first - 1:first + 4], ["ADMM", "rho (1/kg):", "$10^{-3}$", "$10^{0}$", "$10^{3}$ (busy)"])
        self.assertIn("(busy): timed while other programs kept", self.notes())
        self.assertIn("1 of 3 times were taken on a busy machine.", self.notes("--legend", "labels"))
        # Of two solvers a value is two curves, so that the solvers have the mark; those without swept values have their own.
        summary = self.folder / "summary.csv"
        rows = summary.read_text()
        more = "".join(f"odd_mass_stack,ccp,FADMM (rho={rho}),{k:016x}\n" for k, rho in ((1, 1.0), (3, 1e3)))
        summary.write_text(f"{rows}{more}odd_mass_stack,ccp,Jacobi,{3:016x}\n")
        said = re.findall(r"<!-- (.*?) -->", self.svg())
        first = said.index("rho (1/kg):")
        self.assertEqual(said[first - 3:first + 4], ["ADMM (1 of 3 busy)", "FADMM (1 of 2 busy)", "Jacobi (busy)", "rho (1/kg):",
                                                     "$10^{-3}$", "$10^{0}$", "$10^{3}$"])
        # Without an axis of time nothing shows times.
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["plots"] = [{"kind": "convergence", "x": "iteration", "y": "relative_residual"}]
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        self.draw(self.folder, "--format", "svg")
        self.assertNotIn("busy", (self.folder / "plots" / "odd_mass_stack-ccp-relative_residual-iteration.svg").read_text())

    def test_a_plot_of_the_config_does_not_turn_the_usual_curves_off(self):
        make_result_folder(self.folder, plots=[{"kind": "sweep", "against": "contacts"}])
        self.draw(self.folder, "--format", "png")
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp.png"])

    def test_very_many_problems_are_cut_aloud(self):
        make_result_folder(self.folder, problems=[f"p{k:02d}" for k in range(26)])
        result = self.draw(self.folder, "--format", "svg", "--only", "ADMM*")
        self.assertEqual(len(self.pictures()), 24)
        self.assert_one_line(result.stderr, "first 24 of 26 problems and models; --all draws all")

    def test_no_note_on_zeros_and_divergence_where_there_are_none(self):
        make_result_folder(self.folder)
        self.keep_rows("Jacobi")
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        self.assertIn("Filled end marker", text)
        self.assertNotIn("values below", text)
        self.assertNotIn("leave the top", text)

    def test_only_cells_of_the_summary_belong_to_the_config(self):
        make_result_folder(self.folder)
        self.keep_rows("ADMM balanced", "NSGS")
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        self.assertIn("<!-- ADMM balanced -->", text)
        self.assertNotIn("<!-- Jacobi -->", text)
        (self.folder / "summary.csv").unlink()
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        self.assertIn("<!-- Jacobi -->", text)

    def test_labels_of_the_summary_count_and_equal_ones_are_told_apart(self):
        make_result_folder(self.folder)
        summary = self.folder / "summary.csv"
        renamed = (("ADMM balanced", "Plain"), ("IPM $x", "Plain"), ("NSGS", "Swept"), ("Jacobi", "Swept"))
        text = summary.read_text()
        for old, new in renamed:
            text = text.replace(old, new)
        summary.write_text(text)
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        for label in ("Plain (00000001)", "Plain (00000004)", "Swept (omega 1.0)", "Swept (omega 1.5)"):
            self.assertIn(f"<!-- {label} -->", text)
        self.assertNotIn("ADMM balanced", text)

    def test_same_data_same_bytes(self):
        make_result_folder(self.folder)
        places = [Path(self.scratch.name) / name for name in ("first", "second")]
        for place in places:
            self.draw(self.folder, "--out", place)
        self.assertFalse((self.folder / "plots").exists())
        for name in self.pictures(places[0]):
            self.assertEqual((places[0] / name).read_bytes(), (places[1] / name).read_bytes(), name)

    def test_draws_the_plots_of_the_config(self):
        plots = [{"kind": "convergence", "x": "elapsed_s", "y": "objective"},
                 {"kind": "convergence", "x": "iteration", "y": "no_such_column"}, {"kind": "profile"}]
        make_result_folder(self.folder, plots=plots)
        result = self.draw(self.folder, "--format", "svg")
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp-objective-elapsed_s.svg", "odd_mass_stack-ccp.svg"])
        self.assert_one_line(result.stderr, "no trace has no_such_column against iteration")

    def test_axes_are_linear_on_request(self):
        plot = {"kind": "convergence", "x": "iteration", "y": "velocity_residual"}
        make_result_folder(self.folder, plots=[plot, {**plot, "axes": "linear"}, {**plot, "axes": "log_y"}])
        names = [f"odd_mass_stack-ccp-velocity_residual-iteration{end}" for end in ("", "-linear", "-log_y")]
        usual, linear, log_y = (self.said(name=name) for name in names)
        self.assertEqual(self.pictures(), sorted([*(f"{name}.svg" for name in names), "odd_mass_stack-ccp.svg"]))
        powers = re.compile(r"10\^|10\$|mathdefault\{10")
        self.assertTrue([text for text in usual if powers.search(text)], usual)
        self.assertFalse([text for text in linear if powers.search(text)], linear)
        self.assertTrue([text for text in log_y if powers.search(text)], log_y)

    def test_falls_back_on_the_columns_there_are(self):
        make_result_folder(self.folder, columns=("iteration", "velocity_residual"))
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        self.assertIn("relative velocity residual", text)
        self.assertNotIn("solver time", text)

    def test_problem_pattern(self):
        make_result_folder(self.folder, problems=("stack", "chain"))
        self.draw(self.folder, "--problem", "ch*", "--format", "png")
        self.assertEqual(self.pictures(), ["chain-ccp.png"])
        result = self.run_script(self.folder, "--problem", "x*")
        self.assertEqual(result.returncode, 2)
        self.assert_one_line(result.stderr, r"no problem matches 'x\*'; there are: chain, stack")

    def test_leaves_out_a_torn_cell_and_draws_the_others(self):
        make_result_folder(self.folder)
        cells = sorted((self.folder / "cells").iterdir())
        (cells[0] / "cell.json").write_text('{"problem": ')
        with (cells[1] / "trace.csv").open("a") as trace:
            trace.write("1001,0,0.0")
        result = self.draw(self.folder, "--format", "svg")
        self.assert_one_line(result.stderr, f"left out: .*{cells[0].name}")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        self.assertNotIn("ADMM balanced", text)
        self.assertIn("iteration limit, 1000 iterations", text)

    def test_bad_input_is_one_line_and_code_2(self):
        empty, odd, broken = (Path(self.scratch.name) / name for name in ("empty", "odd", "broken"))
        for folder in (empty, odd, broken):
            folder.mkdir()
        (odd / "manifest.json").write_text("[]")
        (broken / "manifest.json").write_text("{")
        cases = ((Path(self.scratch.name) / "nowhere", "nowhere: no such folder"), (empty, "manifest.json: no such file"),
                 (odd, "no object 'config'"), (broken, "manifest.json: "), (SCRIPT, "no such folder"))
        for folder, pattern in cases:
            with self.subTest(folder=folder.name):
                result = self.run_script(folder)
                self.assertEqual(result.returncode, 2)
                self.assert_one_line(result.stderr, pattern)
        self.assertEqual(self.run_script().returncode, 2)
        self.assertEqual(self.run_script(empty, "--format", "eps").returncode, 2)

    def bare_interpreter(self):
        """A folder whose python3 knows no packages at all."""
        place = Path(self.scratch.name) / "bin"
        place.mkdir()
        (place / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        (place / "python3").chmod(0o755)
        return place

    def test_an_interpreter_without_matplotlib_hands_over_to_debians(self):
        make_result_folder(self.folder)
        path = f"{self.bare_interpreter()}:{os.environ['PATH']}"
        self.draw(self.folder, "--format", "svg", interpreter=(), PATH=path)
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp.svg"])

    def test_no_interpreter_with_matplotlib_is_one_line(self):
        make_result_folder(self.folder)
        path = f"{self.bare_interpreter()}:{os.environ['PATH']}"
        result = self.run_script(self.folder, interpreter=(), PATH=path, CCPBENCH_PLOT_INTERPRETER_TRIED="1")
        self.assertEqual(result.returncode, 2)
        self.assert_one_line(result.stderr, "apt-get install python3-matplotlib")


if __name__ == "__main__":
    unittest.main()
