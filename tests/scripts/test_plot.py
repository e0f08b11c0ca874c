"""Tests of `ccpbench plot` and scripts/plot.py on a real run. CCPBENCH_PROGRAM names the program."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
SPHERES, RHO = "/problems/0/parameters/spheres", "/solvers/0/parameters/rho"


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM names no program")
class Plot(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.place = Path(self.scratch.name)
        self.results = self.place / "out" / "tiny"

    def program(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=self.place,
                              env={**os.environ, "CCPBENCH_SCRIPTS": str(SCRIPTS), **environment})

    def run_tiny(self, spheres=(3, 4)):
        """Stacks of spheres, two steps of ADMM, Jacobi."""
        config = {"name": "tiny", "stop": {"tolerance": 1e-8, "max_iterations": 40},
                  "problems": [{"scene": "odd_mass_stack", "parameters": {"heavy_index": 2, "spheres": 3}}],
                  "solvers": [{"solver": "admm", "label": "ADMM", "parameters": {"rho": 0.1}}, {"solver": "jacobi", "label": "Jacobi"}],
                  "sweep": {SPHERES: list(spheres), RHO: [0.1, 1.0]},
                  "plots": [{"kind": "sweep", "against": SPHERES, "metric": "iterations"}]}
        (self.place / "tiny.json").write_text(json.dumps(config))
        made = self.program("run", "tiny.json", "--quiet", "--out", "out")
        self.assertEqual(made.returncode, 0, made.stderr)

    def drawn(self, folder=None):
        return sorted(path.name for path in (folder or self.results / "plots").iterdir())

    def test_all_kinds_by_one_command(self):
        self.run_tiny()
        made = self.program("plot", self.results, "--format", "svg")
        self.assertEqual(made.returncode, 0, made.stderr)
        names = self.drawn()
        self.assertEqual(sorted(made.stderr.splitlines()), [f"figure: {self.results}/plots/{name}" for name in names])
        self.assertIn("profiles-time-ccp.svg", names)
        self.assertIn("sweep-iterations-spheres.svg", names)
        self.assertEqual(sum(name.startswith("map-") for name in names), 2)
        self.assertEqual(sum(name.startswith("odd_mass_stack") for name in names), 2)
        self.assertIn("<!-- Jacobi -->", (self.results / "plots" / "profiles-time-ccp.svg").read_text())

    def test_kinds_and_solvers_can_be_chosen(self):
        self.run_tiny()
        made = self.program("plot", self.results, "--kind", "profile", "--kind", "convergence", "--only", "ADMM", "--by", "iterations",
                            "--format", "svg", "--width", "single", "--legend", "labels", "--title", "--out", "figures", "--problem", "*3*", "--quiet")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(self.drawn(self.place / "figures"), ["odd_mass_stack_spheres_3-ccp.svg", "profiles-iterations-ccp.svg"])
        for name in self.drawn(self.place / "figures"):
            text = (self.place / "figures" / name).read_text()
            self.assertIn('width="252.283465pt"', text)  # 89 mm
            self.assertNotIn("Jacobi", text)
            self.assertNotIn("40 iterations", text)
        self.assertIn("<!-- tiny -->", (self.place / "figures" / "odd_mass_stack_spheres_3-ccp.svg").read_text())

    def test_figures_of_a_changed_config_say_so(self):
        self.run_tiny(spheres=(3,))
        plot = ("plot", self.results, "--format", "svg", "--kind", "convergence", "--kind", "sweep")
        self.assertEqual(self.program(*plot).returncode, 0)
        before = {name: (self.results / "plots" / name).read_text() for name in self.drawn()}
        self.assertTrue(before)
        changed = self.program("run", "tiny.json", "--quiet", "--out", "out", "--set", "/stop/max_iterations=30")
        self.assertEqual(changed.returncode, 0, changed.stderr)
        self.assertEqual(self.program(*plot).returncode, 0)
        for name, text in before.items():
            self.assertNotIn("Changed:", text)
            self.assertIn("Changed: max iterations 40 → 30.", self.said(name))
        self.assertEqual(self.program(*plot, "--no-notes").returncode, 0)
        for name in before:
            self.assertNotIn("Changed:", self.said(name))
            self.assertNotIn("Filled end marker", self.said(name))

    def said(self, name):
        """The texts of a figure, one after the other."""
        return " ".join(re.findall("<!-- (.*?) -->", (self.results / "plots" / name).read_text()))

    def test_legends_stand_below_inside_or_nowhere(self):
        self.run_tiny(spheres=(3,))
        for place, shown in (("below", True), ("inside", True), ("off", False)):
            made = self.program("plot", self.results, "--format", "svg", "--kind", "convergence", "--legend-at", place, "--no-notes")
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual("Jacobi" in self.said("odd_mass_stack_spheres_3-ccp.svg"), shown, place)

    def test_accuracies_of_profiles_and_an_axis_of_curves_can_be_chosen(self):
        self.run_tiny()
        made = self.program("plot", self.results, "--kind", "profile", "--kind", "convergence", "--at", "1e-3", "--profiles", "performance", "--top", "1",
                            "--x", "iteration", "--problem", "*3*", "--format", "svg", "--quiet")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(self.drawn(), ["odd_mass_stack_spheres_3-ccp-iteration.svg", "profiles-time-ccp.svg"])
        said = self.said("profiles-time-ccp.svg")
        self.assertIn("to $10^{-3}$, 2 problems", said)
        self.assertIn("Thin and grey: ", said)
        self.assertNotIn("budget", said)
        refused = self.program("plot", self.results, "--kind", "profile", "--at", "3e-4")
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))
        self.assertIn("'0.0003' is no power of ten", refused.stderr)

    def test_formats_of_one_kind_ask_for_nothing_of_the_other(self):
        self.run_tiny(spheres=(3,))
        manifest = json.loads((self.results / "manifest.json").read_text())
        manifest["config"]["plots"] = [{"kind": "table", "metrics": ["iterations"]}]
        (self.results / "manifest.json").write_text(json.dumps(manifest))
        for formats, names in (("latex", ["table-1.tex"]), ("svg", ["odd_mass_stack_spheres_3-ccp.svg"]),
                               ("csv,svg", ["odd_mass_stack_spheres_3-ccp.svg", "table-1.csv"])):
            made = self.program("plot", self.results, "--format", formats, "--out", formats)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual([name for name in self.drawn(self.place / formats) if not name.startswith("map-")], names)
        made = self.program("plot", self.results, "--format", "svg", "--kind", "table")
        self.assertIn("no figure of the kind table: --format names none for it", made.stderr)

    def test_a_name_of_a_config_is_no_folder_but_its_results_are_named(self):
        (self.place / "results" / "tiny").mkdir(parents=True)
        made = self.program("plot", "tiny")
        self.assertEqual((made.returncode, made.stderr), (2, "ccpbench: error: tiny: no such folder; did you mean results/tiny?\n"))

    def test_one_problem_has_no_profiles(self):
        self.run_tiny(spheres=(3,))
        made = self.program("plot", self.results, "--format", "svg", "--kind", "profile")
        self.assertEqual(made.returncode, 0)
        self.assertIn("profiles need two problems of a model", made.stderr)
        self.assertNotIn("profiles", self.program("plot", self.results, "--format", "svg").stderr)

    def test_a_kind_that_was_asked_for_and_has_nothing_to_draw_says_what_it_needs(self):
        config = {"name": "plain", "stop": {"tolerance": 1e-8, "max_iterations": 40},
                  "problems": [{"scene": "odd_mass_stack", "parameters": {"heavy_index": 2, "spheres": 3}}],
                  "solvers": [{"solver": "jacobi", "label": "Jacobi"}]}
        (self.place / "plain.json").write_text(json.dumps(config))
        self.assertEqual(self.program("run", "plain.json", "--quiet", "--out", "out").returncode, 0)
        results = self.place / "out" / "plain"
        for kind, words in (("sweep", 'its config has no entry {"kind": "sweep", "against": …, "metric": …} in "plots": add one and run it again'),
                            ("map", 'a map needs two lists in the config\'s "sweep", this one has none'),
                            ("mean", 'no entry {"kind": "mean"} or {"kind": "scaling"} in "plots"'), ("table", 'no entry {"kind": "table", …}'),
                            ("sequence", 'no cell has steps; they come from problems with a "sequence"'),
                            ("profile", "profiles need two problems of a model")):
            made = self.program("plot", results, "--kind", kind)
            self.assertEqual((made.returncode, made.stdout), (0, ""), made.stderr)
            self.assertEqual(len(made.stderr.splitlines()), 1, made.stderr)
            self.assertIn(f"{results}: no figure of the kind {kind}: ", made.stderr)
            self.assertIn(words, made.stderr)
        made = self.program("plot", results, "--format", "svg,pdf")
        self.assertEqual((made.returncode, made.stderr), (0, f"figure: {results}/plots/odd_mass_stack-ccp.{{svg,pdf}}\n"))

    def test_bad_input_is_one_line_and_code_2(self):
        self.run_tiny(spheres=(3,))
        for arguments, words in ((["nowhere"], "nowhere: no such folder"), ([self.results, "--kind", "pie"], "argument --kind: invalid choice: 'pie'"),
                                 ([self.results, "--width", "5"], "expected single, double or a width in mm"),
                                 ([self.results, "--only", "x"], "no solver matches 'x'; there are: ADMM, Jacobi")):
            made = self.program("plot", *arguments)
            self.assertEqual(made.returncode, 2, arguments)
            self.assertEqual(len(made.stderr.splitlines()), 1, made.stderr)
            self.assertIn(words, made.stderr)
            self.assertTrue(made.stderr.startswith("ccpbench: error: "), made.stderr)  # as all commands
        lost = self.program("plot", self.results, CCPBENCH_SCRIPTS=str(self.place))
        self.assertEqual(lost.returncode, 2)
        self.assertIn("plot.py: no such file; CCPBENCH_SCRIPTS names the folder of the scripts", lost.stderr)


if __name__ == "__main__":
    unittest.main()
