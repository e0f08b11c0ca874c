"""Writes small result folders as `ccpbench run` does, with made-up curves, for the tests of the scripts."""

import csv
import hashlib
import json


def decaying(iterations, rate, exact_end=False):
    values = [10.0 ** (-rate * k) for k in range(iterations + 1)]
    if exact_end:
        values[-1] = 0.0
    return values


CURVES = {
    ("admm", "ADMM balanced"): ("solved", decaying(22, 0.5, exact_end=True)),
    ("jacobi", "Jacobi"): ("iteration_limit", [max(0.1, 1.0 / (1 + k)) for k in range(1001)]),
    ("nsgs", "NSGS"): ("diverged", [3.0**k for k in range(30)] + [float("nan")]),
    ("ipm_cone", "IPM $x"): ("failed", None),
}


def write_record(cell, record):
    """cell.json with the checksum of its text, which has an empty one."""
    digits = hashlib.sha256(json.dumps({**record, "checksum": ""}).encode()).hexdigest()[:16]
    (cell / "cell.json").write_text(json.dumps({**record, "checksum": digits}), encoding="utf-8")


def write_cell(folder, number, problem, model, solver, status, values, columns):
    cell = folder / "cells" / f"{number:016x}"
    cell.mkdir(parents=True)
    name, label = solver
    parameters = {"omega": number / 2} if name in ("jacobi", "nsgs") else {}
    described = {"problem": {"name": problem}, "solver": {"name": name, "label": label, "parameters": parameters},
                 "model": model, "status": status, "hash": cell.name}
    write_record(cell, described)
    if values is None:
        return
    lines = [",".join(columns)]
    for k, value in enumerate(values):
        row = {"iteration": k, "outer": 0, "elapsed_s": 1e-5 * k, "relative_residual": value,
               "velocity_residual": 0.1 * value, "objective": value**2 - 100.0}
        lines.append(",".join(f"{row[c]:.17g}" for c in columns))
    (cell / "trace.csv").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8", newline="")


def make_result_folder(folder, problems=("odd_mass_stack",), models=("ccp",), plots=(),
                       columns=("iteration", "outer", "elapsed_s", "relative_residual", "velocity_residual", "objective")):
    solvers = [{"solver": name, "label": label} for name, label in CURVES]
    config = {"name": folder.name, "title": "A made-up stack", "solvers": solvers, "stop": {"tolerance": 1e-8},
              "plots": list(plots)}
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps({"config": config}), encoding="utf-8")
    rows, number = [["problem", "model", "label", "hash"]], 0
    for problem in problems:
        for model in models:
            for solver, (status, values) in CURVES.items():
                number += 1
                write_cell(folder, number, problem, model, solver, status, values, columns)
                rows.append([problem, model, solver[1], f"{number:016x}"])
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return folder


DELTA, KIND = "/solvers/0/parameters/delta", "/problems/0/parameters/kind"


def make_divergences(folder, left_out=(), lost=()):
    """Unsolved steps over δ and pairs (ε, m), of rigid and soft bodies: none at δ = 0.001 but for the last pair, more away from it.
    Cells are numbered from 1, over bodies, δ and pairs; `left_out` were not run, `lost` have no number. A solver without δ ran, too."""
    pairs = [(1e-3, 1000), (0.25, 1000), (1e-3, 5)]
    rows, number = [["problem", "model", "label", "hash", "status", "iterations", "solve_s", "unsolved_steps"]], 0
    for body in ("rigid", "soft"):
        asked = [("PQN", place, k, {"delta": d, "epsilon": e, "m": m}) for place, d in enumerate((0, 1e-3, 0.1)) for k, (e, m) in enumerate(pairs)]
        for label, place, k, parameters in [*asked, ("NSGS", 0, 0, {"omega": 1})]:
            number += 1
            if number in left_out:
                continue
            cell = folder / "cells" / f"{number:016x}"
            cell.mkdir(parents=True)
            write_record(cell, {"problem": {"name": "p", "parameters": {"kind": body}}, "solver": {"parameters": parameters}})
            count = 7 * abs(place - 1) * (k + 1) + (3 if (place, k) == (1, 2) else 0)
            swept = ", ".join(f"{name}={value}" for name, value in parameters.items())
            rows.append([f"p (kind={body})", "ncp", f"{label} ({swept})" if label == "PQN" else label, cell.name,
                         "iteration_limit" if count else "solved", 100, 0.1, "" if number in lost else count])
    sweep = {KIND: ["rigid", "soft"], DELTA: [0, 1e-3, 0.1],
             "zip": {f"/solvers/0/parameters/{name}": [pair[k] for pair in pairs] for k, name in enumerate(("epsilon", "m"))}}
    config = {"name": "strip", "sweep": sweep, "plots": [{"kind": "map", "against": DELTA, "metric": "unsolved_steps"}]}
    (folder / "manifest.json").write_text(json.dumps({"config": config}))
    with (folder / "summary.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
