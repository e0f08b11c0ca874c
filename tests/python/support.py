"""The package as the build made it, and problems for its tests. CCPBENCH_PYTHON_PACKAGE names the folder that has it."""

import os
import sys

PACKAGE = os.environ["CCPBENCH_PYTHON_PACKAGE"]
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402

import ccpbench as cb  # noqa: E402

GRAVITY = 9.81


def block_on_a_plane(push, mass=2.0, friction=0.4, step=0.01):
    """A point mass on a plane, pushed along it with a force (N): (H, D, k, b, μ) with the normal first."""
    k = step * np.array([-mass * GRAVITY, push, 0.0])
    return np.diag([mass] * 3), np.eye(3), k, np.zeros(3), friction


def stack(spheres=20):
    return cb.Problem.from_scene("odd_mass_stack", spheres=spheres, heavy_index=spheres // 2)
