"""Scenes, and their problems in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, given
from .problems import Problem, of_core
from .solving import DEFAULT_SOLVER, Solution, _made, _options

Reals = NDArray[np.float64]


def scenes() -> list[str]:
    """The names of the scenes."""
    return _core.scenes()


class Motion:
    """The steps of a scene, one after the other: an iterator. Asking for the next step moves the scene on."""

    def __init__(self, scene: Scene, solver: _core.Solver, options: _core.Options, steps: int | None) -> None:
        self._core: _core.Motion = _core.Motion(scene.name, scene.seed, scene.parameters)
        self._solver: _core.Solver = solver
        self._options: _core.Options = options
        self._steps, self._present = steps, None  # type: int | None, Step | None

    def __iter__(self) -> Iterator[Step]:
        return self

    def __next__(self) -> Step:
        if self._present is not None:
            self._present._take()
            self._present = None
        if self._steps is not None and self._core.index >= self._steps:
            raise StopIteration
        self._present = Step(self)
        return self._present

    time_step: float = of_core("time_step", "s.")
    velocity: Reals = of_core("velocity", "v, (n,), m/s, at the beginning of the present step.")
    facts: dict[str, float] = of_core("facts", "Energies and other facts of the scene at the beginning of the present step.")


class Step:
    """One step of a motion: its problem, and the solution that will move the scene on."""

    def __init__(self, motion: Motion) -> None:
        self._motion, self._core = motion, motion._core.step()
        self._problem = Problem._of(self._core.problem)
        self._index, self._facts = motion._core.index, motion._core.facts
        self._solution: Solution | None = None
        self._impulse: Reals | None = None

    @property
    def problem(self) -> Problem:
        """The problem of the step."""
        return self._problem

    @property
    def index(self) -> int:
        """0 for the first step."""
        return self._index

    @property
    def time(self) -> float:
        """At its beginning, s."""
        return self._index * self._motion.time_step

    @property
    def facts(self) -> dict[str, float]:
        """Energies and other facts of the scene at its beginning."""
        return self._facts

    @property
    def solution(self) -> Solution:
        """The driver's solution, from the end of the step before; solved once."""
        if self._solution is None:
            core = self._motion._core.solve(self._core, self._motion._solver, self._motion._options)
            self._solution = Solution(core, self.problem)
        return self._solution

    @property
    def impulse(self) -> Reals:
        """γ, (m,), N·s, with which the scene moves on: that of the driver, unless you set another."""
        return self.solution.impulse if self._impulse is None else self._impulse

    @impulse.setter
    def impulse(self, impulse: ArrayLike) -> None:
        self._impulse = self._problem._core.impulse_of(impulse)

    keys: NDArray[np.int32] = of_core("keys", """(blocks, 5): body, body, kind of contact, and a feature of each body; the same
        contact has the same key in the next step.""")
    gaps: Reals = of_core("gaps", "(contacts,), m.")
    frames: Reals = of_core("frames", "(contacts, 3, 3): the normal, then both tangents, in axes of the world.")
    points: Reals = of_core("points", "(contacts, 3), m: where impulses act.")

    def _take(self) -> None:
        solution = self.solution._core if self._impulse is None else None
        self._motion._core.advance(self._core, self.impulse, solution)

    def __repr__(self) -> str:
        return f"Step {self.index} at {self.time:.6g} s: {self.problem.contacts} contacts"


class Scene:
    """A scene with its parameters and a seed."""

    def __init__(self, name: str, seed: int = 0, **parameters: Any) -> None:
        _core.check_scene(given.text("scene", name), parameters)
        self._name, self._seed, self._parameters = name, given.whole("seed", seed, 0, 2**63 - 1), parameters

    @property
    def name(self) -> str:
        """One of `scenes()`."""
        return self._name

    @property
    def seed(self) -> int:
        """Of its random numbers."""
        return self._seed

    @property
    def parameters(self) -> dict[str, Any]:
        """Those that were given."""
        return self._parameters

    def __repr__(self) -> str:
        return f"Scene({', '.join([repr(self.name), f'seed={self.seed}', *(f'{key}={value!r}' for key, value in self.parameters.items())])})"

    def problem(self) -> Problem:
        """Its problem, or that of its first step."""
        return Problem.from_scene(self.name, self.seed, **self.parameters)

    def motion(self, driver: str = DEFAULT_SOLVER, *, steps: int | None = None, model: str = "ncp", tolerance: float = 1e-8,
               measure: str = "relative_residual", max_iterations: int = 1000, time_limit: float = 60.0, threads: int = 1,
               **settings: Any) -> Motion:
        """Its problems in time. driver: the method that moves the scene, each step from the end of the one before; the other
        arguments are those of `solve`. steps: how many; no end unless given.

        >>> [len(step.gaps) for step in scene("single_ball").motion(steps=2)]
        [1, 1]
        """
        options = _options(model, measure, tolerance, False, max_iterations, time_limit, threads, ())
        return Motion(self, _made(driver, settings), options, None if steps is None else given.whole("steps", steps, 0))


def scene(name: str, seed: int = 0, **parameters: Any) -> Scene:
    """A scene; `ccpbench list scenes NAME` shows its parameters. Same parameters, same seed, same bytes."""
    return Scene(name, seed, **parameters)
