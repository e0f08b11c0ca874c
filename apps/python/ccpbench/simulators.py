"""Problems of the arrays of simulators: plain arrays in, a Problem out; none of the programs is needed.

Each function gives the problem of one time step as the simulator itself poses it. All four solve the convex model or one that
comes near it: `model="ccp"` is theirs, `model="ncp"` is Signorini–Coulomb on the same contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, given
from .problems import Problem

Reals = NDArray[np.float64]

# mjtConstraint of MuJoCo.
MUJOCO_EQUALITY, MUJOCO_FRICTION, MUJOCO_LIMITS, MUJOCO_FRICTIONLESS, MUJOCO_ELLIPTIC = 0, (1, 2), (3, 4), 5, 7
# What ChSystemDescriptor of Chrono writes into the vector of friction coefficients where there is none.
CHRONO_TANGENT, CHRONO_BILATERAL = -1.0, -2.0


def normal_first(rows: ArrayLike) -> Reals:
    """The same rows, with those of each contact as (normal, tangent, tangent) instead of (tangent, tangent, normal), which is
    the order of Drake and Pinocchio. rows: (3 contacts, …)."""
    given = np.asarray(rows, dtype=float)
    if given.ndim == 0 or given.shape[0] % 3:
        raise _core.InputError(f"there are {given.shape[0] if given.ndim else 'no'} rows, expected three for each contact")
    return np.roll(given.reshape(-1, 3, *given.shape[1:]), 1, axis=1).reshape(given.shape)


def normal_last(rows: ArrayLike) -> Reals:
    """The inverse of `normal_first`: impulses and velocities as Drake and Pinocchio have them."""
    return normal_first(normal_first(rows))


def from_step(M: Any, J: Any, v: ArrayLike, force: ArrayLike, gap: ArrayLike, friction: ArrayLike, time_step: float,
              name: str = "") -> Problem:
    """A step of any simulator: M (v⁺ − v) = h f + Jᵀ γ, no contact comes closer than its gap allows: u = J v⁺ + (Φ/h, 0, 0).

    M: (n, n), kg; J: (3 contacts, n), rows normal, tangent, tangent, u_n > 0 separates; v: (n,), m/s; force: f, (n,), N,
    without contacts; gap: Φ, (contacts,), m; friction: μ, one or (contacts,); time_step: h, s.
    """
    step = given.real("time_step", time_step)
    if not 0.0 < step < np.inf:
        raise given.mistaken("time_step", time_step, "a finite number > 0")
    mass, jacobian = _finite("M", M), _finite("J", J)
    if mass.ndim not in (1, 2) or mass.shape[0] != mass.shape[-1]:
        raise _core.InputError(f"M is {_shape(mass)}, expected a square matrix or the diagonal of one")
    dofs = mass.shape[0]
    if jacobian.ndim != 2 or jacobian.shape[0] % 3 or jacobian.shape[1] != dofs:
        raise _core.InputError(f"J is {_shape(jacobian)}, expected three rows for each contact and {dofs} columns, as M has")
    contacts = jacobian.shape[0] // 3
    distance, mu = (np.atleast_1d(_finite(called, one)) for called, one in (("gap", gap), ("friction", friction)))
    velocity, applied = _finite("v", v), _finite("force", force)
    of_contacts, of_columns = "contact, J has three rows for each", "column of J"
    for called, array, size, one in (("v", velocity, dofs, of_columns), ("force", applied, dofs, of_columns), ("gap", distance, contacts, of_contacts),
                                     ("friction", mu, contacts, of_contacts)):
        if array.shape != (size,) and not (called == "friction" and array.shape == (1,)):
            raise _core.InputError(f"{called} has {_shape(array)} entries, expected {size}: one for each {one}")
    if (mu < 0.0).any():
        raise _core.InputError(f"friction is {mu.min():g}, expected numbers >= 0")
    offset = np.zeros((contacts, 3))
    offset[:, 0] = distance / step
    problem = Problem.__new__(Problem)
    problem._fill(mass, jacobian.T, _product(mass, velocity) + step * applied, offset.ravel(), None, None, None,
                  (mu if len(mu) == contacts else mu[0], None, None, None), None, name, {"H": "M"})
    return problem


def from_mujoco(M: Any, J: Any, R: ArrayLike, aref: ArrayLike, qvel: ArrayLike, qacc_smooth: ArrayLike, efc_type: ArrayLike,
                friction: ArrayLike, time_step: float, name: str = "") -> Problem:
    """A step of MuJoCo with elliptic cones of dimension 1 or 3.

    MuJoCo minimises ½ fᵀ (J M⁻¹ Jᵀ + R) f + fᵀ (J a₀ − a_ref) over forces f in the cones (its computation chapter, "Dual
    problem"). Here γ = h f, so H = M, D = Jᵀ, C = R, k = M (v + h a₀), b = −J v − h a_ref; the solution has v⁺ = v + h a.

    M: (nv, nv), of mj_fullM; J: efc_J, (nefc, nv); R: efc_R, (nefc,); aref: efc_aref, (nefc,); qvel: (nv,); qacc_smooth: a₀,
    (nv,); efc_type: (nefc,); friction: μ, one or one for each contact of dimension 3 (contact.friction[0], which has to be
    friction[1], too); time_step: opt.timestep, s. Equality constraints become bilateral rows, limits and contacts without
    friction unilateral ones. Friction loss and pyramidal cones have no place in this problem.
    """
    types = np.asarray(efc_type, dtype=int)
    kinds: list[str] = []
    row = 0
    while row < len(types):
        kind = types[row]
        if kind == MUJOCO_ELLIPTIC:
            if not (types[row:row + 3] == MUJOCO_ELLIPTIC).all() or len(types) < row + 3:
                raise _core.InputError(f"efc_type: the elliptic contact at row {row} has no three rows, expected condim 3")
            kinds.append("contact")
        elif kind in (*MUJOCO_LIMITS, MUJOCO_FRICTIONLESS):
            kinds.append("unilateral")
        elif kind == MUJOCO_EQUALITY:
            kinds.append("bilateral")
        else:
            what = "friction loss" if kind in MUJOCO_FRICTION else "a pyramidal cone"
            raise _core.InputError(f"efc_type: row {row} is of {what}, expected equalities, limits, and contacts with elliptic cones")
        row += 3 if kind == MUJOCO_ELLIPTIC else 1
    velocity = np.asarray(qvel, dtype=float)
    momentum = _product(M, velocity + time_step * np.asarray(qacc_smooth, dtype=float))
    offset = -_product(J, velocity) - time_step * np.asarray(aref, dtype=float)
    return Problem(H=M, D=_transposed(J), C=np.asarray(R, dtype=float), k=momentum, b=offset, friction=friction, kinds=kinds, name=name)


def from_drake(A: Sequence[ArrayLike] | Any, v_star: ArrayLike, J: Any, phi0: ArrayLike, mu: ArrayLike, stiffness: ArrayLike,
               dissipation_time_scale: ArrayLike, time_step: float, beta: float = 1.0, sigma: float = 1e-3, name: str = "") -> Problem:
    """A step of Drake's SAP with contacts (SapContactProblem, SapFrictionConeConstraint).

    A (v − v*) = Jᵀ γ, and γ projects −R⁻¹ (J v − v̂) on the cones (Castro et al. 2022). So H = A, k = A v*, C = R and b = −v̂
    with v̂_n = −φ₀/(δt + τ_d), v̂_t = 0, R_n = max(β²/(4π²) w, 1/(δt (δt + τ_d) k)), R_t = σ w, and w = ‖W_ii‖/3 (Frobenius) of
    the Delassus operator W = J A⁻¹ Jᵀ. Rows of J are (tangent, tangent, normal), and so are impulses in Drake; here the normal
    comes first (`normal_last` goes back).

    A: (n, n), or its blocks, one for each clique; v_star: (n,), m/s; J: (3 contacts, n), u_n > 0 separates; phi0: (contacts,),
    m, negative where bodies overlap; mu, stiffness (N/m), dissipation_time_scale (s): one or (contacts,); time_step: s.
    """
    mass = _block_diagonal(A) if isinstance(A, (list, tuple)) and np.ndim(A[0]) == 2 else _dense(A)
    jacobian = normal_first(_dense(J))
    contacts = len(jacobian) // 3
    gap, k, tau = (np.broadcast_to(np.asarray(one, dtype=float), contacts) for one in (phi0, stiffness, dissipation_time_scale))
    delassus = jacobian @ np.linalg.solve(mass, jacobian.T)
    blocks = delassus.reshape(contacts, 3, contacts, 3)[np.arange(contacts), :, np.arange(contacts), :]
    w = np.linalg.norm(blocks, axis=(1, 2)) / 3.0
    compliance = np.repeat(sigma * w, 3).reshape(contacts, 3)
    compliance[:, 0] = np.maximum(beta**2 / (4.0 * np.pi**2) * w, 1.0 / (time_step * (time_step + tau) * k))
    offset = np.zeros((contacts, 3))
    offset[:, 0] = gap / (time_step + tau)
    return Problem(H=mass, D=jacobian.T, C=compliance.ravel(), k=mass @ np.asarray(v_star, dtype=float), b=offset.ravel(), friction=mu,
                   name=name)


def from_pinocchio(G: Any, g: ArrayLike, mu: ArrayLike, R: ArrayLike | None = None, name: str = "") -> Problem:
    """What Pinocchio's contact solvers (PGSContactSolver, ADMMContactSolver) take: N = G + diag(R), r = g.

    G: (3 contacts, 3 contacts), the Delassus matrix, 1/kg; g: (3 contacts,), the free velocity, m/s; R: (3 contacts,), its
    compliance, none unless given; mu: μ of each CoulombFrictionCone, one or (contacts,). Rows of a contact are (tangent,
    tangent, normal) there, since its third axis is the normal; here the normal comes first (`normal_last` goes back). With
    accelerations for g, as some formulations have it, impulses are forces.
    """
    matrix = _dense(G)
    if R is not None:
        matrix = matrix + np.diag(np.asarray(R, dtype=float))
    return Problem(N=normal_first(normal_first(matrix).T).T, r=normal_first(g), friction=mu, name=name)


def from_chrono(H: Any, Cq: Any, f: ArrayLike, b: ArrayLike, friction: ArrayLike, E: ArrayLike | None = None, name: str = "") -> Problem:
    """What Chrono's ChSystemDescriptor gives as matrices: H q − Cqᵀ l = f, and c = Cq q + cfm l + b with l in the cones.

    H: (n, n), the mass matrix, with stiffness and damping where there are some; Cq: (m, n); f: (n,), N·s; b: (m,), m/s; so
    D = Cqᵀ, k = f. friction: (m,), as ConvertToMatrixForm fills it: −2 for a bilateral row, μ for the normal of a contact
    and −1 for its two tangents, which follow. E: (m,), the diagonal of E; its sign differs between versions of Chrono, and
    |E| = cfm is the compliance C.
    """
    marks = np.asarray(friction, dtype=float).ravel()
    kinds: list[str] = []
    coefficients: list[float] = []
    row = 0
    while row < len(marks):
        if marks[row] == CHRONO_BILATERAL:
            kinds.append("bilateral")
            row += 1
            continue
        if marks[row] < 0 or list(marks[row + 1:row + 3]) != [CHRONO_TANGENT] * 2:
            raise _core.InputError(f"friction: row {row} has {marks[row]:g}, expected -2 of a bilateral row, or μ >= 0 followed by -1, -1")
        kinds.append("contact")
        coefficients.append(marks[row])
        row += 3
    compliance = None if E is None else np.abs(np.asarray(E, dtype=float)).ravel()
    return Problem(H=H, D=_transposed(Cq), C=compliance, k=f, b=b, friction=coefficients, kinds=kinds, name=name)


def _finite(name: str, array: Any) -> Any:
    """Of real, finite numbers; a sparse matrix as it is."""
    sparse = hasattr(array, "tocsr")
    try:
        numbers = array if sparse else np.asarray(array)
        entries = np.asarray(numbers.tocsr().data if sparse else numbers)
        if entries.dtype.kind == "c" or isinstance(array, np.ma.MaskedArray):
            raise TypeError
        if not np.isfinite(entries.astype(float)).all():
            raise _core.InputError(f"{name} has an entry that is not finite")
    except (TypeError, ValueError) as error:
        if isinstance(error, _core.InputError):
            raise
        raise _core.InputError(f"{name} is not an array of real numbers") from None
    return numbers.tocsr() if sparse else numbers.astype(float)


def _shape(array: Any) -> str:
    return "×".join(str(size) for size in array.shape) or "a number"


def _dense(matrix: Any) -> Reals:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)


def _transposed(matrix: Any) -> Any:
    return matrix.T if hasattr(matrix, "tocsc") else _dense(matrix).T


def _product(matrix: Any, vector: Reals) -> Reals:
    """Of a matrix, or of the diagonal of one."""
    if not hasattr(matrix, "tocsc"):
        matrix = np.asarray(matrix, dtype=float)
        if matrix.ndim == 1:
            return np.asarray(matrix * vector)
    return np.asarray(matrix @ vector)


def _block_diagonal(blocks: Sequence[ArrayLike]) -> Reals:
    given = [np.asarray(block, dtype=float) for block in blocks]
    size = sum(len(block) for block in given)
    whole, at = np.zeros((size, size)), 0
    for block in given:
        whole[at:at + len(block), at:at + len(block)] = block
        at += len(block)
    return whole
