"""Peers in configs, by the real program (CCPBENCH_PROGRAM): names with a slash, cells without a peer, what happens to them when it is
installed later, peers that misbehave, and the config `peers` with and without peers."""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
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
                                   "CCPBENCH_CVXOPT_PYTHON": "/nowhere/python3", "CCPBENCH_PEER_FOLDER": "/nowhere",
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

    def test_peers_that_hang_or_write_elsewhere_harm_no_other_cell(self):
        curves = {}
        for role, status in (("gives up", "stalled"), ("noise", "stalled"), ("deaf", "time_limit")):
            patience = 3 if role == "deaf" else 60
            ran = self.run_program("run", "config.json", "--fresh", "--set", f"/limits/wall_s={patience}", python=FAKE, role=role)
            self.assertIn(ran.returncode, (0, 3), ran.stderr)
            rows = self.rows()
            self.assertEqual([row["status"] for row in rows.values()], ["iteration_limit", status, status], role)
            self.assertNotIn("xxx", ran.stdout + ran.stderr)
            trace = self.folder / "results" / "peers-test" / "cells" / rows["nsgs"]["hash"] / "trace.csv"
            with trace.open(newline="", encoding="utf-8") as file:
                curves[role] = [(row["iteration"], row["relative_residual"]) for row in csv.DictReader(file)]
        self.assertEqual(curves["noise"], curves["gives up"])
        self.assertEqual(curves["deaf"], curves["gives up"])
        self.assertEqual({entry.name for entry in self.folder.iterdir()}, {"config.json", "results"})

    def test_the_manifest_has_the_version_and_the_school_of_each_peer(self):
        self.assertEqual(self.run_program("run", "config.json", python=FAKE).returncode, 0)
        manifest = json.loads((self.folder / "results" / "peers-test" / "manifest.json").read_text())
        self.assertEqual(manifest["peers"],
                         {"siconos/nsgs": {"version": "siconos 0.0 (fake)", "school": "nonsmooth dynamics"}})

    def test_the_config_runs_without_peers_and_with_those_that_are_here(self):
        config = str(CONFIGS / "peers.json")
        self.assertEqual(self.run_program("run", config, "--size", "small", "--jobs", "2").returncode, 0)
        with open(self.folder / "results" / "peers" / "summary.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        ours = [row for row in rows if "/" not in row["solver"]]
        others = [row for row in rows if "/" in row["solver"]]
        self.assertEqual({row["status"] for row in ours if row["label"] != "NSGS exact"}, {"solved"})  # that needs many sweeps
        self.assertNotIn("unsupported", {row["status"] for row in ours})
        self.assertEqual(len(others), 27)
        self.assertEqual({row["status"] for row in others}, {"unsupported"})
        self.assertTrue(all("is not there for /nowhere" in row["reason"] and "install" in row["reason"] for row in others))
        ran = subprocess.run([PROGRAM, "run", config, "--size", "small", "--jobs", "2"], capture_output=True, text=True, timeout=200,
                             cwd=self.folder)
        self.assertIn(ran.returncode, (0, 3), ran.stderr)
        with open(self.folder / "results" / "peers" / "summary.csv", newline="", encoding="utf-8") as file:
            there = [row for row in csv.DictReader(file) if "/" in row["solver"] and row["status"] != "unsupported"]
        # Friction plays no part in a stack at rest: cones and boxes have one solution, which all find that are given the time, but
        # for pivoting, which gives up on ties.
        for row in there:
            in_time = row["problem"] == "odd_mass_stack" and row["status"] != "time_limit"
            if in_time and not row["solver"].endswith("/dantzig"):
                self.assertLess(float(row["natural_map"]), 1e-6, row)

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
        page = self.run_program("list", "solvers", "cvxopt/coneqp")
        words = " ".join(page.stdout.split())
        self.assertIn("models: ccp problems: nothing but contacts of three rows, each with friction, at most 2000", words)
        self.assertIn("of the school of general optimisation; its version here: absent", words)
        wrong = self.run_program("list", "solvers", "siconos/nsn_a")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("did you mean 'siconos/nsn_ac'?", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
