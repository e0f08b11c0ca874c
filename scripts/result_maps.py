"""The maps of result folders: a number for every pair of two swept values, with the order and the colours in which it is shown.

plot_maps.py draws them, and the report has them as tables. Needs no matplotlib.
"""

import math
from dataclasses import dataclass, replace
from statistics import median

from cell_values import metric_column, metric_value, with_unit
from ccpbench_results import listed_values, swept_groups, swept_value, telling_groups, without_suffix
from series_styles import viridis

METRICS = ("iterations", "solve_s")  # where no plot of the config names another
COUNTS = ("unsolved_steps",)  # of what should not be: 0 has a colour of its own
FREE = (213, 232, 247)  # light blue, that of 0


@dataclass
class SweptMap:
    """One map. A side is a tuple of pointers, of zipped ones several, and then its values are tuples."""

    sides: tuple  # across, up
    problem: str
    model: str
    label: str
    metric: str
    places: dict  # {(column, row): (value, whether all cells of it were solved)}, for what there is
    most: int  # values of one place
    columns: list
    rows: list
    texts: tuple = ("", "")  # of the axes; empty: the words of the pointers

    @property
    def counts(self):
        """Whether it counts failures."""
        return self.metric in COUNTS

    def axis_text(self, side):
        """What stands along side 0 or 1."""
        return self.texts[side] or ", ".join(map(with_unit, self.sides[side]))

    @property
    def finite(self):
        return [value for value, _ in self.places.values() if math.isfinite(value)]


def map_colour(share, counts):
    """(red, green, blue) from 0 (little) to 1 (much). The least of counts is darker than the colour of 0, in grey, too."""
    return viridis((0.8 if counts else 1.0) * (1 - share))


def swept_text(value):
    """A value of a side as a person writes it."""
    if isinstance(value, tuple):
        return ", ".join(map(swept_text, value))
    return "–" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def in_order(values, listed):
    """Numbers by size, then texts and zipped values as they are listed."""
    return sorted(values, key=lambda v: (0, v) if isinstance(v, (int, float)) else (1, listed.index(v) if v in listed else len(listed)))


def side_value(record, side):
    """Where a cell is on a side; None where it is nowhere."""
    found = tuple(swept_value(record, pointer) for pointer in side)
    if all(part is None for part in found) or any(isinstance(part, (dict, list)) for part in found):
        return None
    return found[0] if len(found) == 1 else found


def values_of(cells, metric):
    return [value for cell in cells if math.isfinite(value := metric_value(cell, {"metric": metric}))]


def value_of(cells, metric):
    """The median of the cells of one place, and whether all of them were solved."""
    values = values_of(cells, metric)
    return median(values) if values else math.nan, all(cell.row.get("status") == "solved" for cell in cells)


def maps_over(config, cells, sides, apart, metrics):
    """The maps of each problem, model and solver, one for each combination of the values of the pointers `apart`, which the name of the
    problem tells. Those that differ in these values alone have the same rows and columns."""
    groups, found = {}, []
    for cell in cells:
        place = tuple(side_value(cell.record, side) for side in sides)
        if None not in place:
            name = without_suffix(cell.row["problem"]), cell.row["model"], cell.label
            told = ", ".join(swept_text(value) for pointer in apart if (value := side_value(cell.record, (pointer,))) is not None)
            groups.setdefault(name, {}).setdefault(told, {}).setdefault(place, []).append(cell)
    for (problem, model, label), alike in groups.items():
        places = [place for members in alike.values() for place in members]
        columns, rows = (in_order(dict.fromkeys(place[k] for place in places), listed_values(config, side)) for k, side in enumerate(sides))
        for told, members in alike.items():
            for metric in metrics:
                values = {place: value_of(there, metric) for place, there in members.items()}
                most = max(len(values_of(there, metric)) for there in members.values())
                found.append(SweptMap(sides, problem + (f" ({told})" if told else ""), model, label, metric, values, most, columns, rows))
    return [one for one in found if one.finite]


def pair_maps(config, cells, metrics=METRICS):
    """Of every pair of axes of the sweep, of zipped pointers those that tell them apart; with two values or more on each side. A place
    has the cells of all values of the other axes."""
    axes = [tuple(group) for group in telling_groups(config)]
    pairs = [(first, second) for k, first in enumerate(axes) for second in axes[k + 1:]]
    found = [one for sides in pairs for one in maps_over(config, cells, sides, (), metrics)]
    return [one for one in found if len(one.columns) > 1 and len(one.rows) > 1]


def asked_for(config):
    """The plots of kind "map" of a config."""
    plots = config.get("plots")
    return [plot for plot in (plots if isinstance(plots, list) else []) if isinstance(plot, dict) and plot.get("kind") == "map"]


def asked_maps(config, cells):
    """What the plots of kind "map" ask for: "metric" over "against" and the zipped values, or else the longest list besides it; one map
    for each combination of the other swept values."""
    groups, found = swept_groups(config), []
    for plot in asked_for(config):
        across = next((group for group in groups if plot.get("against") in group), None)
        others = [group for group in groups if group is not across]
        if across and others:
            up = max(others, key=lambda group: (len(group) > 1, len(listed_values(config, group))))
            apart = [group[0] for group in others if group is not up]
            made = maps_over(config, cells, (tuple(across), tuple(up)), apart, [metric_column(plot)])
            texts = str(plot.get("x_label") or ""), str(plot.get("y_label") or "")
            found += [replace(one, texts=texts) for one in made]
    return found
