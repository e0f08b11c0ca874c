"""Scenes in time, threads, Ctrl-C, types, and the experiments that the program runs."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

from support import PACKAGE, cb, np, stack

ENVIRONMENT = {**os.environ, "PYTHONPATH": PACKAGE}


class Motions(unittest.TestCase):
    def test_the_driver_moves_a_scene(self):
        steps = list(cb.scene("single_ball").motion(driver="pqn", steps=40, tolerance=1e-10))
        self.assertEqual([step.index for step in steps], list(range(40)))
        self.assertTrue(all(step.solution.solved for step in steps))
        self.assertTrue(any(len(step.gaps) for step in steps))
        for step in steps:
            contacts = len(step.gaps)
            self.assertEqual((step.keys.shape, step.frames.shape, step.points.shape), ((contacts, 5), (contacts, 3, 3), (contacts, 3)))
            np.testing.assert_allclose(step.frames @ step.frames.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (contacts, 3, 3)), atol=1e-12)
        again = list(cb.scene("single_ball").motion(driver="pqn", steps=40, tolerance=1e-10))
        np.testing.assert_array_equal(again[-1].problem.k, steps[-1].problem.k)  # same parameters, same bytes
        self.assertEqual(again[-1].facts, steps[-1].facts)

    def test_an_impulse_of_the_user_moves_it_too(self):
        motion = cb.scene("single_ball").motion(steps=40)
        for step in motion:
            step.impulse = np.zeros(step.problem.rows)  # through the floor
        self.assertGreater(len(step.gaps), 0)
        self.assertLess(step.gaps.min(), -1e-6)
        for step in cb.scene("single_ball").motion(steps=40):
            pass
        self.assertGreater(step.gaps.min(), -1e-6)
        self.assertTrue(step.solution.solved)

    def test_an_impulse_is_looked_at_when_it_is_set(self):
        step = next(cb.scene("cohesive_ball", spheres=12).motion(steps=1))
        rows = step.problem.rows
        for wrong, said in (([1.0], f"impulse has 1 entries, expected {rows}"), ([np.nan] * rows, r"impulse\(0\) is nan"), ("text", "impulse is not an array")):
            with self.assertRaisesRegex(cb.InputError, said):
                step.impulse = wrong
        self.assertTrue(np.isfinite(step.impulse).all())

    def test_what_a_user_can_read_is_in_the_help(self):
        scene = cb.scene("single_ball")
        step = next(scene.motion(steps=1))
        for one in (scene, step, step.problem, step.solution):
            self.assertEqual([name for name in vars(one) if not name.startswith("_")], [])  # properties have docstrings: test_guide.py

    def test_a_scene_is_looked_at_when_it_is_made(self):
        for name, given, said in (("drumm", {}, "did you mean 'drum'"), ("drum", {"particle": 3}, "did you mean 'particles'"), ("drum", {"seed": -1}, "seed is -1"),
                                  (3, {}, "scene is 3")):
            with self.assertRaisesRegex(cb.InputError, said):
                cb.scene(name, **given)
        self.assertEqual(repr(cb.scene("drum", 3, particles=10)), "Scene('drum', seed=3, particles=10)")

    def test_steps_start_from_the_one_before(self):
        *_, last = cb.scene("single_ball").motion(driver="nsgs", steps=40)
        self.assertLess(last.solution.iterations, cb.solve(last.problem, "nsgs").iterations)

    def test_a_scene_at_rest_has_no_motion(self):
        with self.assertRaisesRegex(ValueError, "'odd_mass_stack' does not move"):
            cb.scene("odd_mass_stack").motion()


class Threads(unittest.TestCase):
    def test_python_goes_on_while_a_run_lasts(self):
        p, counted, ended = stack(40), 0, threading.Event()
        thread = threading.Thread(target=lambda: (cb.solve(p, "jacobi", tolerance=1e-300, max_iterations=100000, time_limit=0.3), ended.set()))
        thread.start()
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(counted, 3)

    def test_threads_share_a_problem(self):
        p, expected, found = stack(40), cb.solve(stack(40), "nsgs", max_iterations=50).impulse, {}
        threads = [threading.Thread(target=lambda k=k: found.update({k: [cb.solve(p, "nsgs", max_iterations=50).impulse for _ in range(5)]})) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for impulses in found.values():
            for impulse in impulses:
                np.testing.assert_array_equal(impulse, expected)


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_a_run(self):
        script = ("import ccpbench as cb\np = cb.Problem.from_scene('odd_mass_stack', spheres=40)\n"
                  "try:\n    print('runs', flush=True)\n    cb.solve(p, 'jacobi', tolerance=1e-300, max_iterations=10**9, time_limit=600)\n"
                  "except KeyboardInterrupt:\n    print('interrupted', cb.solve(p).status)\n")
        process = subprocess.Popen([sys.executable, "-Bc", script], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "runs\n")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=60)
        self.assertEqual((said, errors), ("interrupted solved\n", ""))

    def test_a_handler_of_the_user_is_called_and_may_let_the_run_go_on(self):
        seen, before = [], signal.signal(signal.SIGALRM, lambda *_: seen.append(time.perf_counter()))
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        r = cb.solve(stack(40), "jacobi", tolerance=1e-300, max_iterations=10**9, time_limit=0.5)
        ended = time.perf_counter()
        self.assertEqual((r.status, len(seen)), ("time_limit", 1))
        self.assertLess(seen[0], ended)


class Types(unittest.TestCase):
    def test_a_script_of_a_user_has_no_type_errors(self):
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is missing")
        script = ("import numpy as np\nimport ccpbench as cb\n\n\ndef impulses(p: cb.Problem) -> list[float]:\n    r: cb.Solution = cb.solve(p, 'admm', rho=0.5)\n"
                  "    worst: float = cb.judge(p, r.impulse)['relative_residual']\n    print(worst, r.trace, cb.rank(p, ['nsgs']))\n"
                  "    results = cb.run('test1a', jobs=2)\n    label: str = results.cells()['label'][0]\n    print(label, results.plot.convergence()[0].name)\n"
                  "    return [float(x) for x in r.impulse]\n\n\n"
                  "p = cb.Problem(H=np.eye(3), D=np.eye(3), k=[1.0, 0.0, 0.0], b=np.zeros(3), friction=0.5)\n"
                  "for step in cb.scene('drum', particles=10).motion(driver='pqn', steps=2):\n    print(step.time, impulses(step.problem))\n"
                  "print(cb.simulators.from_pinocchio(np.eye(3), np.zeros(3), 0.3).rows)\n")
        with tempfile.TemporaryDirectory() as place:
            for text, wrong in ((script, 0), (script + "cb.solve(p, tolerance='small')\nx: int = cb.solve(p).status\n", 2)):
                path = Path(place) / "user.py"
                path.write_text(text)
                checked = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={place}/cache", path.name], cwd=place,
                                         env={**os.environ, "MYPYPATH": PACKAGE}, capture_output=True, text=True, timeout=300)
                self.assertEqual(checked.stdout.count(" error: "), wrong, checked.stdout + checked.stderr)


class Program(unittest.TestCase):
    def test_a_config_runs_and_its_figures_are_drawn(self):
        config = {"name": "study", "problems": [{"scene": "odd_mass_stack", "parameters": {"spheres": 4, "heavy_index": 2}}], "model": ["ccp"],
                  "solvers": [{"solver": "admm", "label": "ADMM"}, {"solver": "jacobi", "label": "Jacobi"}], "stop": {"max_iterations": 50}}
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "study.json"
            path.write_text(json.dumps(config))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                results = cb.run(path, out=Path(place) / "results", set=["/stop/max_iterations=60"])
            self.assertEqual(list(results.cells()["label"]), ["ADMM", "Jacobi"])
            self.assertEqual(results.folder, Path(place) / "results" / "study")
            self.assertEqual(cb.Results(results.folder).config["stop"]["max_iterations"], 60)
            figures = results.plot.convergence(format="svg", only="ADMM")
            self.assertTrue(figures and all(figure.is_file() for figure in figures))
            self.assertIn("data:image/svg+xml;base64,", figures._repr_html_())

    def test_bad_input_of_the_program_is_an_error_of_one_line(self):
        for call, said in ((lambda: cb.run("tset1a"), "did you mean 'test1a'"), (lambda: cb.run("test1a", jobs="many"), "jobs"),
                           (lambda: cb.Results("/nowhere"), "/nowhere"), (lambda: cb.rank(stack(3), ["nsgz"]), "nsgs")):
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_methods_are_ranked(self):
        ranked = cb.rank(stack(), ["nsgs", "admm:rho=0.5", "proximal_newton"])
        self.assertEqual(list(ranked["rank"]), [1, 2, 3])
        self.assertEqual(list(ranked["solver"])[-1], "nsgs")  # of a heavy sphere in a stack it makes little
        self.assertIn("rho=0.5", list(ranked["settings"]))
        self.assertLess(ranked["relative_residual"][0], 1e-8)
        self.assertEqual(list(cb.rank(stack(3), "nsgs")["solver"]), ["nsgs"])

    def test_a_ranking_shows_its_point_in_eighty_columns(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        ranked = cb.rank(stack(3), ["proximal_newton", "admm:rho=0.5", "semismooth_newton", "nsgs"], model="ccp")
        self.assertGreater(max(map(len, ranked["reason"])), 30)
        with mock.patch.dict(os.environ, COLUMNS="80"), pandas.option_context("display.max_columns", 0):
            self.assertEqual(repr(ranked).splitlines()[0].split(), ["rank", "solver", "status", "...", "solve_s", "iterations", "time_s"])


if __name__ == "__main__":
    unittest.main()
