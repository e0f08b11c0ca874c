"""Reads result folders of `ccpbench run` for the report: summary rows, swept values, and curves thinned to what a page can show."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from cell_values import told_values
from ccpbench_results import (as_number, cell_records, find_file, not_ended, read_manifest, read_summary, school_of, step_traces, swept_groups,
                              swept_value, telling_groups, without_suffix)
from result_folder import step_status
from series_styles import numbers

MODELS = {"ccp": "convex model", "ncp": "Coulomb model"}
AXES = ("iteration", "elapsed_s", "products", "back_solves", "factorizations")
POINT_BUDGET = 60000  # over all curves of the page: about 3 MB of numbers
MOST_CURVES = 1500
MOST_MEASURES = 5


@dataclass
class Study:
    """One result folder. `rows` are those of summary.csv, with 'base' (the label without its swept suffix) and 'school' added."""

    folder: Path
    manifest: dict
    config: dict
    rows: list
    claims: list = field(default_factory=list)
    analysis_note: str = ""  # why there are no claims and profiles
    writer: str = ""  # the run that writes here now
    unread: set = field(default_factory=set)  # (problem, model) of those that could not be read
    lost: int = 0  # cells of summary.csv that are not there, for they are run again
    profiles: list = field(default_factory=list)
    cells: dict = field(default_factory=dict)  # hash -> cell.json, only of sweeps

    @property
    def title(self):
        return str(self.config.get("title") or self.config.get("name") or self.folder.name)

    def unfinished(self):
        """A sentence on the unfinished part of a run; empty where the run has ended."""
        cells = self.manifest.get("cells")
        asked = cells.get("selected") if isinstance(cells, dict) else None
        there = f"{len(self.rows)}{f' of {asked}' if isinstance(asked, int) and asked >= len(self.rows) else ''} cells are there so far"
        again = f", {self.lost} earlier ones are run again" if self.lost else ""
        if self.writer:
            return f"A run is going on ({self.writer}): {there}{again}. All that follows is of these."
        if not_ended(self.manifest):
            return f"This run has not come to its end: {there}{again}. The same command goes on with it."
        return ""

    def labels(self):
        return list(dict.fromkeys(row["label"] for row in self.rows))

    def tried(self):
        """The rows of the problems that could be read."""
        return [row for row in self.rows if (row["problem"], row["model"]) not in self.unread]

    def schools(self):
        """{school: its labels}; one school where no other program is in the study."""
        schools = {}
        for row in self.rows:
            schools.setdefault(row["school"], {})[row["label"]] = None
        return {school: list(labels) for school, labels in schools.items()}


def read_rows(folder, ended):
    """The rows of summary.csv whose cells are there, and how many others it has. A run that has not come to its end may have none."""
    if not ended and not (folder / "summary.csv").exists():  # its first cell has not ended
        return [], 0
    rows = read_summary(folder, ("problem", "model", "label", "hash", "status"))
    kept = rows if ended else [row for row in rows if (folder / "cells" / row["hash"] / "cell.json").exists()]
    return kept, len(rows) - len(kept)


def read_study(folder):
    manifest = read_manifest(folder)
    config = manifest["config"]
    rows, lost = read_rows(folder, not not_ended(manifest))
    for row in rows:
        row["base"] = without_suffix(row["label"])
        row["school"] = school_of(manifest, row.get("solver"))
    cells = cell_records(folder, rows, needed=bool(config.get("sweep")))
    study = Study(folder, manifest, config, rows, unread=unreadable(rows), lost=lost)
    if config.get("sweep"):
        study.cells = {row["hash"]: cell for row, cell in zip(rows, cells)}
    return study


def unreadable(rows):
    """The (problem, model) pairs that could not be read or built: the same failure in each cell, and no sizes."""
    members = {}
    for row in rows:
        members.setdefault((row["problem"], row["model"]), []).append(row)
    return {key for key, cells in members.items() if len({r.get("reason") for r in cells}) == 1 and cells[0].get("reason")
            and all(r["status"] in ("failed", "crashed", "out_of_memory") and not math.isfinite(as_number(r.get("contacts"))) for r in cells)}


def swept_pointers(config):
    """One pointer per axis of the sweep; of zipped ones the first."""
    return [group[0] for group in swept_groups(config)]


def kept_lines(curves, most):
    """About `most` positions of equally long curves: both ends and, per stretch, the lowest and the highest value of each.

    Half of the stretches are even and half even in the logarithm, for both kinds of axes."""
    count = len(curves[0])
    if count <= most:
        return list(range(count))
    half = max(2, most // (4 * len(curves)))
    even = {round(k * count / half) for k in range(half + 1)}
    log = {round(math.expm1(k * math.log1p(count) / half)) for k in range(half + 1)}
    edges = sorted(even | log)
    kept = {0, count - 1}
    for low, high in zip(edges, edges[1:]):
        for curve in curves:
            finite = [k for k in range(low, high) if math.isfinite(curve[k])]
            if finite:
                kept.update((min(finite, key=curve.__getitem__), max(finite, key=curve.__getitem__)))
    return sorted(kept)


def read_curve(path, columns, measures, most):
    """({column: list of numbers or None} of a trace.csv, thinned by the measures; rows of the file). None without a trace.

    A last line cut short is left out."""
    if not find_file(path):
        return None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    names = lines[0].split(",") if lines else []
    if len(lines) > 1 and lines[-1].count(",") != len(names) - 1:
        lines.pop()
    places = {name: names.index(name) for name in columns if name in names}
    if len(lines) < 2 or not places:
        return None
    rows = [row for row in (line.split(",") for line in lines[1:]) if len(row) == len(names)]
    if not rows:
        return None
    deciding = [places[m] for m in measures if m in places] or list(places.values())
    kept = kept_lines([[as_number(row[place]) for row in rows] for place in deciding], most)

    def short(text):
        value = as_number(text)
        return float(f"{value:.4g}") if math.isfinite(value) else None

    return {name: [short(rows[k][place]) for k in kept] for name, place in places.items()}, len(rows)


def ordered_shares(values):
    """{key: place from 0 to 1 of its number among those of all keys}; empty with fewer than three numbers."""
    numeric = {key: v for key, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    order = sorted(set(numeric.values()))
    return {key: round(order.index(v) / (len(order) - 1), 3) for key, v in numeric.items()} if len(order) >= 3 else {}


def ordered_looks(study, rows, number):
    """{hash: (number of its style, share)} of the rows of a plot by the swept number with the most values among them. Where other swept
    values tell curves apart, too, each of them has a line and a marker of its own. number: that of each label's style."""
    swept = [row for row in rows if row["label"] != row["base"] and row["hash"] in study.cells]
    found = {pointer: ordered_shares({row["hash"]: swept_value(study.cells[row["hash"]], pointer) for row in swept})
             for pointer in swept_pointers(study.config)}
    best = max(found, key=lambda pointer: len(set(found[pointer].values())), default=None)
    if not found.get(best):
        return {}
    told = told_values([study.cells[row["hash"]] for row in swept], [group for group in telling_groups(study.config) if best not in group])
    kinds = list(dict.fromkeys((row["base"], words) for row, words in zip(swept, told)))
    several = len(kinds) > len({base for base, _ in kinds})
    return {row["hash"]: (kinds.index((row["base"], words)) if several else number[row["base"]], found[best][row["hash"]])
            for row, words in zip(swept, told) if row["hash"] in found[best]}


def traces_of(study):
    """(row, name of the problem, status, path) of each trace: of a sequence one for each traced step."""
    for row in study.rows:
        folder = study.folder / "cells" / row["hash"]
        steps = step_traces(folder)
        status = step_status(folder / "steps.csv") if steps else {}
        for step, path in steps.items():
            yield row, f"{row['problem']}, step {step}", status.get(str(step), row["status"]), path
        if not steps:
            yield row, row["problem"], row["status"], folder / "trace.csv"


def curve_groups(study, budget):
    """(groups of curves by problem and model, x columns, y columns, what was left out). `budget`: points per curve, curves left."""
    traced = study.config.get("trace")
    measure = str((study.config.get("stop") or {}).get("measure") or "relative_residual")
    wanted = dict.fromkeys([measure, *(traced if isinstance(traced, list) else []), "relative_residual", "natural_map"])
    measures = [m for m in wanted if isinstance(m, str)][:MOST_MEASURES]
    number = numbers(study.labels())
    members = {}
    for row in study.rows:
        members.setdefault((row["problem"], row["model"]), []).append(row)
    looks = {key: ordered_looks(study, rows, number) for key, rows in members.items()}
    groups, left_out, seen = {}, {"curves": 0, "points": 0, "kept": 0}, set()
    for row, problem, status, trace in traces_of(study):
        if budget["curves"] <= 0:
            left_out["curves"] += trace.exists()
            continue
        found = read_curve(trace, (*AXES, *measures), measures, budget["points"])
        if found is None:
            continue
        columns, length = found
        budget["curves"] -= 1
        shown = len(next(iter(columns.values())))
        left_out["kept"] += shown
        left_out["points"] += length - shown
        seen.update(name for name, values in columns.items() if any(v is not None for v in values))
        name = f"{problem} – {MODELS.get(row['model'], row['model'])}"
        group = groups.setdefault((problem, row["model"]), {"name": name, "curves": []})
        curve = {"label": row["label"], "note": status.replace("_", " "), "number": number[row["label"]], "columns": columns}
        look = looks[row["problem"], row["model"]].get(row["hash"])
        group["curves"].append({**curve, "number": look[0], "share": look[1]} if look else curve)
    return list(groups.values()), [a for a in AXES if a in seen], [m for m in measures if m in seen], left_out


def points_per_curve(studies):
    curves = min(MOST_CURVES, sum(len(study.rows) for study in studies))
    return max(40, min(300, POINT_BUDGET // max(1, curves)))
