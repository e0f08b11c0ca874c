#!/usr/bin/env python3
"""Draws the convergence plots of result folders: residual against iteration and against solver time.

One figure per problem and model, as PNG and SVG, in RESULT_FOLDER/plots/, and one more per entry of the config's "plots".
The same solver has the same line, marker and colour in every figure of a folder, and no figure needs its colours to be read.
"""

import argparse
import math
import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import (COLOURS, DASHES, GREY, LABELS, MARKERS, MODELS, add_picture_options, draw_each, file_name, power_text, save,
                      tick_text)

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter
from result_folder import InputError, finite, read_folder

TIME_UNITS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6))
STEP_COLUMNS = ("primal_residual", "dual_residual")  # of a step: the start has none, and its row says 0
DEFAULT_MEASURES = ("relative_residual", "velocity_residual", "natural_map")

POINTS_PER_CURVE = 1500  # more cannot be seen and only makes SVG files large
def give_styles(groups):
    """The same style for a label in all figures of a folder."""
    curves = [curve for group in groups.values() for curve in group]
    numbers = {label: k for k, label in enumerate(dict.fromkeys(curve.label for curve in curves))}
    for curve in curves:
        k = numbers[curve.label]
        curve.style = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)],
                       "marker": MARKERS[k % len(MARKERS)], "phase": (k * 0.382) % 1.0}


@dataclass
class Axis:
    """What an axis shows and how: a scale from data to [0, 1], ticks and a label."""

    label: str
    factor: float
    end: float
    threshold: float = 0.0  # 0: linear; else logarithmic beyond it and linear up to it, so that the start at 0 has a place

    LINEAR_SHARE = 0.35  # of a decade, for the part below the threshold

    def position(self, value):
        if not self.threshold:
            return value / self.end
        return self.symlog(value) / self.symlog(self.end)

    def symlog(self, value):
        if value <= self.threshold:
            return self.LINEAR_SHARE * value / self.threshold
        return self.LINEAR_SHARE + math.log10(value / self.threshold)

    def apply(self, axes):
        axes.set_xlabel(self.label)
        if self.threshold:
            axes.set_xscale("symlog", linthresh=self.threshold, linscale=self.LINEAR_SHARE)
            first, last = round(math.log10(self.threshold)), math.ceil(math.log10(self.end))
            step = 1 + (last - first) // 7
            decades = [10.0**k for k in range(first, last + 1)]
            axes.xaxis.set_major_locator(FixedLocator([0.0, *decades[::step]]))
            axes.xaxis.set_minor_locator(FixedLocator([m * d for d in decades for m in range(2, 10)]))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlim(0.0, self.end * 1.25)
        else:
            axes.set_xlim(0.0, self.end * 1.04)


def tolerance_text(value):
    return power_text(value) if math.isclose(value, 10.0 ** round(math.log10(value))) else f"{value:g}"


def label_of(column):
    return LABELS.get(column, column.replace("_", " "))


def x_axis(column, curves):
    """Logarithmic when the fastest solver's curve would be squeezed into a corner, linear otherwise. None without data."""
    ends = [max(values) for curve in curves if (values := finite(curve.columns.get(column, []))) and max(values) > 0]
    if not ends:
        return None
    factor, label = 1.0, label_of(column)
    if column == "elapsed_s":
        unit, factor = next((u for u in TIME_UNITS if max(ends) * u[1] >= 1), TIME_UNITS[-1])
        label = f"solver time ({unit})"
    threshold = 0.0
    if max(ends) > 8 * min(ends):
        values = [v for c in curves for v in finite(c.columns.get(column, [])) if v > 0]
        smallest = 1.0 if column == "iteration" else min(values)
        threshold = 10.0 ** math.floor(math.log10(max(smallest * factor, max(ends) * factor * 1e-7)))
    return Axis(label, factor, max(ends) * factor, threshold)


@dataclass
class Heights:
    """The y values of a panel: made positive, cut at a floor for zeros, and capped where a curve diverges."""

    label: str
    offset: float
    floor: float
    top: float
    has_zeros: bool
    has_runaways: bool

    def of(self, value):
        return max(value - self.offset, self.floor) if math.isfinite(value) else math.inf

    def end(self, ys):
        """The index at which a curve ends on the page: its last value, or where it leaves the top for good."""
        inside = max((k for k, y in enumerate(ys) if y <= self.top), default=-1)
        return min(inside + 1, len(ys) - 1)


def heights(column, curves):
    """None where no curve has a value."""
    series = [finite(curve.columns.get(column, [])) for curve in curves]
    values = [v for one in series for v in one]
    if not values:
        return None
    label, offset = label_of(column), 0.0
    if min(values) < 0:
        # An objective: only its distance from the optimum fits on a logarithmic axis.
        offset = min(values)
        label += ", above the lowest value seen"
    positive = [v - offset for v in values if v > offset] or [1.0]
    start = max((one[0] - offset for one in series if one), default=0.0)
    top = 3 * (min(max(positive), 1e4 * start) if start > 0 else max(positive))
    lowest = min((v for v in positive if v >= 1e-20 * top), default=top)
    floor = 10.0 ** (math.floor(math.log10(lowest)) - 1)
    return Heights(label, offset, floor, top, min(values) - offset < floor, max(positive) > top)


def thin(points, axis):
    """Points that can be told apart at the size of a figure: the first, lowest and highest of each vertical slice."""
    if len(points) <= POINTS_PER_CURVE:
        return points
    slices = {}
    for index, (x, y) in enumerate(points):
        slices.setdefault(int(axis.position(x) * POINTS_PER_CURVE / 3), []).append((y, index))
    kept = {len(points) - 1}
    for members in slices.values():
        kept |= {members[0][1], min(members)[1], max(members)[1]}
    return [points[index] for index in sorted(kept)]


def marker_positions(points, axis, phase):
    """Indices at about equal distances on the page, shifted from curve to curve, so that both of two that coincide show."""
    positions = [axis.position(x) for x, _ in points]
    chosen = set()
    for k in range(8):
        wanted = (k + phase) / 8
        if positions[0] <= wanted <= positions[-1]:
            chosen.add(min(range(len(positions)), key=lambda i: abs(positions[i] - wanted)))
    return sorted(chosen - {len(points) - 1})


def draw_curve(axes, curve, x_column, y_column, axis, height):
    pairs = zip(curve.columns.get(x_column, []), curve.columns.get(y_column, []))
    points = thin([(x * axis.factor, height.of(y)) for x, y in pairs if math.isfinite(x)], axis)
    if not points:
        return
    end = height.end([y for _, y in points])
    points = [(x, min(y, height.top)) for x, y in points[:end + 1]]
    style = {key: curve.style[key] for key in ("color", "linestyle", "marker")}
    xs, ys = zip(*points)
    axes.plot(xs, ys, linewidth=1.5, markersize=5, markerfacecolor="white", markeredgewidth=1.1,
              markevery=marker_positions(points, axis, curve.style["phase"]), **style)
    face = curve.style["color"] if curve.status == "solved" else "none"
    axes.plot(xs[-1:], ys[-1:], linestyle="none", marker=curve.style["marker"], markersize=7.5, markerfacecolor=face,
              markeredgecolor=curve.style["color"], markeredgewidth=1.4, clip_on=False, zorder=5)


def draw_panel(axes, curves, x_column, y_column, axis, height):
    axis.apply(axes)
    axes.set_yscale("log")
    bottom = height.floor if height.has_zeros else height.floor * 5
    axes.set_ylim(bottom / (2.0 if height.has_zeros else 1.0), height.top)
    first, last = math.ceil(math.log10(bottom) - 1e-9), math.floor(math.log10(height.top))
    step = 1 + (last - first) // 10
    decades = [10.0**k for k in range(first, last + 1) if k % step == 0]
    if height.has_zeros:
        decades = [d for d in decades if d > 3 * height.floor] + [height.floor]
        axes.axhline(height.floor, color=GREY, linewidth=0.8, linestyle=(0, (1, 3)), zorder=1)
    axes.yaxis.set_major_locator(FixedLocator(decades))
    axes.yaxis.set_minor_locator(FixedLocator([]))
    axes.yaxis.set_major_formatter(FuncFormatter(
        lambda value, _: "0" if height.has_zeros and value <= height.floor * 1.01 else power_text(value)))
    axes.grid(color="#e4e4e4", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    for tolerance in {t for curve in curves if curve.measure == y_column for t in curve.tolerances}:
        if bottom < tolerance < height.top:
            axes.axhline(tolerance, color=GREY, linewidth=1.0, zorder=1.5)
            axes.annotate(f"tolerance {tolerance_text(tolerance)}", (0.012, tolerance), xycoords=axes.get_yaxis_transform(),
                          xytext=(0, 4), textcoords="offset points", fontsize=8, color=GREY, zorder=4,
                          bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6})
    for curve in curves:
        draw_curve(axes, curve, x_column, y_column, axis, height)


def outcome(curve):
    words = [curve.status.replace("_", " ")]
    iterations, times = finite(curve.columns.get("iteration", [])), finite(curve.columns.get("elapsed_s", []))
    if iterations:
        words.append(f"{iterations[-1]:.0f} iteration{'' if iterations[-1] == 1 else 's'}")
    if times:
        unit, factor = next((u for u in TIME_UNITS if times[-1] * u[1] >= 1), TIME_UNITS[-1])
        words.append(f"{times[-1] * factor:.3g} {unit}")
    return ", ".join(words) if iterations else f"{words[0]}, no curve"


ROW = 0.37  # inches of a legend row: the label, and under it how the run ended


def draw_key(figure, curves, left, width, top):
    """The legend, beside the panels: line and marker, label, and how the run ended."""
    size, height = figure.get_size_inches(), ROW * len(curves)
    axes = figure.add_axes((left / size[0], (top - height) / size[1], width / size[0], height / size[1]))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(len(curves) - 0.5, -0.5)
    for k, curve in enumerate(curves):
        style = {key: curve.style[key] for key in ("color", "linestyle", "marker")}
        if curve.columns.get("iteration"):
            axes.add_line(Line2D([0.04, 0.29, 0.54], [k, k, k], linewidth=1.5, markersize=5, markerfacecolor="white",
                                 markeredgewidth=1.1, markevery=[1], **style))
        axes.text(0.66, k - 0.03, curve.label, fontsize=9, va="bottom")
        axes.text(0.66, k + 0.05, outcome(curve), fontsize=7.5, va="top", color=GREY)


def draw_figure(config, curves, x_columns, y_column):
    """A figure with one panel per x column, or None where the traces hold nothing to draw."""
    curves = [c for c in curves if finite(c.columns.get(y_column, [])) or not c.columns]
    if y_column in STEP_COLUMNS:
        curves = [replace(c, columns={name: values[1:] for name, values in c.columns.items()}) for c in curves]
    height = heights(y_column, curves)
    panels = [(column, axis) for column in x_columns if (axis := x_axis(column, curves))]
    if height is None or not panels:
        return None
    longest = max(max(len(c.label) * 0.079, len(outcome(c)) * 0.066) for c in curves)
    left, panel_width, gap, key_width = 0.85, 3.75, 0.35, 0.8 + longest
    panels_end = left + panel_width * len(panels) + gap * (len(panels) - 1)
    below, above = 0.85, 0.75
    body = max(3.4, ROW * len(curves))
    size = (panels_end + 0.3 + key_width, below + body + above)
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    axes_left = left
    for number, (column, axis) in enumerate(panels):
        axes = figure.add_axes((axes_left / size[0], below / size[1], panel_width / size[0], body / size[1]))
        draw_panel(axes, curves, column, y_column, axis, height)
        if number == 0:
            axes.set_ylabel(height.label)
        else:
            axes.tick_params(labelleft=False)
        axes_left += panel_width + gap
    draw_key(figure, curves, panels_end + 0.3, key_width, below + body + 0.02)
    problem, model = curves[0].problem, curves[0].model
    title = str(config.get("title") or config.get("name") or problem)
    fitting = int((size[0] - left - 0.2) / 0.115)  # characters at 12 points
    points = 12 if len(title) <= fitting else 9
    figure.text(left / size[0], 1 - 0.32 / size[1], textwrap.shorten(title, fitting * 12 // points, placeholder=" …"),
                fontsize=points, weight="bold")
    figure.text(left / size[0], 1 - 0.55 / size[1], f"{problem}, {MODELS.get(model, model)}", fontsize=9, color=GREY)
    notes = ["Filled end marker: solved; open: stopped unsolved."]
    if height.has_zeros:
        notes.append(f"0: values below {height.floor:.0e}.")
    if height.has_runaways:
        notes.append("Curves that leave the top diverge.")
    figure.text(left / size[0], 0.14 / size[1], "  ".join(notes), fontsize=7.5, color=GREY)
    return figure


def wanted_plots(config):
    """(suffix of the file name, x columns, y columns to choose from) of every figure of a problem."""
    listed = [plot for plot in config.get("plots") or [] if isinstance(plot, dict)]
    if listed and all(plot.get("kind") == "sweep" for plot in listed):
        return []  # drawn by plot_sweep.py: a figure for each problem of a sweep would be too many
    plots = [("", ("iteration", "elapsed_s"), DEFAULT_MEASURES)]
    for plot in listed:
        if plot.get("kind") == "convergence":
            x, y = str(plot.get("x") or "iteration"), str(plot.get("y") or DEFAULT_MEASURES[0])
            plots.append((file_name(f"-{y}-{x}"), (x,), (y,)))
    return plots


def unique_names(groups):
    names = {}
    for problem, model in groups:
        name = file_name(f"{problem}-{model}")
        while name in names.values():
            name += "_"
        names[problem, model] = name
    return names


def plot_folder(folder, arguments):
    config, groups = read_folder(folder, arguments.problem)
    give_styles(groups)
    target = arguments.out or folder / "plots"
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{target}: {error.strerror}") from None
    names, drawn = unique_names(groups), 0
    for key, curves in groups.items():
        for suffix, x_columns, y_columns in wanted_plots(config):
            y_column = next((y for y in y_columns if any(y in c.columns for c in curves)), y_columns[0])
            figure = draw_figure(config, curves, x_columns, y_column)
            if figure is None:
                what = f"{y_column} against {' or '.join(x_columns)}"
                print(f"{folder}: {key[0]}, {key[1]}: no trace with {what}", file=sys.stderr)
                continue
            for kind in arguments.format:
                save(figure, target / f"{names[key]}{suffix}.{kind}", kind, arguments.dpi)
            drawn += 1
    print(f"plots: {target} ({drawn} figure{'' if drawn == 1 else 's'})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULT_FOLDER",
                        help="a folder that `ccpbench run` has written")
    parser.add_argument("--problem", default="*", metavar="GLOB", help="only the problems whose name matches")
    add_picture_options(parser, "RESULT_FOLDER/plots")
    arguments = parser.parse_args()
    matplotlib.rcParams.update({"xtick.color": "#333333", "ytick.color": "#333333", "axes.labelcolor": "#111111"})
    return draw_each(arguments.folders, lambda folder: plot_folder(folder, arguments))


if __name__ == "__main__":
    sys.exit(main())
