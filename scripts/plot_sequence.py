#!/usr/bin/env python3
"""Draws the sequences of result folders: iterations, contacts, time and residual against the step.

One figure per problem and model whose cells have a steps.csv, as PNG, SVG and PDF, in RESULT_FOLDER/plots/, and one more with another
residual per entry of the config's "plots" with kind "sequence". Folders without sequences are left alone. A cross is an unsolved step.
"""

import csv
import math
import sys
from dataclasses import dataclass

# First, since it finds an interpreter with matplotlib.
from plotting import GREY, MODELS, TOLERANCE, draw_folders, file_name, label_of, place_of_plots, placed, power_text, save_all, say_nothing_drawn, tick_text

from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from curve_axes import time_unit
from figure_page import Entry, finish, label_y, make_page, plain_frame
from ccpbench_results import InputError, as_number, find_file
from result_folder import finite, read_folder
from series_styles import none_wanted, numbers, style, wanted

NEEDED = ("step", "status", "iterations", "contacts", "setup_s", "solve_s")
POINTS_PER_CURVE = 1500  # more cannot be seen and only makes SVG files large
WIDE = 30.0  # values that spread by more than this get a logarithmic axis
FLOOR = 1e-17  # of residuals: zeros are drawn there
FAR_BELOW = 1e-10  # of all residuals: a tolerance there is no line
PANEL = 1.15  # inches: height of a panel


@dataclass
class Run:
    """A cell with its steps."""

    curve: object  # of result_folder
    columns: dict  # of steps.csv, as floats
    solved: list  # for each step
    style: dict

    def values(self, column):
        if column == "time":
            return [a + b for a, b in zip(self.columns["setup_s"], self.columns["solve_s"])]
        return self.columns.get(column, [])


def read_steps(path):
    """The columns of a steps.csv as floats, and whether each step was solved. A last row cut short by a crash is left out."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows, [])
            values = [row for row in rows if len(row) == len(names)]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise InputError(f"{path}: no column {' or '.join(missing)}, expected a steps.csv of `ccpbench run`")
    columns = {name: [as_number(row[k]) for row in values] for k, name in enumerate(names)}
    if len(finite(columns["step"])) < len(values):
        raise InputError(f"{path}: column step has entries that are no numbers")
    status = names.index("status")
    return columns, [row[status] == "solved" for row in values]


def read_runs(curves, number):
    """number: that of each label's style, the same in all figures."""
    runs = []
    for curve in curves:
        path = find_file(curve.folder / "steps.csv")
        if not path:
            continue
        columns, solved = read_steps(path)
        look = style(number[curve.label])
        runs.append(Run(curve, columns, solved, {key: look[key] for key in ("color", "linestyle")}))
    return runs


def thin(points):
    """Points that can be told apart at the size of a figure: the lowest and highest of each vertical slice."""
    if len(points) <= POINTS_PER_CURVE:
        return points
    slices, kept = {}, {0, len(points) - 1}
    for index in range(len(points)):
        slices.setdefault(2 * index * POINTS_PER_CURVE // (5 * len(points)), []).append(index)
    for members in slices.values():
        numbers = [k for k in members if not math.isnan(points[k][1])] or members[:1]
        kept |= {members[0], min(numbers, key=lambda k: points[k][1]), max(numbers, key=lambda k: points[k][1])}
    return [points[k] for k in sorted(kept)]


def same(runs, column):
    """Whether a column is the same in all runs, as contacts are on a shared trajectory."""
    first = runs[0].columns["step"], runs[0].values(column)
    return len(runs) > 1 and all((run.columns["step"], run.values(column)) == first for run in runs)


def decade_text(value, _):
    return power_text(value) if value > 0 and abs(math.log10(value) - round(math.log10(value))) < 1e-9 else ""


def set_scale(axes, values, residual):
    """Logarithmic for residuals and for what spreads widely; counts of 0 keep a place there."""
    positive = [v for v in values if v > 0]
    if residual or (positive and max(positive) > WIDE * min(positive)):
        few = math.log10(max(positive) / min(positive)) < 3.5 if positive and not residual else False
        if 0 in values and not residual:
            axes.set_yscale("symlog", linthresh=min(positive), linscale=0.3)
        else:
            axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(numticks=6))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter((lambda v, _: tick_text(v)) if few else
                                                     (lambda v, p: "0" if v == 0 else decade_text(v, p))))
        return
    axes.set_ylim(0, 1.08 * max(positive, default=1.0))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=max(positive, default=0) >= 5))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))


def draw_panel(axes, runs, column, factor):
    """One column of all runs. A line in grey is the same for all of them."""
    residual = column not in ("iterations", "contacts", "time")
    shared = column == "contacts" and same(runs, column)
    shown = []
    for run in runs[:1] if shared else runs:
        ys = [max(y, FLOOR) if residual else factor * y for y in run.values(column)]
        points = list(zip(run.columns["step"], ys))
        shown += finite(ys)
        many = len(points) > 60
        drawn = thin(points)
        style = {"color": GREY, "linestyle": "-"} if shared else run.style
        axes.plot([p[0] for p in drawn], [p[1] for p in drawn], linewidth=0.9 if many else 1.4, marker="" if many else "o",
                  markersize=2.5, gid=f"line {column}", **style)
        unsolved = [] if shared else [p for p, solved in zip(points, run.solved) if not solved]
        if unsolved:
            axes.plot([p[0] for p in unsolved], [p[1] for p in unsolved], linestyle="none", marker="x", markersize=5,
                      color=run.style["color"], gid=f"unsolved {column}")
    set_scale(axes, shown, residual)
    plain_frame(axes)
    if residual:
        lowest = min((y for y in shown if y > FLOOR), default=0.0)
        for tolerance in {t for run in runs if run.curve.measure == column for t in run.curve.tolerances}:
            if tolerance < FAR_BELOW * lowest:
                continue  # such as 1e-300, by which runs are kept from stopping
            axes.axhline(tolerance, color=TOLERANCE, linewidth=1.0, zorder=1.5)


def outcome(run):
    """The end of the run: status of cell.json, iterations per step with contacts, the time of all steps."""
    loaded = [i for i, c in zip(run.values("iterations"), run.values("contacts")) if c > 0]
    time = sum(finite(run.values("time")))
    unit, factor = time_unit(time)
    words = [f"{sum(run.solved)} of {len(run.solved)} steps solved"]
    if finite(loaded):
        words.append(f"{sum(finite(loaded)) / len(finite(loaded)):.3g} iterations a step")
    return ", ".join([*words, f"{factor * time:.3g} {unit}"])


def notes_of(runs, measure):
    notes = (("Cross: an unsolved step.", not all(all(run.solved) for run in runs)),
             ("All meet the same contacts.", same(runs, "contacts")),
             ("Grey line: the tolerance.", any(run.curve.measure == measure and any(t >= 1e-30 for t in run.curve.tolerances) for run in runs)))
    return [text for text, there in notes if there]


def draw_figure(config, runs, measure, arguments):
    unit, factor = time_unit(max(finite([t for run in runs for t in run.values("time")]), default=0.0))
    panels = [("iterations", "iterations", 1.0), ("contacts", "contacts", 1.0), ("time", f"time ({unit})", factor),
              (measure, label_of(measure), 1.0)]
    plain = getattr(arguments, "legend", "full") == "labels"
    entries = [Entry(run.curve.label, {**run.style, "marker": ""}, "" if plain else outcome(run)) for run in runs]
    problem, model = runs[0].curve.problem, runs[0].curve.model
    title = (str(config.get("title") or config.get("name") or problem), f"{problem}, {MODELS.get(model, model)}")
    page = make_page(arguments.width, len(panels), entries, notes_of(runs, measure), title if arguments.title else (), height=PANEL, across=1,
                     stacked=True)
    steps = [step for run in runs for step in run.columns["step"]]
    for axes, (column, label, scale) in zip(page.panels, panels):
        draw_panel(axes, runs, column, scale)
        axes.set_xlim(min(steps), max(max(steps), min(steps) + 1))
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0f}"))
        axes.tick_params(labelbottom=axes is page.panels[-1])
        label_y(axes, label)
    page.panels[-1].set_xlabel("step")
    finish(page)
    page.figure.align_ylabels(page.panels)
    return page.figure


def wanted_measures(config, runs):
    """(suffix of the file name, measure, its place in a paper): that of the stop rule, and those of the plots of this kind."""
    listed = [plot for plot in config.get("plots") or [] if isinstance(plot, dict) and plot.get("kind") == "sequence"]
    usual = runs[0].curve.measure
    chosen = {usual: "", **{str(plot.get("y") or usual): plot.get("where") for plot in reversed(listed)}}
    return [("-steps" if y == usual else file_name(f"-steps-{y}"), y, where) for y, where in chosen.items()]


def plot_folder(folder, arguments):
    config, groups = read_folder(folder, arguments.problem)
    number = numbers([curve.label for curves in groups.values() for curve in curves])
    found = {key: runs for key, curves in groups.items()
             if (runs := [r for r in read_runs([c for c in curves if c.shown], number) if r.columns["step"]])}
    if not found:
        say_nothing_drawn(folder, "sequence", "no cell has steps; they come from problems with a \"sequence\"", arguments)
        return
    sequences = {key: left for key, runs in found.items() if (left := [r for r in runs if wanted(r.curve.label, arguments.only)])}
    if not sequences:
        raise none_wanted(folder, arguments.only, number)
    target = place_of_plots(folder, arguments)
    target.mkdir(parents=True, exist_ok=True)
    drawn, names = 0, set()
    for (problem, model), runs in sequences.items():
        name = file_name(f"{problem}-{model}")
        while name in names:
            name += "_"
        names.add(name)
        for suffix, measure, where in wanted_measures(config, runs):
            if not any(finite(run.values(measure)) for run in runs):
                print(f"{folder}: {problem}, {model}: no step with {measure}", file=sys.stderr)
                continue
            with placed(where):
                save_all(draw_figure(config, runs, measure, arguments), target, name + suffix, arguments)
            drawn += 1
    print(f"plots: {target} ({drawn} sequence{'' if drawn == 1 else 's'})")


def add_sequence_options(parser):
    parser.add_argument("--problem", default="*", metavar="GLOB", help="only problems whose name matches")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, add_sequence_options))
