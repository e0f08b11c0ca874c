"""Tests of scripts/plot_profiles.py: it is run as users run it, on profiles made here."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from run_script import ALL_KINDS, own_environment, run_plot

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_profiles.py"
PNG_START = b"\x89PNG\r\n\x1a\n"


class PlotProfiles(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "profiles"

    def make_folder(self, labels=("ADMM", "NSGS"), accuracies=("0.0001", "1e-08"), problems=20, by="time"):
        """Steps of solvers that solve 3/4, 1/2, … of the problems; bands where there are five problems."""
        self.folder.mkdir()
        for name, column in (("performance", "ratio"), ("data", "budget")):
            lines = [f"at,label,{column},fraction,low,high,problems"]
            for at in accuracies:
                for k, label in enumerate(labels):
                    for i in range(5):
                        fraction = i * (3 - k % 3) / 16
                        band = f"{fraction * 0.8:g},{min(1, fraction * 1.2):g}" if problems >= 5 else ","
                        lines.append(f"{at},{label},{2**i},{fraction:g},{band},{problems}")
            (self.folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
        (self.folder / "means.csv").write_text(f"at,label,by\n1,x,{by}\n")

    def run_script(self, *arguments, interpreter=None, **environment):
        if interpreter is None and not environment:
            return run_plot(SCRIPT, *arguments)
        return subprocess.run([*(interpreter or ()), SCRIPT, *map(str, arguments), "--quiet"], capture_output=True, text=True,
                              timeout=120, env={**own_environment(), **environment})

    def draw(self, *arguments, **options):
        result = self.run_script(self.folder, *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result

    def svg(self):
        self.draw("--format", "svg")
        return (self.folder / "profiles.svg").read_text(encoding="utf-8")

    def bands(self):
        return len(re.findall(r'id="(?:PolyCollection|FillBetweenPolyCollection)_', self.svg()))

    def test_draws_png_and_svg_beside_the_profiles(self):
        self.make_folder()
        result = self.draw(*ALL_KINDS)
        self.assertRegex(result.stdout, r"^plots: .*profiles \(profiles\)\n$")
        self.assertEqual((self.folder / "profiles.png").read_bytes()[:8], PNG_START)
        self.assertGreater((self.folder / "profiles.png").stat().st_size, 10000)
        self.assertTrue((self.folder / "profiles.svg").exists())
        self.assertTrue((self.folder / "profiles.pdf").read_bytes().startswith(b"%PDF"))

    def test_the_svg_says_what_is_drawn(self):
        self.make_folder(labels=("ADMM $x_1", "NSGS"))
        said = set(re.findall(r"<!-- (.*?) -->", self.svg()))
        for words in ("ADMM $x_1", "NSGS", "to $10^{-4}$, 20 problems", "to $10^{-8}$, 20 problems", "15 of 20 solved",
                      "time, factor of the best", "budget: time per contact (s)", "fraction of problems", "1", "10"):
            self.assertIn(words, said)
        self.assertFalse([words for words in said if "math" in words])

    def test_of_many_solvers_the_best_stand_out_and_the_others_are_named(self):
        self.make_folder(labels=[f"solver {k}" for k in range(28)])
        text = self.svg()
        rows = [row for row in re.findall(r"<!-- (.*?) -->", text) if re.fullmatch(r"solver \d+", row)]
        self.assertEqual(rows, [f"solver {k}" for k in range(0, 28, 3)])  # every third solves 3/4, the others less
        note = " ".join(re.findall(r"<!-- (.*?) -->", text))
        for k in range(28):
            self.assertEqual(f"solver {k} (" in note, k % 3 > 0, k)
        self.draw("--format", "svg", "--top", "0")
        self.assertNotIn("Thin and grey", (self.folder / "profiles.svg").read_text())
        self.draw("--format", "svg", "--only", "solver 1*", "--top", "0")
        note = (self.folder / "profiles.svg").read_text()
        self.assertIn("<!-- solver 17 -->", note)
        self.assertNotIn("solver 2 ", note)
        self.assertEqual(self.run_script(self.folder, "--only", "x").returncode, 2)

    def test_schools_stand_under_their_names_with_one_kind_of_line_each(self):
        self.make_folder(labels=("ADMM", "NSGS", "peer/a", "peer/b"))
        def dashes(text):  # panels and legend have lines of two widths
            return {round(float(on) / float(off), 2) for on, off in re.findall(r"stroke-dasharray: ([\d.]+),([\d.]+)", text)}

        self.assertGreater(len(dashes(self.svg())), 1)
        (self.folder / "means.csv").write_text("at,label,by,school\n1,ADMM,time,ours\n1,NSGS,time,ours\n1,peer/a,time,far\n1,peer/b,time,far\n")
        text = self.svg()
        rows = [row for row in re.findall(r"<!-- (.*?) -->", text) if row in ("ours:", "far:", "ADMM", "NSGS", "peer/a", "peer/b")]
        self.assertEqual(rows, ["ours:", "ADMM", "NSGS", "far:", "peer/b", "peer/a"])  # peer/a solves the least
        self.assertEqual(dashes(text), {3.12})  # ours are solid

    def test_a_solver_looks_as_in_the_results(self):
        self.make_folder(labels=("ADMM", "NSGS"))
        results = Path(self.scratch.name) / "results"
        results.mkdir()
        # All eight colours a label may ask for are taken before ADMM comes.
        labels = [f"taken {k}" for k in range(30)] + ["ADMM"]
        (results / "summary.csv").write_text("label\n" + "\n".join(labels) + "\n")
        before = self.svg()
        self.draw("--format", "svg", "--results", results)
        self.assertNotEqual(before, (self.folder / "profiles.svg").read_text())

    def test_times_of_a_busy_machine_are_said_below(self):
        self.make_folder(labels=("ADMM", "NSGS"))
        results = Path(self.scratch.name) / "results"
        results.mkdir()
        (results / "summary.csv").write_text("label,model,busy_runs\nADMM,ccp,0\nADMM (rho=1),ccp,2\nNSGS,ccp,0\n")
        self.draw("--format", "svg", "--results", results)
        note = " ".join(re.findall(r"<!-- (.*?) -->", (self.folder / "profiles.svg").read_text()))
        self.assertIn("1 of 3 times were taken on a busy machine: ADMM (1 of 2).", note)
        self.draw("--format", "svg", "--results", results, "--only", "NSGS")
        self.assertNotIn("busy", (self.folder / "profiles.svg").read_text())

    def test_counts_have_their_own_axis(self):
        self.make_folder(by="back_solves", problems=1)
        said = set(re.findall(r"<!-- (.*?) -->", self.svg()))
        self.assertIn("back-solves, factor of the best", said)
        self.assertIn("budget: back-solves", said)
        self.assertIn("to $10^{-8}$, 1 problem", said)

    def test_a_narrow_figure_has_performance_alone_unless_asked(self):
        self.make_folder()
        for options, performance, data in ((("--width", "single"), 2, 0), (("--width", "single", "--profiles", "both"), 2, 2), ((), 2, 2),
                                           (("--profiles", "data"), 0, 2), (("--at", "1e-8"), 1, 1)):
            self.draw("--format", "svg", *options)
            said = re.findall(r"<!-- (.*?) -->", (self.folder / "profiles.svg").read_text())
            self.assertEqual((said.count("time, factor of the best"), said.count("budget: time per contact (s)")), (performance, data), options)
        refused = self.run_script(self.folder, "--at", "1e-5")
        self.assertEqual((refused.returncode, refused.stderr.count("holds no profiles to 1e-05")), (2, 1))

    def test_the_legend_says_what_is_solved_to_each_accuracy_where_that_differs(self):
        self.make_folder()
        text = (self.folder / "performance.csv").read_text()
        (self.folder / "performance.csv").write_text(text.replace("1e-08,ADMM,16,0.75", "1e-08,ADMM,16,0.5"))
        said = re.findall(r"<!-- (.*?) -->", self.svg())
        self.assertIn("solved: 15 of 20 to 10⁻⁴, 10 to 10⁻⁸", said)
        self.assertIn("10 of 20 solved", said)
        self.assertIn("Bands: 95 % intervals, by bootstrap over the problems.", " ".join(said))

    def test_an_accuracy_that_nobody_reaches_has_no_panel(self):
        self.make_folder()
        path = self.folder / "performance.csv"
        rows = [line.split(",") for line in path.read_text().splitlines()]
        unsolved = lambda ats: "\n".join(",".join([*row[:3], "0", "", "", row[6]] if row[0] in ats else row) for row in rows) + "\n"
        path.write_text(unsolved(["1e-08"]))
        said = re.findall(r"<!-- (.*?) -->", self.svg())
        self.assertIn("to $10^{-4}$, 20 problems", said)
        self.assertNotIn("to $10^{-8}$, 20 problems", said)
        self.assertIn("No solver solves a problem to 10⁻⁸.", " ".join(said))
        path.write_text(unsolved(["1e-08", "0.0001"]))
        refused = self.run_script(self.folder)
        self.assertEqual((refused.returncode, refused.stderr.count("no solver solves a problem")), (2, 1))

    def test_bands_of_few_solvers(self):
        self.make_folder()
        self.assertEqual(self.bands(), 8)  # two solvers, two accuracies, two panels

    def test_no_bands_of_many_solvers(self):
        self.make_folder(labels=[f"solver {k}" for k in range(12)])
        self.assertEqual(self.bands(), 0)
        self.assertNotIn("Bands", self.svg())

    def test_no_bands_of_few_problems(self):
        self.make_folder(problems=2)
        self.assertEqual(self.bands(), 0)

    def test_same_data_same_bytes(self):
        self.make_folder()
        places = [Path(self.scratch.name) / name for name in ("first", "second")]
        for place in places:
            self.draw("--out", place, *ALL_KINDS)
        for name in ("profiles.png", "profiles.svg", "profiles.pdf"):
            self.assertEqual((places[0] / name).read_bytes(), (places[1] / name).read_bytes())
        self.assertFalse((self.folder / "profiles.png").exists())

    def assert_refused(self, pattern):
        result = self.run_script(self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertRegex(result.stderr, pattern)
        self.assertFalse((self.folder / "profiles.png").exists())

    def test_bad_input_is_one_line_and_code_2(self):
        self.assert_refused("performance.csv: no such file")
        self.make_folder()
        good = {name: (self.folder / name).read_text() for name in ("performance.csv", "data.csv", "means.csv")}
        head = good["data.csv"].splitlines()[0]
        for name, text, pattern in (("performance.csv", "", "performance.csv: holds no rows"),
                                    ("data.csv", head + "\n", "data.csv: holds no rows"),
                                    ("data.csv", good["performance.csv"], "data.csv: is no profile"),
                                    ("data.csv", good["data.csv"] + "1e-4,x,what,1,,,2\n", "data.csv: is no profile"),
                                    ("data.csv", good["data.csv"] + "1e-4,x\n", "data.csv: is no profile"),
                                    ("data.csv", good["data.csv"].replace("1e-08", "1e-10"), "different accuracies"),
                                    ("means.csv", "", "means.csv: holds no rows")):
            with self.subTest(name=name, pattern=pattern):
                (self.folder / name).write_text(text)
                self.assert_refused(pattern)
                (self.folder / name).write_text(good[name])
        self.assertEqual(self.run_script().returncode, 2)

    def bare_interpreter(self):
        """A folder whose python3 knows no packages at all."""
        place = Path(self.scratch.name) / "bin"
        place.mkdir()
        (place / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        (place / "python3").chmod(0o755)
        return place

    def test_an_interpreter_without_matplotlib_hands_over_to_debians(self):
        self.make_folder()
        path = f"{self.bare_interpreter()}:{os.environ['PATH']}"
        self.draw("--format", "svg", interpreter=(), PATH=path)
        self.assertTrue((self.folder / "profiles.svg").exists())


if __name__ == "__main__":
    unittest.main()
