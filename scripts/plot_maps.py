#!/usr/bin/env python3
"""Draws maps of the sweeps of result folders: a number and a colour for every pair of two swept values.

One figure per pair of axes of the sweep, problem, model and solver, as PNG, SVG and PDF, in RESULT_FOLDER/plots/. Colours run with the
logarithm, from yellow (little) to violet (much), and keep their order in grey; of counts of failures they begin with green, and 0 is
light blue. A folder that sweeps fewer than two values is left alone.
Where the config's "plots" have the kind "map", those are drawn instead: "metric" over "against" and the zipped values, or else the
longest list besides it; one figure for each of the other swept values.
"""

import math
import sys
from statistics import median

# First, since it finds an interpreter with matplotlib.
from plotting import (LABELS, MODELS, draw_folders, file_name, log_axis, name_of,
                      number_texts, save_all, say_nothing_drawn, set_ticks, with_unit)

from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm, Normalize, to_rgba
from matplotlib.patches import Rectangle

from figure_page import fit_left, make_page, text_width
from plot_sweep import chosen_cells, metric_column, metric_value
from ccpbench_results import read_manifest, swept_groups, swept_value, without_suffix
from series_styles import dark_ink_on, viridis

METRICS = ("iterations", "solve_s")
COUNTS = ("unsolved_steps",)  # of what should not be: 0 has a colour of its own
NONE = "#d5e8f7"
MOST_MAPS = 24  # unless --all asks for more
COLOUR_MAP = ListedColormap([tuple(c / 255 for c in viridis(1 - k / 255)) for k in range(256)])
# Of counts, where 0 has the light colour: the least of them is darker in grey, too.
COUNT_MAP = ListedColormap([tuple(c / 255 for c in viridis(0.8 * (1 - k / 255))) for k in range(256)])


def in_order(values):
    if any(isinstance(v, tuple) for v in values):
        return list(values)  # zipped ones, as they stand in the config
    return sorted(values, key=lambda v: (0, v, "") if isinstance(v, (int, float)) else (1, 0, str(v)))


def swept_texts(values):
    """(texts of the values of a side, whether they are formulas)."""
    if all(isinstance(v, tuple) for v in values):
        return [", ".join(f"{part:g}" if isinstance(part, (int, float)) else str(part) for part in v) for v in values], False
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return number_texts(values)
    return [str(v) for v in values], False


def side_ticks(axis, values, step):
    texts, formulas = swept_texts(values)
    set_ticks(axis, list(range(0, len(values), step)), texts[::step], formulas)


def maps_of(config, cells, metrics):
    """(pointers, problem, model, solver, metric, {(x, y): (value, all solved)}) of every map with two values or more on each side."""
    pointers = [group[0] for group in swept_groups(config)]
    found = []
    for a, first in enumerate(pointers):
        for second in pointers[a + 1:]:
            groups = {}
            for cell in cells:
                key = swept_value(cell.record, first), swept_value(cell.record, second)
                if not any(v is None or isinstance(v, (dict, list)) for v in key):
                    name = without_suffix(cell.row["problem"]), cell.row["model"], without_suffix(cell.row["label"])
                    groups.setdefault(name, {}).setdefault(key, []).append(cell)
            for name, members in groups.items():
                if min(len({key[side] for key in members}) for side in (0, 1)) >= 2:
                    found += [(((first,), (second,)), *name, metric, values_of(members, metric)) for metric in metrics]
    return [one for one in found if any(math.isfinite(v) for v, _ in one[-1].values())]


def longest_list(sweep, group):
    lists = sweep["zip"] if group[0] in (sweep.get("zip") or {}) else sweep
    return len(lists[group[0]])


def asked_maps(config, cells):
    """As maps_of(), what the plots of kind "map" ask for. A side is a tuple of pointers, its values are tuples where there are several."""
    sweep, groups, found = config.get("sweep") or {}, swept_groups(config), []
    for plot in asked_for(config):
        across = [group for group in groups if plot.get("against") in group]
        others = [group for group in groups if group not in across]
        if not across or not others:
            continue
        up = max(others, key=lambda group: (len(group) > 1, longest_list(sweep, group)))
        apart = [group for group in others if group != up]
        maps = {}
        for cell in cells:
            value = [tuple(swept_value(cell.record, pointer) for pointer in side) for side in (across[0], up)]
            told = ", ".join(str(swept_value(cell.record, group[0])) for group in apart)
            name = without_suffix(cell.row["problem"]) + (f" ({told})" if told else ""), cell.row["model"], without_suffix(cell.row["label"])
            maps.setdefault(name, {}).setdefault(tuple(v[0] if len(v) == 1 else v for v in value), []).append(cell)
        metric = metric_column(plot)
        found += [((across[0][:1], tuple(up)), *name, metric, values_of(members, metric)) for name, members in maps.items()]
    return [one for one in found if any(math.isfinite(v) for v, _ in one[-1].values())]


def asked_for(config):
    return [plot for plot in config.get("plots") or [] if isinstance(plot, dict) and plot.get("kind") == "map"]


def values_of(members, metric):
    """The median of the cells of each place, and whether all of them were solved."""
    return {key: (median([metric_value(cell, {"metric": metric}) for cell in cells]), all(c.row.get("status") == "solved" for c in cells))
            for key, cells in members.items()}


def number_text(value):
    return "0" if value == 0 else f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"


def scaled(metric, values):
    """(factor, name of the metric): times in a unit in which the largest is 1 or more."""
    name = LABELS.get(metric, name_of(metric))
    if not name.endswith("(s)"):
        return 1.0, name
    unit, factor = next((u for u in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if max(values) * u[1] >= 1), ("µs", 1e6))
    return factor, name.replace("(s)", f"({unit})")


def draw_cells(axes, places, columns, rows, norm, room, counts):
    """One rectangle for each place, its number where that fits, and a cross where a cell was not solved; `counts`: of failures."""
    inside = max(text_width(number_text(v) + " ✗", 6.5) for v, _ in places.values() if math.isfinite(v)) < room
    for (x, y), (value, solved) in places.items():
        corner = columns.index(x) - 0.5, rows.index(y) - 0.5
        if not math.isfinite(value):
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="white", edgecolor="#999999", hatch="////", linewidth=0))
            continue
        colours = COUNT_MAP if counts else COLOUR_MAP
        rgba = to_rgba(NONE) if counts and value == 0 else colours(norm(max(value, norm.vmin)))
        axes.add_patch(Rectangle(corner, 1, 1, facecolor=rgba, edgecolor="white", linewidth=0.5))
        ink = "black" if dark_ink_on([255 * c for c in rgba[:3]]) else "white"
        text = (number_text(value) if inside else "") + ("" if solved or counts else " ✗")
        axes.text(columns.index(x), rows.index(y), text.strip(), ha="center", va="center", fontsize=6.5, color=ink)


def draw_figure(made, config, arguments):
    pointers, problem, model, label, metric, places = made
    columns, rows = (in_order(dict.fromkeys(key[side] for key in places)) for side in (0, 1))
    finite = [v for v, _ in places.values() if math.isfinite(v)]
    factor, name = scaled(metric, finite)
    places = {key: (v * factor, solved) for key, (v, solved) in places.items()}
    positive = [v * factor for v in finite if v > 0] or [1.0]
    low, high = min(positive), max(positive)
    norm = LogNorm(low, high) if high > low * 1.0001 else Normalize(low * 0.9, high * 1.1)
    counts = metric in COUNTS
    notes = ["✗: stopped unsolved."] if not counts and not all(solved for _, solved in places.values()) else []
    if counts and 0 in finite:
        notes.append("Light blue: 0.")
    if len(finite) < len(places):
        notes.append("Hatched: no value.")
    if len(places) < len(columns) * len(rows):
        notes.append("White: not in the sweep.")
    title = (str(config.get("title") or config.get("name") or ""), f"{label}: {problem}, {model}")
    page = make_page(arguments.width, 1, [], notes, title if arguments.title else (), max(1.2, min(6.0, 0.28 * len(rows))))
    axes, bar_room = page.panels[0], 0.95 / arguments.width
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, box.width - bar_room, box.height))
    room = (box.width - bar_room) * arguments.width / len(columns)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    draw_cells(axes, places, columns, rows, norm, 0.95 * room, counts)
    texts, formulas = swept_texts(columns)
    side_ticks(axes.xaxis, columns, math.ceil((max(text_width(text, 7.5, formulas) for text in texts) + 0.06) / room))
    side_ticks(axes.yaxis, rows, math.ceil(len(rows) * 0.13 / (box.height * page.figure.get_size_inches()[1])))
    axes.tick_params(length=0, pad=3)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(", ".join(map(with_unit, pointers[0])))
    axes.set_ylabel(", ".join(map(with_unit, pointers[1])))
    fit_left(page)
    box = axes.get_position()
    bar = page.figure.add_axes((box.x1 + 0.14 / arguments.width, box.y0, 0.11 / arguments.width, box.height))
    page.figure.colorbar(ScalarMappable(norm, COUNT_MAP if counts else COLOUR_MAP), cax=bar)
    if isinstance(norm, LogNorm):
        log_axis(bar.yaxis, low, high, 6)
    else:
        bar.set_yticks([low], [number_text(low)])
    bar.minorticks_off()
    bar.tick_params(length=2)
    bar.set_ylabel(name, fontsize=7.5)
    return page.figure


def plot_folder(folder, arguments):
    config = read_manifest(folder)["config"]
    if len(swept_groups(config)) < 2:
        say_nothing_drawn(folder, "map", f"a map needs two lists in the config's \"sweep\", this one has {len(swept_groups(config)) or 'none'}",
                          arguments)
        return
    cells, _ = chosen_cells(folder, arguments)
    asked = not arguments.metric and asked_for(config)
    found = asked_maps(config, cells) if asked else maps_of(config, cells, arguments.metric or METRICS)
    if not found:
        what = "no plot of kind map has two swept values" if asked else f"no two swept values make a map of {' or '.join(arguments.metric or METRICS)}"
        print(f"{folder}: {what}", file=sys.stderr)
        return
    shown = found if arguments.all else found[:MOST_MAPS]
    if len(shown) < len(found):
        print(f"{folder}: the first {len(shown)} of {len(found)} maps; --all draws all", file=sys.stderr)
    target, names = arguments.out or folder / "plots", set()
    for made in shown:
        pointers, problem, model, label, metric, _ = made
        model = next((short for short, text in MODELS.items() if text == model), model)
        sides = "-".join(pointer.rsplit("/", 1)[-1] for side in pointers for pointer in side)
        name = file_name(f"map-{metric}-{sides}-{problem}-{model}-{label}")
        while name in names:
            name += "_"
        names.add(name)
        save_all(draw_figure(made, config, arguments), target, name, arguments)
    print(f"plots: {target} ({len(shown)} map{'' if len(shown) == 1 else 's'})")


def add_map_options(parser):
    parser.add_argument("--metric", action="append", metavar="NAME", help="column of summary.csv; repeatable (default: iterations, solve_s)")
    parser.add_argument("--all", action="store_true", help=f"more than {MOST_MAPS} maps, too")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, add_map_options))
