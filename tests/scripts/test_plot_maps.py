"""Tests of scripts/plot_maps.py: it is run as users run it, on result folders made here."""

import csv
import json
import re
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_divergences, write_record
from run_script import ALL_KINDS, run_plot

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_maps.py"
RHO, MASS = "/solvers/0/parameters/rho", "/problems/0/parameters/mass"


class PlotMaps(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name) / "grid"

    def make_folder(self, sweep=None, labels=("ADMM",), dump=""):
        """Three steps and two masses: 1, 2, 3 … iterations; the last cell is not solved. dump: a file that is the problem, with {}
        for the label."""
        sweep = sweep or {RHO: [1e-4, 1e-3, 1e-2], MASS: [1, 10]}
        rows = [["problem", "model", "label", "hash", "status", "iterations", "solve_s", "setup_s"]]
        for label in labels:
            for mass in (1, 10):
                for rho in (1e-4, 1e-3, 1e-2):
                    cell = self.folder / "cells" / f"{len(rows):016x}"
                    cell.mkdir(parents=True)
                    name = dump.format(label) or "p"
                    write_record(cell, {"problem": {"name": name, "parameters": {"mass": mass}} | ({"file": name} if dump else {}),
                                        "solver": {"parameters": {"rho": rho}}})
                    last = mass == 10 and rho == 1e-2
                    rows.append([f"{name} (mass={mass})", "ccp", f"{label if not dump else 'ADMM'} (rho={rho})", cell.name, "time_limit" if last else "solved",
                                 100 + len(rows), 0.002 * len(rows), 0.001])
        config = {"name": "grid", "title": "A grid", "sweep": sweep}
        (self.folder / "manifest.json").write_text(json.dumps({"config": config}))
        with (self.folder / "summary.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)

    def run_script(self, *arguments):
        return run_plot(SCRIPT, self.folder, *arguments)

    def test_a_map_of_each_metric_with_its_numbers(self):
        self.make_folder()
        result = self.run_script(*ALL_KINDS)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"^plots: .*plots \(2 maps\)\n$")
        names = [f"map-{metric}-rho-mass-p-ccp-ADMM.{kind}" for metric in ("iterations", "solver_s") for kind in ("pdf", "png", "svg")]
        self.assertEqual(sorted(path.name for path in (self.folder / "plots").iterdir()), names)
        said = re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / "map-iterations-rho-mass-p-ccp-ADMM.svg").read_text())
        for words in ("101", "105", "✗", "rho (1/kg)", "mass (kg)", "iterations", "$10^{-4}$"):
            self.assertIn(words, said)
        self.assertIn("Hatched, ✗: ended unsolved. The best value is at the edge of the sweep (rho 0.0001): a wider sweep may find a better one.", " ".join(said))
        self.assertFalse([words for words in said if "106" in words])  # what an unsolved cell cost is no result
        times = (self.folder / "plots" / "map-solver_s-rho-mass-p-ccp-ADMM.svg").read_text()
        self.assertIn("<!-- solver time (ms) -->", times)
        self.assertIn("<!-- 11 -->", times)  # 10 ms of iterations, 1 ms of setup

    def test_what_has_no_map_and_what_was_timed_on_a_busy_machine_is_said(self):
        self.make_folder()
        summary = self.folder / "summary.csv"
        head, *rows = summary.read_text().splitlines()
        status = head.split(",").index("status")
        lost = [",".join("iteration_limit" if k == status else cell.replace("ADMM", "Jacobi") for k, cell in enumerate(row.split(","))) for row in rows]
        summary.write_text("\n".join([f"{head},busy_runs", *(f"{row},{k % 2}" for k, row in enumerate(rows + lost))]) + "\n")
        result = self.run_script("--format", "svg")
        self.assertEqual(result.stderr, f"{self.folder}: no map of Jacobi: solved nothing\n")
        said = {metric: " ".join(re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / f"map-{metric}-rho-mass-p-ccp-ADMM.svg").read_text()))
                for metric in ("iterations", "solver_s")}
        self.assertIn(f"{len(rows) // 2} of {len(rows)} times were taken on a busy machine.", said["solver_s"])
        self.assertNotIn("busy", said["iterations"])

    def test_colours_are_in_order_of_the_values(self):
        self.make_folder()
        self.run_script("--metric", "iterations", "--format", "svg")
        text = (self.folder / "plots" / "map-iterations-rho-mass-p-ccp-ADMM.svg").read_text()
        cells = re.findall(r'style="fill: (#\w{6}); stroke: #ffffff; stroke-width: 0.5', text)
        self.assertEqual(len(cells), 5)
        light = [0.299 * int(c[1:3], 16) + 0.587 * int(c[3:5], 16) + 0.114 * int(c[5:], 16) for c in cells]
        self.assertEqual(light, sorted(light, reverse=True))  # more iterations are darker, in grey, too

    def test_numbers_stand_in_a_narrow_figure_too(self):
        self.make_folder()
        self.run_script("--metric", "iterations", "--format", "svg", "--width", "51")
        text = (self.folder / "plots" / "map-iterations-rho-mass-p-ccp-ADMM.svg").read_text()
        self.assertIn("<!-- 105 -->", text)
        self.assertNotIn("No room for numbers", text)

    def test_seeds_are_pooled_and_no_axis(self):
        self.make_folder(sweep={RHO: [1e-4, 1e-3, 1e-2], MASS: [1, 10], "/problems/0/seed": [1, 2]})
        self.assertRegex(self.run_script("--metric", "iterations").stdout, r"\(1 map\)")

    def test_one_map_pools_all_dumps(self):
        self.make_folder(labels=("a", "b"), dump="real/{}.hdf5")
        self.run_script("--metric", "iterations", "--format", "svg", "--title")
        self.assertEqual([path.name for path in (self.folder / "plots").iterdir()], ["map-iterations-rho-mass-2_dumps-ccp-ADMM.svg"])
        text = (self.folder / "plots" / "map-iterations-rho-mass-2_dumps-ccp-ADMM.svg").read_text()
        self.assertIn("ADMM: 2 dumps, convex model (ccp)", text)
        self.assertIn("<!-- 104 -->", text)  # of 101 and 107
        self.assertIn("Medians of up to 2 cells.", text)

    def test_the_median_of_a_place_counts_unsolved_cells_as_never(self):
        make_divergences(self.folder)  # solved where the count is 0
        self.run_script("--metric", "iterations", "--format", "svg")
        said = re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / "map-iterations-kind-delta-p-ncp-PQN.svg").read_text())
        self.assertIn("100 ✗", said)  # two of three solved
        self.assertIn("✗", said)  # none solved

    def test_what_an_unsolved_cell_has_reached_stays(self):
        self.make_folder()
        lines = (self.folder / "summary.csv").read_text().splitlines()
        text = "\n".join([lines[0] + ",time_to_1e-4,runtime_s", *(f"{line},{k},{10 + k}" for k, line in enumerate(lines[1:], start=1))])
        (self.folder / "summary.csv").write_text(text + "\n")
        for metric, number in (("time_to_1e-4", 6), ("runtime_s", 16)):  # of the cell that is not solved
            self.run_script("--metric", metric, "--format", "svg")
            said = re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / f"map-{metric}-rho-mass-p-ccp-ADMM.svg").read_text())
            self.assertIn(f"{number} ✗", said)

    def test_only_some_solvers_and_the_same_bytes(self):
        self.make_folder(labels=("ADMM", "FADMM"))
        pictures = []
        for _ in range(2):
            self.assertEqual(self.run_script("--only", "FADMM").returncode, 0)
            pictures.append({path.name: path.read_bytes() for path in (self.folder / "plots").iterdir()})
        self.assertEqual(*pictures)
        self.assertFalse([name for name in pictures[0] if "-ADMM" in name])

    def test_a_single_swept_value_makes_no_map(self):
        self.make_folder(sweep={RHO: [1e-4, 1e-3, 1e-2]})
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_a_metric_that_nobody_has_is_said(self):
        self.make_folder()
        result = self.run_script("--metric", "no_such_column")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no two swept values make a map of no_such_column", result.stderr)

    def test_a_plot_of_kind_map_shows_zipped_values_and_where_nothing_is_unsolved(self):
        make_divergences(self.folder)
        result = self.run_script("--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = [f"map-unsolved_steps-delta-epsilon-m-p_{body}-ncp-PQN.svg" for body in ("rigid", "soft")]
        self.assertEqual(sorted(path.name for path in (self.folder / "plots").iterdir()), names)
        text = (self.folder / "plots" / names[0]).read_text()
        said = re.findall(r"<!-- (.*?) -->", text)
        for words in ("0.001, 1000", "0.25, 1000", "0.001, 5", "7", "14", "21", "3", "0", "unsolved steps", "Light blue: 0."):
            self.assertIn(words, said)
        self.assertNotIn("7 ✗", said)  # the number says it
        fills = re.findall(r'style="fill: #(\w{6}); stroke: #ffffff; stroke-width: 0.5;', text)
        self.assertEqual((len(fills), fills.count("d5e8f7")), (9, 2))
        greys = [sum(share * int(fill[i:i + 2], 16) for share, i in ((0.299, 0), (0.587, 2), (0.114, 4))) for fill in fills if fill != "d5e8f7"]
        self.assertLess(max(greys), 228 - 50)  # of light blue

    def test_a_plot_of_kind_map_names_its_axes(self):
        make_divergences(self.folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["plots"][0].update({"x_label": "δ of W", "y_label": "ε, m"})
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        result = self.run_script("--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        text = (self.folder / "plots" / "map-unsolved_steps-delta-epsilon-m-p_rigid-ncp-PQN.svg").read_text()
        said = re.findall(r"<!-- (.*?) -->", text)
        self.assertIn("δ of W", said)
        self.assertIn("ε, m", said)
        self.assertNotIn("delta", said)

    def test_a_map_of_a_pair_has_all_that_tells_zipped_values_apart_and_says_what_it_is_the_median_of(self):
        make_divergences(self.folder)
        result = self.run_script("--metric", "unsolved_steps", "--format", "svg")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = sorted(path.name for path in (self.folder / "plots").iterdir())
        pairs = ("delta-epsilon-m", "kind-delta", "kind-epsilon-m")
        self.assertEqual(names, [f"map-unsolved_steps-{pair}-p-ncp-PQN.svg" for pair in pairs])
        for name, most in zip(names, (2, 3, 3)):
            said = re.findall(r"<!-- (.*?) -->", (self.folder / "plots" / name).read_text())
            self.assertIn(f"Medians of up to {most} cells.", " ".join(said))

    def test_an_unfinished_run_keeps_its_rows_in_order(self):
        make_divergences(self.folder, left_out=(1, 2), lost=(5,))
        self.run_script("--format", "svg")
        text = (self.folder / "plots" / "map-unsolved_steps-delta-epsilon-m-p_rigid-ncp-PQN.svg").read_text()
        said = re.findall(r"<!-- (.*?) -->", text)
        rows = [words for words in said if words in ("0.001, 1000", "0.25, 1000", "0.001, 5")]
        self.assertEqual(rows, ["0.001, 1000", "0.25, 1000", "0.001, 5"])
        self.assertIn("Hatched: no value.", " ".join(said))
        self.assertIn("White: no cell.", " ".join(said))

    def test_a_map_of_values_that_nothing_sweeps_is_said(self):
        make_divergences(self.folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["config"]["plots"][0]["against"] = MASS
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        result = self.run_script()
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("no two swept values make a map of ", result.stderr)


if __name__ == "__main__":
    unittest.main()
