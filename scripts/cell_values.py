"""The cells of a result folder with their swept values and metrics, for figures and tables. Needs no matplotlib: the report uses it, too."""

import fnmatch
import math
from dataclasses import dataclass
from pathlib import Path

from ccpbench_results import (PARAMETER_UNITS, as_number, cell_records, find_file, read_steps, read_summary, read_trace, swept_value,
                              without_suffix)


@dataclass
class Cell:
    row: dict  # of summary.csv
    record: dict  # cell.json
    folder: Path  # with cell.json and trace.csv

    @property
    def label(self):
        return without_suffix(self.row["label"])


def read_cells(folder):
    rows = read_summary(folder)
    return [Cell(row, record, folder / "cells" / row["hash"]) for row, record in zip(rows, cell_records(folder, rows))]


def name_of(pointer):
    """The words of a swept pointer or a column."""
    return pointer.rsplit("/", 1)[-1].replace("_", " ")


def with_unit(pointer):
    """The words of a swept pointer with its unit: "mass (kg)"."""
    name = pointer.rsplit("/", 1)[-1]
    return name_of(pointer) + (f" ({PARAMETER_UNITS[name]})" if name in PARAMETER_UNITS else "")


def number_at(cell, place):
    """A column of summary.csv or a swept pointer as a number, "dofs" those of the problem; NaN where the cell has none."""
    if place.startswith("/") or place == "dofs":
        value = swept_value(cell.record, place if place != "dofs" else "/problems/0/dofs")
        return float(value) if isinstance(value, (int, float)) else math.nan
    return as_number(cell.row.get(place) or "")


def metric_column(plot):
    """The metric with its decade, named as the columns of summary.csv are: iterations_to_1e-6."""
    metric = str(plot.get("metric") or "iterations")
    if not metric.endswith("_to"):
        return metric
    return f"{metric}_1e{round(math.log10(float(plot['at'])))}"


def metric_value(cell, plot):
    """A column of the summary, or what follows from one; NaN where the cell has none or was never run as unsupported."""
    column = metric_column(plot)
    if cell.row.get("status") == "unsupported":
        return math.nan
    if column in cell.row:
        return number_at(cell, column)
    if column == "seconds_per_iteration":
        iterations = number_at(cell, "iterations")
        return number_at(cell, "solve_s") / iterations if iterations > 0 else math.nan
    trace = find_file(cell.folder / "trace.csv")
    if column == "failures":
        counted = read_trace(trace).get("failures") if trace else None
        return counted[-1] if counted else math.nan
    counter, _, decade = column.partition("_to_")
    reached = number_at(cell, f"iterations_to_{decade}")
    if not decade or not math.isfinite(reached) or not trace:
        return math.nan
    columns = read_trace(trace)
    at = dict(zip(columns["iteration"], columns.get("al_iteration" if counter == "outer_iterations" else counter, [])))
    return at.get(reached, math.nan)


def steps_of(cell):
    """The columns of its steps.csv; None where the cell is no sequence."""
    path = find_file(cell.folder / "steps.csv")
    return read_steps(path) if path else None


def values_of(cell, metric):
    """The values of a metric: one for each step of a sequence that has it as a column, else that of the cell; without NaN."""
    steps = steps_of(cell)
    if steps and metric == "seconds_per_iteration":
        values = [s / n for s, n in zip(steps["solve_s"], steps["iterations"]) if n > 0]
    elif steps and metric in steps:
        values = steps[metric]
    else:
        values = [metric_value(cell, {"metric": metric})]
    return [value for value in values if math.isfinite(value)]


def solver_times(cell):
    """Setup and iterations, s: of each step of a sequence or of the one problem."""
    steps = steps_of(cell)
    columns = steps or {name: [as_number(cell.row.get(name))] for name in ("setup_s", "solve_s")}
    return [a + b for a, b in zip(columns["setup_s"], columns["solve_s"]) if math.isfinite(a + b)]


def texts_of(value):
    """A text or a list of them as a list."""
    return [value] if isinstance(value, str) else [text for text in value or [] if isinstance(text, str)]


def asked_labels(plot, cells):
    """The labels of the cells that are as "of" wants, in its order; without it all, in the order of the config."""
    labels = list(dict.fromkeys(cell.label for cell in cells))
    patterns = texts_of(plot.get("of")) or ["*"]
    return list(dict.fromkeys(label for pattern in patterns for label in labels if fnmatch.fnmatchcase(label, pattern)))


def cases(plot, cells):
    """{swept values that "by" tells apart: cells}, in the order of the config. The values: ((pointer, value), …)."""
    pointers, found = texts_of(plot.get("by")), {}
    for cell in cells:
        if cell.row.get("status") != "unsupported":
            found.setdefault(tuple((pointer, swept_value(cell.record, pointer)) for pointer in pointers), []).append(cell)
    return found


def value_text(value):
    return f"{value:g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def case_text(case):
    """'force 10 N, overlap 1e-05 m'."""
    words = []
    for pointer, value in case:
        unit = PARAMETER_UNITS.get(pointer.rsplit("/", 1)[-1], "") if isinstance(value, (int, float)) else ""
        words.append(" ".join(word for word in (name_of(pointer), value_text(value), unit) if word))
    return ", ".join(words)
