#!/usr/bin/env python3
"""Draws the convergence plots of result folders: residual against iteration and against solver time.

One figure per problem and model, or traced step of a sequence, as PNG, SVG and PDF, in RESULT_FOLDER/plots/, and one more per entry of
the config's "plots"; of two to four traced steps one with all of them side by side, a row per entry. They have the width of a journal's column and letters that can be read there. A solver has the same line, marker and colour in every
figure, and no figure needs its colours to be read; values of a sweep have colours in their order.
"""

import sys
from dataclasses import dataclass, replace

# First, since it finds an interpreter with matplotlib.
from plotting import (DASHES, GREY, MODELS, SMALL, draw_folders, file_name, number_texts, place_of_plots, power_formula, power_text, save_all,
                      text_width, with_unit)

from curve_axes import band, heights, label_of, marker_positions, oscillates, page_points, thin, time_unit, x_axis
from figure_page import Entry, fit_left, label_y, listed, make_page, plain_frame
from ccpbench_results import InputError, find_file, swept_groups, swept_value, without_suffix
from result_folder import finite, read_folder, step_curves, was_busy
from series_styles import BUSY_NOTE, busy_words, numbers, ordered_colours, style, wanted

STEP_COLUMNS = ("primal_residual", "dual_residual")  # of a step: the start has none, and its row says 0
DEFAULT_MEASURES = ("relative_residual", "velocity_residual", "natural_map")
MOST_SIDE_BY_SIDE = 4  # traced steps in one figure
MOST_FIGURES = 24  # of the default curves, unless --all asks for more


@dataclass
class Scale:
    """The swept value by which curves of a figure are in order."""

    pointer: str
    colours: dict  # value -> colour


def scale_of(curves, config):
    """The Scale of a figure: the swept number with the most values among its curves, three or more. None without one."""
    best = None
    for group in swept_groups(config):
        found = {swept_value(c.record, group[0]) for c in curves if c.label != without_suffix(c.label)}
        values = {v for v in found if isinstance(v, (int, float)) and not isinstance(v, bool)}
        if len(values) >= 3 and (best is None or len(values) > len(best.colours)):
            best = Scale(group[0], ordered_colours(values))
    return best


def give_styles(groups, config):
    """The same style for a label in all figures; in a figure in order of a swept value its colour, and line and marker of the
    solver. Returns the scale of each group."""
    number = numbers([curve.label for curves in groups.values() for curve in curves])
    order, scales = list(number), {}
    for key, curves in groups.items():
        scales[key] = scale = scale_of(curves, config)
        for curve in curves:
            value = swept_value(curve.record, scale.pointer) if scale and curve.label != without_suffix(curve.label) else None
            ordered = scale is not None and value in scale.colours
            k = number[without_suffix(curve.label)] if ordered else number[curve.label]
            curve.style = {**style(k), "phase": (k * 0.382 + (list(scale.colours).index(value) * 0.21 if ordered else 0)) % 1.0}
            if ordered:  # few solvers, so that plain lines serve
                curve.style |= {"color": scale.colours[value], "linestyle": DASHES[order.index(without_suffix(curve.label)) % len(DASHES)]}
    return scales


def draw_curve(axes, curve, columns, axis, height, raw):
    whole = page_points(curve, columns, axis, height)
    if not whole:
        return
    points = thin(whole, axis)
    if not raw and oscillates(whole, axis):
        xs, means, low, high = zip(*band(whole, axis))
        axes.fill_between(xs, low, high, color=curve.style["color"], alpha=0.16, linewidth=0, zorder=1.2)
        points = list(zip(xs, means))
    look = {key: curve.style[key] for key in ("color", "linestyle", "marker")}
    axes.plot(*zip(*points), linewidth=1.1, markersize=3.6, markerfacecolor="white", markeredgewidth=0.8,
              markevery=marker_positions(points, axis, curve.style["phase"]), **look)
    face = curve.style["color"] if curve.status == "solved" else "none"
    axes.plot([whole[-1][0]], [whole[-1][1]], linestyle="none", marker=curve.style["marker"], markersize=5.4, markerfacecolor=face,
              markeredgecolor=curve.style["color"], markeredgewidth=1.0, clip_on=False, zorder=5)


def draw_panel(axes, curves, columns, axis, height, raw):
    """columns: of x and y."""
    box = axes.get_window_extent()
    axis.apply(axes, box.width / axes.figure.dpi)
    height.apply(axes, box.height / axes.figure.dpi)
    plain_frame(axes)
    if height.has_zeros:
        axes.axhline(height.floor, color=GREY, linewidth=0.6, linestyle=(0, (1, 3)), zorder=1)
    for curve in curves:
        draw_curve(axes, curve, columns, axis, height, raw)
    for tolerance in {t for curve in curves if curve.measure == columns[1] for t in curve.tolerances}:
        if height.bottom < tolerance < height.top:
            draw_tolerance(axes, tolerance, axis)


def draw_tolerance(axes, tolerance, axis):
    """The line, and its name at the end where fewer curves are."""
    axes.axhline(tolerance, color=GREY, linewidth=0.7, zorder=1.5)
    near = [axis.position(x) for line in axes.lines for x, y in zip(*line.get_data()) if 0.5 * tolerance < y < 30 * tolerance and x > 0]
    right = sum(place < 0.3 for place in near) > sum(place > 0.66 for place in near)
    axes.annotate(f"tolerance {power_formula(tolerance)}", (0.99 if right else 0.012, tolerance), xycoords=axes.get_yaxis_transform(),
                  xytext=(0, 2.5), textcoords="offset points", fontsize=6.5, color=GREY, zorder=4, parse_math=True,
                  ha="right" if right else "left", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4})


def outcome(curve, with_time):
    words = [curve.status.replace("_", " ")]
    iterations, times = finite(curve.columns.get("iteration", [])), finite(curve.columns.get("elapsed_s", []))
    if not iterations:
        return f"{words[0]}, no curve"
    words.append(f"{iterations[-1]:.0f} iteration{'' if iterations[-1] == 1 else 's'}")
    if times and with_time:
        unit, factor = time_unit(times[-1])
        words.append(f"{times[-1] * factor:.3g} {unit}{' (busy)' if was_busy(curve) else ''}")
    return ", ".join(words)


def entries_of(curves, scale, legend, timed):
    """The rows of the legend. Where a scale gives the colours: the solvers, then the values in order, which say no times: they mark
    those that are busy of the curves `timed`."""
    def one(curve, text, **look):
        below = "" if legend == "labels" else outcome(curve, legend == "full")
        return Entry(text, look or {key: curve.style[key] for key in ("color", "linestyle", "marker")} if curve.columns else {},
                     below)

    if scale is None:
        return [entry_or_blank(one(curve, curve.label)) for curve in curves]
    ordered = {}
    for curve in curves:
        ordered.setdefault(without_suffix(curve.label), []).append(curve)
    swept = [base for base, members in ordered.items() if any(curve.label != base for curve in members)]
    entries = []
    for base, members in ordered.items():
        for curve in (c for c in members if c.label == base):
            entries.append(entry_or_blank(one(curve, base + busy_words([was_busy(c) for c in timed if c is curve]))))
        told = [curve for curve in members if curve.label != base]
        if told:
            words = busy_words([was_busy(c) for c in told if c in timed]) if len(swept) > 1 else ""
            entries.append(Entry(base + words, {**{k: told[0].style[k] for k in ("linestyle", "marker")}, "color": "#333333"}))
    for entry in entries:
        entry.below = ""
    entries.append(Entry(f"{with_unit(scale.pointer)}:"))
    texts, formulas = number_texts(list(scale.colours))
    if len(swept) == 1:  # a value is one curve
        of = {value: [was_busy(c) for c in ordered[swept[0]] if c in timed and swept_value(c.record, scale.pointer) == value]
              for value in scale.colours}
        texts = [text + busy_words(of[value]) for text, value in zip(texts, scale.colours)]
    return entries + [Entry(text, {"color": colour}, line=False, formula=formulas) for text, colour in zip(texts, scale.colours.values())]


def entry_or_blank(entry):
    """A curve that was never written has a row without a line."""
    return entry if entry.style else Entry(entry.text, {"color": "none"}, entry.below, line=False)


def notes_of(height, bands, missing, y_column, busy):
    notes = ["Filled end marker: solved; open: stopped unsolved."]
    if height.has_zeros:
        notes.append(f"0: values below {power_text(height.floor)}.")
    if height.has_runaways:
        notes.append("Curves that leave the top diverge.")
    if bands:
        notes.append("Band: the range of a curve that oscillates; its line: the geometric mean.")
    if busy:
        notes.append(BUSY_NOTE)
    if missing:
        notes.append(f"Without {label_of(y_column).split(' (')[0]}: {listed(missing, 12)}.")
    return notes


def shown_curves(curves, y_column):
    """Those with values, without rows that hold none, and those that were never written."""
    curves = [c for c in curves if finite(c.columns.get(y_column, [])) or not c.columns]
    if y_column not in STEP_COLUMNS:
        return curves
    return [replace(c, columns={name: values[1:] for name, values in c.columns.items()}) for c in curves]


def label_left(page, axes, text):
    """The vertical axis says what it is on the left side of the page alone."""
    if page.at_left(axes):
        label_y(axes, text)
    else:
        axes.tick_params(labelleft=False)


def draw_figure(config, curves, plot, scale, arguments):
    """A figure with one panel per x column, or None where the traces hold nothing to draw. plot: (x columns, y column)."""
    x_columns, y_column = plot
    missing = [c.label for c in curves if c.columns and not finite(c.columns.get(y_column, []))]
    curves = shown_curves(curves, y_column)
    height = heights(y_column, curves)
    panels = [(column, axis) for column in x_columns if (axis := x_axis(column, curves))]
    if height is None or not panels:
        return None
    problem, model = curves[0].problem, curves[0].model
    title = (str(config.get("title") or config.get("name") or problem), f"{problem}, {MODELS.get(model, model)}")
    waves = not arguments.raw and any(oscillates(page_points(c, (column, y_column), axis, height), axis)
                                      for c in curves for column, axis in panels)
    says_times = arguments.legend == "full" and (scale is None or any(column == "elapsed_s" for column, _ in panels))
    timed = [c for c in curves if finite(c.columns.get("elapsed_s", []))] if says_times else []
    page = make_page(arguments.width, len(panels), entries_of(curves, scale, arguments.legend, timed),
                     notes_of(height, waves, missing, y_column, any(map(was_busy, timed))), title if arguments.title else (),
                     height=2.35 if arguments.width > 5 else 2.0)
    for axes, (column, axis) in zip(page.panels, panels):
        draw_panel(axes, curves, (column, y_column), axis, height, arguments.raw)
        label_left(page, axes, height.label)
    fit_left(page)
    return page.figure


def wanted_plots(config):
    """(suffix of the file name, x columns, y columns to choose from) of every figure of a problem."""
    plots = [("", ("iteration", "elapsed_s"), DEFAULT_MEASURES)]
    for plot in config.get("plots") or []:
        if isinstance(plot, dict) and plot.get("kind") == "convergence":
            x, y = str(plot.get("x") or "iteration"), str(plot.get("y") or DEFAULT_MEASURES[0])
            plots.append((file_name(f"-{y}-{x}"), (x,), (y,)))
    return plots


def asked_rows(config):
    """{x column: its y columns} of the convergence plots of the config."""
    asked = {}
    for _, (x_column,), (y_column,) in wanted_plots(config)[1:]:
        asked.setdefault(x_column, {})[y_column] = None
    return {x_column: list(found) for x_column, found in asked.items()}


def notes_of_rows(rows, everyone, axis, x_column, raw):
    """Of a figure with a row for each measure. rows: (y column, lists of curves, Heights)."""
    words = {y: label_of(y).split(" (")[0] for y, _, _ in rows}
    notes = ["Filled end marker: solved; open: stopped unsolved."]
    if zeros := [f"{words[y]} below {power_text(height.floor)}" for y, _, height in rows if height.has_zeros]:
        notes.append(f"0: {', '.join(zeros)}.")
    if any(height.has_runaways for _, _, height in rows):
        notes.append("Curves that leave the top diverge.")
    if not raw and any(oscillates(page_points(c, (x_column, y), axis, height), axis) for y, panels, height in rows for p in panels for c in p):
        notes.append("Band: the range of a curve that oscillates; its line: the geometric mean.")
    lacking = {}
    for y, _, _ in rows:
        with_it = {c.label for c in everyone if finite(c.columns.get(y, []))}
        without = tuple(dict.fromkeys(c.label for c in everyone if c.columns and c.label not in with_it))
        lacking.setdefault(without, []).append(words[y])
    return notes + [f"Without {' and '.join(names)}: {listed(without, 12)}." for without, names in lacking.items() if without]


def draw_steps(config, steps, plot, scale, arguments):
    """The figure of several traced steps side by side, on the same axes, with a row for each measure and one legend. None where the
    traces hold nothing to draw. steps: {(name, model): curves}; plot: (x column, y columns)."""
    x_column, rows = plot[0], []
    everyone = [c for curves in steps.values() for c in curves]
    axis = x_axis(x_column, everyone)
    for y_column in plot[1]:
        panels = [shown_curves(curves, y_column) for curves in steps.values()]
        if height := heights(y_column, [c for panel in panels for c in panel]):
            rows.append((y_column, panels, height))
    if axis is None or not rows:
        return None
    written = sorted(everyone, key=lambda curve: not curve.columns)  # so that a label has the line it has anywhere
    entries = entries_of(list({c.label: c for c in reversed(written)}.values())[::-1], scale, "labels", ())
    model = next(iter(steps))[1]
    title = (str(config.get("title") or config.get("name")), MODELS.get(model, model)) if arguments.title else ()
    page = make_page(arguments.width, len(rows) * len(steps), entries, notes_of_rows(rows, everyone, axis, x_column, arguments.raw), title,
                     height=1.7, across=len(steps), heading=0.2)
    for k, axes in enumerate(page.panels):
        row, column = divmod(k, len(steps))
        y_column, panels, height = rows[row]
        draw_panel(axes, [c for c in panels[column] if c.columns], (x_column, y_column), axis, height, arguments.raw)
        name, width = list(steps)[column][0], axes.get_window_extent().width / axes.figure.dpi
        axes.set_title(name, fontsize=SMALL * min(1.0, width / text_width(name, SMALL)), pad=5)
        if page.across > 1 and row < len(rows) - 1:
            axes.set_xlabel("")
        label_left(page, axes, height.label)
    fit_left(page)
    return page.figure


def draw_side_by_side(config, steps, scales, target, arguments):
    """Of each model with two to four traced steps, for each x axis that the plots of the config name. Returns how many were drawn."""
    drawn = 0
    for model in dict.fromkeys(model for _, model in steps):
        those = {key: curves for key, curves in steps.items() if key[1] == model}
        if not 2 <= len(those) <= MOST_SIDE_BY_SIDE:
            continue
        scale = max((scales[key] for key in those if scales[key]), key=lambda s: len(s.colours), default=None)
        for x_column, y_columns in asked_rows(config).items():
            if figure := draw_steps(config, those, (x_column, y_columns), scale, arguments):
                save_all(figure, target, file_name(f"steps-{model}-{x_column}"), arguments)
                drawn += 1
    return drawn


def unique_names(groups):
    names = {}
    for problem, model in groups:
        name = file_name(f"{problem}-{model}")
        while name in names.values():
            name += "_"
        names[problem, model] = name
    return names


def chosen_groups(folder, groups, arguments):
    """The groups to draw, with the curves that --only leaves; of very many problems the first ones, said aloud."""
    left = {key: [c for c in curves if wanted(c.label, arguments.only)] for key, curves in groups.items()}
    left = {key: curves for key, curves in left.items() if curves}
    if groups and not left:
        labels = dict.fromkeys(without_suffix(c.label) for curves in groups.values() for c in curves)
        raise InputError(f"{folder}: no solver matches {' or '.join(map(repr, arguments.only))}; there are: {listed(labels, 12)}")
    traced = [key for key, curves in left.items() if any(c.columns for c in curves)]
    if len(traced) > MOST_FIGURES and not arguments.all:
        print(f"{folder}: curves of the first {MOST_FIGURES} of {len(traced)} problems and models; --all draws all, --problem GLOB some",
              file=sys.stderr)
        shown = set(traced[:MOST_FIGURES])
        left = {key: curves for key, curves in left.items() if key in shown}
    return left


def plot_folder(folder, arguments):
    config, groups = read_folder(folder, arguments.problem)
    steps = step_curves(groups)
    groups = {key: curves for key, curves in groups.items() if not all(find_file(curve.folder / "steps.csv") for curve in curves)}
    groups |= steps  # plot_sequence.py draws the rest of a sequence
    scales = give_styles(groups, config)
    target = place_of_plots(folder, arguments)
    target.mkdir(parents=True, exist_ok=True)
    names, drawn, missing = unique_names(groups), 0, {}
    chosen = chosen_groups(folder, groups, arguments)
    for key, curves in chosen.items():
        for suffix, x_columns, y_columns in wanted_plots(config):
            y_column = next((y for y in y_columns if any(y in c.columns for c in curves)), y_columns[0])
            figure = draw_figure(config, curves, (x_columns, y_column), scales[key], arguments)
            if figure is None:
                missing.setdefault(f"{y_column} against {' or '.join(x_columns)}", []).append(f"{key[0]}, {key[1]}")
                continue
            save_all(figure, target, names[key] + suffix, arguments)
            drawn += 1
    drawn += draw_side_by_side(config, {key: curves for key, curves in chosen.items() if key in steps}, scales, target, arguments)
    for what, where in missing.items():
        print(f"{folder}: no trace with {what}: {'; '.join(where[:3])}{f' and {len(where) - 3} more' if len(where) > 3 else ''}",
              file=sys.stderr)
    print(f"plots: {target} ({drawn} figure{'' if drawn == 1 else 's'})")


def add_curve_options(parser):
    parser.add_argument("--problem", default="*", metavar="GLOB", help="only the problems whose name matches")
    parser.add_argument("--legend", choices=("full", "outcomes", "labels"), default="full",
                        help="what the legend says of a curve: how it ended and its time (full, default), without the time, or its label alone")
    parser.add_argument("--raw", action="store_true", help="every point of curves that oscillate, instead of their mean and band")
    parser.add_argument("--all", action="store_true", help=f"curves of more than {MOST_FIGURES} problems, too")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, add_curve_options))
