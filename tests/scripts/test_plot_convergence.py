"""Tests of scripts/plot_convergence.py: it is run as users run it, on result folders made here."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_result_folder

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_convergence.py"
PNG_START = b"\x89PNG\r\n\x1a\n"


class PlotConvergence(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "results" / "stack"

    def run_script(self, *arguments, interpreter=(sys.executable,), **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CCPBENCH_")}
        return subprocess.run([*interpreter, SCRIPT, *arguments], capture_output=True, text=True, timeout=120,
                              env={**clean, **environment})

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

    def test_problems_whose_names_look_alike_get_files_of_their_own(self):
        make_result_folder(self.folder, problems=("a/b", "a b"))
        self.draw(self.folder, "--format", "png")
        self.assertEqual(len(self.pictures()), 2)

    def test_writes_png_and_svg_by_default(self):
        make_result_folder(self.folder)
        result = self.draw(self.folder)
        self.assertEqual(self.pictures(), ["odd_mass_stack-ccp.png", "odd_mass_stack-ccp.svg"])
        self.assert_one_line(result.stdout, r"^plots: .*plots \(1 figure\)$")
        self.assertEqual(result.stderr, "")

    def test_the_svg_holds_title_axes_labels_and_all_solvers(self):
        make_result_folder(self.folder)
        self.draw(self.folder, "--format", "svg")
        text = (self.folder / "plots" / "odd_mass_stack-ccp.svg").read_text(encoding="utf-8")
        said = set(re.findall(r"<!-- (.*?) -->", text))
        for words in ("A made-up stack", "odd_mass_stack, convex model (ccp)", "relative velocity residual", "iteration",
                      "solver time (ms)", "tolerance 10⁻⁸", "ADMM balanced", "solved, 22 iterations, 220 µs", "Jacobi",
                      "iteration limit, 1000 iterations, 10 ms", "IPM $x", "failed, no curve"):
            self.assertIn(words, said)
        self.assertTrue(any("0: values below" in words for words in said), said)
        self.assertTrue(any("leave the top" in words for words in said), said)

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
        self.assert_one_line(result.stderr, "no trace with no_such_column against iteration")

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
        self.assertEqual(self.run_script(empty, "--format", "pdf").returncode, 2)

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
        self.assertEqual(result.returncode, 1)
        self.assert_one_line(result.stderr, "apt-get install python3-matplotlib")


if __name__ == "__main__":
    unittest.main()
