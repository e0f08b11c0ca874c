"""Tests of scripts/slurm_sweep.sh and scripts/Snakefile with the real program (CCPBENCH_PROGRAM): on a real Slurm cluster of
one node and with the environment that Slurm sets, and by the real Snakemake. Skipped, with the reason, where these are not
installed."""

import csv
import fcntl
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import slurm_cluster

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CCPBENCH_PROGRAM", "")
CELLS = 6
CONFIG = """{
  // with a comment
  "name": "sweep-test",
  "problems": [ { "scene": "odd_mass_stack", "parameters": { "spheres": 4, "heavy_index": 2 } } ],
  "solvers": [ { "solver": "jacobi" }, { "solver": "gauss_seidel" } ],
  "stop": { "max_iterations": 20 },
  "sweep": { "/problems/0/parameters/spheres": [ 3, 4, 5 ] }
}
"""
# Dies in the first try of shard 2, before it has a result, as a node might.
FRAGILE = """#!/bin/sh
case "$*" in *"--shard 2/"*) [ -e "{marker}" ] || {{ : >"{marker}"; exit 70; }} ;; esac
exec "{program}" "$@"
"""


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM does not name the program")
class ManyMachines(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.place = self.folder / "with a blank"
        self.place.mkdir()
        self.config = self.place / "config.json"
        self.config.write_text(CONFIG)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SBATCH_", "CCPBENCH_"))}
        self.environment["CCPBENCH_PROGRAM"] = PROGRAM

    def run_command(self, *command, seconds=200, **environment):
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=self.place,
                              env={**self.environment, **environment}, stdin=subprocess.DEVNULL)

    def sweep(self, *arguments, **environment):
        return self.run_command(ROOT / "scripts" / "slurm_sweep.sh", *arguments, **environment)

    def outcome(self, out):
        """What does not depend on time: problem, solver and iterations of each row of summary.csv, in its order."""
        with open(out / "sweep-test" / "summary.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [[row[name] for name in row if name in ("hash", "problem", "label", "solver", "status", "iterations")]
                for row in rows]

    def expected(self):
        alone = self.run_command(PROGRAM, "run", self.config, "--out", self.place / "alone", "--quiet")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        rows = self.outcome(self.place / "alone")
        self.assertEqual(len(rows), CELLS)
        return rows

    def snakemake(self, program, options="--threads 1", config="config.json"):
        return self.run_command(
            "snakemake", "--snakefile", ROOT / "scripts" / "Snakefile", "--cores", "2", "--config", f"config={config}",
            "shards=3", "out=out", f"program={program}", f"options={options}", HOME=str(self.folder),
            XDG_CACHE_HOME=str(self.folder / "cache"))

    def fragile_program(self):
        program = self.folder / "fragile"
        program.write_text(FRAGILE.format(marker=self.folder / "died once", program=PROGRAM))
        program.chmod(0o755)
        return str(program)

    @unittest.skipIf(slurm_cluster.missing(), slurm_cluster.missing())
    def test_slurm_runs_the_shards_and_again_those_that_died(self):
        cluster_folder = self.folder / "slurm"
        cluster_folder.mkdir()
        with slurm_cluster.Cluster(cluster_folder) as cluster:
            done = self.sweep("2", "config.json", "--", "--out", "out", **cluster.environment,
                              CCPBENCH_PROGRAM=self.fragile_program(), CCPBENCH_SCRATCH=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "died once").exists())
        self.assertIn("try 1, shards 1,2 of 2", done.stderr)
        self.assertIn("try 2, shards 2 of 2", done.stderr)
        self.assertEqual(self.outcome(self.place / "out"), self.expected())

    def test_the_environment_of_slurm_with_arrays_from_0_and_from_1(self):
        expected = self.expected()
        for first in (0, 1):
            out = self.place / f"out{first}"
            for task in range(first, first + 3):
                done = self.sweep("config.json", "--", "--out", out, SLURM_ARRAY_TASK_ID=str(task),
                                  SLURM_ARRAY_TASK_COUNT="3", SLURM_ARRAY_TASK_MIN=str(first),
                                  SLURM_ARRAY_TASK_MAX=str(first + 2), SLURM_CPUS_PER_TASK="2", SLURM_ARRAY_JOB_ID="7")
                self.assertEqual(done.returncode, 0, done.stderr)
            cells = [cell.name for cell in out.glob(".shards/*/sweep-test/cells/*")]
            self.assertEqual(len(cells), CELLS)
            self.assertEqual(len(set(cells)), CELLS)
            merged = out / "sweep-test" / "cells"
            for shard in out.glob(".shards/*/sweep-test/cells"):
                shutil.copytree(shard, merged, dirs_exist_ok=True)
            again = self.run_command(PROGRAM, "run", self.config, "--out", out)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertEqual(self.outcome(out), expected)

    def test_a_task_of_several_nodes_runs_one_cell_at_a_time_on_all_of_them(self):
        program = self.folder / "program"
        program.write_text(f'#!/bin/sh\necho "$SLURM_JOB_NODELIST" "$@" >"{self.folder}/said"\n')
        program.chmod(0o755)
        for nodes, jobs in (("1", "4"), ("2", "1")):
            done = self.sweep("config.json", "--", "--out", "out", "--ranks", "8", CCPBENCH_PROGRAM=str(program),
                              SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_TASK_COUNT="1", SLURM_ARRAY_TASK_MIN="1",
                              SLURM_CPUS_PER_TASK="4", SLURM_JOB_NUM_NODES=nodes, SLURM_JOB_NODELIST="node[1-2]")
            self.assertEqual(done.returncode, 0, done.stderr)
            said = (self.folder / "said").read_text()
            self.assertTrue(said.startswith("node[1-2] run config.json --shard 1/1"), said)
            self.assertIn(f"--jobs {jobs} --quiet --ranks 8", said)

    def test_a_second_sweep_into_the_same_folder_is_refused(self):
        shards = self.place / "out" / ".shards"
        shards.mkdir(parents=True)
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "sbatch").write_text("#!/bin/sh\nexit 1\n")
        (tools / "sbatch").chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        with (shards / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("4711 on node7, since 2026-01-01T00:00:00Z\n")
            lock.flush()
            (shards / "1").mkdir()
            (shards / "1" / "done").touch()
            refused = self.sweep("1", "config.json", "--", "--out", "out", PATH=path)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("another sweep writes to out (process 4711 on node7, since", refused.stderr)
            self.assertTrue((shards / "1" / "done").exists())
        self.assertEqual(self.sweep("1", "config.json", "--", "--out", "out", PATH=path, CCPBENCH_TRIES="1").returncode, 1)
        self.assertFalse((shards / "1" / "done").exists())

    def test_bad_input_is_found_before_the_queue(self):
        self.assertEqual(self.sweep("4").returncode, 2)
        self.assertEqual(self.sweep("config.json", "--", "--shard", "1/2").returncode, 2)
        self.assertEqual(self.sweep("--size", "small").returncode, 2)
        unbuilt = self.sweep("config.json", CCPBENCH_PROGRAM="nowhere/ccpbench")
        self.assertEqual(unbuilt.returncode, 2)
        self.assertIn("there is no program at nowhere/ccpbench", unbuilt.stderr)
        helped = self.sweep("--help")
        self.assertEqual((helped.returncode, helped.stderr), (0, ""))
        self.assertIn("usage: scripts/slurm_sweep.sh", helped.stdout)
        if shutil.which("sbatch"):
            refused = self.sweep("nowhere.json")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("nowhere.json", refused.stderr)

    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed (Debian: snakemake)")
    def test_snakemake_runs_the_shards_and_again_those_that_died(self):
        snakemake = self.snakemake
        died = snakemake(self.fragile_program())
        self.assertNotEqual(died.returncode, 0)
        self.assertFalse((self.place / "out" / "sweep-test" / "summary.csv").exists())
        done = snakemake(self.fragile_program())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outcome(self.place / "out"), self.expected())

    @unittest.skipUnless(shutil.which("snakemake"), "Snakemake is not installed (Debian: snakemake)")
    def test_snakemake_runs_anew_what_other_options_or_another_config_change(self):
        def iterations(name):
            with open(self.place / "out" / name / "summary.csv", newline="", encoding="utf-8") as file:
                return [row["iterations"] for row in csv.DictReader(file)]

        self.assertEqual(self.snakemake(PROGRAM).returncode, 0)
        self.assertEqual(iterations("sweep-test"), ["20"] * CELLS)
        done = self.snakemake(PROGRAM, options="--set /stop/max_iterations=7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(iterations("sweep-test"), ["7"] * CELLS)
        # On one line, with a text that looks like a comment and a name of something else before that of the config.
        other = CONFIG.replace("// with a comment", '"title": "a // b",').replace("sweep-test", "other").replace("\n", " ")
        (self.place / "other.json").write_text(other)
        done = self.snakemake(PROGRAM, config="other.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(iterations("other"), ["20"] * CELLS)
        shards = self.place / "out" / ".shards" / "other"
        self.assertEqual(len(list(shards.glob("*/other/cells/*"))), CELLS)

        (self.place / "bad.json").write_text("{")
        refused = self.snakemake(PROGRAM, config="bad.json")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("Snakefile: bad.json: is no config with a name", refused.stdout + refused.stderr)


if __name__ == "__main__":
    unittest.main()
