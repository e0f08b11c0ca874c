"""The maps of result folders: a number for every pair of two swept values, with the order and the colours in which it is shown.

plot_maps.py draws them, and the report has them as tables. Needs no matplotlib.
"""

import math
from dataclasses import dataclass, replace
from statistics import median

from cell_values import SOLVER_TIME, is_busy, is_cost, is_time, metric_column, metric_value, name_of, with_unit
from ccpbench_results import listed_values, swept_groups, swept_value, telling_groups, without_suffix
from series_styles import listed, viridis

METRICS = ("iterations", SOLVER_TIME)  # where no plot of the config names another
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
    where: str = ""  # which figure of which paper it is
    busy: tuple = ()  # of times: whether each was taken on a busy machine

    @property
    def counts(self):
        """Whether it counts failures."""
        return self.metric in COUNTS

    def axis_text(self, side):
        """The label of side 0 or 1."""
        return self.texts[side] or ", ".join(map(with_unit, self.sides[side]))

    @property
    def finite(self):
        return [value for value, _ in self.places.values() if math.isfinite(value)]

    @property
    def edge_note(self):
        """A sentence where the least value stands at an end of an axis of three numbers or more; empty elsewhere, and for a count of
        failures."""
        if self.counts or not self.finite or min(self.finite) == max(self.finite):
            return ""
        least = min((value, place) for place, (value, _) in self.places.items() if math.isfinite(value))[1]
        ends = ", ".join(f"{name_of(side[0])} {swept_text(value)}" for side, value, values in zip(self.sides, least, (self.columns, self.rows))
                         if len(values) >= 3 and all(map(is_number, values)) and value in (values[0], values[-1]))
        return f"The best value is at the edge of the sweep ({ends}): a wider sweep may find a better one." if ends else ""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


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
    """The place of a cell on a side; None without one."""
    found = tuple(swept_value(record, pointer) for pointer in side)
    if all(part is None for part in found) or any(isinstance(part, (dict, list)) for part in found):
        return None
    return found[0] if len(found) == 1 else found


def values_of(cells, metric):
    """Of the cells that have one; what a cell cost that ended unsolved is infinite."""
    values = [math.inf if is_cost(metric) and cell.row.get("status") != "solved" else metric_value(cell, {"metric": metric}) for cell in cells]
    return [value for value in values if not math.isnan(value)]


def value_of(cells, metric):
    """The median of the cells of one place, and whether all of them were solved."""
    values = values_of(cells, metric)
    return median(values) if values else math.nan, all(cell.row.get("status") == "solved" for cell in cells)


def is_dump(cell):
    """Whether its problem is a file, one of many that a pattern of the config names."""
    problem = cell.record.get("problem")
    return isinstance(problem, dict) and "file" in problem


def maps_over(config, cells, sides, apart, metrics):
    """The maps of each problem, model and solver, one for each combination of the values of the pointers `apart`, which the name of the
    problem tells. Those that differ in these values alone have the same rows and columns. All dumps are one problem."""
    groups, found = {}, []
    dumps = list(dict.fromkeys(without_suffix(cell.row["problem"]) for cell in cells if is_dump(cell)))
    pooled = f"{len(dumps)} dumps" if len(dumps) > 1 else "".join(dumps)
    for cell in cells:
        place = tuple(side_value(cell.record, side) for side in sides)
        if None not in place:
            name = pooled if is_dump(cell) else without_suffix(cell.row["problem"]), cell.row["model"], cell.label
            told = ", ".join(swept_text(value) for pointer in apart if (value := side_value(cell.record, (pointer,))) is not None)
            groups.setdefault(name, {}).setdefault(told, {}).setdefault(place, []).append(cell)
    for (problem, model, label), alike in groups.items():
        places = [place for members in alike.values() for place in members]
        columns, rows = (in_order(dict.fromkeys(place[k] for place in places), listed_values(config, side)) for k, side in enumerate(sides))
        for told, members in alike.items():
            for metric in metrics:
                values = {place: value_of(there, metric) for place, there in members.items()}
                most = max(len(values_of(there, metric)) for there in members.values())
                busy = tuple(is_busy(cell) for there in members.values() for cell in there) if is_time(metric) else ()
                found.append(SweptMap(sides, problem + (f" ({told})" if told else ""), model, label, metric, values, most, columns, rows, busy=busy))
    return [one for one in found if one.finite]


def pair_maps(config, cells, metrics=METRICS):
    """Of every pair of axes of the sweep, of zipped pointers those that tell them apart; with two values or more on each side. A place
    has the cells of all values of the other axes, of all seeds and of all dumps."""
    axes = [tuple(group) for group in telling_groups(config) if not group[0].endswith("/seed")]
    pairs = [(first, second) for k, first in enumerate(axes) for second in axes[k + 1:]]
    found = [one for sides in pairs for one in maps_over(config, cells, sides, (), metrics)]
    return [one for one in found if len(one.columns) > 1 and len(one.rows) > 1]


def asked_for(config):
    """The plots of kind "map" of a config."""
    plots = config.get("plots")
    return [plot for plot in (plots if isinstance(plots, list) else []) if isinstance(plot, dict) and plot.get("kind") == "map"]


def asked_maps(config, cells):
    """The requests of plots of kind "map": "metric" over "against" and the zipped values, or else the longest list besides it; one map
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
            found += [replace(one, texts=texts, where=str(plot.get("where") or "")) for one in made]
    return found


def unmapped(cells, found):
    """A note on solvers without a map where others have one over the same values; empty without any."""
    sides = {made.sides for made in found}
    there = [cell for cell in cells if any(None not in [side_value(cell.record, side) for side in pair] for pair in sides)]
    labels = [label for label in dict.fromkeys(cell.label for cell in there) if label not in {made.label for made in found}]
    idle = [label for label in labels if not any(cell.row.get("status") == "solved" for cell in cells if cell.label == label)]
    reasons = (("solved nothing", idle), ("no value", [label for label in labels if label not in idle]))
    return "; ".join(f"no map of {listed(names, 12)}: {why}" for why, names in reasons if names)
