#!/usr/bin/env python3
"""Draws means over the problems of result folders: how the residual falls with time, what iterations take, how both grow with the size.

Laid out as figures of Lee et al. 2025. An entry of the config's "plots" with kind "mean" gives a figure for each case that "by" tells
apart: on the left the mean logarithm of the residual "y" over solver time, on the right the mean time over iterations (Figs. 7, 9). One
with kind "scaling": the mean time and the mean residual of a problem, or of a step of a sequence, over "against", with exponents
(Fig. 11). As PNG, SVG and PDF, in RESULT_FOLDER/plots/; a folder whose config has no such entry is left alone.
"""

import bisect
import math
import sys
from dataclasses import dataclass, field

# First, since it finds an interpreter with matplotlib.
from plotting import RUN_AGAIN, draw_folders, file_name, label_of, log_axis, place_of_plots, placed, save_all, say_nothing_drawn, with_unit

from cell_values import SOLVER_TIME, asked_labels, case_text, cases, is_busy, metric_column, name_of, number_at, solver_times, value_text, values_of
from curve_axes import time_unit
from figure_page import Entry, finish, label_y, make_page, plain_frame
from plot_sweep import chosen_cells
from ccpbench_results import find_file, read_manifest, read_trace, unit_of
from series_styles import busy_note, style

FLOOR = 1e-17  # of residuals: what is below is drawn there
PLACES = 160  # of a mean curve
MARKS = 6  # of a line
OUTER = "al_iteration"  # counts the outer iterations of a method whose inner ones are rows of the trace


@dataclass
class Means:
    """The curves of one solver: points (x, y) of each panel, positive."""

    label: str
    panels: tuple
    style: dict = field(default_factory=dict)
    below: str = ""
    outer: bool = False  # whether iterations are outer ones
    busy: list = field(default_factory=list)  # whether the times of each cell were taken on a busy machine


def mean_log(values):
    return 10.0 ** (sum(math.log10(max(value, FLOOR)) for value in values) / len(values))


def traces_of(cells, y):
    """(times, values of y, ends of iterations) of each cell that has a trace with y, and whether these iterations are outer ones."""
    found, outer = [], False
    for cell in cells:
        path = find_file(cell.folder / "trace.csv")
        columns = read_trace(path) if path else {}
        points = [(t, v, k) for k, (t, v) in enumerate(zip(columns.get("elapsed_s", []), columns.get(y, []))) if math.isfinite(t + v) and v >= 0]
        if not points:
            continue
        counts = columns.get(OUTER) or columns["iteration"]
        outer = outer or OUTER in columns
        ends = {}  # of each iteration the time of its last row
        for time, _, k in points:
            if counts[k] >= 1:
                ends[int(counts[k])] = time
        found.append(([p[0] for p in points], [p[1] for p in points], ends))
    return found, outer


def residual_over_time(traces):
    """Points (s, geometric mean). A run that has ended stays where it ended; one that has not begun is where it begins."""
    first = min(next((t for t in times if t > 0), math.inf) for times, _, _ in traces)
    last = max(times[-1] for times, _, _ in traces)
    if not 0 < first < last:
        return []
    places = [first * (last / first) ** (k / (PLACES - 1)) for k in range(PLACES)]
    return [(t, mean_log([values[max(0, bisect.bisect_right(times, t * (1 + 1e-12)) - 1)] for times, values, _ in traces])) for t in places]


def time_over_iterations(traces):
    """Points (iteration, mean time, s) over all problems, as long as half of them come so far. A run that has ended counts with the time
    of its end, so that a mean never falls because long runs are left over."""
    whole = [ends for _, _, ends in traces if ends]
    counts = sorted({count for ends in whole for count in ends})
    points, last = [], [0.0] * len(whole)
    for count in counts:
        last = [ends.get(count, time) for ends, time in zip(whole, last)]
        if 2 * sum(max(ends) >= count for ends in whole) >= len(traces):
            points.append((count, sum(last) / len(last)))
    return [point for point in points if point[1] > 0]


def means_of(cells, plot):
    """One Means per solver that has traces."""
    y, found = measure_of(plot), []
    for label in asked_labels(plot, cells):
        mine = [cell for cell in cells if cell.label == label]
        traces, outer = traces_of(mine, y)
        panels = (residual_over_time(traces), time_over_iterations(traces)) if traces else ((), ())
        if any(panels):
            found.append(Means(label, panels, below=f"{len(traces)} problem{'' if len(traces) == 1 else 's'}", outer=outer,
                               busy=list(map(is_busy, mine))))
    return found


def exponent(points):
    """The slope of the least-squares line through points on logarithmic axes and its standard error; NaN where they have one x, or two
    points alone."""
    xs, ys = ([math.log(point[k]) for point in points] for k in (0, 1))
    if len(set(xs)) < 2:
        return math.nan, math.nan
    middle, height = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - middle) ** 2 for x in xs)
    slope = sum((x - middle) * y for x, y in zip(xs, ys)) / spread
    missed = sum((y - height - slope * (x - middle)) ** 2 for x, y in zip(xs, ys))
    return slope, math.sqrt(missed / (len(xs) - 2) / spread) if len(xs) > 2 else math.nan


def exponent_text(value, error=math.nan):
    text = "–" if math.isnan(value) else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")  # no −0.00
    return text if math.isnan(error) else f"{text} ± {error:.2f}"


def scaling_of(cells, plot):
    """One Means per solver: mean time and mean residual of a problem or a step at each size."""
    against, y, found = str(plot.get("against") or "contacts"), measure_of(plot), []
    metric = metric_column(plot) if plot.get("metric") else ""
    for label in asked_labels(plot, cells):
        times, residuals = {}, {}
        for cell in cells:
            x = number_at(cell, against)
            if cell.label == label and x > 0:
                times.setdefault(x, []).extend(values_of(cell, metric) if metric else solver_times(cell))
                residuals.setdefault(x, []).extend(value for value in values_of(cell, y) if value >= 0)
        panels = ([(x, sum(v) / len(v)) for x, v in sorted(times.items()) if v and sum(v) > 0],
                  [(x, mean_log(v)) for x, v in sorted(residuals.items()) if v])
        if any(panels):
            both = [exponent_text(*exponent(points)) for points in panels]
            timed = [cell for cell in cells if cell.label == label] if quantity_of(plot) == "time" else []
            found.append(Means(label, panels, below=f"exponents: {quantity_of(plot)} {both[0]}, residual {both[1]}", busy=list(map(is_busy, timed))))
    return found


def quantity_of(plot):
    """The label of the vertical axis of a scaling: a time unless its metric is something else."""
    column = metric_column(plot) if plot.get("metric") else SOLVER_TIME
    return "time" if unit_of(column) == "s" else name_of(column)


def log_scales(axes, points):
    """Logarithmic axes with a little room around the points."""
    for axis, limit, scale, values, most in ((axes.xaxis, axes.set_xlim, axes.set_xscale, [p[0] for p in points], 8),
                                             (axes.yaxis, axes.set_ylim, axes.set_yscale, [p[1] for p in points], 10)):
        scale("log")
        low, high = min(values), max(values)
        room = max((high / low) ** 0.05, 1.1)
        limit(low / room, high * room)
        log_axis(axis, low / room, high * room, most)


def marked_places(count, phase):
    """Indices at equal distances, the first shifted from line to line; all where they are few."""
    if count <= 2 * MARKS:
        return list(range(count))
    return [min(count - 1, round((k + phase) * count / MARKS)) for k in range(MARKS)]


def draw_lines(axes, means, panel, factors):
    for number, one in enumerate(means):
        points = [(x * factors[0], y * factors[1]) for x, y in one.panels[panel]]
        if points:
            axes.plot(*zip(*points), linewidth=1.1, markersize=3.8, markerfacecolor="white", markeredgewidth=0.8,
                      markevery=marked_places(len(points), (number * 0.382) % 1.0), **one.style)


def longest(means, panel, k):
    """The largest coordinate k of a panel."""
    return max(point[k] for one in means for point in one.panels[panel])


def measure_of(plot):
    return str(plot.get("y") or "relative_residual")


def mean_panels(plot, means):
    """(x label, y label, factors of both) of each panel, then the notes."""
    y, (left, factor), (right, other) = measure_of(plot), time_unit(longest(means, 0, 0)), time_unit(longest(means, 1, 1))
    notes = ["Means over problems, of residuals those of their logarithms. A run that ended stays where it ended; lines over iterations end "
             "where half of the runs have."]
    if outer := [one.label for one in means if one.outer]:
        notes.append(f"Iterations of {', '.join(outer)}: outer ones.")
    return (f"solver time ({left})", label_of(y), (factor, 1.0)), ("iteration", f"solver time ({right})", (1.0, other)), notes


def scaling_panels(plot, means):
    against, y = str(plot.get("against") or "contacts"), measure_of(plot)
    column = metric_column(plot) if plot.get("metric") else SOLVER_TIME
    unit, factor = time_unit(longest(means, 0, 1)) if unit_of(column) == "s" else ("", 1.0)
    y_label = label_of(column).replace("(s)", f"({unit})")
    x_label = str(plot.get("x_label") or {"dofs": "degrees of freedom"}.get(against, with_unit(against)))
    notes = ["Means over problems, or over the steps of a sequence; of residuals those of their logarithms. Exponents: least squares, ± their standard errors."]
    return (x_label, y_label, (1.0, factor)), (x_label, label_of(y), (1.0, 1.0)), notes


def draw_figure(config, plot, case, means, arguments):
    *panels, notes = (mean_panels if plot["kind"] == "mean" else scaling_panels)(plot, means)
    notes += busy_note([(one.label, busy) for one in means for busy in one.busy])
    plain = getattr(arguments, "legend", "full") == "labels"
    entries = [Entry(one.label, one.style, "" if plain else one.below) for one in means]
    title = (str(config.get("title") or config.get("name") or ""), case_text(case))
    page = make_page(arguments.width, 2, entries, notes, title if arguments.title else (),
                     height=2.35 if arguments.width > 5 else 2.0, shared=False)
    for panel, (axes, (x_label, y_label, factors)) in enumerate(zip(page.panels, panels)):
        log_scales(axes, [(x * factors[0], y * factors[1]) for one in means for x, y in one.panels[panel]])
        draw_lines(axes, means, panel, factors)
        axes.set_xlabel(x_label)
        label_y(axes, y_label)
        plain_frame(axes)
    finish(page)
    return page.figure


def figures_of(config, plot, cells, number, arguments):
    """(name, figure) for each case with something to draw in both panels."""
    of = means_of if plot["kind"] == "mean" else scaling_of
    against = "" if plot["kind"] == "mean" else "-" + str(plot.get("against") or "contacts").rsplit("/", 1)[-1]
    for case, members in cases(plot, cells).items():
        means = of(members, plot)
        if not all(any(one.panels[k] for one in means) for k in (0, 1)):
            continue
        for one in means:
            one.style = style(number[one.label])
        told = "".join(f"-{plot[key]}" for key in ("problem", "metric") if plot.get(key))
        told += "".join(f"-{pointer.rsplit('/', 1)[-1]}_{value_text(value)}" for pointer, value in case)
        yield file_name(f"{plot['kind']}-{measure_of(plot)}{against}{told}"), draw_figure(config, plot, case, means, arguments)


def plot_folder(folder, arguments):
    config = read_manifest(folder)["config"]
    plots = [p for p in config.get("plots") or [] if isinstance(p, dict) and p.get("kind") in ("mean", "scaling")]
    if not plots:
        say_nothing_drawn(folder, "mean", f"its config has no entry {{\"kind\": \"mean\"}} or {{\"kind\": \"scaling\"}} in \"plots\": {RUN_AGAIN}", arguments)
        return
    cells, number, _ = chosen_cells(folder, arguments)
    target, drawn = place_of_plots(folder, arguments), 0
    for plot in plots:
        before = drawn
        with placed(plot.get("where")):
            for name, figure in figures_of(config, plot, cells, number, arguments):
                save_all(figure, target, name, arguments)
                drawn += 1
        if drawn == before:
            what = "in its trace" if plot["kind"] == "mean" else f"and {metric_column(plot) if plot.get('metric') else SOLVER_TIME} over {plot.get('against') or 'contacts'}"
            print(f"{folder}: no cell with {measure_of(plot)} above 0 {what}", file=sys.stderr)
    print(f"plots: {target} ({drawn} figure{'' if drawn == 1 else 's'} of means)")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder))
