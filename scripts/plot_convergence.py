#!/usr/bin/env python3
"""Draws the convergence plots of result folders: residual against iteration and against solver time.

One figure per problem and model, or traced step of a sequence, as PNG, SVG and PDF, in RESULT_FOLDER/plots/, and one more per entry of
the config's "plots"; of two to eight traced steps one with all of them side by side, a row per entry. They have the width of a journal's column and letters that can be read there. A solver has the same line, marker and colour in every
figure, and no figure needs its colours to be read; values of a sweep have colours in their order.
"""

import sys
from dataclasses import dataclass, replace

# First, since it finds an interpreter with matplotlib.
from plotting import (DASHES, GREY, MARKERS, MODELS, SMALL, TOLERANCE, accuracy_text, changed_texts, draw_folders, file_name, label_of, layout, number_texts,
                      place_of_plots, placed, power_text, save_all, text_width, with_unit)

from curve_axes import band, heights, marker_positions, oscillates, page_points, thin, time_unit, x_axis
from figure_page import Entry, finish, label_y, listed, make_page, plain_frame
from cell_values import told_values
from ccpbench_results import find_file, swept_groups, swept_value, telling_groups, without_suffix
from result_folder import finite, overlaid, read_folder, short_names, step_curves, was_busy
from series_styles import BUSY_NOTE, busy_note, busy_words, none_wanted, numbers, ordered_colours, style, wanted

# Of a step: the start has none, and its row says 0.
STEP_COLUMNS = ("primal_residual", "dual_residual", "scaled_primal_residual", "scaled_dual_residual", "combined_residual")
DEFAULT_MEASURES = ("relative_residual", "velocity_residual", "natural_map")
MOST_SIDE_BY_SIDE, MOST_ACROSS = 8, 4  # traced steps in one figure, and in one line of it
MOST_FIGURES = 24  # of the default curves, unless --all asks for more


@dataclass(frozen=True)
class Asked:
    """A figure of each problem: an entry of the config's "plots", or the usual one."""

    suffix: str  # of the file name
    x_columns: tuple
    y_columns: tuple  # to choose from
    axes: str = ""
    x_label: str = ""
    y_label: str = ""
    where: str = ""  # which figure of which paper it is

    @property
    def x_scale(self):
        return {"linear": "linear", "log_y": "linear", "log": "log", "log_x": "log"}.get(self.axes, "")

    @property
    def linear_y(self):
        return self.axes in ("linear", "log_x")


@dataclass
class Scale:
    """The swept value by which curves of a figure are in order."""

    pointer: str
    colours: dict  # value -> colour
    told: dict  # label -> the other swept values that tell its curve apart

    def kind(self, curve):
        """The key of a line and a marker: a solver with these values."""
        return ", ".join((without_suffix(curve.label), *self.told.get(curve.label, ())))

    def style_key(self, curve):
        """The label by which that has its style: of a solver alone the one that it has everywhere."""
        solver, told = without_suffix(curve.kind or curve.label), self.told.get(curve.label, ())
        return f"{solver} ({', '.join(told)})" if told else solver


def scale_of(curves, config):
    """The Scale of a figure: the swept number with the most values among its curves, three or more. None without one."""
    swept, best = [c for c in curves if c.label != without_suffix(c.label)], None
    for group in swept_groups(config):
        values = numbers_at(swept, group[0])
        if len(values) >= 3 and (best is None or len(values) > len(best[1])):
            best = group, values
    if best is None:
        return None
    others = [group for group in telling_groups(config) if group[0] not in best[0]]
    told = told_values([curve.record for curve in swept], others)
    return Scale(best[0][0], ordered_colours(best[1]), {curve.label: words for curve, words in zip(swept, told)})


def numbers_at(curves, pointer):
    return {v for c in curves if isinstance(v := swept_value(c.record, pointer), (int, float)) and not isinstance(v, bool)}


def is_ordered(curve, scale):
    return scale is not None and curve.label != without_suffix(curve.label) and swept_value(curve.record, scale.pointer) in scale.colours


def give_styles(groups, config):
    """The same style for a label in all figures, be its neighbours shown or not. Of several folders the line tells the folder. In a
    figure in order of a swept value its colour, that of all values of the folder, and the line and marker of the solver; where other
    swept values tell curves apart, too, the line tells them, or of many of them line and marker. Returns the scale of each group."""
    everyone = sorted((curve for curves in groups.values() for curve in curves), key=lambda curve: curve.source)
    sources = sorted({curve.source for curve in everyone})  # not in the order given, which may be another one next time
    scales = {key: scale_of(curves, config) for key, curves in groups.items()}
    for scale in filter(None, scales.values()):
        scale.colours = ordered_colours(numbers_at(everyone, scale.pointer))
    keys = [scales[key].style_key(curve) for key, curves in groups.items() for curve in curves if is_ordered(curve, scales[key])]
    number = numbers([*(curve.own or curve.label for curve in everyone), *(curve.kind or curve.label for curve in everyone), *sorted(keys)])
    solvers = {without_suffix(curve.kind or curve.label) for curve in everyone}
    for key, curves in groups.items():
        scale, shared = scales[key], {}
        told = list(dict.fromkeys(scale.told[curve.label] for curve in curves if is_ordered(curve, scale))) if scale else []
        by_line = 1 < len(told) <= len(DASHES) and len(sources) == 1 and len(solvers) <= len(MARKERS)
        for curve in curves:
            k = number[scale.style_key(curve) if is_ordered(curve, scale) else curve.kind or curve.label]
            place = shared[k, curve.source] = shared.get((k, curve.source), -1) + 1
            curve.style = {**style(k), "phase": (k * 0.382 + place * 0.21) % 1.0}
            if len(sources) > 1:
                curve.style["linestyle"] = DASHES[sources.index(curve.source) % len(DASHES)]
                curve.style["phase"] = (curve.style["phase"] + 0.1 * sources.index(curve.source)) % 1.0
            if is_ordered(curve, scale) and by_line:
                curve.style |= {"marker": style(number[without_suffix(curve.kind or curve.label)])["marker"],
                                "linestyle": DASHES[told.index(scale.told[curve.label])]}
            if is_ordered(curve, scale):
                curve.style["color"] = scale.colours[swept_value(curve.record, scale.pointer)]
    return scales


def draw_curve(axes, curve, columns, axis, height, raw):
    whole = page_points(curve, columns, axis, height)
    if not whole:
        return
    points = thin(whole, axis)
    if not raw and not height.linear and oscillates(whole, axis):
        xs, means, low, high = zip(*band(whole, axis))
        axes.fill_between(xs, low, high, color=curve.style["color"], alpha=0.16, linewidth=0, zorder=1.2)
        points = list(zip(xs, means))
        if curve.status == "solved":
            points[-1] = whole[-1]  # where it ended, at the tolerance
    look = {key: curve.style[key] for key in ("color", "linestyle", "marker")}
    axes.plot(*zip(*points), linewidth=1.1, markersize=3.6, markerfacecolor="white", markeredgewidth=0.8,
              markevery=marker_positions(points, axis, curve.style["phase"]), **look)
    face = curve.style["color"] if curve.status == "solved" else "none"
    axes.plot(*zip(points[-1]), linestyle="none", marker=curve.style["marker"], markersize=5.4, markerfacecolor=face,
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
    for tolerance in {t for curve in curves if curve.measure == columns[1] and not height.linear for t in curve.tolerances}:
        if height.bottom < tolerance < height.top:
            axes.axhline(tolerance, color=TOLERANCE, linewidth=0.9, zorder=1.5)


def tolerance_notes(curves, y_columns):
    """The note on grey lines."""
    tolerances = sorted({t for curve in curves if curve.measure in y_columns for t in curve.tolerances}, reverse=True)
    return [f"Grey line: tolerance {' and '.join(map(accuracy_text, tolerances))}."] if tolerances else []


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
        text += "" if below or curve.columns else " (no curve)"
        return Entry(text, look or {key: curve.style[key] for key in ("color", "linestyle", "marker")} if curve.columns else {},
                     below)

    if not any(is_ordered(curve, scale) for curve in curves):
        return [entry_or_blank(one(curve, curve.label)) for curve in curves]
    ordered, entries, legend = {}, [], "labels"
    for curve in curves:
        if is_ordered(curve, scale):
            ordered.setdefault(scale.kind(curve), []).append(curve)
    for curve in curves:
        if not is_ordered(curve, scale):
            entries.append(entry_or_blank(one(curve, curve.label + busy_words([was_busy(c) for c in timed if c is curve]))))
        elif (members := ordered[scale.kind(curve)])[0] is curve:
            words = busy_words([was_busy(c) for c in members if c in timed]) if len(ordered) > 1 else ""
            entries.append(Entry(scale.kind(curve) + words, {**{k: curve.style[k] for k in ("linestyle", "marker")}, "color": "#333333"}))
    entries.append(Entry(f"{with_unit(scale.pointer)}:"))
    there = {swept_value(curve.record, scale.pointer) for members in ordered.values() for curve in members}
    values = [value for value in scale.colours if value in there]
    texts, formulas = number_texts(values)
    if len(ordered) == 1:  # a value is one curve
        of = {value: [was_busy(c) for c in next(iter(ordered.values())) if c in timed and swept_value(c.record, scale.pointer) == value]
              for value in values}
        texts = [text + busy_words(of[value]) for text, value in zip(texts, values)]
    return entries + [Entry(text, {"color": scale.colours[value]}, line=False, formula=formulas) for text, value in zip(texts, values)]


def entry_or_blank(entry):
    """A curve that was never written has a row without a line."""
    return entry if entry.style else Entry(entry.text, {"color": "none", "linestyle": "-", "marker": ""}, entry.below)


def notes_of(height, bands, missing, y_column, busy, tolerances):
    notes = ["Filled end marker: solved; open: stopped unsolved.", *tolerances]
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


def draw_figure(config, curves, asked, scale, arguments):
    """A figure with one panel per x column, or None where the traces hold nothing to draw."""
    y_column = asked.y_columns[0]
    missing = [c.label for c in curves if c.columns and not finite(c.columns.get(y_column, []))]
    curves = shown_curves(curves, y_column)
    height = heights(y_column, curves, asked.linear_y)
    panels = [(column, axis) for column in asked.x_columns if (axis := x_axis(column, curves, asked.x_scale))]
    if height is None or not panels:
        return None
    problem, model = curves[0].problem, curves[0].model
    title = (str(config.get("title") or config.get("name") or problem), f"{problem}, {MODELS.get(model, model)}")
    waves = not arguments.raw and not height.linear and any(oscillates(page_points(c, (column, y_column), axis, height), axis)
                                      for c in curves for column, axis in panels)
    says_times = arguments.legend == "full" and (scale is None or any(column == "elapsed_s" for column, _ in panels))
    timed = [c for c in curves if finite(c.columns.get("elapsed_s", []))] if says_times else []
    marked = says_times and layout.legend_at in ("auto", "below")
    notes = notes_of(height, waves, missing, y_column, marked and any(map(was_busy, timed)),
                     [] if height.linear else tolerance_notes(curves, (y_column,)))
    if not marked and any(column == "elapsed_s" for column, _ in panels):
        notes += busy_note([(without_suffix(c.label), was_busy(c)) for c in curves if finite(c.columns.get("elapsed_s", []))])
    page = make_page(arguments.width, len(panels), entries_of(curves, scale, arguments.legend, timed), notes, title if arguments.title else (),
                     height=2.35 if arguments.width > 5 else 2.0)
    for axes, (column, axis) in zip(page.panels, panels):
        draw_panel(axes, curves, (column, y_column), axis, height, arguments.raw)
        axes.set_xlabel(asked.x_label or axis.label)
        label_left(page, axes, asked.y_label or height.label)
    finish(page)
    return page.figure


def wanted_plots(config, over=None):
    """The usual figure and those of the config; with `over`, the x column, those over it alone."""
    plots = [Asked(f"-{over}", (over,), DEFAULT_MEASURES) if over else Asked("", ("iteration", "elapsed_s"), DEFAULT_MEASURES)]
    for plot in config.get("plots") or []:
        if isinstance(plot, dict) and plot.get("kind") == "convergence":
            x, y = str(plot.get("x") or "iteration"), str(plot.get("y") or DEFAULT_MEASURES[0])
            axes, *texts = (str(plot.get(key) or "") for key in ("axes", "x_label", "y_label", "where"))
            plots.append(Asked(file_name(f"-{y}-{x}" + (f"-{axes}" if axes else "")), (x,), (y,), axes, *texts))
    return [plot for plot in plots if over in (None, *plot.x_columns)]


def asked_rows(config, over=None):
    """{x column: convergence plots of the config over it}."""
    found = {}
    for asked in wanted_plots(config, over)[1:]:
        found.setdefault(asked.x_columns[0], {})[asked] = None
    return {x_column: list(rows) for x_column, rows in found.items()}


def notes_of_rows(rows, everyone, axis, x_column, raw):
    """Of a figure with a row for each measure. rows: (y column, lists of curves, Heights)."""
    words = {y: label_of(y).split(" (")[0] for y, _, _ in rows}
    notes = ["Filled end marker: solved; open: stopped unsolved.",
             *tolerance_notes(everyone, [y for y, _, height in rows if not height.linear])]
    if zeros := [f"{words[y]} below {power_text(height.floor)}" for y, _, height in rows if height.has_zeros]:
        notes.append(f"0: {', '.join(zeros)}.")
    if any(height.has_runaways for _, _, height in rows):
        notes.append("Curves that leave the top diverge.")
    if not raw and any(oscillates(page_points(c, (x_column, y), axis, height), axis)
                       for y, panels, height in rows if not height.linear for p in panels for c in p):
        notes.append("Band: the range of a curve that oscillates; its line: the geometric mean.")
    lacking = {}
    for y, _, _ in rows:
        with_it = {c.label for c in everyone if finite(c.columns.get(y, []))}
        without = tuple(dict.fromkeys(c.label for c in everyone if c.columns and c.label not in with_it))
        lacking.setdefault(without, []).append(words[y])
    return notes + [f"Without {' and '.join(names)}: {listed(without, 12)}." for without, names in lacking.items() if without]


def draw_steps(config, steps, plot, scale, arguments):
    """The figure of several traced steps side by side, on the same axes, with a row for each measure and one legend. None where the
    traces hold nothing to draw. steps: {(name, model): curves}; plot: (x column, plots over it). More than four stand in two lines for
    each measure."""
    x_column, rows = plot[0], []
    everyone = [c for curves in steps.values() for c in curves]
    scales_asked = {asked.x_scale for asked in plot[1]}
    axis = x_axis(x_column, everyone, scales_asked.pop() if len(scales_asked) == 1 else "")
    for asked in plot[1]:
        y_column = asked.y_columns[0]
        panels = [shown_curves(curves, y_column) for curves in steps.values()]
        if height := heights(y_column, [c for panel in panels for c in panel], asked.linear_y):
            rows.append((y_column, panels, height))
    if axis is None or not rows:
        return None
    written = sorted(everyone, key=lambda curve: not curve.columns)  # so that a label has the line it has anywhere
    entries = entries_of(list({c.label: c for c in reversed(written)}.values())[::-1], scale, "labels", ())
    model = next(iter(steps))[1]
    title = (str(config.get("title") or config.get("name")), MODELS.get(model, model)) if arguments.title else ()
    lines = -(-len(steps) // MOST_ACROSS)
    across = -(-len(steps) // lines)
    page = make_page(arguments.width, len(rows) * lines * across, entries, notes_of_rows(rows, everyone, axis, x_column, arguments.raw),
                     title, height=1.7, across=across, heading=0.2)
    for k, axes in enumerate(page.panels):
        row, column = divmod(k, lines * across)
        y_column, panels, height = rows[row]
        if column >= len(steps):
            axes.set_visible(False)
            continue
        draw_panel(axes, [c for c in panels[column] if c.columns], (x_column, y_column), axis, height, arguments.raw)
        name, width = list(steps)[column][0], axes.get_window_extent().width / axes.figure.dpi
        axes.set_title(name, fontsize=SMALL * min(1.0, width / text_width(name, SMALL)), pad=5)
        if page.across > 1 and (row < len(rows) - 1 or column + across < len(steps)):
            axes.set_xlabel("")
        label_left(page, axes, height.label)
    finish(page)
    return page.figure


def draw_side_by_side(config, steps, scales, target, arguments):
    """Of each model with two to eight traced steps, for each x axis that the plots of the config name. Returns how many were drawn."""
    drawn = 0
    for model in dict.fromkeys(model for _, model in steps):
        those = {key: curves for key, curves in steps.items() if key[1] == model}
        if not 2 <= len(those) <= MOST_SIDE_BY_SIDE:
            continue
        scale = max((scales[key] for key in those if scales[key]), key=lambda s: len(s.colours), default=None)
        for x_column, y_columns in asked_rows(config, getattr(arguments, "x", None)).items():
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
    shown = {key: [c for c in curves if c.shown] for key, curves in groups.items()}
    left = {key: [c for c in curves if any(wanted(name, arguments.only) for name in (c.own or c.label, c.label))] for key, curves in shown.items()}
    left = {key: curves for key, curves in left.items() if curves}
    if any(shown.values()) and not left:
        raise none_wanted(folder, arguments.only, [without_suffix(c.own or c.label) for curves in shown.values() for c in curves])
    traced = [key for key, curves in left.items() if any(c.columns for c in curves)]
    if len(traced) > MOST_FIGURES and not arguments.all:
        print(f"{folder}: curves of the first {MOST_FIGURES} of {len(traced)} problems and models; --all draws all, --problem GLOB some",
              file=sys.stderr)
        shown = set(traced[:MOST_FIGURES])
        left = {key: curves for key, curves in left.items() if key in shown}
    return left


def with_steps(groups):
    """(groups without sequences and with their traced steps, the latter alone); plot_sequence.py draws the rest of a sequence."""
    steps = step_curves(groups)
    return {key: curves for key, curves in groups.items() if not all(find_file(curve.folder / "steps.csv") for curve in curves)} | steps, steps


def plot_folder(folder, arguments):
    config, groups = read_folder(folder, arguments.problem)
    plot_groups(folder, config, *with_steps(groups), arguments)


def plot_overlay(folders, arguments):
    """All folders in one figure of each problem and model, and swept values of a problem in one figure, too."""
    read = [(folder, *read_folder(folder, arguments.problem)) for folder in folders]
    names = {**short_names(folders), **arguments.names}
    layout.mark = changed_texts({names[folder]: folder for folder in folders})
    groups = overlaid([(folder, with_steps(groups)[0]) for folder, _, groups in read], names)
    config = next((config for _, config, _ in read if swept_groups(config)), read[0][1])
    plot_groups(folders[0], config, groups, {}, arguments, "-overlay")


def plot_groups(folder, config, groups, steps, arguments, name_end=""):
    """Curves of all groups; those of `steps` side by side, too."""
    scales = give_styles(groups, config)
    target = place_of_plots(folder, arguments)
    target.mkdir(parents=True, exist_ok=True)
    names, drawn, missing = unique_names(groups), 0, {}
    chosen = chosen_groups(folder, groups, arguments)
    for key, curves in chosen.items():
        for asked in wanted_plots(config, getattr(arguments, "x", None)):
            y_column = next((y for y in asked.y_columns if any(y in c.columns for c in curves)), asked.y_columns[0])
            with placed(asked.where):
                figure = draw_figure(config, curves, replace(asked, y_columns=(y_column,)), scales[key], arguments)
                if figure is None:
                    zero = any(finite(c.columns.get(y_column, [])) for c in curves) and heights(y_column, curves) is None
                    what = f"{y_column} above 0" if zero else f"{y_column} against {' or '.join(asked.x_columns)}"
                    missing.setdefault(what, []).append(f"{key[0]}, {key[1]}")
                    continue
                save_all(figure, target, names[key] + name_end + asked.suffix, arguments)
            drawn += 1
    drawn += draw_side_by_side(config, {key: curves for key, curves in chosen.items() if key in steps}, scales, target, arguments)
    for what, where in missing.items():
        print(f"{folder}: no figure, for no trace has {what}: {'; '.join(where[:3])}{f' and {len(where) - 3} more' if len(where) > 3 else ''}",
              file=sys.stderr)
    print(f"plots: {target} ({drawn} figure{'' if drawn == 1 else 's'})")


def add_curve_options(parser):
    parser.add_argument("--problem", default="*", metavar="GLOB", help="only the problems whose name matches")
    parser.add_argument("--legend", choices=("full", "outcomes", "labels"),
                        help="what the legend says of a curve: how it ended and its time (full, default of wide figures), without the time, or its "
                             "label alone (default of narrow ones)")
    parser.add_argument("--x", choices=("iteration", "elapsed_s"), metavar="COLUMN",
                        help="curves over the iteration or over elapsed_s, the solver time, alone (default: both)")
    parser.add_argument("--overlay", action="store_true",
                        help="curves alone: all folders in one figure of each problem and model, and the swept values of a problem, too")
    parser.add_argument("--raw", action="store_true", help="every point of curves that oscillate, instead of their mean and band")
    parser.add_argument("--all", action="store_true", help=f"curves of more than {MOST_FIGURES} problems, too")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, add_curve_options))
