"""The curves of result folders, grouped as figures show them. ccpbench_results.py reads the files."""

import csv
import fnmatch
import json
import math
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

from ccpbench_results import InputError, find_file, listed_cells, read_cell, read_manifest, read_trace, step_traces, without_suffix


@dataclass
class Curve:
    """One cell of a result folder. `columns` holds the trace's columns as floats, read on demand."""

    label: str
    status: str
    problem: str
    model: str
    folder: Path
    parameters: dict
    tolerances: list
    measure: str
    shown: bool = True  # whether its problem was asked for; others have no columns, but keep their styles
    own: str = ""  # its label in its folder, where figures have several
    kind: str = ""  # the same with the swept values of its problem: what has a style of its own
    source: str = ""  # the name of its folder, where there are several
    columns: dict = field(default_factory=dict)
    record: dict = field(default_factory=dict)  # cell.json
    style: dict = field(default_factory=dict)  # how it is drawn, filled in by the plotting script


def finite(values):
    return [v for v in values if math.isfinite(v)]


def was_busy(curve):
    """Whether the run that wrote the trace was disturbed."""
    runs = curve.record.get("runs")
    return bool(isinstance(runs, list) and runs and isinstance(runs[0], dict) and runs[0].get("busy"))


def read_curve(cell_path, row, config, problem_glob):
    cell = read_cell(cell_path.parent)
    try:
        solver, problem = cell["solver"], cell["problem"]
        stop = {**(config.get("stop") or {}), **(cell.get("stop") or {})}
        tolerances = stop.get("tolerance", [])
        tolerances = tolerances if isinstance(tolerances, list) else [tolerances]
        curve = Curve(
            label=row.get("label") or str(solver.get("label") or solver["name"]), status=str(cell["status"]),
            problem=row.get("problem") or str(problem["name"]), model=str(cell["model"]), folder=cell_path.parent,
            parameters={**(problem.get("parameters") or {}), **(solver.get("parameters") or {})},
            tolerances=[t for t in tolerances if isinstance(t, (int, float)) and t > 0],
            measure=str(stop.get("measure") or "relative_residual"), record=cell)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{cell_path}: not a cell: {error!r}") from None
    curve.shown = fnmatch.fnmatch(curve.problem, problem_glob)
    if curve.shown and (trace := find_file(cell_path.parent / "trace.csv")):
        curve.columns = read_trace(trace)
    return curve


def step_status(path):
    """{step: status} of a steps.csv; empty without one. Raises InputError where it is missing or damaged."""
    find_file(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row["step"]: row["status"] for row in csv.DictReader(file) if row.get("step") and row.get("status")}
    except (OSError, ValueError, csv.Error):
        return {}


def step_curves(groups):
    """The curves of the traced steps of sequences, grouped as those of read_folder(): ("problem, step 51", model)."""
    found = {}
    for (problem, model), curves in groups.items():
        for curve in curves:
            traces = step_traces(curve.folder) if curve.shown else {}
            status = step_status(curve.folder / "steps.csv") if traces else {}
            for step, path in traces.items():
                found.setdefault((problem, step, model), []).append(
                    replace(curve, problem=f"{problem}, step {step}", status=status.get(str(step), curve.status), columns=read_trace(path)))
    return {(f"{problem}, step {step}", model): curves for (problem, step, model), curves in found.items()}


def tell_apart(curves):
    """Adds to labels that several curves of one figure share what differs between them: parameters, else the cell's hash."""
    by_label = {}
    for curve in curves:
        by_label.setdefault(curve.label, []).append(curve)
    for group in by_label.values():
        keys = sorted({key for curve in group for key in curve.parameters})
        differing = [k for k in keys if len({json.dumps(c.parameters.get(k)) for c in group}) > 1]
        for curve in group if len(group) > 1 else []:
            told = ", ".join(f"{k} {curve.parameters[k]}" for k in differing if k in curve.parameters)
            curve.label += f" ({told or curve.folder.name[-8:]})"


def read_folder(folder, problem_glob):
    """The config and all curves of a result folder, grouped by (problem, model), in the config's order; those of other problems than the
    ones asked for are not `shown`."""
    config = read_manifest(folder)["config"]
    curves = []
    for path, row in listed_cells(folder):
        try:
            curves.append(read_curve(path, row, config, problem_glob))
        except InputError as error:
            print(f"left out: {error}", file=sys.stderr)
    names = sorted({curve.problem for curve in curves})
    if names and not any(curve.shown for curve in curves):
        raise InputError(f"{folder}: no problem matches '{problem_glob}'; there are: {', '.join(names[:8])}")
    groups = {}
    for curve in curves:
        groups.setdefault((curve.problem, curve.model), []).append(curve)
    for group in groups.values():
        tell_apart(group)
    return config, groups


def own_places(folders):
    """{folder: a relative path of its own}: the end of its path, as long as it takes to tell all of them apart."""
    parts = {folder: folder.resolve().parts[1:] for folder in folders}
    longest = max(map(len, parts.values()))
    tails = next(found for k in range(1, longest + 1)
                 if len(set((found := {folder: all_of[-k:] for folder, all_of in parts.items()}).values())) == len(parts))
    return {folder: Path(*tail) for folder, tail in tails.items()}


def short_names(folders):
    """{folder: the shortest part of its path that tells it from the others}: "before" and "after" of before/test1a and after/test1a."""
    parts = {folder: folder.resolve().parts[1:] for folder in folders}
    while len({all_of[-1:] for all_of in parts.values()}) == 1 and min(map(len, parts.values())) > 1:
        parts = {folder: all_of[:-1] for folder, all_of in parts.items()}
    return {folder: str(place) for folder, place in zip(folders, own_places([Path("/", *parts[folder]) for folder in folders]).values())}


def merged_label(label, problem, folder=""):
    """A label with the swept values of its problem among its own, and the folder after the solver: "ADMM, before (mass=10, rho=1)"."""
    base = without_suffix(label)
    values = [text[len(without_suffix(text)):].strip(" ()") for text in (problem, label)]
    told = ", ".join(value for value in values if value)
    return base + (f", {folder}" if folder else "") + (f" ({told})" if told else "")


def overlaid(folders, names):
    """The groups of several folders in one: those whose problems differ in swept values alone are one group. folders: (path, groups);
    names: those of the folders in the figure."""
    found = {}
    for folder, groups in folders:
        source = names[folder] if len(folders) > 1 else ""
        for (problem, model), curves in groups.items():
            for curve in curves:
                merged = replace(curve, label=merged_label(curve.label, problem, source), problem=without_suffix(problem), own=curve.label,
                                 kind=merged_label(curve.label, problem), source=source)
                found.setdefault((without_suffix(problem), model), []).append(merged)
    for curves in found.values():
        tell_apart(curves)
    return found
