"""Tests of scripts/virtual_best.py: it is run as users run it, on a summary made here."""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "virtual_best.py"
COLUMNS = ["problem", "model", "label", "solver", "time_to_1e-8", "time_to_1e-12"]
ROWS = [
    ("a", "ncp", "Proximal Newton", "proximal_newton", "0.001", "0.002"),
    ("a", "ncp", "siconos/nsgs", "siconos/nsgs", "0.1", ""),
    ("a", "ncp", "siconos/prox", "siconos/prox", "0.2", "0.2"),
    ("a", "ncp", "NSGS", "nsgs", "0.0001", "0.0001"),
    ("b", "ncp", "Proximal Newton", "proximal_newton", "0.04", ""),
    ("b", "ncp", "siconos/nsgs", "siconos/nsgs", "1", "2"),
    ("c", "ncp", "Proximal Newton", "proximal_newton", "0.0001", "0.0001"),
    ("c", "ncp", "siconos/nsgs", "siconos/nsgs", "0.0002", "0.0002"),
    ("d", "ncp", "Proximal Newton", "proximal_newton", "1", "1"),
    ("d", "ncp", "siconos/nsgs", "siconos/nsgs", "", ""),
]


class VirtualBest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *ROWS])

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=60)

    def test_takes_the_quickest_peer_of_each_problem_that_takes_long_enough(self):
        result = self.run_script(self.folder, "--at", "1e-8", "--least", "1e-3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # 0.001/0.1 and 0.04/1; c is below a millisecond, and nobody else solves d.
        self.assertIn("geometric mean of 2 ratios 0.02, largest 0.04", result.stdout)
        self.assertIn("reached: 4 of 4; the others 3 of 4", result.stdout)
        self.assertRegex(result.stdout, r"c .* 0\.5 \(not counted\)")

    def test_sets_of_fclib_stand_beside_what_was_published(self):
        rows = [("Local/siconos/Chain/a", "ncp", "x", "nsgs", "0.001", ""), ("Local/siconos/Chain/a", "ncp", "y", "spg", "0.002", ""),
                ("Local/siconos/Chain/b", "ncp", "x", "nsgs", "0.003", ""), ("Local/siconos/Chain/c", "ncp", "x", "nsgs", "", ""),
                ("Global/siconos/Capsules/d", "ncp", "x", "nsgs", "1", "1")]
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*COLUMNS, "time_to_1e-4"], *((*row, "") for row in rows)])
        result = self.run_script(self.folder, "--published")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"Chain +1e-8 +0\.00062 s +0\.003 s  3, 2 reached: Acary")
        self.assertRegex(result.stdout, r"Capsules +1e-8 +0\.0146 s +–  0, 0 reached")

    def test_counts_every_problem_unless_asked_not_to(self):
        result = self.run_script(self.folder, "--at", "1e-8")
        self.assertIn("geometric mean of 3 ratios 0.0585, largest 0.5", result.stdout)

    def test_a_problem_that_only_the_others_solve_is_told_and_fails(self):
        result = self.run_script(self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("geometric mean of 2 ratios 0.0707", result.stdout)
        self.assertIn("lost: b", result.stdout)

    def test_names_what_one_side_lacks_or_does_not_take(self):
        rows = [(*row, "solved") for row in ROWS] + [("e", "ncp", "Proximal Newton", "proximal_newton", "", "", "unsupported"),
                                                     ("e", "ncp", "siconos/nsgs", "siconos/nsgs", "1", "1", "solved"),
                                                     ("f", "ncp", "Proximal Newton", "proximal_newton", "1", "1", "solved")]
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([[*COLUMNS, "status"], *rows])
        result = self.run_script(self.folder, "--at", "1e-8")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("reached: 5 of 5; the others 4 of 5", result.stdout)
        self.assertIn("without Proximal Newton, which has no cell there or does not take them: e\n", result.stdout)
        self.assertIn("without siconos/*, which has no cell there or does not take them: f\n", result.stdout)

    def test_takes_the_times_of_the_others_from_a_table(self):
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, ("real/a.local", *ROWS[0][1:]), ("real/a.local", *ROWS[1][1:]), ("b", *ROWS[4][1:]),
                                        ("c", *ROWS[6][1:])])
        table = self.folder / "elsewhere.csv"
        table.write_text("problem,solver,tolerance,reached,time_s\na,X,1e-08,True,0.01\na,Y,1e-08,False,0.001\na,Z,1e-12,True,9\n"
                         "b,X,1e-08,true,0.1\nz,X,1e-08,True,1\n", encoding="utf-8")
        result = self.run_script(self.folder, "--stored", table, "--at", "1e-8")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # 0.001/0.01 and 0.04/0.1: no row of the run is a peer, and Y did not reach it.
        self.assertIn("geometric mean of 2 ratios 0.2, largest 0.4", result.stdout)
        self.assertIn("elsewhere.csv, which has no cell there or does not take them: c\n", result.stdout)

    def test_refuses_a_table_that_says_too_little(self):
        table = self.folder / "elsewhere.csv"
        for text, words in [("problem,solver,tolerance,time_s,reached\na,X,1e-08,0.1,\n", "elsewhere.csv: line 2: no reached"),
                            ("problem,solver,tolerance,time_s,reached\na,X,1e-4,0.1,True\n", "no row has the tolerance 1e-8"),
                            ("problem,solver,tolerance,time_s,reached\nz,X,1e-8,0.1,True\n", "none of its problems is here")]:
            table.write_text(text, encoding="utf-8")
            result = self.run_script(self.folder, "--stored", table, "--at", "1e-8")
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))
            self.assertIn(words, result.stderr)
        result = self.run_script(self.folder, "--stored", self.folder / "none.csv")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1))
        self.assertIn("no such file", result.stderr)

    def test_refuses_what_it_cannot_compare_in_one_line(self):
        for arguments, words in [((self.folder / "none",), "no such file"), ((self.folder, "--of", "x"), "no row is labelled 'x'"),
                                 ((self.folder, "--against", "y"), "no solver named 'y'"),
                                 ((self.folder, "--at", "1e-3"), "no column time_to_1e-3")]:
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
