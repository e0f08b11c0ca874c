#!/usr/bin/env python3
"""Draws the history that `ccpbench history --out DIR` wrote.

A line for each solver over the runs in their order, its level between changes as a thick line, and the commit at each change.
"""

import argparse
import sys
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import GREY, SMALL, add_figure_options, add_picture_options, draw_each, file_name, label_of, log_axis, save_all

from figure_page import Entry, finish, label_y, make_page, plain_frame
from ccpbench_results import InputError, as_number, csv_rows
from series_styles import numbers, style, wanted

MOST_TICKS = 12


def read_courses(folder, arguments):
    """label -> rows of history.csv, in their order."""
    path = folder / "history.csv"
    courses = {}
    for row in csv_rows(path, "a folder of `ccpbench history --out`"):
        if "solver" not in row or "value" not in row or "commit" not in row:
            raise InputError(f"{path}: is no history, expected the columns solver, commit and value")
        courses.setdefault(row["solver"], []).append(row)
    courses = {label: rows for label, rows in courses.items() if wanted(label, arguments.only)}
    if not courses:
        raise InputError(f"{path}: holds no solver that matches")
    return courses


def draw_course(axes, rows, look):
    values, levels = ([as_number(row[name]) for row in rows] for name in ("value", "level"))
    places = range(1, len(rows) + 1)
    axes.plot(places, values, linewidth=0.8, markersize=3.4, markerfacecolor="white", markeredgewidth=0.9, **look)
    changes = [k for k, row in enumerate(rows) if row["change"]]
    for first, end in zip([0, *changes], [*changes, len(rows)]):
        axes.plot([first + 0.6, end + 0.4], [levels[first]] * 2, color=look["color"], linewidth=2.4, alpha=0.35, solid_capstyle="butt")
    for k in changes:
        axes.axvline(k + 0.5, color=look["color"], linewidth=0.7, linestyle=(0, (3, 2)))
    return [*values, *levels], changes


def draw_figure(folder, arguments):
    courses = read_courses(folder, arguments)
    number = numbers(list(courses))
    looks = {label: style(number[label]) for label in courses}
    page = make_page(arguments.width, 1, [Entry(label, look) for label, look in looks.items()],
                     ["Thick: the level between changes; dashed: a change."], (f"{label_of(arguments.metric)} over versions",) if arguments.title else ())
    axes, seen, changed = page.panels[0], [], set()
    for label, rows in courses.items():
        values, changes = draw_course(axes, rows, looks[label])
        seen += values
        changed.update(changes)
    rows = next(iter(courses.values()))
    axes.set_yscale("log")
    axes.set_ylim(min(seen) / 1.15, max(seen) * 1.15)
    log_axis(axes.yaxis, *axes.get_ylim())
    axes.set_xlim(0.5, len(rows) + 0.5)
    step = -(-len(rows) // MOST_TICKS)
    ticks = sorted({*range(0, len(rows), step), *changed})
    ticks = [k for k in ticks if k in changed or not any(abs(k - other) < step for other in changed)]
    axes.set_xticks([k + 1 for k in ticks], [rows[k]["commit"][:7] or str(k + 1) for k in ticks], rotation=45, ha="right", fontsize=SMALL - 1)
    for text, k in zip(axes.get_xticklabels(), ticks):
        text.set_color("black" if k in changed else GREY)
    plain_frame(axes)
    label_y(axes, label_of(arguments.metric))
    finish(page)
    return page.figure


def draw(folder, arguments):
    target, name = arguments.out or folder, f"history-{file_name(arguments.metric)}"
    save_all(draw_figure(folder, arguments), target, name, arguments)
    print(f"plots: {target} ({name})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `ccpbench history --out` has written")
    parser.add_argument("--metric", default="value", metavar="NAME", help="what it shows, for the axis and the name of the file")
    add_figure_options(parser)
    add_picture_options(parser, "DIR")
    arguments = parser.parse_args()
    return draw_each([arguments.folder], lambda folder: draw(folder, arguments), arguments)


if __name__ == "__main__":
    sys.exit(main())
