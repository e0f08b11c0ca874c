"""Arrays of simulators as problems: the solution has to satisfy the simulator's own equations, written here from its documentation, on
data made by hand."""

import unittest

from support import GRAVITY, cb, np

sim = cb.simulators
STEP = 0.01


def bodies(contacts, seed=7, dofs=6):
    """A mass matrix that couples, rows of a Jacobian with the normal first, and μ."""
    random = np.random.default_rng(seed)
    factor = random.normal(size=(dofs, dofs))
    return factor @ factor.T + dofs * np.eye(dofs), random.normal(size=(3 * contacts, dofs)), random.uniform(0.2, 0.9, contacts), random


def solved(p, model="ccp"):
    r = cb.solve(p, model=model, tolerance=1e-13, measure="natural_map")
    assert r.status in ("solved", "below_rounding"), r
    return r.impulse


class Cones(unittest.TestCase):
    def assert_complementary(self, forces, residuals, mu, normal=0):
        """f in the cone, g in its dual, both orthogonal; a row for each contact."""
        for f, g, m in zip(forces.reshape(-1, 3), residuals.reshape(-1, 3), mu):
            scale = max(1.0, np.abs(f).max(), np.abs(g).max())
            tangents = [k for k in range(3) if k != normal]
            self.assertLess(np.linalg.norm(f[tangents]), m * f[normal] + 1e-8 * scale)
            self.assertGreater(g[normal] + 1e-8 * scale, m * np.linalg.norm(g[tangents]))
            self.assertAlmostEqual(f @ g, 0.0, delta=1e-7 * scale**2)
        self.assertGreater(np.abs(forces).max(), 0.0)


class AnyStep(unittest.TestCase):
    def test_mistakes_have_the_names_of_the_user(self):
        M, J, mu, random = bodies(4)
        given = {"M": M, "J": J, "v": np.zeros(6), "force": np.ones(6), "gap": np.zeros(4), "friction": mu, "time_step": STEP}
        nan = np.full(6, np.nan)
        for change, said in (({"gap": [0.0] * 3}, "gap has 3 entries, expected 4: one for each contact"), ({"time_step": 0}, "time_step is 0, expected a finite number > 0"),
                             ({"time_step": -STEP}, "time_step is -0.01"), ({"time_step": "1"}, "time_step is '1', expected a number"),
                             ({"J": J.T}, "J is 6×12, expected three rows for each contact and 6 columns, as M has"), ({"J": J[:11]}, "J is 11×6"),
                             ({"M": M[:5]}, "M is 5×6, expected a square matrix"), ({"v": [0.0]}, "v has 1 entries, expected 6"), ({"v": nan}, "v has an entry that is not finite"),
                             ({"force": np.ones((6, 1))}, "force has 6×1 entries, expected 6"), ({"force": "text"}, "force is not an array"), ({"M": M * 1j}, "M is not an array of real"),
                             ({"friction": mu[:2]}, "friction has 2 entries, expected 4"), ({"friction": -mu}, "friction is -"), ({"gap": np.ma.masked_array(np.zeros(4))}, "gap is not an array"),
                             ({"M": -M}, r"M(0,0) is -"), ({"M": np.eye(6) + 2 * np.ones((6, 6)) - 2 * np.eye(6) + 0.5 * np.eye(6)}, "M is not positive definite")):
            with self.assertRaises(cb.InputError) as caught:
                sim.from_step(**{**given, **change})
            self.assertIn(said, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_without_contacts(self):
        p = sim.from_step(np.ones(6), np.zeros((0, 6)), np.zeros(6), np.ones(6), [], 0.5, STEP)
        np.testing.assert_allclose(cb.solve(p).velocity, STEP)


class Mujoco(Cones):
    def given(self):
        M, J, mu, random = bodies(3)
        J = np.vstack([random.normal(size=(2, 6)), J])  # an equality and a limit before the contacts
        return {"M": M, "J": J, "R": random.uniform(0.01, 0.1, 11), "aref": random.normal(size=11), "qvel": random.normal(size=6),
                "qacc_smooth": -GRAVITY * random.normal(size=6), "efc_type": [0, 3] + [7] * 9, "friction": mu, "time_step": STEP}

    def test_forces_minimise_the_dual(self):
        given = self.given()
        p = sim.from_mujoco(**given)
        self.assertEqual(p.kinds, ["bilateral", "unilateral"] + ["contact"] * 3)
        impulse = solved(p)
        force, M, J = impulse / STEP, given["M"], given["J"]
        gradient = J @ np.linalg.solve(M, J.T @ force) + given["R"] * force + J @ given["qacc_smooth"] - given["aref"]
        self.assertAlmostEqual(gradient[0], 0.0, places=7)
        self.assertTrue(force[1] >= 0.0 and gradient[1] >= -1e-7 and abs(force[1] * gradient[1]) < 1e-6)
        self.assert_complementary(force[2:], gradient[2:], given["friction"])
        acceleration = given["qacc_smooth"] + np.linalg.solve(M, J.T @ force)
        np.testing.assert_allclose(p.velocity(impulse), given["qvel"] + STEP * acceleration, atol=1e-12)

    def test_what_has_no_place(self):
        for types, said in (([0, 1] + [7] * 9, "friction loss"), ([6] * 11, "pyramidal"), ([0, 3] + [7] * 8 + [3], "no three rows"), ([7] * 11, "no three rows")):
            with self.assertRaisesRegex(ValueError, said):
                sim.from_mujoco(**{**self.given(), "efc_type": types})


class Drake(Cones):
    def test_impulses_are_those_that_sap_projects(self):
        A, J, mu, random = bodies(3, seed=3)
        J = sim.normal_last(J)
        v_star, phi0, k, tau = random.normal(size=6), np.array([-1e-3, 1e-3, -2e-3]), 1e4, 0.02
        p = sim.from_drake(A, v_star, J, phi0, mu, k, tau, STEP)
        gamma = sim.normal_last(solved(p))
        v = v_star + np.linalg.solve(A, J.T @ gamma)
        np.testing.assert_allclose(p.velocity(sim.normal_first(gamma)), v, atol=1e-12)
        W = J @ np.linalg.solve(A, J.T)
        active = 0
        for i in range(3):
            rows = slice(3 * i, 3 * i + 3)
            w = np.linalg.norm(W[rows, rows]) / 3.0
            R = np.array([1e-3 * w, 1e-3 * w, max(w / (4.0 * np.pi**2), 1.0 / (STEP * (STEP + tau) * k))])
            y = -((J @ v)[rows] - [0.0, 0.0, -phi0[i] / (STEP + tau)]) / R
            slip, share = np.linalg.norm(y[:2]), mu[i] * R[0] / R[2]
            if slip <= mu[i] * y[2]:
                expected = y
            elif y[2] > -share * slip:
                normal = (y[2] + share * slip) / (1.0 + mu[i] * share)
                expected = np.array([*(mu[i] * normal * y[:2] / slip), normal])
            else:
                expected = np.zeros(3)
            active += expected[2] > 0.0
            np.testing.assert_allclose(gamma[rows], expected, atol=1e-6)
        self.assertGreater(active, 0)

    def test_cliques_are_blocks_of_the_mass(self):
        A, J, mu, random = bodies(2, seed=5)
        A[:3, 3:] = A[3:, :3] = 0.0
        whole, blocks = (sim.from_drake(a, np.ones(6), J, [0.0, 0.0], mu, 1e5, 0.1, STEP) for a in (A, [A[:3, :3], A[3:, 3:]]))
        np.testing.assert_array_equal(whole.H @ np.eye(6), blocks.H @ np.eye(6))


class Pinocchio(Cones):
    def test_the_law_holds_with_the_normal_last(self):
        M, J, mu, random = bodies(3, seed=11, dofs=12)
        J = sim.normal_last(J)
        G, g, R = J @ np.linalg.solve(M, J.T), random.normal(size=9), np.full(9, 1e-3)
        for compliance in (None, R):
            f = sim.normal_last(solved(sim.from_pinocchio(G, g, mu, compliance), "ncp"))
            velocity = G @ f + g + (0.0 if compliance is None else R * f)
            for i in range(3):  # De Saxcé: the correction of the third row
                velocity[3 * i + 2] += mu[i] * np.linalg.norm(velocity[3 * i:3 * i + 2])
            self.assert_complementary(f, velocity, mu, normal=2)

    def test_orders_are_inverses(self):
        rows = np.arange(12.0).reshape(6, 2)
        np.testing.assert_array_equal(sim.normal_first(rows)[:, 0], [4, 0, 2, 10, 6, 8])
        np.testing.assert_array_equal(sim.normal_last(sim.normal_first(rows)), rows)
        with self.assertRaisesRegex(ValueError, "4 rows"):
            sim.normal_first(np.zeros(4))


class Chrono(Cones):
    def test_both_rows_of_the_system_hold(self):
        H, Cq, mu, random = bodies(2, seed=13)
        Cq = np.vstack([random.normal(size=(1, 6)), Cq])
        f, b, cfm = random.normal(size=6), random.normal(size=7), random.uniform(0.0, 0.1, 7)
        marks = [-2.0, mu[0], -1.0, -1.0, mu[1], -1.0, -1.0]
        for E in (cfm, -cfm):
            p = sim.from_chrono(H, Cq, f, b, marks, E)
            self.assertEqual(p.kinds, ["bilateral", "contact", "contact"])
            impulse = solved(p)
            q = np.linalg.solve(H, Cq.T @ impulse + f)
            c = Cq @ q + cfm * impulse + b
            np.testing.assert_allclose(p.velocity(impulse), q, atol=1e-12)
            self.assertAlmostEqual(c[0], 0.0, places=9)
            self.assert_complementary(impulse[1:], c[1:], mu)

    def test_marks_that_are_none_of_chrono(self):
        for marks in ([-3.0], [0.5, -1.0], [0.5, -1.0, -2.0], [-1.0, -1.0, 0.5]):
            with self.assertRaisesRegex(ValueError, "friction: row 0"):
                sim.from_chrono(np.eye(3), np.zeros((len(marks), 3)), np.zeros(3), np.zeros(len(marks)), marks)


class AnyStep(unittest.TestCase):
    def test_a_fall_ends_at_the_gap(self):
        for mass in (np.full(3, 2.0), np.diag([2.0] * 3)):
            p = sim.from_step(mass, np.eye(3), [-0.5, 0.1, 0.0], [-2.0 * GRAVITY, 0.0, 0.0], [1e-3], 0.3, STEP)
            v = cb.solve(p, tolerance=1e-12).velocity
            np.testing.assert_allclose(v, [-1e-3 / STEP, 0.0, 0.0], atol=1e-10)


if __name__ == "__main__":
    unittest.main()
