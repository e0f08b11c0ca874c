"""Tests of scripts/plot_history.py: it is run as users run it, on a history made here."""

import sys
import tempfile
import unittest
from pathlib import Path

from run_script import run_plot

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_history.py"


class PlotHistory(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def write(self, runs=6, change=4):
        lines = ["solver,order,commit,version,start,folder,value,level,change"]
        for label, factor in (("ADMM", 0.5), ("NSGS, strict", 1.0)):
            for k in range(runs):
                value = 100 * (factor if k >= change else 1)
                lines.append(f'"{label}",{k + 1},commit{k},0.1.0,2026-01-0{k % 9 + 1}T00:00:00Z,r{k},{value},{value},'
                             f"{factor if k == change and factor != 1 else ''}")
        (self.folder / "history.csv").write_text("\n".join(lines) + "\n")

    def draw(self, *arguments):
        result = run_plot(SCRIPT, self.folder, "--metric", "iterations", "--format", "svg", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^plots: .* \(history-iterations\)\n$")
        return (self.folder / "history-iterations.svg").read_text(encoding="utf-8")

    def test_draws_a_line_for_each_solver_and_names_the_commit_of_a_change(self):
        self.write()
        picture = self.draw()
        for text in ("ADMM", "NSGS, strict", "commit4"[:7], "iterations"):
            self.assertIn(f"<!-- {text} -->", picture)
        self.assertEqual(self.draw(), picture)
        self.assertNotIn("<!-- NSGS, strict -->", self.draw("--only", "ADMM"))

    def test_names_the_commit_of_a_change_among_many_runs(self):
        self.write(runs=61, change=34)
        picture = self.draw()
        self.assertIn("<!-- commit3 -->", picture)  # seven letters of commit34
        self.assertLess(picture.count("<!-- commit"), 20)

    def test_says_in_one_line_what_is_no_history(self):
        for text in ("", "a,b\n1,2\n"):
            (self.folder / "history.csv").write_text(text)
            result = run_plot(SCRIPT, self.folder)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr.count("\n"), 1)
            self.assertIn("history.csv", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
