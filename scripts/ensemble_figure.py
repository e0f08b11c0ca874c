"""The figure of an ensemble: every cell of each solver of a sweep as a point, with the median and the quartiles of them all."""

import math

# First, since it finds an interpreter with matplotlib.
from plotting import GREY, label_of, log_axis

from figure_page import finish, make_page, plain_frame
from series_styles import COLOURS

ROW = 0.2  # inches for each solver
SPREAD = 0.55  # of a row, which the points are spread over


def quantile(values, share):
    """By interpolation (equation (L.6) of lib/docs/l_profiles.md); infinite values are those that never arrive."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    weight = place - below
    return ordered[below] if weight == 0 else (1 - weight) * ordered[below] + weight * ordered[below + 1]


def never_column(values):
    """The place of infinite values: to the right of all others."""
    finite = [value for value in values if math.isfinite(value)]
    return 2.0 * max(finite, default=1.0)


def draw_rows(axes, groups, never):
    """groups: label -> values. A row each, the first on top."""
    for row, (_, values) in enumerate(groups.items()):
        shown = sorted(min(value, never) for value in values)
        for number, value in enumerate(shown):
            # Spread by the golden ratio: evenly, and the same in every run.
            offset = SPREAD * ((number * 0.6180339887) % 1.0 - 0.5)
            axes.plot([value], [row + offset], linestyle="none", marker="o", markersize=2.4, markeredgewidth=0.4,
                      color=COLOURS[0], markerfacecolor="white" if value >= never else COLOURS[0], alpha=0.55, zorder=2)
        low, middle, high = (min(quantile(values, share), never) for share in (0.25, 0.5, 0.75))
        axes.barh(row, high - low, left=low, height=0.72, color="#f3c9a5", edgecolor=COLOURS[1], linewidth=0.8, zorder=1)
        axes.plot([middle, middle], [row - 0.36, row + 0.36], color=COLOURS[1], linewidth=1.8, zorder=3)


def ensemble_figure(title, groups, x_label, metric, left_out, more_notes, arguments):
    """A figure of groups (label -> values, not empty), on a logarithmic axis. left_out: values that have no place on it."""
    every = [value for values in groups.values() for value in values]
    never = never_column(every)
    missing = any(not math.isfinite(value) for value in every)
    notes = ["A point for each cell; box: quartiles; bar: median."] + (["Right of the line: never."] if missing else [])
    notes += [f"Without {left_out} of 0 or less."] if left_out else []
    page = make_page(arguments.width, 1, [], [*notes, *more_notes], (title,) if arguments.title else (), ROW * len(groups))
    axes = page.panels[0]
    axes.set_xscale("log")
    draw_rows(axes, groups, never)
    finite = [value for value in every if math.isfinite(value)]
    low, high = min(finite) / 1.2, never / math.sqrt(2.0) if missing else 1.2 * max(finite)
    log_axis(axes.xaxis, low, high)
    axes.set_xlim(low, 1.35 * never if missing else high)
    if missing:
        axes.axvline(high, color=GREY, linewidth=0.7, linestyle=(0, (2, 2)))
    axes.set_yticks(range(len(groups)), list(groups))
    axes.set_ylim(len(groups) - 0.4, -0.6)
    plain_frame(axes)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(x_label or label_of(metric))
    finish(page)
    return page.figure
