#!/usr/bin/env python3
"""Draws the performance and data profiles that `ccpbench profile --out DIR` wrote.

One row of panels per accuracy: on the left the fraction of problems solved within a factor of the best solver, on the right
within a budget; both on a log axis. Bands (95 %, bootstrap over the problems) are drawn for up to four solvers, more would hide
each other; they stand in performance.csv and data.csv for all.
"""

import argparse
import csv
import sys
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import COLOURS, DASHES, add_picture_options, draw_each, save, tick_text

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from result_folder import InputError

MOST_BANDS = 4
LEGEND_COLUMNS = 4
UNITS = {"time": "seconds per contact", "back_solves": "back-solves"}


def rows_of(path):
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; is this a folder of `ccpbench profile --out`?") from None
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    if not rows:
        raise InputError(f"{path}: holds no rows")
    return rows


def read_curves(path, abscissa):
    """{accuracy: {label: [(x, fraction, low, high)]}}, low and high None where there is no band, and the number of problems."""
    curves, problems = {}, 0
    try:
        for row in rows_of(path):
            band = [float(row[name]) if row[name] else None for name in ("low", "high")]
            point = (float(row[abscissa]), float(row["fraction"]), *band)
            curves.setdefault(float(row["at"]), {}).setdefault(row["label"], []).append(point)
            problems = int(row["problems"])
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is no profile ({type(error).__name__}: {error})") from None
    return curves, problems


def draw_panel(axes, curves, styles, title, label):
    for name, points in curves.items():
        x, fraction, low, high = zip(*points)
        axes.step(x, fraction, where="post", label=name, linewidth=1.6, **styles[name])
        if len(curves) <= MOST_BANDS and low[0] is not None:
            axes.fill_between(x, low, high, step="post", alpha=0.12, color=styles[name]["color"], linewidth=0)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(label)
    axes.set_ylabel("fraction of problems")
    axes.set_title(title, fontsize=10)
    axes.grid(True, color="0.9", linewidth=0.6)


def draw_figure(folder):
    performance, problems = read_curves(folder / "performance.csv", "ratio")
    data, _ = read_curves(folder / "data.csv", "budget")
    by = rows_of(folder / "means.csv")[0].get("by") or ""
    if list(performance) != list(data):
        raise InputError(f"{folder}: performance.csv and data.csv are of different accuracies")
    labels = list(dict.fromkeys(label for curves in performance.values() for label in curves))
    styles = {label: {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}
              for k, label in enumerate(labels)}
    legend = 0.22 * (1 + (len(labels) - 1) // LEGEND_COLUMNS) + 0.15
    height = 3.4 * len(performance) + legend
    figure = Figure(figsize=(11, height), layout="constrained")
    FigureCanvasAgg(figure)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - legend / height))
    panels = figure.subplots(len(performance), 2, squeeze=False)
    count = f"{problems} problem{'' if problems == 1 else 's'}"
    for row, at in zip(panels, performance):
        draw_panel(row[0], performance[at], styles, f"accuracy {at:g}, {count}", f"{by.replace('_', '-')}, factor of the best")
        draw_panel(row[1], data[at], styles, f"accuracy {at:g}, {count}", f"budget, {UNITS.get(by, by)}")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="upper center", ncols=LEGEND_COLUMNS, frameon=False)
    return figure


def draw(folder, arguments):
    figure = draw_figure(folder)
    target = arguments.out or folder
    target.mkdir(parents=True, exist_ok=True)
    for kind in arguments.format:
        save(figure, target / f"profiles.{kind}", kind, arguments.dpi)
    print(f"plots: {target} (profiles)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `ccpbench profile --out` has written")
    add_picture_options(parser, "DIR")
    arguments = parser.parse_args()
    return draw_each([arguments.folder], lambda folder: draw(folder, arguments))


if __name__ == "__main__":
    sys.exit(main())
