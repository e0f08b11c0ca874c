"""Problems of arrays, files and scenes, and what solving and judging them gives."""

import copy
import multiprocessing
import pickle
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

from support import block_on_a_plane, cb, np, stack

try:
    import scipy.sparse as sparse
except ImportError:
    sparse = None


class Arrays(unittest.TestCase):
    def test_a_block_sticks_and_slides(self):
        for push, expected in ((4.0, [0.1962, -0.04, 0.0]), (40.0, [0.1962, -0.4 * 0.1962, 0.0])):
            H, D, k, b, mu = block_on_a_plane(push)
            r = cb.solve(cb.Problem(H=H, D=D, k=k, b=b, friction=mu), tolerance=1e-10)
            np.testing.assert_allclose(r.impulse, expected, atol=1e-10)
            np.testing.assert_allclose(r.velocity, np.linalg.solve(H, k + D @ r.impulse), atol=1e-14)
            np.testing.assert_allclose(r.local_velocity, r.velocity, atol=1e-14)
            self.assertTrue(r.solved)

    def test_all_ways_to_give_a_matrix_are_the_same_problem(self):
        H, D, k, b, mu = block_on_a_plane(4.0)
        ways = [(H, D), (H.tolist(), D.tolist()), (np.diag(H), np.diag(D)), (np.asfortranarray(H), D[::-1][::-1]),
                (H.astype(int), D.astype(np.float32))]
        if sparse:
            ways += [(kind(H), kind(D)) for kind in (sparse.csc_matrix, sparse.csr_matrix, sparse.coo_matrix, sparse.csc_array)]
        for h, d in ways:
            p = cb.Problem(H=h, D=d, k=k, b=b, friction=[mu])
            self.assertEqual((p.rows, p.dofs, p.contacts, p.is_global), (3, 3, 1, True))
            for mine, given in ((p.H, H), (p.D, D), (p.N, np.linalg.inv(H))):
                np.testing.assert_allclose(mine @ np.eye(3), given, rtol=1e-15)
            np.testing.assert_array_equal(p.k, k)

    def test_the_local_form_is_the_same_physics(self):
        H, D, k, b, mu = block_on_a_plane(40.0)
        p = cb.Problem(N=np.linalg.inv(H), r=np.linalg.solve(H, k), friction=mu)
        np.testing.assert_allclose(cb.solve(p, tolerance=1e-10).impulse, cb.solve(cb.Problem(H=H, D=D, k=k, b=b, friction=mu)).impulse, atol=1e-9)
        self.assertIsNone(cb.solve(p).velocity)
        np.testing.assert_array_equal(p.r, np.linalg.solve(H, k))

    def test_kinds_and_compliance(self):
        p = cb.Problem(H=np.ones(5), D=np.eye(5), k=[-1.0, 1.0, -1.0, 0.0, 0.0], b=np.zeros(5), C=[0.0, 1.0, 0.0, 0.0, 0.0], friction=0.5,
                       kinds=["unilateral", "bilateral", "contact2d", "unilateral"])
        self.assertEqual(p.kinds, ["unilateral", "bilateral", "contact2d", "unilateral"])
        np.testing.assert_allclose(cb.solve(p, "nsgs").impulse, [1.0, -0.5, 1.0, 0.0, 0.0], atol=1e-7)
        self.assertEqual(p.C[1, 1], 1.0)

    def test_contacts_with_moments(self):
        weights = np.array([1.0, 2.0, 2.0, 5.0, 5.0, 4.0])
        for rows, coefficients, kind in ((5, {"rolling": 0.01}, "rolling"), (4, {"torsion": 0.02}, "torsion"),
                                         (6, {"rolling": 0.01, "torsion": 0.02}, "rolling_torsion")):
            diagonal = weights[:rows] if rows > 4 else weights[[0, 1, 2, 5]]
            r = -diagonal * [2.0, 0.1, 5.0, 0.3, 0.001, 0.3][:rows]
            r[0] = -2.0
            p = cb.Problem(N=diagonal, r=r, friction=0.4, **coefficients)
            self.assertEqual(p.kinds, [kind])
            np.testing.assert_allclose(p.N.diagonal() if sparse else np.diag(p.N), diagonal, rtol=1e-15)
            np.testing.assert_allclose(p.r, r, rtol=1e-15)
            found = cb.solve(p, "nsgs", tolerance=1e-12).impulse
            bounds = {"friction": (0.4, slice(1, 3)), "rolling": (0.01, slice(3, 5)), "torsion": (0.02, slice(rows - 1, rows))}
            self.assertAlmostEqual(found[0], 2.0)
            for name in ("friction", *coefficients):
                mu, part = bounds[name]
                self.assertAlmostEqual(np.linalg.norm(found[part]), 2.0 * mu, places=10)  # all slide
                np.testing.assert_allclose(getattr(p, name), [mu], rtol=1e-15)
            q = pickle.loads(pickle.dumps(p))
            self.assertEqual(q.kinds, [kind])
            np.testing.assert_allclose(cb.solve(q, "nsgs", tolerance=1e-12).impulse, found, rtol=1e-10)
        one = dict(N=np.ones(8), r=-np.ones(8), friction=[0.1, 0.2], kinds=["rolling", "rolling2d"], rolling=[0.0, 0.3], length=[0.5, 2.0])
        p = cb.Problem(**one)
        self.assertEqual((p.rolling.tolist(), p.torsion.tolist(), p.length[0]), ([0.0, 0.3], [], 0.5))
        self.assertAlmostEqual(p.length[1], 1.5)  # μ_r/μ

    def test_what_is_given_is_copied_and_what_is_shown_is_not(self):
        H, D, k, b, mu = block_on_a_plane(4.0)
        p = cb.Problem(H=H, D=D, k=k, b=b, friction=mu)
        k[:] = 0.0
        self.assertNotEqual(p.k[0], 0.0)
        self.assertFalse(p.k.flags.writeable)
        self.assertEqual(p.k.ctypes.data, p.k.ctypes.data)
        if sparse:
            self.assertEqual(p.H.data.ctypes.data, p.H.data.ctypes.data)
        values = cb.solve(p).impulse
        del p  # the arrays keep what they show
        self.assertAlmostEqual(values[1], -0.04)

    def test_without_scipy_and_pandas(self):
        with mock.patch.dict(sys.modules, {"scipy.sparse": None, "scipy": None, "pandas": None}):
            p = stack(5)
            self.assertIsInstance(p.H, np.ndarray)
            self.assertIsInstance(cb.solve(p).trace, cb.Table)


class Doubts(unittest.TestCase):
    def assert_warns(self, said, make):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make()
        self.assertEqual([str(warning.message) for warning in caught], [said] if said else [])
        self.assertTrue(all(warning.filename == __file__ for warning in caught))

    def test_a_matrix_that_is_not_symmetric_is_warned_of(self):
        H, D, k, b, mu = block_on_a_plane(4.0)
        for off, said in ((0.0, ""), (1e-13, ""), (0.5, " is not symmetric: |{0}_ij − {0}_ji| is up to 0.25 of √({0}_ii {0}_jj)")):
            skewed = H + np.diag([off, 0.0], 1)
            self.assert_warns(said and "H" + said.format("H"), lambda h=skewed: cb.Problem(H=h, D=D, k=k, b=b, friction=mu))
            self.assert_warns(said and "M" + said.format("M"), lambda h=skewed: cb.simulators.from_step(h, D, k, k, [0.0], mu, 0.01))
            self.assert_warns(said and "N is not symmetric: max|N − Nᵀ| is 0.25 of max|N|", lambda n=skewed: cb.Problem(N=n, r=k, friction=mu))

    def test_an_indefinite_delassus_operator_is_refused(self):
        for wrong, said in (([[1.0, 0, 0], [0, -1.0, 0], [0, 0, 1.0]], r"N\(1,1\) is -1, expected a number >= 0"),
                            ([[1.0, 3.0, 0], [3.0, 2.0, 0], [0, 0, 1.0]], r"N\(1,0\) is 3, above √\(N\(1,1\) N\(0,0\)\) = 1.41: N is indefinite")):
            with self.assertRaisesRegex(cb.InputError, said):
                cb.Problem(N=wrong, r=np.zeros(3), friction=0.5)
        cb.Problem(N=np.ones((3, 3)), r=np.zeros(3), friction=0.5)  # of rank one


class Copies(unittest.TestCase):
    def test_pickles_and_copies_are_the_same_problem(self):
        H, D, k, b, mu = block_on_a_plane(40.0)
        fallen = list(cb.scene("single_ball").motion(steps=40))[-1].problem
        for p in (stack(5), cb.Problem(H=H, D=D, k=k, b=b, friction=mu, name="mine"), cb.Problem(N=np.linalg.inv(H), r=k, friction=mu), fallen,
                  cb.Problem.from_scene("cohesive_ball", spheres=12),
                  cb.Problem(H=np.ones(4), D=np.eye(4), k=-np.ones(4), b=np.zeros(4), C=np.ones(4), kinds=["bilateral", "unilateral", "contact2d"], friction=mu)):
            for q in (pickle.loads(pickle.dumps(p)), copy.deepcopy(p)):
                self.assertIsNot(q._core, p._core)
                self.assertEqual((repr(q), q.kinds), (repr(p), p.kinds))
                np.testing.assert_array_equal(cb.solve(q, "nsgs").impulse, cb.solve(p, "nsgs").impulse)

    def test_a_solution_in_a_file_is_kept(self):
        with tempfile.TemporaryDirectory() as place:
            p = stack(3)
            p.write(Path(place) / "step.hdf5", np.ones(p.rows))
            np.testing.assert_array_equal(copy.deepcopy(cb.Problem.read(Path(place) / "step.hdf5")).solution, np.ones(p.rows))

    def test_what_cannot_be_kept_is_refused(self):
        step = next(cb.scene("cohesive_ball", spheres=12).motion(steps=1))
        self.assertGreater(step.problem.contacts, 0)
        with self.assertRaisesRegex(cb.InputError, "cohesive"):
            pickle.dumps(step.problem)

    def test_processes_take_problems(self):
        H, D, k, b, mu = block_on_a_plane(40.0)
        p = cb.Problem(H=H, D=D, k=k, b=b, friction=mu)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(status_of, [p]), ["solved"])


def status_of(problem):
    return cb.solve(problem).status


class Mistakes(unittest.TestCase):
    def assert_says(self, said, call, *arguments, **options):
        with self.assertRaises(ValueError) as caught:
            call(*arguments, **options)
        self.assertIsInstance(caught.exception, cb.InputError)
        self.assertIn(said, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_of_problems(self):
        H, D, k, b, mu = block_on_a_plane(4.0)
        given = {"H": H, "D": D, "k": k, "b": b, "friction": mu}
        for change, said in (({"b": None}, "b is missing"), ({"N": H}, "r is missing"), ({"N": H, "r": b}, "H is given with N"),
                             ({"friction": None}, "friction is missing"), ({"friction": [0.1, 0.2]}, "friction has 2 entries, expected 1"),
                             ({"friction": -1.0}, "friction is -1, expected"),
                             ({"friction": [-1.0]}, "friction coefficient 0 is -1"), ({"kinds": "contact"}, "kinds is 'contact', expected a list of names"),
                             ({"kinds": [1]}, "kinds is [1], expected a list"), ({"name": 3}, "name is 3, expected a text"),
                             ({"H": H + 1j}, "H has complex numbers"), ({"k": np.ma.masked_array(k, [0, 1, 0])}, "k is a masked array"), ({"k": [[1.0]]}, "k has 2 dimensions, expected one"), ({"k": "text"}, "k is not an array"),
                             ({"D": np.eye(3, 4)}, "4 rows, expected three for each contact, or kinds"), ({"kinds": ["contcat"]}, "did you mean 'contact'"),
                             ({"k": [np.nan] * 3}, "k(0) is nan"), ({"H": -H}, "H"), ({"H": np.zeros((2, 2, 2))}, "H has 3 dimensions")):
            self.assert_says(said, cb.Problem, **{**given, **change})
        five = {"N": np.ones(5), "r": -np.ones(5), "friction": 0.5, "rolling": 0.1}
        for change, said in (({"rolling": None}, "5 rows, expected three for each contact, or kinds"), ({"torsion": 0.1}, "5 rows, expected six for each contact"),
                             ({"kinds": ["rolling"], "rolling": None}, "rolling is missing: one μ_r"), ({"rolling": [0.1, 0.2]}, "rolling has 2 entries, expected 1"),
                             ({"kinds": ["contact2d", "contact"]}, "rolling is given, but no contact has rolling moments"),
                             ({"kinds": ["rolling"], "torsion": 0.1}, "torsion is given, but no contact has a spinning moment"), ({"rolling": [-1.0]}, "rolling friction 0 is -1"),
                             ({"kinds": ["contact2d", "contact"], "rolling": None, "length": 1.0}, "length is given, but"), ({"friction": 0.0, "length": 0.0}, "a length > 0")):
            self.assert_says(said, cb.Problem, **{**five, **change})
        if sparse:
            damaged = sparse.csc_matrix(H)
            damaged.indices[0] = 7
            self.assert_says("H is damaged", cb.Problem, **{**given, "H": damaged})

    def test_of_runs(self):
        p = stack(5)
        for said, options in (("did you mean 'nsgs'", {"solver": "nsgz"}), ("unknown parameter 'rh' (did you mean 'rho'?)", {"solver": "admm", "rh": 1.0}),
                              ("expected a number", {"solver": "admm", "rho": "much"}), ("'rho' is None", {"solver": "admm", "rho": None}),
                              ("unknown model 'npc'", {"model": "npc"}), ("unknown measure", {"measure": "error"}), ("no run can stop by", {"measure": "objective"}),
                              ("tolerance is -1", {"tolerance": -1.0}), ("tolerance is 0", {"tolerance": 0.0}),
                              ("tolerance is '1', expected a number", {"tolerance": "1"}), ("max_iterations is 1000.0, expected a whole number", {"max_iterations": 1e3}),
                              ("max_iterations is 1000000000000", {"max_iterations": 10**12}), ("time_limit is None", {"time_limit": None}),
                              ("model is 1, expected a text", {"model": 1}), ("native_stop is 'no'", {"native_stop": "no"}), ("judge_iterates is 'no'", {"judge_iterates": "no"}),
                              ("has no trace", {"judge_iterates": False, "measures": ["natural_map"]}),
                              ("apgd solves ncp in a loop that the judge ends", {"solver": "apgd", "judge_iterates": False}), ("measures is 3", {"measures": 3}),
                              ("python:FILE:FUNCTION", {"solver": lambda problem: None}), ("solver is 3", {"solver": 3}),
                              ("'rho' in 'admm:rho' is no assignment", {"solver": "admm:rho"}), ("unknown parameter 'rh'", {"solver": "admm:rh=1"}),
                              ("threads is 0", {"threads": 0}), ("start", {"start": [1.0]})):
            self.assert_says(said, cb.solve, p, **options)
        self.assert_says("impulse has 1 entries, expected 18", cb.judge, p, [1.0])
        self.assert_says("problem is a list, expected one Problem", cb.solve, [p])
        self.assert_says("problem is a list, expected one Problem", cb.rank, [p, p])
        self.assert_says("python:FILE:FUNCTION", cb.rank, p, [len])
        self.assert_says("max_iterations is 1000.0", cb.rank, p, "nsgs", max_iterations=1e3)
        self.assert_says("problem is a Solution", cb.judge, cb.solve(p), p)
        self.assert_says("seed is 1.5", cb.Problem.from_scene, "odd_mass_stack", seed=1.5)
        self.assert_says("no such file", cb.Problem.read, "/nowhere.hdf5")
        self.assert_says("unknown", cb.Problem.from_scene, "odd_mass_stack", balls=3)


class Files(unittest.TestCase):
    def test_a_problem_goes_through_a_file_with_its_solution(self):
        p = stack()
        impulse = cb.solve(p).impulse
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "step.hdf5"
            p.write(path, impulse)
            q = cb.Problem.read(path)
            self.assertEqual([entry.name for entry in Path(place).iterdir()], ["step.hdf5"])
        np.testing.assert_array_equal(q.solution, impulse)
        np.testing.assert_array_equal(q.k, p.k)
        np.testing.assert_array_equal(q.D @ impulse, p.D @ impulse)
        np.testing.assert_array_equal(cb.solve(q).impulse, impulse)  # the same bits
        np.testing.assert_equal(cb.judge(q, q.solution), cb.judge(p, impulse))

    def test_no_file_of_impulses_that_are_not_finite(self):
        with tempfile.TemporaryDirectory() as place:
            with self.assertRaisesRegex(cb.InputError, r"impulse\(0\) is nan, expected a finite number"):
                stack(3).write(Path(place) / "step.hdf5", np.full(stack(3).rows, np.nan))
            self.assertEqual(list(Path(place).iterdir()), [])

    def test_cohesion_is_in_the_users_impulses(self):
        p = cb.Problem.from_scene("cohesive_ball", spheres=12)
        r = cb.solve(p)
        self.assertTrue(r.solved and p.contacts > 0)
        self.assertLess(r.impulse[::3].min(), 0.0)  # it holds
        np.testing.assert_equal(cb.judge(p, r.impulse), r.measures)
        np.testing.assert_allclose(r.local_velocity, p.D.T @ r.velocity + p.b, atol=1e-14)


class Solving(unittest.TestCase):
    def test_the_trace_has_what_was_asked_for(self):
        r = cb.solve(stack(), "admm", model="ccp", measures=["objective"], rho=0.5)
        table = r.trace if isinstance(r.trace, cb.Table) else cb.Table({name: list(r.trace[name]) for name in r.trace}, r.trace.attrs["units"])
        self.assertEqual(len(table), r.iterations + 1)
        self.assertEqual(table.units["objective"], "J")
        self.assertLessEqual(table["relative_residual"][-1], 1e-8)
        self.assertEqual(table["relative_residual"][-1], r.measures["relative_residual"])
        self.assertEqual(r.counters["back_solves"], table["back_solves"][-1])
        np.testing.assert_array_equal(cb.solve(stack(), "admm", model="ccp", rho=0.5).impulse, r.impulse)  # observing changes nothing

    def test_settings_reach_the_method(self):
        p = stack()
        self.assertNotEqual(cb.solve(p, "admm", rho=0.5).iterations, cb.solve(p, "admm", rho=50.0).iterations)
        self.assertEqual(cb.settings("admm")["rho"], 0.1)
        self.assertEqual(cb.solve(p, "admm:rho=50,preconditioner=diagonal").iterations, cb.solve(p, "admm", rho=50.0, preconditioner="diagonal").iterations)
        self.assertEqual(cb.settings("admm:rho=50")["rho"], 50.0)
        self.assertEqual(cb.solve(p, "admm", rho=np.float32(0.5)).iterations, cb.solve(p, "admm", rho=0.5).iterations)
        self.assertIn("proximal_newton", cb.solvers())

    def test_the_end_alone_is_judged_on_request(self):
        p = stack()
        judged, alone = (cb.solve(p, native_stop=True, judge_iterates=every) for every in (True, False))
        np.testing.assert_array_equal(alone.impulse, judged.impulse)
        self.assertEqual((alone.status, alone.iterations), ("solved", judged.iterations))
        np.testing.assert_equal(alone.measures, judged.measures)
        self.assertEqual((len(judged.trace), len(alone.trace)), (judged.iterations + 1, 0))
        self.assertEqual(cb.solve(p, "nsgs", judge_iterates=False, max_iterations=1).status, "iteration_limit")

    def test_a_run_starts_from_an_earlier_one(self):
        p = stack()
        cold = cb.solve(p, "admm")
        self.assertLess(cb.solve(p, "admm", start=cold).iterations, cold.iterations)
        self.assertEqual(cb.solve(p, "nsgs", start=cold.impulse).iterations, 0)
        np.testing.assert_equal(cb.judge(p, cold), cb.judge(p, cold.impulse))

    def test_failure_is_a_result(self):
        p = stack()
        self.assertEqual(cb.solve(p, "jacobi", max_iterations=3).status, "iteration_limit")
        r = cb.solve(p, "nsgs", model="ccp")
        self.assertEqual(r.status, "unsupported")
        self.assertIn("ccp", r.reason)
        self.assertTrue(np.isnan(r.impulse).all())

    def test_a_solver_of_the_user(self):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "mine.py"
            path.write_text("import numpy as np\ndef solve(problem, settings):\n    return np.zeros(len(problem.r))\n")
            try:
                r = cb.solve(stack(3), f"python:{path}")
            except cb.InputError as error:
                self.fail(str(error))
            self.assertNotEqual(r.status, "solved")
            np.testing.assert_array_equal(r.impulse, 0.0)


if __name__ == "__main__":
    unittest.main()
