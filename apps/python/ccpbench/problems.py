"""Contact problems of arrays, files and scenes."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, given

Reals = NDArray[np.float64]


def _given(matrix: Any) -> Any:
    """A matrix as the compiled part takes it: compressed columns of scipy.sparse, or an array."""
    if hasattr(matrix, "tocsc"):
        columns = matrix.tocsc()
        columns.sum_duplicates()
        return (*columns.shape, columns.indptr, columns.indices, columns.data)
    return matrix


def _shown(columns: _core.Columns) -> Any:
    """The same back, over the memory of the problem; without scipy a dense array, which is a copy."""
    rows, count, starts, indices, values = columns
    try:
        from scipy.sparse import csc_matrix  # type: ignore  # it has no stubs
    except ImportError:
        dense = np.zeros((rows, count))
        for column in range(count):
            entries = slice(starts[column], starts[column + 1])
            dense[indices[entries], column] = values[entries]
        return dense
    return csc_matrix((values, indices, starts), shape=(rows, count), copy=False)


def _warn(said: str) -> None:
    """At the line of the user: the first one outside of this package."""
    level = 2
    while sys._getframe(level - 1).f_globals.get("__name__", "").startswith(__package__ + "."):
        level += 1
    warnings.warn(said, stacklevel=level)


def of_core(name: str, meaning: str) -> Any:
    """An attribute of the compiled part, to be read."""
    return property(attrgetter("_core." + name), doc=meaning)


class Problem:
    """One complementarity problem with friction; it does not change.

    In global form, of n velocities v and m rows of constraints:

        H v = k + D γ,    u = Dᵀ v + C γ + b

    H: (n, n), kg, positive definite; D: (n, m), the transpose of the Jacobian; k: (n,), kg·m/s; b: (m,), m/s;
    C: (m, m), m/(s·N·s), compliance, zero unless given. In local form:

        u = N γ + r

    N: (m, m), 1/kg, the Delassus operator; r: (m,), m/s, the free velocity.

    Matrices are arrays, matrices of scipy.sparse, or of diagonal ones the diagonal. friction: μ, one for all contacts or
    one for each. kinds: one name for each block of rows, in their order: "contact" (3 rows: normal, tangent, tangent),
    "contact2d" (2 rows), "unilateral" or "bilateral" (1 row), or a contact with moments; contacts in space unless given.

    Contacts with rolling and spinning friction have their rows of moments last, N·m·s and rad/s: "rolling" (5 rows: two
    rolling moments about the tangents), "torsion" (4 rows: a spinning moment about the normal), "rolling_torsion" (6 rows:
    both), "rolling2d" (3 rows: normal, tangent, moment). rolling: μ_r >= 0, m, one for all contacts with rolling moments or
    one for each of these; torsion: μ_s >= 0, m, likewise. Without kinds all contacts are of that kind which has what is
    given. length: ℓ > 0, m, one or one for each contact with moments: what makes moments comparable with forces where
    neither μ_r/μ nor μ_s/μ does; 1 unless given (Acary and Bourrier 2021; the mathematics, A.7).

    An H or N that is not symmetric is taken, with a warning. Where a diagonal entry of a symmetric N is negative, or an
    entry too large beside its diagonal ones, N is indefinite, which is an InputError. Problems can be pickled, but for
    cohesive ones of a motion; those of arrays, files and motions lose what only `subadmm` reads.

    Matrices and vectors are copied once, when the problem is made; those of contacts with moments again when they are shown. Several threads may use a problem; they take turns.

    >>> import ccpbench as cb
    >>> p = cb.Problem(H=[2.0, 2.0, 2.0], D=[1.0, 1.0, 1.0], k=[-2.0, 0.2, 0.0], b=[0.0, 0.0, 0.0], friction=0.4)
    >>> cb.solve(p).impulse[:2].round(6).tolist()
    [2.0, -0.2]
    >>> p = cb.Problem(N=np.eye(5), r=[-1.0, 0.5, 0.0, 0.04, 0.0], friction=0.4, rolling=0.01)
    >>> cb.solve(p).impulse.round(6).tolist()
    [1.0, -0.4, 0.0, -0.01, 0.0]
    """

    def __init__(self, *, H: Any = None, D: Any = None, k: ArrayLike | None = None, b: ArrayLike | None = None, C: Any = None,
                 N: Any = None, r: ArrayLike | None = None, friction: ArrayLike | None = None,
                 rolling: ArrayLike | None = None, torsion: ArrayLike | None = None, length: ArrayLike | None = None,
                 kinds: Sequence[str] | None = None, name: str = "") -> None:
        self._fill(H, D, k, b, C, N, r, (friction, rolling, torsion, length), kinds, name, {})

    def _fill(self, H: Any, D: Any, k: Any, b: Any, C: Any, N: Any, r: Any, coefficients: tuple[Any, Any, Any, Any], kinds: Any,
              name: Any, names: Mapping[str, str]) -> None:
        """names: those that the user knows the matrices by."""
        whole = {"H": H, "D": D, "k": k, "b": b}
        local = {"N": N, "r": r}
        asked = local if N is not None or r is not None else whole
        missing = [key for key, value in asked.items() if value is None]
        extra = [key for key, value in {**whole, "C": C}.items() if value is not None] if asked is local else []
        if missing or extra:
            what = f"{missing[0]} is missing" if missing else f"{extra[0]} is given with N"
            raise _core.InputError(f"{what}, expected either H, D, k and b, or N and r")
        blocks = None if kinds is None else given.texts("kinds", kinds, "names, one for each block of rows")
        given.text("name", name)
        try:
            self._core = (_core.local_problem(_given(N), r, blocks, *coefficients, name) if asked is local else
                          _core.global_problem(_given(H), _given(D), k, b, _given(C), blocks, *coefficients, name))
            doubt = self._core.doubt()
        except _core.InputError as error:
            if not names:
                raise
            raise _core.InputError(_renamed(str(error), names)) from None
        self._solution: Reals | None = None
        self._scene: tuple[str, int, dict[str, Any]] | None = None
        if doubt:
            _warn(_renamed(doubt, names))

    @classmethod
    def _of(cls, core: _core.Problem, solution: Reals | None = None, scene: tuple[str, int, dict[str, Any]] | None = None) -> Problem:
        problem = cls.__new__(cls)
        problem._core, problem._solution, problem._scene = core, solution, scene
        return problem

    def __reduce__(self) -> Any:
        core = self._core
        if self._scene is not None:
            return _of_scene, self._scene
        if core.cohesive:
            raise _core.InputError("a cohesive problem of a motion cannot be pickled")
        arrays = (core.H, core.D, core.k, core.b, core.C) if core.given_global else (core.N, core.r)
        moments = (value if len(value) else None for value in (core.rolling, core.torsion, core.length))
        return _of_arrays, (arrays, core.kinds, (core.friction, *moments), core.name, self._solution)

    @classmethod
    def from_scene(cls, scene: str, seed: int = 0, **parameters: Any) -> Problem:
        """The problem of a scene (`ccpbench list scenes NAME` shows its parameters); of one that moves, the first step.

        >>> Problem.from_scene("odd_mass_stack", spheres=5, heavy_index=3)
        Problem 'odd_mass_stack': 6 contacts, 18 rows, 36 dofs
        """
        given.text("scene", scene)
        given.whole("seed", seed, 0, 2**63 - 1)
        return cls._of(_core.scene_problem(scene, seed, parameters), None, (scene, seed, parameters))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Problem:
        """The problem of an FCLib file (HDF5), or a .dat file of Siconos. `solution` has the impulses in the file, if any."""
        return cls._of(*_core.read_problem(os.fspath(path)))

    def write(self, path: str | os.PathLike[str], impulse: ArrayLike | None = None) -> None:
        """Writes an FCLib file, completely or not at all, in the form the problem was given in. impulse: (m,), N·s, is
        stored as its solution."""
        _core.write_problem(self._core, os.fspath(path), impulse)

    @property
    def solution(self) -> Reals | None:
        """The impulses, (m,), N·s, in the file it was read from; None where there are none."""
        return self._solution

    name: str = of_core("name", "As given, or that of the scene or the file.")
    rows: int = of_core("rows", "m, the number of entries of γ, u, b and r.")
    dofs: int = of_core("dofs", "n, the number of entries of v and k; 0 in local form.")

    @property
    def contacts(self) -> int:
        """The number of contacts with friction."""
        return len(self._core.friction)

    is_global: bool = of_core("given_global", "Whether it was given as H, D, k and b.")
    kinds: list[str] = of_core("kinds", "The kind of each block of rows, in their order.")
    friction: Reals = of_core("friction", "μ of each contact.")
    rolling: Reals = of_core("rolling", "μ_r of each contact with rolling moments, m.")
    torsion: Reals = of_core("torsion", "μ_s of each contact with a spinning moment, m.")
    length: Reals = of_core("length", "ℓ of each contact with moments, m: μ_r/μ or μ_s/μ where these are positive, else as given.")

    @property
    def H(self) -> Any:
        """(n, n), kg, compressed columns. In local form, H, D, k and b are derived: N = L Lᵀ, H = I, D = Lᵀ."""
        return _shown(self._core.H)

    @property
    def D(self) -> Any:
        """(n, m), compressed columns."""
        return _shown(self._core.D)

    @property
    def C(self) -> Any:
        """(m, m), m/(s·N·s), compressed columns."""
        return _shown(self._core.C)

    @property
    def N(self) -> Any:
        """(m, m), 1/kg, compressed columns: Dᵀ H⁻¹ D + C, derived once in global form."""
        return _shown(self._core.N)

    k: Reals = of_core("k", "(n,), kg·m/s.")
    b: Reals = of_core("b", "(m,), m/s.")
    r: Reals = of_core("r", "(m,), m/s: the free velocity, Dᵀ H⁻¹ k + b in global form.")

    def velocity(self, impulse: ArrayLike) -> Reals | None:
        """v = H⁻¹ (k + D γ), (n,), m/s, of an impulse (m,), N·s; None in local form."""
        return self._core.velocity(impulse)

    def local_velocity(self, impulse: ArrayLike) -> Reals:
        """u, (m,), m/s, of an impulse (m,), N·s."""
        return self._core.local_velocity(impulse)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        dofs = f", {self.dofs} dofs" if self.is_global else ""
        return f"Problem{name}: {self.contacts} contacts, {self.rows} rows{dofs}"


def core_of(problem: Any) -> _core.Problem:
    if not isinstance(problem, Problem):
        raise _core.InputError(f"problem is a {type(problem).__name__}, expected one Problem")
    return problem._core


def _renamed(said: str, names: Mapping[str, str]) -> str:
    for mine, known in names.items():
        said = re.sub(rf"\b{mine}(?=\b|_)", known, said)
    return said


def _of_scene(scene: str, seed: int, parameters: dict[str, Any]) -> Problem:
    return Problem.from_scene(scene, seed, **parameters)


def _of_arrays(arrays: tuple[Any, ...], kinds: list[str], coefficients: tuple[Reals | None, ...], name: str,
               solution: Reals | None) -> Problem:
    make: Any = _core.local_problem if len(arrays) == 2 else _core.global_problem
    return Problem._of(make(*arrays, kinds, *coefficients, name), solution)
