"""Writes small result folders as `ccpbench run` does, with made-up curves, for the tests of the scripts."""

import csv
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


def write_cell(folder, number, problem, model, solver, status, values, columns):
    cell = folder / "cells" / f"{number:016x}"
    cell.mkdir(parents=True)
    name, label = solver
    parameters = {"omega": number / 2} if name in ("jacobi", "nsgs") else {}
    described = {"problem": {"name": problem}, "solver": {"name": name, "label": label, "parameters": parameters},
                 "model": model, "status": status, "hash": cell.name}
    (cell / "cell.json").write_text(json.dumps(described), encoding="utf-8")
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
