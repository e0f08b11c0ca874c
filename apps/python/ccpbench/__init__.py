"""Contact problems with friction, their solvers, and one judge for all of them.

    import ccpbench as cb
    p = cb.Problem(H=H, D=D, k=k, b=b, friction=0.5)     # H v = k + D γ,  u = Dᵀ v + b
    r = cb.solve(p, "proximal_newton", tolerance=1e-8)
    r.status, r.impulse, r.measures["relative_residual"], r.trace

Quantities are in SI units: impulses N·s, velocities m/s, masses kg. Rows of a contact: its normal, then two tangents.
Bad input is an InputError, a ValueError of one line. A run that fails is no error but a solution with another status.
"""

from . import simulators
from ._core import InputError
from .problems import Problem
from .results import Table
from .scenes import Motion, Scene, Step, scene, scenes
from .solving import Solution, judge, settings, solve, solvers
from .studies import Results, rank, run

__all__ = ["InputError", "Motion", "Problem", "Results", "Scene", "Solution", "Step", "Table", "judge", "rank", "run", "scene", "scenes",
           "settings", "simulators", "solve", "solvers"]
