#!/usr/bin/env python3
"""Draws maps of the sweeps of result folders: a number and a colour for every pair of two swept values.

One figure per pair of axes of the sweep, problem, model and solver, as PNG, SVG and PDF, in RESULT_FOLDER/plots/. Colours run with the
logarithm, from yellow (little) to violet (much), and keep their order in grey; of counts of failures they begin with green, and 0 is
light blue. What an unsolved cell cost has no colour: it is hatched. Where more than two values are swept, a number is the median over the
others, over seeds and over dumps. A folder that sweeps fewer than two is left alone.
Where the config's "plots" have the kind "map", those are drawn instead: "metric" over "against" and the zipped values, or else the
longest list besides it; one figure for each of the other swept values.
"""

import math
import sys
from dataclasses import dataclass

# First, since it finds an interpreter with matplotlib.
from plotting import (MODELS, TEXT, draw_folders, file_name, label_of, log_values,
                      number_texts, place_of_plots, placed, save_all, say_nothing_drawn, set_ticks, write_ticks)

from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.patches import Rectangle

from figure_page import LEFT, RIGHT, finish, make_page, text_width
from cell_values import metric_column
from plot_sweep import chosen_cells
from ccpbench_results import read_manifest, swept_groups
from result_maps import FREE, METRICS, asked_for, asked_maps, map_colour, pair_maps, swept_text, unmapped
from series_styles import busy_note, dark_ink_on

MOST_MAPS = 24  # unless --all asks for more
NUMBER, ROW = 6.5, 0.28  # points of a number, inches of a row
# Of results, and of counts of failures.
COLOUR_MAP, COUNT_MAP = (ListedColormap([tuple(c / 255 for c in map_colour(k / 255, counts)) for k in range(256)]) for counts in (False, True))


def swept_texts(values):
    """(texts of the values of a side, whether they are formulas)."""
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return number_texts(values)
    return [swept_text(v) for v in values], False


def tick_words(values):
    texts, formulas = number_texts(values)
    return [(text, formulas) for text in texts]


def side_ticks(axis, values, step):
    texts, formulas = swept_texts(values)
    set_ticks(axis, list(range(0, len(values), step)), texts[::step], formulas)


def number_text(value):
    return "0" if value == 0 else f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"


def scaled(metric, values):
    """(factor, name of the metric): times in a unit in which the largest is 1 or more."""
    name = label_of(metric)
    if not name.endswith("(s)"):
        return 1.0, name
    unit, factor = next((u for u in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if max(values) * u[1] >= 1), ("µs", 1e6))
    return factor, name.replace("(s)", f"({unit})")


@dataclass
class Numbers:
    """The direction of the numbers of a map: along or across, or not at all where a place has no room for them."""

    shown: bool
    rotation: int
    height: float  # of a row, inches


def number_layout(made, places, room):
    """room: width of a place, inches."""
    widest = max(text_width(place_text(made, *place), NUMBER) for place in places.values()) + 0.04
    if widest <= room:
        return Numbers(True, 0, ROW)
    return Numbers(True, 90, max(ROW, widest)) if room >= 0.12 else Numbers(False, 0, ROW)


def place_text(made, value, solved):
    text = "" if math.isnan(value) else "✗" if math.isinf(value) else number_text(value)
    return text + ("" if solved or made.counts or not math.isfinite(value) else " ✗")


def draw_cells(axes, made, places, norm, numbers):
    """One rectangle for each place with its number, hatched where there is none, and a cross where a cell was not solved; a count of
    failures says that."""
    for (x, y), (value, solved) in places.items():
        centre = made.columns.index(x), made.rows.index(y)
        corner = centre[0] - 0.5, centre[1] - 0.5
        text, ink = place_text(made, value, solved), "black"
        if not math.isfinite(value):
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="white", edgecolor="#999999", hatch="////", linewidth=0))
        else:
            colours = COUNT_MAP if made.counts else COLOUR_MAP
            rgb = [c / 255 for c in FREE] if made.counts and value == 0 else colours(norm(max(value, norm.vmin)))[:3]
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=rgb, edgecolor="white", linewidth=0.5))
            ink = "black" if dark_ink_on([255 * c for c in rgb]) else "white"
        if text and (numbers.shown or not math.isfinite(value)):
            box = {} if math.isfinite(value) else {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}}
            axes.text(*centre, text, ha="center", va="center", fontsize=NUMBER, color=ink, rotation=numbers.rotation if math.isfinite(value) else 0, **box)


def notes_of(made, numbers):
    """The note below the figure on its marks."""
    free = made.counts and 0 in made.finite
    values = [value for value, _ in made.places.values()]
    marked = not made.counts and any(not solved and math.isfinite(value) for value, solved in made.places.values())
    notes = (("Hatched, ✗: ended unsolved.", any(map(math.isinf, values))),
             ("✗ beside a number: some of its cells ended unsolved." if made.most > 1 else "✗: ended unsolved.", marked),
             ("Light blue: 0.", free), ("Hatched: no value.", any(map(math.isnan, values))),
             ("White: no cell.", len(made.places) < len(made.columns) * len(made.rows)),
             (f"Medians of up to {made.most} cells.", made.most > 1), ("No room for numbers.", not numbers.shown),
             (made.edge_note, bool(made.edge_note)))
    return [text for text, there in notes if there] + busy_note([(made.label, busy) for busy in made.busy])


def draw_figure(made, config, arguments):
    columns, rows = made.columns, made.rows
    factor, name = scaled(made.metric, made.finite)
    places = {key: (v * factor, solved) for key, (v, solved) in made.places.items()}
    positive = [v * factor for v in made.finite if v > 0] or [1.0]
    low, high = min(positive), max(positive)
    norm = LogNorm(low, high) if high > low * 1.0001 else Normalize(low * 0.9, high * 1.1)
    title = (str(config.get("title") or config.get("name") or ""), f"{made.label}: {made.problem}, {made.model}")
    ticks = log_values(low, high, 6) if isinstance(norm, LogNorm) else [low]
    bar_inches = 0.5 + max(text_width(text, TEXT - 0.5, formula) for text, formula in tick_words(ticks))
    numbers = number_layout(made, places, (arguments.width - LEFT - RIGHT - bar_inches) / len(columns))
    page = make_page(arguments.width, 1, [], notes_of(made, numbers), title if arguments.title else (),
                     max(1.2, min(6.0, numbers.height * len(rows))))
    axes, bar_room = page.panels[0], bar_inches / arguments.width
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, box.width - bar_room, box.height))
    room = (box.width - bar_room) * arguments.width / len(columns)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(-0.5, len(rows) - 0.5)
    draw_cells(axes, made, places, norm, numbers)
    texts, formulas = swept_texts(columns)
    side_ticks(axes.xaxis, columns, math.ceil((max(text_width(text, 7.5, formulas) for text in texts) + 0.06) / room))
    side_ticks(axes.yaxis, rows, math.ceil(len(rows) * 0.13 / (box.height * page.figure.get_size_inches()[1])))
    axes.tick_params(length=0, pad=3)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(made.axis_text(0))
    axes.set_ylabel(made.axis_text(1))
    finish(page)
    box = axes.get_position()
    bar = page.figure.add_axes((box.x1 + 0.14 / arguments.width, box.y0, 0.11 / arguments.width, box.height))
    page.figure.colorbar(ScalarMappable(norm, COUNT_MAP if made.counts else COLOUR_MAP), cax=bar)
    if isinstance(norm, LogNorm):
        write_ticks(bar.yaxis, ticks)
    else:
        bar.set_yticks(ticks, [number_text(low)])
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
    cells, *_ = chosen_cells(folder, arguments)
    asked = not arguments.metric and asked_for(config)
    found = asked_maps(config, cells) if asked else pair_maps(config, cells, arguments.metric or METRICS)
    wanted = list(dict.fromkeys(map(metric_column, asked_for(config)))) if asked else arguments.metric or METRICS
    if words := unmapped(cells, found):
        print(f"{folder}: {words}", file=sys.stderr)
    lacking = [metric for metric in wanted if metric not in {made.metric for made in found}]
    if lacking and (asked or not found):
        print(f"{folder}: no two swept values make a map of {' or '.join(lacking)}", file=sys.stderr)
    if not found:
        return
    shown = found if arguments.all else found[:MOST_MAPS]
    if len(shown) < len(found):
        print(f"{folder}: the first {len(shown)} of {len(found)} maps; --all draws all", file=sys.stderr)
    target, names = place_of_plots(folder, arguments), set()
    for made in shown:
        model = next((short for short, text in MODELS.items() if text == made.model), made.model)
        sides = "-".join(pointer.rsplit("/", 1)[-1] for side in made.sides for pointer in side)
        name = file_name(f"map-{made.metric}-{sides}-{made.problem}-{model}-{made.label}")
        while name in names:
            name += "_"
        names.add(name)
        with placed(made.where):
            save_all(draw_figure(made, config, arguments), target, name, arguments)
    print(f"plots: {target} ({len(shown)} map{'' if len(shown) == 1 else 's'})")


def add_map_options(parser):
    parser.add_argument("--metric", action="append", metavar="NAME", help="column of summary.csv, or solver_s: setup and iterations; repeatable (default: iterations, solver_s)")
    parser.add_argument("--all", action="store_true", help=f"more than {MOST_MAPS} maps, too")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, add_map_options))
