"""Tests of scripts/ranks_model.py: it is run as users run it, on results made here."""

import csv
import json
import sys
import tempfile
import unittest
from pathlib import Path

from run_script import SCRIPTS, run_plot

sys.path.insert(0, str(SCRIPTS))
from ranks_model import Cell, Model, Network, fit, surface  # noqa: E402
from ccpbench_results import InputError  # noqa: E402

LATENCY, BANDWIDTH = 2e-6, 1e10
COLUMNS = ["problem", "model", "label", "solver", "hash", "iterations", "solve_s", "ranks", "bytes_sent", "exchanges", "reductions", "contacts"]


def network_text(latency=LATENCY):
    lines = ["what,bytes,ranks,least_s,median_s"]
    lines += [f"message,{size},2,{latency + size / BANDWIDTH},1" for size in (8, 2048, 524288)]
    return "\n".join([*lines, f"sum,512,4,{6 * latency},1", ""])


def cells(solver="apgd", contacts=(1000, 2000, 4000), seconds=1e-3, exchanges=1.0):
    """An iteration takes `seconds` per 1000 contacts, on P ranks 1/P of it and a tenth more."""
    return [Cell(solver, ranks, size, seconds * size / 1000 / ranks * (1.1 if ranks > 1 else 1), exchanges, 1.0,
                 16 * surface(ranks, size) if ranks > 1 else 0.0, False) for size in contacts for ranks in (1, 2, 4)]


class Figures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "manifest.json").write_text(json.dumps({"config": {"name": "scaling"}}), encoding="utf-8")
        (self.folder / "network.csv").write_text(network_text(), encoding="utf-8")
        self.write([*cells(), *cells("gauss_seidel", exchanges=8.0)])

    def write(self, given):
        rows = [["random", "ccp", f"{c.solver} on {c.ranks}", c.solver, f"{k:016x}", 50, 50 * c.seconds, c.ranks, 50 * c.exchanges * c.ranks * c.bytes,
                 50 * c.exchanges, 50 * c.sums, c.contacts] for k, c in enumerate(given)]
        with (self.folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([COLUMNS, *rows])

    def table(self):
        ran = run_plot("ranks_model.py", self.folder, "--network", self.folder / "network.csv", "--format", "svg")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        first, *rest = ran.stdout.splitlines()
        self.assertIn("latency 2 µs, bandwidth 10 GB/s, a sum 3 latencies", first)
        return {(row["scaling"], row["method"], int(row["ranks"])): row for row in csv.DictReader(rest)}

    def test_draws_measured_and_modelled_efficiency(self):
        table = self.table()
        strong, weak = "4000 contacts in all", "1000 contacts a rank"
        self.assertAlmostEqual(float(table[strong, "apgd", 4]["measured"]), 1 / 1.1, delta=1e-3)
        self.assertAlmostEqual(float(table[weak, "apgd", 2]["measured"]), 1 / 1.1, delta=1e-3)
        self.assertEqual(table[weak, "apgd", 1024]["measured"], "")
        # 4 ms shared by 1024, 12 neighbours, 1000 bodies' worth of surface, a sum of 30 latencies.
        seconds = 4e-3 / 1024 + 12 * LATENCY + 16 * surface(1024, 4000) / BANDWIDTH + 30 * LATENCY
        self.assertAlmostEqual(float(table[strong, "apgd", 1024]["model"]), 4e-3 / 1024 / seconds, delta=1e-4)
        # A cell a rank: one of eight colours at a time.
        self.assertLess(float(table[weak, "gauss_seidel", 64]["model"]), 1 / 8)
        page = (self.folder / "plots" / "ranks-efficiency.svg").read_text(encoding="utf-8")
        self.assertIn("<svg", page)

    def test_a_model_on_few_ranks(self):
        model = Model(cells("gauss_seidel", exchanges=8.0), Network(LATENCY, BANDWIDTH, 3.0), 12)
        self.assertEqual(model.seconds(1, 1000, 1.0), 1.0)
        # 32 cells in 8 colours: 4 of each, one after the other.
        self.assertAlmostEqual(model.seconds(2, 1000, 1.0), 0.5 + 8 * (LATENCY + model.bytes * surface(2, 1000) / BANDWIDTH) + 3 * LATENCY)
        self.assertAlmostEqual(model.bytes, 16.0)

    def test_fits_exact_times(self):
        network = fit(network_text(), "x")
        self.assertAlmostEqual(network.latency / LATENCY, 1)
        self.assertAlmostEqual(network.bandwidth / BANDWIDTH, 1)
        self.assertAlmostEqual(network.stages, 3)
        for text in ("", "what,bytes\n", network_text(-1e-3)):
            with self.assertRaises(InputError):
                fit(text, "x")

    def test_says_in_one_line_what_it_lacks(self):
        self.write([cell for cell in cells() if cell.ranks == 1])
        ran = run_plot("ranks_model.py", self.folder, "--network", self.folder / "network.csv")
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1))
        self.assertIn("ranks_scaling.json", ran.stderr)
        self.write(cells())
        (self.folder / "network.csv").write_text("nothing\n", encoding="utf-8")
        ran = run_plot("ranks_model.py", self.folder, "--network", self.folder / "network.csv")
        self.assertEqual((ran.returncode, ran.stderr.count("\n")), (2, 1))
        self.assertIn("ccpbench-ranks network", ran.stderr)


if __name__ == "__main__":
    unittest.main()
