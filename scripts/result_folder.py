"""Reads the result folders of `ccpbench run`: manifest.json and, per cell, cell.json and trace.csv."""

import csv
import fnmatch
import json
import math
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path


class InputError(Exception):
    """One line that says what is wrong with the input."""


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
    columns: dict = field(default_factory=dict)
    record: dict = field(default_factory=dict)  # cell.json
    style: dict = field(default_factory=dict)  # how it is drawn, filled in by the plotting script


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; is this a result folder of `ccpbench run`?") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


def read_manifest(folder):
    """manifest.json, which has an object 'config'."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    manifest = read_json(folder / "manifest.json")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("config"), dict):
        raise InputError(f"{folder / 'manifest.json'}: no object 'config' in it")
    return manifest


def changes(manifest):
    """How the config that was run differs from the one that is written and committed, a text each."""
    found = manifest.get("changes")
    if found is None:  # of manifests before there was a list
        options = manifest.get("options")
        settings = options.get("set") if isinstance(options, dict) else None
        found = [f"--set {text}" for text in settings] if isinstance(settings, list) else []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def read_summary(folder, needed=("hash",)):
    """The rows of summary.csv. Every row has the columns `needed`."""
    path = folder / "summary.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; is this a result folder of `ccpbench run`?") from None
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    for line, row in enumerate(rows, start=2):
        missing = [name for name in needed if not row.get(name)]
        if missing:
            raise InputError(f"{path}: line {line}: no {' or '.join(missing)}")
        if not all(c.isalnum() for c in row.get("hash") or ""):
            raise InputError(f"{path}: line {line}: '{row['hash']}' is no name of a cell")
    return rows


def school_of(manifest, solver):
    """The kind of program that a solver comes from; 'ours' for our own methods."""
    peers = manifest.get("peers")
    peer = peers.get(solver) if isinstance(peers, dict) else None
    return str(peer.get("school") or "ours") if isinstance(peer, dict) else "ours"


def without_suffix(label):
    """The label as in the config: a sweep adds " (name=value, …)"."""
    return label.split(" (")[0] if label.endswith(")") and "=" in label else label


def swept_groups(config):
    """A list of pointers per axis of the sweep: zipped ones, which change together, are one. Models are told apart anyway."""
    sweep = config.get("sweep")
    groups = []
    for key, value in (sweep if isinstance(sweep, dict) else {}).items():
        group = list(value) if key == "zip" and isinstance(value, dict) else [key]
        if group and "/model" not in group:
            groups.append(group)
    return groups


def swept_value(cell, pointer):
    """What a cell.json has at a swept pointer of the config; None where the pointer does not reach the cell."""
    part, *path = pointer.strip("/").split("/")
    if part in ("problems", "solvers"):
        path = path[1:]  # which entry: the cell has one
    if part == "solvers" and path == ["threads"]:
        part, path = "threads", []
    found = cell.get({"problems": "problem", "solvers": "solver"}.get(part, part)) if isinstance(cell, dict) else None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def as_number(text):
    """NaN for what is no number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def finite(values):
    return [v for v in values if math.isfinite(v)]


def read_trace(path):
    """The columns of a trace.csv by name. A last row cut short by a crash is left out."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows, [])
        values = [row for row in rows if len(row) == len(names)]
    columns = {name: [as_number(row[k]) for row in values] for k, name in enumerate(names)}
    columns.setdefault("iteration", [float(k) for k in range(len(values))])
    start = next((v for v in columns.get("velocity_residual", []) if v > 0), None)
    if "relative_residual" not in columns and start:
        columns["relative_residual"] = [v / start for v in columns["velocity_residual"]]
    return columns


def listed_cells(folder):
    """(path of cell.json, its row of summary.csv) in the order of the config. Only what is in the summary belongs to the
    config as it is now: cells of an earlier version of it may lie in the same folder. Without a summary, all cells."""
    summary = folder / "summary.csv"
    if not summary.exists():
        return [(path, {}) for path in sorted(folder.glob("cells/*/cell.json"))]
    return [(folder / "cells" / row["hash"] / "cell.json", row) for row in read_summary(folder)]


def read_curve(cell_path, row, config):
    cell = read_json(cell_path)
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
    trace = cell_path.parent / "trace.csv"
    if trace.exists():
        curve.columns = read_trace(trace)
    return curve


def step_status(path):
    """{step: status} of a steps.csv; empty without one."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return {row["step"]: row["status"] for row in csv.DictReader(file) if row.get("step") and row.get("status")}
    except (OSError, ValueError, csv.Error):
        return {}


def step_traces(folder):
    """{step: path} of the traces that a cell with a sequence has kept, in order."""
    found = {int(name[1]): path for path in folder.glob("trace.*.csv") if len(name := path.name.split(".")) == 3 and name[1].isdigit()}
    return dict(sorted(found.items()))


def step_curves(groups):
    """The curves of the traced steps of sequences, grouped as those of read_folder(): ("problem, step 51", model)."""
    found = {}
    for (problem, model), curves in groups.items():
        for curve in curves:
            traces = step_traces(curve.folder)
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
    """The config and the curves of a result folder, grouped by (problem, model), in the config's order."""
    config = read_manifest(folder)["config"]
    curves = []
    for path, row in listed_cells(folder):
        try:
            curves.append(read_curve(path, row, config))
        except InputError as error:
            print(f"left out: {error}", file=sys.stderr)
    names = sorted({curve.problem for curve in curves})
    curves = [c for c in curves if fnmatch.fnmatch(c.problem, problem_glob)]
    if names and not curves:
        raise InputError(f"{folder}: no problem matches '{problem_glob}'; there are: {', '.join(names[:8])}")
    groups = {}
    for curve in curves:
        groups.setdefault((curve.problem, curve.model), []).append(curve)
    for group in groups.values():
        tell_apart(group)
    return config, groups
