"""Solvers of Siconos in configs, by the real program (CCPBENCH_PROGRAM): names with a slash, cells without Siconos, and what
happens to them when it is installed later."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
FAKE = Path(__file__).resolve().parents[1] / "peers" / "fake_adapter.py"
CONFIG = """{
  "name": "peers-test", "model": "ncp", "stop": { "max_iterations": 5 },
  "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 3, "heavy_index": 2 } } ],
  "solvers": [ { "solver": "nsgs" }, { "solver": "siconos/nsgs" },
               { "solver": "siconos/nsgs", "label": "siconos/nsgs projection", "parameters": { "local": "projection" } } ]
}
"""


class Peers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "config.json").write_text(CONFIG)

    def run_program(self, *arguments, python="/nowhere/python3", role="gives up"):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, cwd=self.folder,
                              env={**os.environ, "CCPBENCH_SICONOS_PYTHON": str(python), "FAKE_ADAPTER": role,
                                   "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"})

    def rows(self):
        with open(self.folder / "results" / "peers-test" / "summary.csv", newline="", encoding="utf-8") as file:
            return {row["label"]: row for row in csv.DictReader(file)}

    def test_cells_without_siconos_are_unsupported_and_run_when_it_is_there(self):
        ran = self.run_program("run", "config.json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        absent = self.rows()
        self.assertEqual([row["status"] for row in absent.values()], ["iteration_limit", "unsupported", "unsupported"])
        self.assertIn("/nowhere/python3", absent["siconos/nsgs"]["reason"])
        self.assertIn("python3-siconos", absent["siconos/nsgs"]["reason"])
        ran = self.run_program("run", "config.json", python=FAKE)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        there = self.rows()
        self.assertEqual(there["siconos/nsgs"]["status"], "stalled")
        self.assertIn("it returned 5", there["siconos/nsgs"]["reason"])
        self.assertEqual(there["nsgs"]["hash"], absent["nsgs"]["hash"])
        self.assertNotEqual(there["siconos/nsgs"]["hash"], absent["siconos/nsgs"]["hash"])

    def test_a_dead_peer_fails_its_cell_and_no_other(self):
        ran = self.run_program("run", "config.json", python=FAKE, role="crash")
        self.assertEqual(ran.returncode, 3, ran.stderr)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows.values()], ["iteration_limit", "crashed", "crashed"])
        self.assertIn("SIGSEGV", rows["siconos/nsgs"]["reason"])

    def test_names_with_a_slash(self):
        dry = self.run_program("run", "config.json", "--dry-run", "--only", "*/siconos/nsgs")
        self.assertEqual(dry.returncode, 0, dry.stderr)
        self.assertIn("siconos/nsgs", dry.stdout)
        self.assertNotIn("projection", dry.stdout)
        listed = self.run_program("list", "solvers")
        self.assertIn("siconos/nsn_ac ", listed.stdout)
        page = self.run_program("list", "solvers", "siconos/nsn_ac")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("formulation", page.stdout)
        wrong = self.run_program("list", "solvers", "siconos/nsn_a")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'siconos/nsn_ac'?", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
