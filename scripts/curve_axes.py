"""Places of the values of convergence curves on the page: the two axes, thinning, and bands of curves that oscillate."""

import math
from dataclasses import dataclass

from plotting import label_of, log_values, write_ticks
from result_folder import finite

from matplotlib.ticker import FixedLocator, MaxNLocator

TIME_UNITS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6))
POINTS_PER_CURVE = 1500  # more cannot be seen and only makes SVG files large
SLICES = 70  # of the page, of a curve that is drawn as a band
LEAST_WAVE = 0.3  # decades: smaller oscillations hide nothing


@dataclass
class Axis:
    """An axis: a scale from data to [0, 1], ticks and a label."""

    label: str
    factor: float
    end: float
    threshold: float = 0.0  # 0: linear; else logarithmic beyond it
    whole: bool = False  # counts: no ticks between them
    zero: bool = False  # linear up to the threshold, so that a start at 0 has a place

    LINEAR_SHARE = 0.35  # of a decade, for the part below the threshold

    def position(self, value):
        if not self.threshold:
            return value / self.end
        return self.symlog(value) / self.symlog(self.end)

    def symlog(self, value):
        share = self.LINEAR_SHARE if self.zero else 0.0
        if value <= self.threshold:
            return share * value / self.threshold
        return share + math.log10(value / self.threshold)

    def apply(self, axes, inches):
        axes.set_xlabel(self.label)
        if self.threshold:
            if self.zero:
                axes.set_xscale("symlog", linthresh=self.threshold, linscale=self.LINEAR_SHARE)
            else:
                axes.set_xscale("log")
            write_ticks(axes.xaxis, log_values(self.threshold, self.end * 1.25, int(inches / 0.42)), zero=0.0 if self.zero else None)
            first, last = round(math.log10(self.threshold)), math.ceil(math.log10(self.end))
            decades = [10.0**k for k in range(first, last + 1)]
            axes.xaxis.set_minor_locator(FixedLocator([m * d for d in decades for m in range(2, 10)]))
            axes.set_xlim(0.0 if self.zero else self.threshold, self.end * 1.25)
        else:
            axes.set_xlim(0.0, self.end * 1.04)
            if self.whole:
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def time_unit(seconds):
    return next((u for u in TIME_UNITS if seconds * u[1] >= 1), TIME_UNITS[-1])


def x_axis(column, curves, scale=""):
    """Linear or log as `scale` says; without it logarithmic where the fastest solver's curve would be squeezed into a corner. None
    without data."""
    ends = [max(values) for curve in curves if (values := finite(curve.columns.get(column, []))) and max(values) > 0]
    if not ends:
        return None
    factor, label = 1.0, label_of(column)
    if column == "elapsed_s":
        unit, factor = time_unit(max(ends))
        label = f"solver time ({unit})"
    if scale == "linear" or not scale and max(ends) <= 8 * min(ends):
        return Axis(label, factor, max(ends) * factor, whole=column != "elapsed_s")
    values = [v for c in curves for v in finite(c.columns.get(column, []))]
    zero = min(values) <= 0
    smallest = max(min(v for v in values if v > 0) * factor, max(ends) * factor * 1e-7)
    threshold = 10.0 ** math.floor(math.log10(smallest) + 1e-9) if zero else 0.9 * smallest
    return Axis(label, factor, max(ends) * factor, threshold, zero=zero)


@dataclass
class Heights:
    """The y values of a panel: made positive, cut at a floor for zeros, and capped where a curve diverges."""

    label: str
    offset: float
    floor: float
    top: float
    has_zeros: bool
    has_runaways: bool
    linear: bool = False  # floor is then the bottom

    @property
    def bottom(self):
        return self.floor if self.has_zeros or self.linear else self.floor * 5

    def of(self, value):
        if self.linear:
            return value if math.isfinite(value) else math.inf
        return max(value - self.offset, self.floor) if math.isfinite(value) else math.inf

    def end(self, ys):
        """The index at which a curve ends on the page: its last value, or where it leaves the top for good."""
        inside = max((k for k, y in enumerate(ys) if y <= self.top), default=-1)
        return min(inside + 1, len(ys) - 1)

    def apply(self, axes, inches):
        if self.linear:
            axes.set_ylim(self.bottom, self.top)
            return
        axes.set_yscale("log")
        axes.set_ylim(self.bottom / (2.0 if self.has_zeros else 1.0), self.top)
        ticks = log_values(self.bottom, self.top, int(inches / 0.22))
        if self.has_zeros:
            write_ticks(axes.yaxis, [tick for tick in ticks if tick > 3 * self.floor], zero=self.floor)
        else:
            write_ticks(axes.yaxis, ticks)
        axes.yaxis.set_minor_locator(FixedLocator([]))


def heights(column, curves, linear=False):
    """None where no curve has a value, or on a logarithmic axis one above 0."""
    series = [finite(curve.columns.get(column, [])) for curve in curves]
    values = [v for one in series for v in one]
    if not values:
        return None
    label, offset = label_of(column), 0.0
    if linear:
        start = max((one[0] for one in series if one), default=0.0)
        top = 1.05 * (min(max(values), 10 * start) if start > 0 else max(values))
        bottom = min(0.0, min(values))
        return Heights(label, offset, bottom, top if top > bottom else bottom + 1.0, False, max(values) > top, True)
    if min(values) < 0:
        # An objective: only its distance from the optimum fits on a logarithmic axis.
        offset = min(values)
        label += ", above the lowest seen"
    positive = [v - offset for v in values if v > offset]
    if not positive:
        return None
    start = max((one[0] - offset for one in series if one), default=0.0)
    top = 3 * (min(max(positive), 1e4 * start) if start > 0 else max(positive))
    lowest = min((v for v in positive if v >= 1e-20 * top), default=top)
    floor = 10.0 ** (math.floor(math.log10(lowest)) - 1)
    return Heights(label, offset, floor, top, min(values) - offset < floor, max(positive) > top)


def thin(points, axis):
    """Points that can be told apart at the size of a figure: the first, lowest and highest of each vertical slice."""
    if len(points) <= POINTS_PER_CURVE:
        return points
    slices = {}
    for index, (x, y) in enumerate(points):
        slices.setdefault(int(axis.position(x) * POINTS_PER_CURVE / 3), []).append((y, index))
    kept = {len(points) - 1}
    for members in slices.values():
        kept |= {members[0][1], min(members)[1], max(members)[1]}
    return [points[index] for index in sorted(kept)]


def marker_positions(points, axis, phase):
    """Indices at about equal distances on the page, shifted from curve to curve, so that both of two that coincide show."""
    positions = [axis.position(x) for x, _ in points]
    chosen = set()
    for k in range(6):
        wanted = (k + phase) / 6
        if positions[0] <= wanted <= positions[-1]:
            chosen.add(min(range(len(positions)), key=lambda i: abs(positions[i] - wanted)))
    return sorted(chosen - {len(points) - 1})


def page_points(curve, columns, axis, height):
    """The points of a curve up to where it leaves the page. columns: of x and y."""
    pairs = zip(*(curve.columns.get(column, []) for column in columns))
    points = [(x * axis.factor, height.of(y)) for x, y in pairs if math.isfinite(x)]
    end = height.end([y for _, y in points])
    return [(x, min(y, height.top)) for x, y in points[:end + 1]]


def oscillates(points, axis):
    """Whether a curve goes up and down so much that its line would be a blot: far longer than its range, with waves one can see in
    a quarter of the slices of the page that it crosses."""
    if len(points) < 100:
        return False
    logs = [math.log10(y) for _, y in points]
    length = sum(abs(b - a) for a, b in zip(logs, logs[1:]))
    waves = sorted(math.log10(high / low) for _, _, low, high in band(points, axis)[1:-1])
    return length > 5 * (max(logs) - min(logs)) and waves[-1 - len(waves) // 4] > LEAST_WAVE


def band(points, axis):
    """Per slice of the page (x, geometric mean, lowest, highest). A slice is a part of the width, and holds twelve points or more."""
    slices, members, place = [], [], None
    for x, y in points:
        now = int(axis.position(x) * SLICES)
        if members and now != place and len(members) >= 12:
            slices.append(members)
            members = []
        if not members:
            place = now
        members.append((x, y))
    if len(members) < 12 and slices:
        slices[-1] = slices[-1] + members
    else:
        slices.append(members)
    found = []
    for part in slices:
        ys = [y for _, y in part]
        mean = 10.0 ** (sum(math.log10(y) for y in ys) / len(ys))
        found.append((part[len(part) // 2][0], mean, min(ys), max(ys)))
    first, last = points[0], points[-1]
    return [(first[0], first[1], first[1], first[1]), *found, (last[0], found[-1][1], found[-1][2], found[-1][3])]
