"""One problem on several ranks, by the real program (CCPBENCH_PROGRAM): the same bits on every number of them, what is unsupported,
what ends them and what they leave behind. Without ccpbench-ranks or mpiexec the test is skipped."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
RANK_PROGRAM = Path(PROGRAM).parent / "ccpbench-ranks"
SKIPPED = 4
METHODS = ["jacobi", "apgd", "spg", "p_spg_fb", "projected_cg", "pqn"]
SWEEPS = {coupling: {"solver": "gauss_seidel", "parameters": {"rank_coupling": coupling}}
          for coupling in ("colours", "jacobi", "split")}
SCENE = {"scene": "random_contacts", "parameters": {"contacts": 2000}}
LONG = {"name": "long", "problems": [SCENE], "solvers": [{"solver": "jacobi", "ranks": 2}],
        "stop": {"tolerance": 1e-300, "max_iterations": 2000000000, "time_limit_s": 1e6}, "limits": {"wall_s": 60}}


def processes(name=RANK_PROGRAM.name):
    """Process ids of the ranks, and of mpiexec, that descend from this test."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if Path(words[0].decode()).name == name and b"RANKS_TEST=" + str(os.getpid()).encode() in (
                    folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except (OSError, UnicodeDecodeError):
            continue
    return found


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


class Ranks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.environment = {**os.environ, "RANKS_TEST": str(os.getpid()), "TMPDIR": str(self.temporary)}

    def run_program(self, *arguments, code=None, **changes):
        ran = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, cwd=self.folder,
                             env={**self.environment, **changes})
        if code is not None:
            self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran

    def run_config(self, config, *arguments, **more):
        (self.folder / "config.json").write_text(json.dumps(config))
        return self.run_program("run", "config.json", *arguments, **more)

    def cells(self, name):
        """The records, by label, each with its trace but for times."""
        records = {}
        for file in (self.folder / "results" / name).glob("cells/*/cell.json"):
            record = json.loads(file.read_text())
            trace = file.parent / "trace.csv"
            if trace.exists():
                with open(trace, newline="", encoding="utf-8") as rows:
                    record["trace"] = [{key: value for key, value in row.items() if key != "elapsed_s"}
                                       for row in csv.DictReader(rows)]
            records[record["solver"]["label"]] = record
        return records

    def traces_agree(self, name, problem, methods, ranks, iterations, against_one_process, model="ccp"):
        """methods: names, or solvers by their label."""
        if isinstance(methods, list):
            methods = {method: {"solver": method} for method in methods}
        solvers = [{**solver, "ranks": count, "label": f"{method} {count}"} for method, solver in methods.items() for count in ranks]
        trace = ["velocity_residual", "relative_residual", "natural_map", "objective", "penetration_velocity", "cone_violation",
                 "complementarity", "lift_velocity", "merit", "contact_residual", "apgd_residual"]
        self.run_config({"name": name, "problems": [problem], "model": model, "solvers": solvers, "trace": trace,
                         "stop": {"tolerance": 1e-12, "max_iterations": iterations}}, code=0)
        cells = self.cells(name)
        for method in methods:
            shared = [cells[f"{method} {count}"] for count in ranks if count > 0]
            self.assertGreater(len(shared[0]["trace"]), min(iterations, 2))
            for cell in shared:
                self.assertEqual(cell["trace"], shared[0]["trace"], f"{method}, {cell['solver']['label']}")
                self.assertEqual(cell["measures"], shared[0]["measures"])
            if not against_one_process:
                continue
            alone = cells[f"{method} 0"]["trace"]
            floor = cells[f"{method} 0"]["measures"]["rounding_floor"]
            for mine, other in list(zip(shared[0]["trace"], alone, strict=True))[:101]:
                residual, expected = float(mine["velocity_residual"]), float(other["velocity_residual"])
                self.assertLessEqual(abs(residual - expected), 1e-6 * expected + 10 * floor, f"{method}, iteration {mine['iteration']}")
        return cells

    def test_all_numbers_of_ranks_have_the_same_bits(self):
        cells = self.traces_agree("same-bits", SCENE, METHODS, [0, 1, 2, 3, 4], 60, True)
        four = cells["apgd 4"]["ranks"]
        self.assertEqual(four["ranks"], 4)
        self.assertGreater(four["messages"], 0)
        self.assertGreater(four["bytes_sent"], four["messages"])
        self.assertGreater(four["cut_contacts"], 0)
        self.assertLess(four["imbalance"], 1.5)
        one = cells["apgd 1"]["ranks"]
        self.assertEqual((one["messages"], one["bytes_sent"], one["cut_contacts"], one["imbalance"]), (0, 0, 0, 1.0))
        for key in ("exchanges", "reductions"):
            self.assertEqual(one[key], four[key])

    def test_repeated_cells_have_a_core_for_each_rank(self):
        here = len(os.sched_getaffinity(0))
        counts = sorted({1, 2, here + 1})
        solvers = [{"solver": "jacobi", "ranks": count, "label": str(count)} for count in counts]
        self.run_config({"name": "cores", "problems": [SCENE], "solvers": solvers, "stop": {"max_iterations": 3}}, "--repeat", "2", code=0)
        for count in counts:
            for run in self.cells("cores")[str(count)]["runs"]:
                self.assertEqual(len(run["cores"]), count if count <= here else 0, count)

    def test_couplings_and_ncp_have_the_same_bits(self):
        self.traces_agree("couplings", SCENE, SWEEPS, [1, 2, 3, 4], 20, False)
        press = {"scene": "sphere_press", "parameters": {"spheres": 60, "per_side": 5, "jitter": 0.001}}
        self.traces_agree("ncp", press, {"pqn": {"solver": "pqn"}, "nsgs": {"solver": "nsgs"},
                                                 "split": {"solver": "nsgs", "parameters": {"rank_coupling": "split"}}},
                          [1, 3], 40, False, "ncp")
        cells = self.traces_agree("loop", SCENE, ["apgd"], [0, 1, 3], 150, True, "ncp")
        self.assertGreater(float(cells["apgd 3"]["trace"][-1]["outer"]), 0)

    def test_sweeps_by_ranks_depend_on_their_number(self):
        """Ranks that all share bodies sweep one after the other, as one process does."""
        solvers = [{"solver": "gauss_seidel", "parameters": {"rank_unit": "ranks", "rank_coupling": coupling}, "ranks": count,
                    "label": f"{coupling} {count}"} for coupling in ("colours", "split") for count in (1, 3)]
        self.run_config({"name": "by-ranks", "problems": [SCENE], "model": "ccp", "trace": ["velocity_residual"],
                         "solvers": solvers, "stop": {"tolerance": 1e-12, "max_iterations": 15}}, code=0)
        cells = self.cells("by-ranks")
        exchanges = {name: cell["ranks"]["exchanges"] for name, cell in cells.items()}
        self.assertEqual(exchanges["colours 3"] - exchanges["colours 1"], 2 * 15)
        self.assertEqual({exchanges["split 1"], exchanges["split 3"]}, {exchanges["colours 1"]})
        self.assertEqual(cells["colours 1"]["trace"], cells["colours 3"]["trace"])
        self.assertNotEqual(cells["split 1"]["trace"], cells["split 3"]["trace"])
        self.assertEqual(len({cell["ranks"]["reductions"] for cell in cells.values()}), 1)

    def test_apgd_takes_one_exchange_and_one_sum_an_iteration(self):
        for name, problem, more in [("packing", SCENE, []), ("stack", {"scene": "odd_mass_stack"}, ["--threads", "2"])]:
            counts = []
            for iterations in (10, 25):
                self.run_config({"name": f"{name}-{iterations}", "problems": [problem], "model": "ccp",
                                 "solvers": [{"solver": "apgd", "parameters": {"adaptive_step": False}, "label": "apgd"}], "trace": ["velocity_residual"],
                                 "stop": {"tolerance": 1e-15, "max_iterations": iterations}}, "--ranks", "3", *more, code=0)
                cell = self.cells(f"{name}-{iterations}")["apgd"]
                self.assertEqual(len({row["step"] for row in cell["trace"]}), 1)  # nothing failed
                counts.append([cell["ranks"][key] for key in ("exchanges", "reductions")])
            self.assertEqual([after - before for before, after in zip(*counts, strict=True)], [15, 15])

    def test_few_bodies_and_one_that_all_ranks_touch(self):
        self.traces_agree("few", {"scene": "odd_mass_stack", "parameters": {"spheres": 3, "heavy_index": 2}},
                          ["apgd", "jacobi"], [0, 1, 5], 30, True)
        self.traces_agree("slab", {"scene": "sphere_press", "parameters": {}}, ["apgd"], [1, 3], 30, False)

    def test_a_packed_drum_has_the_same_bits_on_every_number_of_ranks(self):
        drum = {"scene": "drum", "parameters": {"particles": 40, "shape": "sphere", "filling": "packed", "mass_unit": 0.001}}
        cells = self.traces_agree("drum", drum, {"pqn": {"solver": "pqn"}, "sweeps": {"solver": "nsgs"}}, [1, 2, 3, 4], 20, False, "ncp")
        self.assertGreater(cells["pqn 4"]["ranks"]["cut_contacts"], cells["pqn 2"]["ranks"]["cut_contacts"])

    def test_parts_that_ranks_make_are_those_of_the_whole_problem(self):
        """Ranks make parts of a scene; of a dump of the same problem the first rank cuts them."""
        for scene, parameters, solver in [("random_contacts", ["contacts=600", "redundancy=0.2"], "apgd"),
                                          ("sphere_press", ["spheres=60", "per_side=5", "jitter=0.001"], "pqn")]:
            options = [word for parameter in parameters for word in ("--set", parameter)]
            self.run_program("generate", scene, *options, "--seed", "4", "--form", "global", "--no-solution", "--out", "dump.hdf5", code=0)
            traces = []
            for source in ("dump.hdf5", f"scene:{scene}:{','.join(parameters)}"):
                for count in ("1", "2", "3"):
                    self.run_program("solve", source, "--seed", "4", "--model", "ccp", "--solver", solver, "--ranks", count, "--tolerance",
                                     "0", "--max-iterations", "20", "--trace", "trace.csv", code=3)
                    with open(self.folder / "trace.csv", newline="", encoding="utf-8") as rows:
                        traces.append([{key: value for key, value in row.items() if key != "elapsed_s"} for row in csv.DictReader(rows)])
            self.assertEqual(len(traces[0]), 21)
            for trace in traces[1:]:
                self.assertEqual(trace, traces[0], scene)

    def test_ccpbench_has_no_large_problem_that_ranks_judge(self):
        scene = {"scene": "random_contacts", "parameters": {"contacts": 200001}}
        self.run_config({"name": "outline", "problems": [scene], "model": "ccp", "solvers": [{"solver": "jacobi", "ranks": 2}],
                         "stop": {"tolerance": 1e-15, "max_iterations": 2}}, code=0)
        cell = self.cells("outline")["jacobi"]
        self.assertEqual(cell["status"], "iteration_limit")
        self.assertEqual([cell["problem"][key] for key in ("contacts", "rows")], [200001, 600003])
        self.assertLess(cell["balance"]["load_carried"], 1.0)
        self.assertGreater(cell["balance"]["load_carried"], 0.0)
        self.assertEqual(float(cell["trace"][-1]["relative_residual"]), cell["measures"]["relative_residual"])
        self.assertLess(cell["peak_memory_mb"], cell["ranks"]["rank_memory_mb"])

    def test_what_ranks_cannot_do_is_unsupported(self):
        for arguments, said in [(["--solver", "ipm_qp"], "ipm_qp does not run on several ranks"),
                                (["--solver", "admm", "--set", "linear_system=saddle"], "expected linear_system auto or normal"),
                                (["--solver", "gauss_seidel", "--set", "sweep=coloured"], "expected sweep forward"),
                                (["--solver", "apgd", "--set", "operator=assembled"], "factored")]:
            ran = self.run_program("solve", "scene:odd_mass_stack", *arguments, "--ranks", "2", code=3)
            self.assertIn("unsupported", ran.stdout)
            self.assertIn(said, ran.stdout)
        ran = self.run_program("solve", "scene:odd_mass_stack", "--solver", "apgd", "--ranks", "2", code=3,
                               CCPBENCH_MPIEXEC="/nowhere/mpiexec")
        self.assertIn("openmpi-bin", ran.stdout)
        ran = self.run_program("solve", "scene:odd_mass_stack", "--solver", "apgd", "--ranks", "2", code=3,
                               CCPBENCH_RANKS_PROGRAM="/nowhere/ccpbench-ranks")
        self.assertIn("petsc-dev", ran.stdout)
        self.run_program("solve", "scene:odd_mass_stack", "--solver", "apgd", "--ranks", "65", code=2)
        said = self.run_config({"name": "many", "problems": [SCENE], "solvers": [{"solver": "apgd", "ranks": 65}]}, code=2).stderr
        self.assertIn("65", said)

    def test_results_on_ranks_are_cells_of_their_own(self):
        config = {"name": "own", "problems": [{"scene": "odd_mass_stack"}], "solvers": [{"solver": "apgd"}],
                  "stop": {"max_iterations": 5}}
        self.run_config(config, code=0)
        self.assertNotIn("ranks", self.cells("own")["apgd"])
        self.run_config(config, "--ranks", "2", code=0)
        with open(self.folder / "results" / "own" / "summary.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["ranks"] for row in rows], ["2"])
        again = self.run_config(config, "--ranks", "2", code=0)
        self.assertIn("1 there already", again.stdout + again.stderr)

    def test_ranks_run_on_the_hosts_named(self):
        """Two names of this machine, by a list, and a host file."""
        names = ["localhost", os.uname().nodename]
        (self.folder / "hosts").write_text("localhost slots=2\n")
        config = {"problems": [SCENE], "model": "ccp", "trace": ["velocity_residual"],
                  "solvers": [{"solver": "apgd"}], "stop": {"tolerance": 1e-12, "max_iterations": 5}}
        traces = []
        for count, arguments in [(3, ["--hosts", ":2,".join(names) + ":1"]), (2, ["--hosts", "./hosts"]), (1, [])]:
            self.run_config({**config, "name": f"hosts-{count}"}, "--ranks", str(count), *arguments, code=0)
            cell = self.cells(f"hosts-{count}")["apgd"]
            self.assertEqual(cell["ranks"]["ranks"], count)
            traces.append(cell["trace"])
        self.assertEqual(traces[0], traces[1])
        self.assertEqual(traces[0], traces[2])
        ran = self.run_program("solve", "scene:odd_mass_stack", "--solver", "apgd", "--ranks", "2", "--hosts", "./nowhere", code=2)
        self.assertIn("no host file ./nowhere", ran.stderr)

    def test_memory_that_runs_out_is_said(self):
        fake = self.folder / "ranks"
        fake.write_text('#!/bin/sh\n[ "$1" = version ] && echo ranks of a test && exit\nexit 12\n')
        fake.chmod(0o755)
        self.run_config({"name": "memory", "problems": [SCENE], "solvers": [{"solver": "apgd"}]}, "--ranks", "2", code=3,
                        CCPBENCH_RANKS_PROGRAM=str(fake))
        cell = self.cells("memory")["apgd"]
        self.assertEqual((cell["status"], cell["reason"]), ("out_of_memory", "a rank ran out of memory"))

    def started(self):
        (self.folder / "config.json").write_text(json.dumps(LONG))
        program = subprocess.Popen([PROGRAM, "run", "config.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=self.folder, env=self.environment)
        self.assertTrue(wait_until(lambda: list((self.folder / "results").glob("long/**/trace.csv*")) and len(processes()) == 2, 60))
        return program

    def ended(self, program, code):
        said = program.communicate(timeout=30)
        self.assertEqual(program.returncode, code, said)
        self.assertTrue(wait_until(lambda: not processes() and not processes("mpiexec"), 5), processes())

    def test_a_rank_that_is_killed_fails_its_cell(self):
        program = self.started()
        os.kill(processes()[1], signal.SIGKILL)
        self.ended(program, 3)
        cell = self.cells("long")["jacobi"]
        self.assertEqual(cell["status"], "failed")
        self.assertIn("the ranks ended", cell["reason"])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_mpiexec_that_is_killed_fails_its_cell(self):
        program = self.started()
        os.kill(processes("mpiexec")[0], signal.SIGKILL)
        self.ended(program, 3)
        self.assertIn("SIGKILL", self.cells("long")["jacobi"]["reason"])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_interrupt_leaves_no_process(self):
        program = self.started()
        program.send_signal(signal.SIGINT)
        self.ended(program, 130)
        self.assertEqual(self.cells("long"), {})

    def test_a_rank_that_stands_still_ends_at_the_wall_limit(self):
        """Each of the two."""
        LONG["limits"]["wall_s"] = 8
        self.addCleanup(LONG["limits"].update, wall_s=60)
        for number in (0, 1):
            program = self.started()
            os.kill(sorted(processes())[number], signal.SIGSTOP)
            self.ended(program, 3)
            self.assertEqual(self.cells("long")["jacobi"]["status"], "time_limit")
            shutil.rmtree(self.folder / "results")

    def test_jobs_count_ranks(self):
        solvers = [{"solver": "jacobi", "ranks": 2, "parameters": {"omega": omega}, "label": str(omega)} for omega in (0.1, 0.2, 0.3)]
        (self.folder / "config.json").write_text(json.dumps({**LONG, "solvers": solvers}))
        program = subprocess.Popen([PROGRAM, "run", "config.json", "--jobs", "5"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, cwd=self.folder, env=self.environment)
        self.assertTrue(wait_until(lambda: len(list((self.folder / "results").glob("long/**/trace.csv*"))) == 2, 60))
        self.assertLessEqual(len(processes()), 4)
        program.send_signal(signal.SIGINT)
        self.ended(program, 130)

    def test_the_network_is_measured(self):
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        said = subprocess.run(["mpiexec", "-n", "2", "--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                               RANK_PROGRAM, "network"], capture_output=True, text=True, timeout=200, check=True,
                              env={**self.environment, **root}).stdout
        rows = list(csv.DictReader(said.splitlines()))
        self.assertEqual({row["what"] for row in rows}, {"message", "sum"})
        self.assertEqual(len(rows), 14)
        for row in rows:
            self.assertGreater(float(row["least_s"]), 0)
            self.assertLessEqual(float(row["least_s"]), float(row["median_s"]))
        alone = subprocess.run([RANK_PROGRAM, "network"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("mpiexec -n 2 ccpbench-ranks network", alone.stderr)

    def test_products_are_measured(self):
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        said = subprocess.run(["mpiexec", "-n", "3", "--bind-to", "none", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1",
                               RANK_PROGRAM, "products", "--repeat", "5", "--contacts", "3000"], capture_output=True, text=True,
                              timeout=200, check=True, env={**self.environment, **root}).stdout
        rows = list(csv.DictReader(said.splitlines()))
        self.assertEqual([(row["what"], row["ranks"]) for row in rows], [("process", "0"), ("one rank", "1"), ("all ranks", "3")])
        for row in rows:
            self.assertEqual((row["contacts"], row["repeats"]), ("3000", "5"))
            for column in ("median_s", "median_cpu_s", "ratio", "ratio_cpu"):
                self.assertGreater(float(row[column]), 0, column)
        self.assertEqual(float(rows[0]["ratio"]), 1)
        for wrong in (["--contacts"], ["--contacts", "many"], ["--repeat", "0"], ["--contacts", "0"], ["--ranks", "2"]):
            refused = subprocess.run([RANK_PROGRAM, "products", *wrong], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""), wrong)
            self.assertIn("ccpbench-ranks: ", refused.stderr)

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the memory of sanitizers is not the program's")
    def test_a_contact_takes_a_kilobyte(self):
        """Bytes of each further contact on one rank, from the start to the end."""
        def memory(solver, contacts):
            name = f"{solver}_{contacts}"
            self.run_config({"name": name, "model": "ccp", "problems": [{"scene": "random_contacts", "parameters": {"contacts": contacts}}],
                             "solvers": [{"solver": solver, "ranks": 1, "label": solver}], "stop": {"tolerance": 1e-300, "max_iterations": 3}},
                            "--fresh", code=0)
            return self.cells(name)[solver]["ranks"]["rank_memory_mb"] * 2**20
        for solver in ("apgd", "jacobi"):
            size = (memory(solver, 90000) - memory(solver, 30000)) / 60000
            self.assertLess(size, 1000, solver)
            self.assertGreater(size, 400, solver)

    def test_ranks_have_no_sequential_mumps(self):
        linked = subprocess.run(["ldd", RANK_PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libmpi", linked)
        self.assertNotIn("mumps_seq", linked)
        self.assertNotIn("_seq-", linked)


if __name__ == "__main__":
    if not RANK_PROGRAM.exists():
        print("skipped: ccpbench-ranks was not built (petsc-dev)")
        sys.exit(SKIPPED)
    unittest.main()
