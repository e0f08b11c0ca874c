#!/usr/bin/env python3
"""Draws the sweeps of result folders: a column of summary.csv against a swept value, a line per solver and other swept value.

One figure per entry of the config's "plots" with kind "sweep", as PNG, SVG and PDF, in RESULT_FOLDER/plots/. Without such an entry a
sweep over one list of numbers has two figures, iterations and time; other folders are left alone. Filled markers are solved cells,
open ones are not. Solvers look as in the convergence plots; lines of three or more numbers, such as steps, have colours in their
order. An entry of kind "ensemble" has a row of points for each solver, one for each cell, with their median and quartiles.
"""

import math
import sys
from dataclasses import dataclass, field

# First, since it finds an interpreter with matplotlib.
from plotting import (MODELS, RUN_AGAIN, draw_folders, file_name, label_of, log_axis, name_of,
                      number_texts, place_of_plots, placed, save_all, say_nothing_drawn, with_unit)

from ensemble_figure import ensemble_figure
from figure_page import Entry, finish, label_y, listed, make_page, plain_frame
from cell_values import asked_labels, is_busy, is_time, metric_column, metric_value, number_at, read_cells
from result_maps import METRICS
from ccpbench_results import read_manifest, swept_groups, swept_value, telling_groups, without_suffix
from series_styles import busy_note, none_wanted, numbers, ordered_colours, style, wanted

AXES = {"linear": (False, False), "log_x": (True, False), "log_y": (False, True), "log": (True, True)}


@dataclass
class Line:
    label: str
    base: str  # the solver
    told: tuple  # what tells the line from others, besides the solver and the ordered number
    key: tuple  # the same with all that could tell it, in whichever company
    value: float | None = None  # the ordered number
    points: list = field(default_factory=list)  # (x, y, solved)
    style: dict = field(default_factory=dict)
    lost: int = 0  # cells without a value
    busy: list = field(default_factory=list)  # whether each point was timed on a busy machine, of times alone


@dataclass
class Scale:
    """The swept number by which lines are in order."""

    pointer: str
    colours: dict


def ordered_pointer(cells, others):
    """The swept pointer besides the axis with the most numbers, three or more; None without one."""
    best, most = None, 2
    for pointer in others:
        values = {swept_value(cell.record, pointer) for cell in cells}
        numeric = {v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)}
        if len(numeric) > most:
            best, most = pointer, len(numeric)
    return best


def lines_of(plot, config, cells):
    """The lines of a plot in the order of the config, with what tells them apart in their labels, and the Scale of their colours."""
    against = str(plot.get("against") or "contacts")
    labels = asked_labels(plot, cells)
    cells = [cell for cell in cells if cell.label in labels and wanted(cell.row["problem"], [str(plot["problem"])] if plot.get("problem") else [])]
    groups = telling_groups(config, against.rsplit("/", 1)[-1])  # "contacts" is also a parameter of scenes
    others = [group[0] if len(group) == 1 else None for group in groups]
    scaled = ordered_pointer(cells, [pointer for pointer in others if pointer])
    told = {}
    for cell in cells:
        key = (without_suffix(cell.row["label"]), without_suffix(cell.row["problem"]), cell.row["model"],
               *(", ".join(f"{name_of(p)} {v}" for p in group if (v := swept_value(cell.record, p)) is not None) for group in groups))
        told.setdefault(key, []).append(cell)
    varying = [len({key[k] for key in told}) > 1 for k in range(3 + len(others))]
    lines = []
    for key, members in told.items():
        words = [word for k, word in enumerate(key) if word and (varying[k] or k == 0)]
        apart = [word for k, word in enumerate(key) if varying[k] and k > 0 and not (scaled and k >= 3 and others[k - 3] == scaled)]
        line = Line(", ".join(words), key[0], tuple(apart), key, swept_value(members[0].record, scaled) if scaled else None)
        for cell in members:
            x, y = number_at(cell, against), metric_value(cell, plot)
            if plot.get("times"):
                y *= number_at(cell, str(plot["times"]))
            if math.isfinite(x) and math.isfinite(y):
                line.points.append((x, y, cell.row.get("status") == "solved"))
                line.busy += [is_busy(cell)] if is_time(metric_column(plot)) else []
            else:
                line.lost += math.isfinite(x)
        line.points.sort()
        lines.append(line)
    values = [line.value for line in lines if isinstance(line.value, (int, float))]
    return lines, Scale(scaled, ordered_colours(values)) if scaled else None


def give_styles(lines, scale, number):
    """The style of the solver in all figures; where more than the solver tells lines apart, one for each. `number`: that of each
    solver."""
    texts = {line.key: f"{line.base} ({', '.join(line.told)})" if line.told else line.base for line in lines}
    number = numbers([*number, *texts.values()])
    for line in lines:
        line.style = style(number[texts[line.key]])
        if scale and line.value in scale.colours:
            line.style |= {"color": scale.colours[line.value]}


def coinciding(lines):
    """Lists of lines with the same points, which would hide each other."""
    groups = {}
    for line in lines:
        groups.setdefault(tuple((f"{x:.2g}", f"{y:.2g}") for x, y, _ in line.points), []).append(line)
    return [group for group in groups.values() if len(group) > 1]


def draw_lines(axes, lines, log_x, log_y):
    """Returns the values that are drawn. Of lines that coincide, those below are wider, so that all show."""
    wider = {id(line): len(group) - 1 - k for group in coinciding(lines) for k, line in enumerate(group)}
    xs, ys = [], []
    for line in lines:
        points = [p for p in line.points if (p[0] > 0 or not log_x) and (p[1] > 0 or not log_y)]
        more = min(5, wider.get(id(line), 0))
        size = {"markersize": 4 + 2.2 * more, "markeredgewidth": 0.9, "clip_on": False}
        axes.plot([p[0] for p in points], [p[1] for p in points], linewidth=1.1 + 1.3 * more, markerfacecolor="white", **size,
                  **line.style)
        solved = [p for p in points if p[2]]
        axes.plot([p[0] for p in solved], [p[1] for p in solved], color=line.style["color"], linestyle="none",
                  marker=line.style["marker"], zorder=2.01 if more else 4, **size)
        xs += [p[0] for p in points]
        ys += [p[1] for p in points]
    return xs, ys


def scale_axis(axes, axis, name, values, logarithmic, most):
    """Limits and ticks of one axis: a little room at both ends, and on a linear one nothing below zero where no value is."""
    if not values:
        return
    low, high = min(values), max(values)
    limit = axes.set_xlim if name == "x" else axes.set_ylim
    if logarithmic:
        room = max((high / low) ** 0.05, 1.1)
        limit(low / room, high * room)
        log_axis(axis, low / room, high * room, most)
    elif name == "y" and low >= 0:
        limit(0, 1.06 * high or 1)
    if not logarithmic:
        axis.get_major_formatter().set_useOffset(False)


def entries_of(lines, scale):
    if scale is None:
        return [Entry(line.label, line.style) for line in lines]
    entries, seen = [], set()
    for line in lines:
        key = (line.base, line.told)
        if key not in seen:
            seen.add(key)
            entries.append(Entry(", ".join((line.base, *line.told)), {**line.style, "color": "#333333"}))
    there = {line.value for line in lines}
    values = [value for value in scale.colours if value in there]
    texts, formulas = number_texts(values)
    entries.append(Entry(f"{with_unit(scale.pointer)}:"))
    return entries + [Entry(text, {"color": scale.colours[value]}, line=False, formula=formulas) for text, value in zip(texts, values)]


def axis_text(place):
    return with_unit(place) if place.startswith("/") else label_of(place)


def draw_figure(plot, config, lines, scale, arguments):
    """None where no line has a point."""
    shown = [line for line in lines if line.points]
    if not shown:
        return None
    positive = [any(point[k] > 0 for line in shown for point in line.points) for k in (0, 1)]  # a logarithmic axis has no 0
    log_x, log_y = (asked and there for asked, there in zip(AXES.get(str(plot.get("axes") or "log"), AXES["log"]), positive))
    notes = ["Filled marker: solved; open: stopped unsolved."]
    zeros = sum((log_x and p[0] <= 0) or (log_y and p[1] <= 0) for line in shown for p in line.points)
    if zeros:
        notes.append(f"Values of 0 are left out ({zeros} of {sum(len(line.points) for line in shown)}).")
    empty, lost = [line.label for line in lines if not line.points], sum(line.lost for line in shown)
    if lost:
        notes.append(f"Without a value: {lost} cell{'' if lost == 1 else 's'} of the lines drawn.")
    notes += [f"The same points: {listed([line.label for line in group], 12)}." for group in coinciding(shown)]
    if empty:
        notes.append(f"No value at all: {listed(empty, 12)}.")
    notes += busy_note([(line.base, busy) for line in shown for busy in line.busy])
    entries = entries_of(shown, scale) if len(shown) > 1 or len(lines) > 1 else []
    title = str(config.get("title") or config.get("name") or "")
    page = make_page(arguments.width, 1, entries, notes, (title,) if arguments.title else (), 2.6 if arguments.width > 5 else 2.2)
    axes = page.panels[0]
    axes.set_xscale("log" if log_x else "linear")
    axes.set_yscale("log" if log_y else "linear")
    xs, ys = draw_lines(axes, shown, log_x, log_y)
    scale_axis(axes, axes.xaxis, "x", xs, log_x, 8)
    scale_axis(axes, axes.yaxis, "y", ys, log_y, 10)
    axes.set_xlabel(str(plot.get("x_label") or axis_text(str(plot.get("against") or "contacts"))))
    label_y(axes, str(plot.get("y_label") or label_of(metric_column(plot))))
    plain_frame(axes)
    finish(page)
    return page.figure


def chosen_cells(folder, arguments):
    """(cells that --only leaves, number of each solver's style, all cells)."""
    cells = read_cells(folder)
    number = numbers([without_suffix(cell.row["label"]) for cell in cells])
    left = [cell for cell in cells if wanted(cell.row["label"], arguments.only)]
    if cells and not left:
        raise none_wanted(folder, arguments.only, number)
    for cell in cells:
        cell.row["model"] = MODELS.get(cell.row["model"], cell.row["model"])
    return left, number, cells


def ensemble_of(plot, cells):
    """(label -> values, in the order of the config; a value that is missing was never reached; how many have no place on a logarithmic
    axis)."""
    groups, left_out = {}, 0
    for cell in cells:
        if cell.row.get("status") == "unsupported":
            continue
        value = metric_value(cell, plot)
        counts = metric_column(plot).startswith("iterations")
        if value > 0 or counts or math.isnan(value):
            groups.setdefault(without_suffix(cell.row["label"]), []).append(value if value > 0 else math.inf)
        else:
            left_out += 1
    return groups, left_out


def draw_ensemble(plot, config, cells, arguments):
    groups, left_out = ensemble_of(plot, cells)
    if not any(math.isfinite(value) for values in groups.values() for value in values):
        return None
    title = str(config.get("title") or config.get("name") or "")
    notes = busy_note([(cell.label, is_busy(cell)) for cell in cells if math.isfinite(metric_value(cell, plot))]) if is_time(metric_column(plot)) else []
    return ensemble_figure(title, groups, str(plot.get("x_label") or ""), metric_column(plot), left_out, notes, arguments)


def draw_sweep(plot, config, cells, number, everyone, arguments):
    """With the styles that lines have among those of all cells."""
    lines, _ = lines_of(plot, config, cells)
    alike, scale = lines_of(plot, config, everyone)
    give_styles(alike, scale, number)
    styles = {line.key: (line.style, line.value, line.told) for line in alike}
    for line in lines:
        line.style, line.value, line.told = styles[line.key]
    return draw_figure(plot, config, lines, scale if any(scale and line.value in scale.colours for line in lines) else None, arguments)


def plots_of(config):
    """Those of the config; where it asks for none, iterations and time over its only list of numbers. Of two lists there are maps."""
    asked = [p for p in config.get("plots") or [] if isinstance(p, dict)]
    plots = [p for p in asked if p.get("kind") in ("sweep", "ensemble")]
    groups = swept_groups(config)
    if plots or any(p.get("kind") == "map" for p in asked) or len(groups) != 1 or len(groups[0]) != 1:
        return plots
    values = config["sweep"].get(groups[0][0]) or []
    if len(values) < 2 or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return []
    axes = "log" if min(values) > 0 and max(values) >= 10 * min(values) else "log_y"
    plot = {"kind": "sweep", "against": groups[0][0], "axes": axes, "unasked": True}
    return [{**plot, "metric": metric} for metric in METRICS]


def plot_folder(folder, arguments):
    config = read_manifest(folder)["config"]
    plots = plots_of(config)
    if not plots:
        entry = '{"kind": "sweep", "against": …, "metric": …}'
        say_nothing_drawn(folder, "sweep", f"its config has no entry {entry} in \"plots\": {RUN_AGAIN}; a sweep over one list of numbers needs none",
                          arguments)
        return
    cells, number, everyone = chosen_cells(folder, arguments)
    target = place_of_plots(folder, arguments)
    drawn = 0
    for plot in plots:
        against = str(plot.get("against") or "contacts")
        with placed(plot.get("where")):
            if plot["kind"] == "ensemble":
                figure, what, name = draw_ensemble(plot, config, cells, arguments), f"{metric_column(plot)} above 0", f"ensemble-{metric_column(plot)}"
            else:
                figure, what = draw_sweep(plot, config, cells, number, everyone, arguments), f"{metric_column(plot)} against {against}"
                name = f"sweep-{metric_column(plot)}-{against.rsplit('/', 1)[-1]}"
            if figure is not None:
                save_all(figure, target, file_name(name), arguments)
                drawn += 1
            elif not plot.get("unasked"):
                print(f"{folder}: no cell with {what}", file=sys.stderr)
    if drawn or any(not plot.get("unasked") for plot in plots):
        print(f"plots: {target} ({drawn} sweep{'' if drawn == 1 else 's'})")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder))
