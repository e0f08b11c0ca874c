"""Tests of scripts/schools.py: it is run as users run it, on results made here."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "schools.py"
COLUMNS = ["problem", "model", "label", "solver", "status", "reason", "contacts", "natural_map", "time_to_1e-4", "time_to_1e-8",
           "time_to_1e-12"]
ROWS = [
    ("dump/a", "ncp", "NSGS", "nsgs", "solved", "", "3", "1e-13", "0.001", "0.002", "0.004"),
    ("dump/a", "ncp", "PN", "proximal_newton", "solved", "", "3", "1e-13", "0.002", "0.002", "0.002"),
    ("dump/a", "ncp", "siconos/nsgs", "siconos/nsgs", "time_limit", "", "3", "1e-9", "0.004", "0.02", ""),
    ("dump/a", "ncp", "dart/pgs", "dart/pgs", "stalled", "", "3", "0.03", "", "", ""),
    ("dump/b", "ncp", "NSGS", "nsgs", "time_limit", "", "9", "1e-5", "0.1", "", ""),
    ("dump/b", "ncp", "siconos/nsgs", "siconos/nsgs", "time_limit", "", "9", "1e-5", "1.6", "", ""),
    ("dump/b", "ncp", "dart/pgs", "dart/pgs", "stalled", "", "9", "0.01", "", "", ""),
    ("stack", "ncp", "NSGS", "nsgs", "solved", "", "20", "1e-13", "0.001", "0.001", "0.001"),
    ("stack", "ncp", "dart/pgs", "dart/pgs", "solved", "", "20", "1e-13", "0.5", "0.5", "2"),
    ("stack", "ncp", "siconos/nsgs", "siconos/nsgs", "unsupported", "no boxes", "20", "", "", "", ""),
    ("stack", "ncp", "simbody/pgs", "simbody/pgs", "unsupported", "Simbody is not there", "20", "", "", "", ""),
]
MANIFEST = {"config": {"problems": [{"fclib": "*.hdf5"}, {"scene": "odd_mass_stack", "label": "stack"}]},
            "peers": {"siconos/nsgs": {"version": "siconos 4.5.0", "school": "nonsmooth dynamics"},
                      "dart/pgs": {"version": "dart 6.12.1", "school": "physics engines"},
                      "simbody/pgs": {"version": "", "school": "physics engines"}}}


class Schools(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "manifest.json").write_text(json.dumps(MANIFEST))
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *ROWS])

    def run_script(self, folder=None, *arguments):
        return subprocess.run([sys.executable, SCRIPT, str(folder or self.folder), *arguments], capture_output=True, text=True,
                              timeout=60)

    def test_each_school_is_counted_and_its_best_is_timed_beside_ours(self):
        answer = self.run_script()
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        # The best of ours: 1 ms and 0.1 s to 1e-4, so 10 ms in the mean; Siconos takes 4 and 16 times as long.
        self.assertIn("|dumps|ours|2/2, 10 ms|1/2, 2 ms|1/2, 2 ms|", answer.stdout)
        self.assertIn("|dumps|nonsmooth dynamics|2/2, 80 ms, × 8|1/2, 20 ms, × 10|0/2|", answer.stdout)
        self.assertIn("|dumps|physics engines|0/2|0/2|0/2|", answer.stdout)

    def test_scenes_stand_by_themselves_with_the_solver_that_was_quickest(self):
        text = self.run_script().stdout
        self.assertIn("|scene, to 1e-8|contacts|ours|nonsmooth dynamics|physics engines|", text)
        self.assertIn("|stack|20|1 ms (NSGS)|not taken|500 ms (dart/pgs)|", text)

    def test_boxes_are_judged_by_the_natural_map_and_what_is_missing_is_said(self):
        text = self.run_script().stdout
        self.assertIn("|dart/pgs|dumps|2|1.0e-02|2.0e-02|3.0e-02|0|", text)
        self.assertIn("|dart/pgs|scenes|1|1.0e-13|1.0e-13|1.0e-13|1|", text)
        self.assertIn("## Not taken\n\n* Simbody is not there: simbody\n", text)  # but not Siconos, which takes other problems

    def test_the_tables_of_a_page_are_replaced_and_its_text_stays(self):
        page, mark = self.folder / "PEERS.md", "<!-- scripts/schools.py -->\n"
        page.write_text(f"# Title\n{mark}\nold\n")
        tables = self.run_script().stdout
        for _ in range(2):
            self.assertEqual(self.run_script(None, "--into", str(page)).returncode, 0)
            self.assertEqual(page.read_text(), f"# Title\n{mark}\n{tables}")
        page.write_text("# Title\n")
        answer = self.run_script(None, "--into", str(page))
        self.assertEqual(answer.returncode, 2)
        self.assertIn("has no line", answer.stderr)
        self.assertEqual(page.read_text(), "# Title\n")

    def test_a_page_keeps_its_mode_its_link_and_its_kind(self):
        page, link, pipe = self.folder / "PEERS.md", self.folder / "link.md", self.folder / "pipe"
        page.write_text("<!-- scripts/schools.py -->\n")
        page.chmod(0o600)
        link.symlink_to(page.name)
        os.mkfifo(pipe)
        self.assertEqual(self.run_script(None, "--into", str(link)).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertIn("|stack|", page.read_text())
        self.assertEqual(page.stat().st_mode & 0o777, 0o600)
        answer = self.run_script(None, "--into", str(pipe))
        self.assertEqual(answer.returncode, 2)
        self.assertIn("pipe: is no file", answer.stderr)
        self.assertTrue(pipe.is_fifo())

    def test_refuses_what_it_cannot_read_in_one_line(self):
        (self.folder / "empty").mkdir()
        for folder, words in ((self.folder / "none", "no such folder"), (self.folder / "empty", "no such file")):
            answer = self.run_script(folder)
            self.assertEqual(answer.returncode, 2)
            self.assertIn(words, answer.stderr)
            self.assertEqual(answer.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
