#!/usr/bin/env python3
"""Draws the performance and data profiles that `ccpbench profile --out DIR` wrote.

One row of panels per accuracy: on the left the fraction of problems solved within a factor of the best solver, on the right
within a budget; both on a log axis. Of many solvers the best ten have colours, the others are thin and grey, and named below. Bands (95 %,
bootstrap over the problems) are drawn for up to four solvers, more would hide each other; they stand in performance.csv and data.csv
for all.
"""

import argparse
import math
import sys
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import DASHES, NARROW, accuracy_text, add_figure_options, add_picture_options, draw_each, log_axis, power_formula, save_all

from figure_page import Entry, finish, label_y, listed, make_page, plain_frame
from ccpbench_results import InputError, as_number, csv_rows, read_summary, without_suffix
from series_styles import busy_note, none_wanted, numbers, style, wanted

MOST_BANDS = 4
TOP = 10
UNITS = {"time": "time per contact (s)", "back_solves": "back-solves", "factorizations": "factorisations"}
OTHERS = {"color": "#b5b5b5", "linewidth": 0.5}


def rows_of(path):
    rows = csv_rows(path, "a folder of `ccpbench profile --out`")
    if not rows:
        raise InputError(f"{path}: holds no rows")
    return rows


def read_curves(path, abscissa):
    """{accuracy: {label: [(x, fraction, low, high)]}}, low and high None where there is no band, and {label: number of the
    problems that it supports}."""
    curves, problems = {}, {}
    try:
        for row in rows_of(path):
            band = [float(row[name]) if row[name] else None for name in ("low", "high")]
            point = (float(row[abscissa]), float(row["fraction"]), *band)
            curves.setdefault(float(row["at"]), {}).setdefault(row["label"], []).append(point)
            problems[row["label"]] = int(row["problems"])
    except InputError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is no profile ({type(error).__name__}: {error})") from None
    return curves, problems


def schools_of(means):
    """{label: school} where means.csv has that column and more than one school; else empty."""
    found = {row.get("label"): row.get("school") or "" for row in means}
    return found if len(set(found.values())) > 1 else {}


def give_styles(shown, number, schools):
    """{label: style}. Of several schools each has a line of its own kind; marker and colour tell the solvers."""
    names = list(dict.fromkeys(schools.values()))
    styles = {label: {**style(number[label]), "phase": k * 0.382 % 1.0} for k, label in enumerate(shown)}
    for label in shown if schools else []:
        styles[label]["linestyle"] = DASHES[names.index(schools.get(label, "")) % len(DASHES)]
    return styles


def entries_of(shown, styles, schools, said):
    """Rows of the legend, those of a school under its name. said: what a row says of a label."""
    entries = []
    for school in dict.fromkeys(schools.get(label, "") for label in shown):
        entries += [Entry(f"{school}:")] if schools else []
        entries += [Entry(label, {k: v for k, v in styles[label].items() if k != "phase"}, said(label))
                    for label in shown if schools.get(label, "") == school]
    return entries


def ranking(performance, means):
    """The labels, best first: by what they solve in the end, then by their mean costs. Both over all accuracies."""
    solved, cost = {}, {}
    for curves in performance.values():
        for label, points in curves.items():
            solved[label] = solved.get(label, 0.0) + points[-1][1]
    for row in means:
        value = as_number(row.get("mean"))
        if math.isfinite(value) and value > 0:
            cost[row.get("label")] = cost.get(row.get("label"), 0.0) + math.log(value)
    return sorted(solved, key=lambda label: (-round(solved[label], 9), cost.get(label, 0.0)))


def mark_places(xs, axes, phase):
    """Indices of points at about equal distances on the logarithmic axis."""
    low, high = (math.log10(x) for x in axes.get_xlim())
    wanted_places = [low + (k + phase) / 5 * (high - low) for k in range(5)]
    return sorted({min(range(len(xs)), key=lambda i: abs(math.log10(xs[i]) - place)) for place in wanted_places})


def draw_panel(axes, curves, styles, bands):
    """styles: of the labels that stand out."""
    low = min(x for points in curves.values() for x, *_ in points)
    high = max(x for points in curves.values() for x, *_ in points)
    high = max(high, 1.5 * low)
    axes.set_xscale("log")
    axes.set_xlim(low / 1.02, high * (high / low) ** 0.04)
    log_axis(axes.xaxis, *axes.get_xlim(), 7)
    axes.set_ylim(-0.02, 1.02)
    plain_frame(axes)
    for name, points in reversed(curves.items()):  # the first lies on top
        x, fraction, least, most = zip(*[*points, (axes.get_xlim()[1], *points[-1][1:])])
        if name not in styles:
            axes.step(x, fraction, where="post", zorder=1.5, **OTHERS)
            continue
        look = {key: value for key, value in styles[name].items() if key != "phase"}
        axes.step(x, fraction, where="post", linewidth=1.2, markersize=3.8, markerfacecolor="white", markeredgewidth=0.9,
                  markevery=mark_places(x, axes, styles[name]["phase"]), **look)
        if bands and least[0] is not None:
            axes.fill_between(x, least, most, step="post", alpha=0.12, color=look["color"], linewidth=0)


def solved_text(label, performance, problems):
    """"9 of 9 solved", or where it depends on the accuracy "solved: 9 of 9 to 10⁻⁴, 6 to 10⁻⁸"."""
    counts = [(round(curves[label][-1][1] * problems[label]), at) for at, curves in performance.items() if label in curves]
    if len({count for count, _ in counts}) == 1:
        return f"{counts[0][0]} of {problems[label]} solved"
    words = [f"{count}{'' if k else f' of {problems[label]}'} to {accuracy_text(at)}" for k, (count, at) in enumerate(counts)]
    return f"solved: {', '.join(words)}"


def read_profiles(folder, arguments):
    """(performance, data, problems, rows of means.csv), of the labels that --only leaves."""
    performance, problems = read_curves(folder / "performance.csv", "ratio")
    data, _ = read_curves(folder / "data.csv", "budget")
    means = rows_of(folder / "means.csv")
    if list(performance) != list(data):
        raise InputError(f"{folder}: performance.csv and data.csv are of different accuracies")
    if asked := getattr(arguments, "at", None):
        performance, data = ({at: curves for at, curves in found.items() if any(math.isclose(at, one) for one in asked)} for found in (performance, data))
        if not performance:
            raise InputError(f"{folder}: holds no profiles to {' or '.join(map('{:g}'.format, asked))}")
    labels = list(dict.fromkeys(label for curves in performance.values() for label in curves))
    left = [label for label in labels if wanted(label, arguments.only)]
    if not left:
        raise none_wanted(folder, arguments.only, labels)
    return ({at: {label: c[label] for label in left if label in c} for at, c in performance.items()},
            {at: {label: c[label] for label in left if label in c} for at, c in data.items()}, problems, means, labels)


def style_numbers(labels, arguments):
    """Those of the plots of a result folder, where one is named."""
    if arguments.results is None:
        return numbers(labels)
    known = [row["label"] for row in read_summary(arguments.results, ("label",))]
    return numbers(list(dict.fromkeys([*known, *labels])))


def times_of(arguments):
    """(label, whether it was taken on a busy machine) of each time of the results, where they are named."""
    rows = read_summary(arguments.results, ("label",)) if arguments.results is not None else []
    model = getattr(arguments, "model", None)
    return [(without_suffix(row["label"]), as_number(row.get("busy_runs")) > 0) for row in rows
            if row.get("model") == (model or row.get("model")) and wanted(row["label"], arguments.only) and row.get("status") != "unsupported"]


def draw_figure(folder, arguments):
    """None where no solver solves a problem."""
    performance, data, problems, means, labels = read_profiles(folder, arguments)
    nobody = [at for at, curves in performance.items() if not any(points[-1][1] > 0 for points in curves.values())]
    performance, data = ({at: curves for at, curves in found.items() if at not in nobody} for found in (performance, data))
    if not performance:
        return None
    by, number = means[0].get("by") or "", style_numbers(labels, arguments)
    ranked = ranking(performance, means)
    shown = ranked[:arguments.top] if arguments.top else ranked
    schools = schools_of(means)
    styles = give_styles(shown, number, schools)
    plain = getattr(arguments, "legend", "full") == "labels"
    entries = entries_of(shown, styles, schools, lambda label: "" if plain else solved_text(label, performance, problems))
    others = [f"{label} ({solved_text(label, performance, problems).removesuffix(' solved')})" for label in ranked[len(shown):]]
    notes = [f"Thin and grey: {', '.join(others)}."] if others else []
    if nobody:
        notes.append(f"No solver solves a problem to {' or '.join(map(accuracy_text, nobody))}.")
    absent = [row["label"] for row in means if row.get("problems") == "0" and wanted(row["label"], arguments.only)]
    if absent:
        notes.append(f"Without a curve, for they support none of the problems or do not count {by.replace('_', '-')}: {', '.join(dict.fromkeys(absent))}.")
    notes += busy_note(times_of(arguments)) if by == "time" else []
    title = (f"Profiles of {len(ranked)} solvers by {by.replace('_', '-')}",)
    which = getattr(arguments, "profiles", None) or ("performance" if arguments.width < NARROW else "both")
    kinds = [(performance, f"{by.replace('_', '-')}, factor of the best")] * (which != "data") + [(data, f"budget: {UNITS.get(by, by)}")] * (which != "performance")
    bands = len(ranked) <= MOST_BANDS
    if bands and any(point[2] is not None for curves in performance.values() for points in curves.values() for point in points):
        notes.append("Bands: 95 % intervals, by bootstrap over the problems.")
    page = make_page(arguments.width, len(kinds) * len(performance), entries, notes, title if arguments.title else (), height=2.0,
                     across=len(kinds) if len(kinds) > 1 else min(2, len(performance)), heading=0.16)
    most = max(problems.values())
    count = f"{most} problem{'' if most == 1 else 's'}"
    for axes, (at, (curves, text)) in zip(page.panels, ((at, kind) for at in performance for kind in kinds)):
        draw_panel(axes, {label: curves[at][label] for label in ranked if label in curves[at]}, styles, bands)
        axes.set_xlabel(text)
        axes.set_title(f"to {power_formula(at)}, {count}", fontsize=7.5, loc="left", pad=3, parse_math=True)
        if page.at_left(axes):
            label_y(axes, "fraction of problems")
        else:
            axes.tick_params(labelleft=False)
    finish(page)
    return page.figure


def draw(folder, arguments):
    figure = draw_figure(folder, arguments)
    if figure is None:
        raise InputError(f"{folder}: no solver solves a problem, and profiles show those that are solved")
    target = arguments.out or folder
    save_all(figure, target, "profiles", arguments)
    print(f"plots: {target} (profiles)")


def add_profile_options(parser):
    parser.add_argument("--top", type=int, default=TOP, metavar="N", help=f"how many solvers have colours (default {TOP}; 0: all)")
    parser.add_argument("--at", action="append", type=float, default=[], metavar="VALUE",
                        help="accuracy, repeatable (default: 1e-4, 1e-8 and 1e-12, as far as runs were asked)")
    parser.add_argument("--profiles", choices=("performance", "data", "both"),
                        help="performance, data or both (default: both; performance alone in narrow figures)")
    parser.add_argument("--results", type=Path, metavar="RESULT_FOLDER",
                        help="solvers look as in the plots of these results, though some are missing here")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR", help="what `ccpbench profile --out` has written")
    add_profile_options(parser)
    add_figure_options(parser)
    add_picture_options(parser, "DIR")
    arguments = parser.parse_args()
    return draw_each([arguments.folder], lambda folder: draw(folder, arguments), arguments)


if __name__ == "__main__":
    sys.exit(main())
