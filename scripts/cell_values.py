"""The cells of a result folder with their swept values and metrics, for figures and tables. Needs no matplotlib: the report uses it, too."""

import fnmatch
import math
from dataclasses import dataclass
from pathlib import Path

from ccpbench_results import (PARAMETER_UNITS, InputError, as_number, cell_records, find_file, read_steps, read_summary, read_trace, swept_value,
                              unit_of, without_suffix)
from series_styles import wanted


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
    return cells_of(folder, rows, cell_records(folder, rows))


def cells_of(folder, rows, records):
    """A Cell for each row, with its distance to the objective of the reference solution."""
    best = {(row.get("problem"), row.get("model")): as_number(row.get("objective")) for row in rows if row.get("solver") == "reference"}
    for row in rows:
        row["objective_gap"] = str(as_number(row.get("objective")) - best.get((row.get("problem"), row.get("model")), math.nan))
    return [Cell(row, record, folder / "cells" / row["hash"]) for row, record in zip(rows, records)]


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


SOLVER_TIME = "solver_s"  # what a user waits for: setup and iterations
# What grows as long as a run goes on. Not setup, a time to an accuracy that was reached, or runtime_s, which has the driver's part.
COSTS = ("iterations", "products", "back_solves", "factorizations", "projections", "solve_s", SOLVER_TIME, "wall_s")


def is_cost(metric):
    """Whether the value of a run that ended unsolved is a lower bound alone."""
    return metric in COSTS


def is_time(metric):
    return unit_of(metric) == "s" or metric.startswith("seconds_per_")


def is_busy(cell):
    """Whether other programs kept the machine busy while it was timed."""
    return as_number(cell.row.get("busy_runs")) > 0


def metric_column(plot):
    """The metric with its decade, named as the columns of summary.csv are: iterations_to_1e-6."""
    metric = str(plot.get("metric") or "iterations")
    if not metric.endswith("_to"):
        return metric
    at = plot.get("at")
    if not isinstance(at, (int, float)) or not at > 0:
        raise InputError(f"the config's plot of kind {plot.get('kind')}: the metric {metric} needs an accuracy, such as \"at\": 1e-6")
    return f"{metric}_1e{round(math.log10(at))}"


RATIOS = {"seconds_per_iteration": ("solve_s", "iterations"), "seconds_per_factorization": ("factorization_s", "factorizations"),
          "seconds_per_back_solve": ("back_solve_s", "back_solves"), "flops_per_step": ("flops", "steps")}


def rises(values):
    """How often a value is larger than the one before."""
    return sum(b > a for a, b in zip(values, values[1:]))


# (column of the trace, first iteration that counts, what is made of the values).
TRACED = {"failures": ("failures", 0, lambda values: values[-1]), "primal_residual_max": ("primal_residual", 1, max),
          "combined_residual_rises": ("combined_residual", 1, rises)}


def traced_value(cell, name, first, of_values):
    trace = find_file(cell.folder / "trace.csv")
    columns = read_trace(trace) if trace else {}
    values = [v for v, k in zip(columns.get(name, []), columns.get("iteration", [])) if k >= first and math.isfinite(v)]
    return of_values(values) if values else math.nan


def metric_value(cell, plot):
    """A column of the summary, or what follows from one, as metric() of lib/bench/results/result_table.cpp; NaN where the cell has none
    or was never run as unsupported."""
    column = metric_column(plot)
    if cell.row.get("status") == "unsupported":
        return math.nan
    if column in cell.row:
        return number_at(cell, column)
    if column == SOLVER_TIME:
        setup = number_at(cell, "setup_s")
        return number_at(cell, "solve_s") + (setup if math.isfinite(setup) else 0.0)
    if column in RATIOS:
        seconds, count = (number_at(cell, name) for name in RATIOS[column])
        return seconds / count if count > 0 else math.nan
    if column == "solved_natural_map":
        return number_at(cell, "natural_map") if cell.row.get("status") == "solved" else 0.0
    if column in TRACED:
        return traced_value(cell, *TRACED[column])
    trace = find_file(cell.folder / "trace.csv")
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


def runs_of(cell, metric):
    """(value of a metric, whether it was solved) of each run: of each step of a sequence that has it as a column, else of the cell. NaN
    where a run has no value."""
    steps = steps_of(cell)
    solved = [status == "solved" for status in steps.get("status", [])] if steps else []
    if steps and metric == "seconds_per_iteration":
        return [(s / n, whole) for s, n, whole in zip(steps["solve_s"], steps["iterations"], solved) if n > 0]
    if steps and metric in steps:
        return list(zip(steps[metric], solved))
    return [(metric_value(cell, {"metric": metric}), cell.row.get("status") == "solved")]


def values_of(cell, metric):
    """The values of a metric in all runs that have one."""
    return [value for value, _ in runs_of(cell, metric) if math.isfinite(value)]


def solver_times(cell):
    """Setup and iterations, s: of each step of a sequence or of the one problem."""
    steps = steps_of(cell)
    columns = steps or {name: [as_number(cell.row.get(name))] for name in ("setup_s", "solve_s")}
    return [a + b for a, b in zip(columns["setup_s"], columns["solve_s"]) if math.isfinite(a + b)]


def told_values(records, groups):
    """The values that tell each record from the others beside its place on an axis: those of the groups of swept pointers that differ, as
    words such as "rho 0.1"."""
    told = [[", ".join(f"{name_of(p)} {value_text(v)}" for p in group if (v := swept_value(record, p)) is not None) for group in groups]
            for record in records]
    varying = [k for k in range(len(groups)) if len({words[k] for words in told}) > 1]
    return [tuple(words[k] for k in varying if words[k]) for words in told]


def texts_of(value):
    """A text or a list of them as a list."""
    return [value] if isinstance(value, str) else [text for text in value or [] if isinstance(text, str)]


def asked_labels(plot, cells):
    """The labels of the cells that are as "of" wants, in its order; without it all, in the order of the config."""
    labels = list(dict.fromkeys(cell.label for cell in cells))
    patterns = texts_of(plot.get("of")) or ["*"]
    return list(dict.fromkeys(label for pattern in patterns for label in labels if fnmatch.fnmatchcase(label, pattern)))


def cases(plot, cells):
    """{swept values that "by" tells apart: cells}, in the order of the config, of the problems that "problem" wants. The values: ((pointer,
    value), …)."""
    pointers, problems, found = texts_of(plot.get("by")), texts_of(plot.get("problem")), {}
    for cell in cells:
        if cell.row.get("status") != "unsupported" and wanted(cell.row.get("problem", ""), problems):
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
