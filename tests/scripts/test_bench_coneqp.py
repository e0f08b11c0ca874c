"""Tests of scripts/bench_coneqp.py: it is run as users run it, on a small problem. Skipped where CVXOPT is missing."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_coneqp.py"
PROGRAM = os.environ.get("CCPBENCH_PROGRAM", "")


def has_cvxopt(python):
    try:
        return subprocess.run([python, "-c", "import cvxopt"], capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


# A Python that is not Debian's does not see Debian's packages.
PYTHON = next((python for python in (sys.executable, "/usr/bin/python3") if has_cvxopt(python)), None)


@unittest.skipIf(PYTHON is None, "needs python3-cvxopt")
class BenchConeqp(unittest.TestCase):
    def run_script(self, *arguments):
        return subprocess.run([PYTHON, SCRIPT, *arguments], capture_output=True, text=True, timeout=200)

    def small(self, factor):
        return self.run_script(PROGRAM, "--contacts", "30", "--repetitions", "1", "--factor", factor)

    def test_both_methods_reach_the_same_accuracy(self):
        answer = self.small("1e-9")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        accuracy = re.match(r"30 contacts to a relative residual of (\S+):", answer.stdout)
        self.assertIsNotNone(accuracy, answer.stdout)
        self.assertLess(float(accuracy.group(1)), 1e-3)
        self.assertRegex(answer.stdout, r"coneqp +[0-9.]+ s +\d+ iterations")
        self.assertRegex(answer.stdout, r"ipm_cone +[0-9.]+ s +\d+ iterations, \d+ times faster")

    def test_a_factor_that_is_not_reached_is_exit_code_one(self):
        self.assertEqual(self.small("1e9").returncode, 1)

    def test_a_program_that_fails_is_an_error(self):
        answer = self.run_script("/bin/false")
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("CalledProcessError", answer.stderr)


if __name__ == "__main__":
    unittest.main()
