"""Solving problems, and judging points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, given, places
from .problems import Problem, core_of, of_core
from .results import Table, unit_of

Reals = NDArray[np.float64]

DEFAULT_SOLVER = "proximal_newton"


def solvers() -> list[str]:
    """The names of the methods that `solve` takes, those of other programs ("siconos/…") among them. Beside these it takes
    "python:FILE:FUNCTION" and "command:PROGRAM", solvers of your own."""
    return _core.solvers()


def settings(solver: str) -> dict[str, Any]:
    """The settings of a method with their defaults. `ccpbench list solvers NAME` says what they mean."""
    return _made(solver, {}).settings


@lru_cache(maxsize=64)
def _kept(name: str, values: tuple[tuple[str, type, Any], ...]) -> _core.Solver:
    return _core.Solver(name, {key: value for key, _, value in values})


def _made(name: str, values: Mapping[str, Any]) -> _core.Solver:
    """A method with settings; the same one again where nothing can have changed."""
    given.solver_name(name)
    if ":" in name or "/" in name:
        places.find_peers()
        return _core.Solver(name, values)
    try:
        return _kept(name, tuple((key, type(value), value) for key, value in values.items()))
    except TypeError:  # lists cannot be looked up
        return _core.Solver(name, values)


class Solution:
    """How a run ended, and the point that it found."""

    def __init__(self, core: _core.Solution, problem: Problem) -> None:
        self._core, self._problem = core, problem

    @property
    def problem(self) -> Problem:
        """The problem that was solved."""
        return self._problem

    status: str = of_core("status", """"solved", "below_rounding", "iteration_limit", "time_limit", "infeasible", "stalled",
        "diverged", "false_converged", "failed" or "unsupported"; decided by the judge, not by the method.""")

    @property
    def solved(self) -> bool:
        """Whether the status is "solved"."""
        return self._core.status == "solved"

    reason: str = of_core("reason", "More about the status; may be empty.")
    notes: list[str] = of_core("notes", "Remarks of the method, such as which linear system it chose.")
    model: str = of_core("model", '"ncp" or "ccp".')
    impulse: Reals = of_core("impulse", "γ, (m,), N·s; NaN where the method does not take the problem.")

    @property
    def velocity(self) -> Reals | None:
        """v = H⁻¹ (k + D γ), (n,), m/s; None in local form."""
        return self.problem.velocity(self.impulse)

    @property
    def local_velocity(self) -> Reals:
        """u, (m,), m/s."""
        return self.problem.local_velocity(self.impulse)

    measures: dict[str, float] = of_core("measures", """Every measure of the point; NaN where one does not apply. `ccpbench list
        measures` explains them.""")
    iterations: int = of_core("iterations", "Iterates shown after the start.")
    native_converged: bool = of_core("native_converged", "Whether the method's own criterion holds.")
    counters: dict[str, int] = of_core("counters", "The work: factorizations, back_solves, products, projections.")
    setup_s: float = of_core("setup_s", "s, on the solver's clock: forming operators that the problem did not have yet, first factorisation.")
    solve_s: float = of_core("solve_s", "s, on the solver's clock, which stands while iterates are judged.")
    wall_s: float = of_core("wall_s", "s: set-up, iterations, and judging them.")

    @property
    def trace(self) -> Any:
        """A row for each iterate: iteration, elapsed_s, counters, the stop measure, measures asked for, the method's own
        columns. A pandas.DataFrame with the units in `.attrs["units"]`; without pandas a Table."""
        names, numbers = self._core.trace
        table = Table({name: numbers[:, k] for k, name in enumerate(names)}, {name: unit_of(name) for name in names})
        try:
            return table.to_pandas()
        except ImportError:
            return table

    def __repr__(self) -> str:
        reason = f" ({self.reason})" if self.reason else ""
        return f"Solution: {self.status}{reason}, {self.iterations} iterations, {self.setup_s + self.solve_s:.3g} s"


@lru_cache(maxsize=64, typed=True)
def _kept_options(model: str, measure: str, tolerance: float, native_stop: bool, max_iterations: int, time_limit: float, threads: int,
             measures: str | Sequence[str], judge_iterates: bool = True) -> _core.Options:
    return _core.Options(given.text("model", model), given.text("measure", measure), given.real("tolerance", tolerance),
                         given.flag("native_stop", native_stop), given.whole("max_iterations", max_iterations),
                         given.real("time_limit", time_limit), given.whole("threads", threads),
                         given.several("measures", measures, "names of measures"), given.flag("judge_iterates", judge_iterates))


def _options(*values: Any) -> _core.Options:
    try:
        return _kept_options(*values)
    except TypeError:  # lists cannot be looked up
        return _kept_options.__wrapped__(*values)


def solve(problem: Problem, solver: str = DEFAULT_SOLVER, *, model: str = "ncp", tolerance: float = 1e-8,
          measure: str = "relative_residual", max_iterations: int = 1000, time_limit: float = 60.0, native_stop: bool = False,
          threads: int = 1, start: Solution | ArrayLike | None = None, measures: Sequence[str] = (),
          judge_iterates: bool = True, **settings: Any) -> Solution:
    """Solves a problem. The run ends where `measure` is at or below `tolerance`, as the judge finds.

    solver: a name of `solvers()`, or your own: "python:./mine.py", "command:./mine". settings: its settings, which may
    follow the name, too: "admm:rho=0.5,preconditioner=diagonal".
    model: "ncp" (Signorini–Coulomb) or "ccp" (convex). time_limit: s, of the solver's clock. native_stop: end on the
    method's own criterion instead. start: an impulse (m,), N·s, or a solution of the same method. measures: more columns
    for the trace.
    judge_iterates: False for use inside a simulator. The run then ends on the method's own criterion, the judge sees the
    returned point alone, and there is no trace: on few contacts judging each iterate takes half as long as solving.

    The GIL is free meanwhile, and Ctrl-C ends the run between two iterates with KeyboardInterrupt. A method that cannot
    solve the problem is no error: see `Solution.status`. Raises InputError for unknown names and values out of range.
    """
    options = _options(model, measure, tolerance, native_stop, max_iterations, time_limit, threads, measures, judge_iterates)
    first = start._core if isinstance(start, Solution) else start
    return Solution(_core.solve(core_of(problem), _made(solver, settings), options, first), problem)


def judge(problem: Problem, impulse: Solution | ArrayLike, *, velocity: ArrayLike | None = None, model: str = "ncp") -> dict[str, float]:
    """Every measure of a point, wherever it is from. impulse: γ, (m,), N·s, or a solution. velocity: the v, (n,), m/s, that a method carries
    itself, for the measures of it. NaN where one does not apply.

    >>> p = Problem.from_scene("odd_mass_stack", spheres=3, heavy_index=2)
    >>> judge(p, solve(p).impulse)["relative_residual"] < 1e-8
    True
    """
    point = impulse.impulse if isinstance(impulse, Solution) else impulse
    return _core.judge(core_of(problem), point, velocity, given.text("model", model))
