"""Tests of figures that hold several folders or swept values, and of the styles that must not depend on what else is shown."""

import csv
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_result_folder, write_record
from run_script import SCRIPTS, run_plot

sys.path.insert(0, str(SCRIPTS))
import figure_page  # noqa: E402
import plot_convergence  # noqa: E402
from figure_page import Entry  # noqa: E402
from result_folder import overlaid, read_folder, short_names  # noqa: E402

MASS = "/problems/0/parameters/mass"


class Overlays(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)

    def make(self, name, masses=(1, 10, 100), changes=(), labels=(), more=()):
        """A folder with the curves of make_result_folder at each mass. labels: of the four solvers, other ones; more: problems."""
        folder = make_result_folder(self.place / name, problems=[*(f"stack (mass={mass})" for mass in masses), *more] if masses else ("stack",))
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["config"]["sweep"] = {MASS: list(masses)} if masses else {}
        (folder / "manifest.json").write_text(json.dumps({**manifest, "changes": list(changes)}))
        for cell in (folder / "cells").iterdir():
            record = json.loads((cell / "cell.json").read_text())
            if masses:
                record["problem"]["parameters"] = {"mass": int(re.search(r"mass=(\d+)", record["problem"]["name"])[1])}
            write_record(cell, record)
        if labels:
            with (folder / "summary.csv").open(newline="") as file:
                rows = list(csv.reader(file))
            for number, row in enumerate(rows[1:]):
                row[2] = labels[number % 4]
            with (folder / "summary.csv").open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        return folder

    def styles(self, *folders, problem="*", merged=False):
        """{label: (colour, line, marker)} of the figures of a folder, of several in an overlay. merged: with the problem before it, in an
        overlay."""
        read = [(folder, *read_folder(folder, problem)) for folder in folders]
        groups = overlaid([(folder, groups) for folder, _, groups in read], short_names(folders)) if len(folders) > 1 or merged else read[0][2]
        plot_convergence.give_styles(groups, read[0][1])
        return {f"{problem}: {curve.label}" if merged else curve.label: (curve.style["color"], str(curve.style["linestyle"]), curve.style["marker"])
                for (problem, _), curves in groups.items() for curve in curves if curve.shown}

    def overlay(self, *arguments):
        made = run_plot("plot.py", *arguments, "--overlay", "--format", "svg", "--out", self.place / "out")
        self.assertEqual(made.returncode, 0, made.stderr)
        return re.findall("<!-- (.*?) -->", (self.place / "out" / "stack-ccp-overlay.svg").read_text())

    def test_only_takes_the_labels_that_the_solvers_have_in_their_folders(self):
        folders = [self.make(name, masses=()) for name in ("before/stack", "after/stack")]
        said = self.overlay(*folders, "--only", "jacobi")
        self.assertEqual([text for text in said if "Jacobi" in text], ["Jacobi, before", "Jacobi, after"])
        self.assertFalse([text for text in said if "NSGS" in text])
        self.assertEqual([text for text in self.overlay(*folders, "--only", "*, after") if "Jacobi" in text], ["Jacobi, after"])

    def test_labels_with_commas_can_be_read_in_the_list(self):
        folder = self.make("commas", masses=(), labels=("ADMM, fixed", "Jacobi", "NSGS", "IPM"))
        for more in ((), ("--overlay",)):
            made = run_plot("plot.py", folder, "--only", "x", *more)
            self.assertEqual((made.returncode, made.stderr.count("\n")), (2, 1))
            self.assertIn("no solver matches 'x'; there are: 'ADMM, fixed', 'Jacobi', 'NSGS', 'IPM'", made.stderr)

    def test_a_folder_has_its_shortest_name_or_the_one_it_is_given(self):
        folders = [self.make(name, masses=()) for name in ("before/stack", "after/stack")]
        self.assertEqual(list(short_names(folders).values()), ["before", "after"])
        self.assertEqual(list(short_names([Path("/a/x/r"), Path("/b/x/r"), Path("/a/y/r")]).values()), ["a/x", "b/x", "a/y"])
        said = self.overlay(f"new step={folders[0]}", folders[1], "--only", "Jacobi")
        self.assertEqual([text for text in said if "Jacobi" in text], ["Jacobi, new step", "Jacobi, after"])
        twice = run_plot("plot.py", f"a={folders[0]}", f"a={folders[1]}", "--overlay")
        self.assertEqual((twice.returncode, twice.stderr), (2, f"ccpbench: error: a={folders[1]}: another folder has the name 'a', expected one of its own\n"))

    def test_what_was_changed_is_said_of_its_folder(self):
        same, other = ["/stop/tolerance: 1e-08 → 1e-06"], ["/stop/max_iterations: 100 → 50", "/plots: nothing → []"]
        folders = [self.make(name, masses=(), changes=changes) for name, changes in (("a/r", same), ("b/r", other), ("c/r", ()), ("d/r", same))]
        text = " ".join(self.overlay(*folders[:3], "--only", "Jacobi"))
        self.assertIn("Changed in a: tolerance 1e-08 → 1e-06. Changed in b: max iterations 100 → 50.", text)
        self.assertNotIn("in c:", text)
        self.assertNotIn("/plots", text)
        self.assertIn("Changed: tolerance 1e-08 → 1e-06.", " ".join(self.overlay(folders[0], folders[3], "--only", "Jacobi")))

    def test_colour_and_marker_tell_the_solver_and_the_line_its_folder(self):
        folders = [self.make(name, masses=(), labels=labels) for name, labels in
                   (("p/r", ()), ("q/r", ()), ("o/r", ("ADMM adaptive", "Jacobi", "SPG", "APGD")))]
        looks = self.styles(*folders)
        self.assertEqual(len(set(looks.values())), len(looks))
        solvers, lines = {}, {}
        for label, (colour, line, marker) in looks.items():
            solver, source = label.rsplit(", ", 1)
            solvers.setdefault(solver, set()).add((colour, marker))
            lines.setdefault(source, set()).add(line)
        self.assertEqual([len(found) for found in (*solvers.values(), *lines.values())], [1] * (len(solvers) + len(lines)))
        self.assertEqual(len(set.union(*solvers.values())), len(solvers))
        self.assertEqual(self.styles(*reversed(folders)), looks)

    def test_colours_and_lines_are_those_of_the_whole_folder(self):
        folder, other = self.make("whole/r"), self.make("other/r", masses=(10, 1000, 5000))
        whole = self.styles(folder)
        for mass in (1, 10):
            self.assertEqual(self.styles(folder, problem=f"*mass={mass})"), {label: whole[label] for label in whole})
        swept = self.styles(folder, other)
        self.assertEqual(len(set(swept.values())), len(swept))
        few = self.styles(folder, other, problem="*=10)")
        self.assertEqual(few, {label: look for label, look in swept.items() if "mass=10)" in label})
        for label, (_, _, marker) in swept.items():
            self.assertEqual(marker, whole[label.split(",")[0]][2])
        legend = self.overlay(folder, "--problem", "*=10*")
        first = legend.index("mass (kg):")
        self.assertEqual(legend[first:first + 3], ["mass (kg):", "10", "100"])

    def test_a_value_has_one_colour_in_the_figures_of_all_problems(self):
        folder = self.make("r", more=[f"chain (mass={mass})" for mass in (10, 100, 1000)])
        looks = self.styles(folder, merged=True)
        self.assertEqual(looks["stack: Jacobi (mass=10)"], looks["chain: Jacobi (mass=10)"])
        self.assertEqual(len({looks[label][0] for label in looks if "Jacobi" in label}), 4)

    def test_a_heading_stands_with_what_is_below_it(self):
        solvers = [Entry(f"solver {k}", {"color": "black"}) for k in range(4)] + [Entry("a label that is as long as the page is wide, almost", {})]
        values = [Entry("mass:"), *(Entry(f"{10**k}", {"color": "red"}, line=False) for k in range(4))]
        placed, height = figure_page.arranged(solvers + values, 3.2)
        place = {entry.text: (x, y, row) for entry, x, y, row in placed}
        self.assertEqual({place[str(10**k)][1] for k in range(4)}, {place["mass:"][1]})
        self.assertEqual(len(placed), len(solvers + values))
        self.assertLessEqual(max(x + figure_page.entry_width(entry) for entry, x, _, _ in placed), 3.2)
        self.assertAlmostEqual(height, max(y + row for _, y, row in place.values()))
        # A long label makes its own column wide, not all.
        placed, _ = figure_page.arranged([Entry("s", {})] * 8 + [Entry("a label of more than half the width", {})], 3.2)
        self.assertGreater(len({x for _, x, _, _ in placed}), 1)


if __name__ == "__main__":
    unittest.main()
