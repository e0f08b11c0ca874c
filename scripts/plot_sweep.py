#!/usr/bin/env python3
"""Draws the sweeps of result folders: a column of summary.csv against a swept value, a line per solver and other swept value.

One figure per entry of the config's "plots" with kind "sweep", as PNG and SVG, in RESULT_FOLDER/plots/. A folder whose config
has no such entry is left alone. Filled markers are solved cells, open ones are not.
"""

import argparse
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import (COLOURS, DASHES, GREY, LABELS, MARKERS, MODELS, add_picture_options, draw_each, file_name, save,
                      tick_text)

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from result_folder import (as_number, read_json, read_manifest, read_summary, read_trace, swept_groups, swept_value,
                           without_suffix)

AXES = {"linear": (False, False), "log_x": (True, False), "log_y": (False, True), "log": (True, True)}


@dataclass
class Cell:
    row: dict  # of summary.csv
    record: dict  # cell.json
    folder: Path  # with cell.json and trace.csv


@dataclass
class Line:
    label: str
    points: list = field(default_factory=list)  # (x, y, solved)


def pointer_name(pointer):
    return pointer.rsplit("/", 1)[-1].replace("_", " ")


def number_at(cell, place):
    """A column of summary.csv or a swept pointer as a number; NaN where the cell has none."""
    if place.startswith("/"):
        value = swept_value(cell.record, place)
        return float(value) if isinstance(value, (int, float)) else math.nan
    return as_number(cell.row.get(place) or "")


def metric_column(plot):
    """The metric with its decade, named as the columns of summary.csv are: iterations_to_1e-6."""
    metric = str(plot.get("metric") or "iterations")
    if not metric.endswith("_to"):
        return metric
    return f"{metric}_1e{round(math.log10(float(plot['at'])))}"


def metric_value(cell, plot):
    """A column of the summary, or what follows from one; NaN where the cell has none."""
    column = metric_column(plot)
    if column in cell.row:
        return number_at(cell, column)
    if column == "seconds_per_iteration":
        iterations = number_at(cell, "iterations")
        return number_at(cell, "solve_s") / iterations if iterations > 0 else math.nan
    counter, _, decade = column.partition("_to_")
    reached = number_at(cell, f"iterations_to_{decade}")
    trace = cell.folder / "trace.csv"
    if not decade or not math.isfinite(reached) or not trace.exists():
        return math.nan
    columns = read_trace(trace)
    at = dict(zip(columns["iteration"], columns.get(counter, [])))
    return at.get(reached, math.nan)


def read_cells(folder):
    rows = read_summary(folder)
    folders = [folder / "cells" / row["hash"] for row in rows]
    return [Cell(row, read_json(cell / "cell.json"), cell) for row, cell in zip(rows, folders)]


def lines_of(plot, config, cells):
    """The lines of a plot in the order of the config, with what tells them apart in their labels."""
    against = str(plot.get("against") or "contacts")
    names = (against, against.rsplit("/", 1)[-1])  # "contacts" is also a parameter of scenes
    others = [group[0] for group in swept_groups(config) if not {*group, *(p.rsplit("/", 1)[-1] for p in group)} & {*names}]
    told = {}
    for cell in cells:
        key = (without_suffix(cell.row["label"]), without_suffix(cell.row["problem"]), cell.row["model"],
               *(f"{pointer_name(p)} {v}" if (v := swept_value(cell.record, p)) is not None else "" for p in others))
        told.setdefault(key, []).append(cell)
    varying = [len({key[k] for key in told}) > 1 for k in range(3 + len(others))]
    lines = []
    for key, members in told.items():
        words = [word for k, word in enumerate(key) if word and (varying[k] or k == 0)]
        line = Line(", ".join(words))
        for cell in members:
            x, y = number_at(cell, against), metric_value(cell, plot)
            if plot.get("times"):
                y *= number_at(cell, str(plot["times"]))
            if math.isfinite(x) and math.isfinite(y):
                line.points.append((x, y, cell.row.get("status") == "solved"))
        line.points.sort()
        lines.append(line)
    return [line for line in lines if line.points]


def draw_lines(axes, lines, log_x, log_y):
    """Returns whether a value had no place on a logarithmic axis."""
    hidden = False
    for number, line in enumerate(lines):
        points = [p for p in line.points if (p[0] > 0 or not log_x) and (p[1] > 0 or not log_y)]
        hidden = hidden or len(points) < len(line.points)
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        axes.plot([p[0] for p in points], [p[1] for p in points], color=colour, linestyle=DASHES[number % len(DASHES)],
                  linewidth=1.5, marker=marker, markersize=5.5, markerfacecolor="white", markeredgewidth=1.2,
                  label=line.label, clip_on=False)
        solved = [p for p in points if p[2]]
        axes.plot([p[0] for p in solved], [p[1] for p in solved], color=colour, linestyle="none", marker=marker, markersize=5.5,
                  clip_on=False, zorder=4)
    return hidden


def minor_text(value):
    """2 and 5 of a decade; more would touch each other."""
    digit = round(value / 10 ** math.floor(math.log10(value * (1 + 1e-9))))
    return f"{value:g}" if digit in (2, 5) else ""


def draw_figure(plot, config, lines):
    log_x, log_y = AXES.get(str(plot.get("axes") or "log"), AXES["log"])
    longest = max(len(line.label) for line in lines)
    left, width, height, below, above = 0.85, 4.6, max(3.4, 0.24 * len(lines)), 0.85, 0.75
    size = (left + width + 0.9 + 0.078 * longest, below + height + above)
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((left / size[0], below / size[1], width / size[0], height / size[1]))
    axes.set_xscale("log" if log_x else "linear")
    axes.set_yscale("log" if log_y else "linear")
    hidden = draw_lines(axes, lines, log_x, log_y)
    # Labels of our own: those of matplotlib are formulas, and formulas are switched off because labels may hold a "$".
    for axis, logarithmic in ((axes.xaxis, log_x), (axes.yaxis, log_y)):
        if logarithmic:
            low, high = axis.get_view_interval()
            few = math.log10(high / low) < 1.5  # too few decades to read values from
            axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
            axis.set_minor_formatter(FuncFormatter(lambda value, _, few=few: minor_text(value) if few else ""))
    against, metric = str(plot.get("against") or "contacts"), metric_column(plot)
    axes.set_xlabel(str(plot.get("x_label") or pointer_name(against)))
    axes.set_ylabel(str(plot.get("y_label") or LABELS.get(metric, metric.replace("_", " "))))
    if not log_y and min(p[1] for line in lines for p in line.points) >= 0:
        axes.set_ylim(bottom=0)
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper left", bbox_to_anchor=(1.03, 1.02), frameon=False, fontsize=9, handlelength=3.2)
    title = str(config.get("title") or config.get("name") or "")
    figure.text(left / size[0], 1 - 0.32 / size[1], title, fontsize=12 if len(title) * 0.1 < size[0] - left else 9, weight="bold")
    notes = ["Filled marker: solved; open: stopped unsolved."] + (["Values of 0 are left out."] if hidden else [])
    figure.text(left / size[0], 0.14 / size[1], "  ".join(notes), fontsize=7.5, color=GREY)
    return figure


def plot_folder(folder, arguments):
    config = read_manifest(folder)["config"]
    plots = [p for p in config.get("plots") or [] if isinstance(p, dict) and p.get("kind") == "sweep"]
    if not plots:
        return
    cells = read_cells(folder)
    for cell in cells:
        cell.row["model"] = MODELS.get(cell.row["model"], cell.row["model"])
    target = arguments.out or folder / "plots"
    target.mkdir(parents=True, exist_ok=True)
    drawn = 0
    for plot in plots:
        lines = lines_of(plot, config, cells)
        what = f"{metric_column(plot)} against {plot.get('against') or 'contacts'}"
        if not lines:
            print(f"{folder}: no cell with {what}", file=sys.stderr)
            continue
        figure = draw_figure(plot, config, lines)
        name = file_name(f"sweep-{metric_column(plot)}-{str(plot.get('against') or 'contacts').rsplit('/', 1)[-1]}")
        for kind in arguments.format:
            save(figure, target / f"{name}.{kind}", kind, arguments.dpi)
        drawn += 1
    print(f"plots: {target} ({drawn} sweep{'' if drawn == 1 else 's'})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULT_FOLDER",
                        help="a folder that `ccpbench run` has written")
    add_picture_options(parser, "RESULT_FOLDER/plots")
    arguments = parser.parse_args()
    return draw_each(arguments.folders, lambda folder: plot_folder(folder, arguments))


if __name__ == "__main__":
    sys.exit(main())
