"""The compiled part; the modules beside it document what it does. Attributes are to be read alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Columns = tuple[int, int, NDArray[np.int32], NDArray[np.int32], Reals]

class InputError(ValueError): ...

class Problem:
    name: str
    rows: int
    dofs: int
    given_global: bool
    kinds: list[str]
    friction: Reals
    rolling: Reals
    torsion: Reals
    length: Reals
    H: Columns
    D: Columns
    C: Columns
    N: Columns
    k: Reals
    b: Reals
    r: Reals
    cohesive: bool
    def doubt(self) -> str: ...
    def impulse_of(self, impulse: object) -> Reals: ...
    def local_velocity(self, impulse: object) -> Reals: ...
    def velocity(self, impulse: object) -> Reals | None: ...

class Options:
    def __init__(self, model: str, measure: str, tolerance: float, native_stop: bool, max_iterations: int, time_limit: float,
                 threads: int, traced: Sequence[str], judge_iterates: bool) -> None: ...

class Solver:
    def __init__(self, name: str, settings: Mapping[str, Any]) -> None: ...
    settings: dict[str, Any]
    title: str

class Solution:
    status: str
    model: str
    reason: str
    notes: list[str]
    iterations: int
    native_converged: bool
    setup_s: float
    solve_s: float
    wall_s: float
    measures: dict[str, float]
    counters: dict[str, int]
    trace: tuple[list[str], Reals]
    impulse: Reals

class Step:
    problem: Problem
    keys: NDArray[np.int32]
    frames: Reals
    gaps: Reals
    points: Reals

class Motion:
    def __init__(self, scene: str, seed: int, parameters: Mapping[str, Any]) -> None: ...
    index: int
    time_step: float
    velocity: Reals
    facts: dict[str, float]
    def step(self) -> Step: ...
    def solve(self, step: Step, solver: Solver, options: Options) -> Solution: ...
    def advance(self, step: Step, impulse: object, solution: Solution | None) -> None: ...

def global_problem(H: object, D: object, k: object, b: object, C: object, kinds: Sequence[str] | None, friction: object,
                   rolling: object, torsion: object, length: object, name: str) -> Problem: ...
def local_problem(N: object, r: object, kinds: Sequence[str] | None, friction: object, rolling: object, torsion: object,
                  length: object, name: str) -> Problem: ...
def check_scene(name: str, parameters: Mapping[str, Any]) -> None: ...
def scene_problem(name: str, seed: int, parameters: Mapping[str, Any]) -> Problem: ...
def read_problem(path: str) -> tuple[Problem, Reals | None]: ...
def write_problem(problem: Problem, path: str, impulse: object) -> None: ...
def solve(problem: Problem, solver: Solver, options: Options, start: object) -> Solution: ...
def judge(problem: Problem, impulse: object, velocity: object, model: str) -> dict[str, float]: ...
def solvers() -> list[str]: ...
def scenes() -> list[str]: ...
