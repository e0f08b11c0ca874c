"""Styles of series: colour, line and marker by identity, colours in order for ordered values. Needs no matplotlib: the report uses
it, too."""

import fnmatch
import zlib

from ccpbench_results import InputError, without_suffix

# Okabe and Ito's eight colours, which all common kinds of colour vision tell apart, and four more that differ from them in lightness.
# The lengths of the three lists have no common factor: 55 series differ in line or marker alone, that is in grey, too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7A5C00",
           "#882255", "#8C8C00", "#332288", "#8A8A8A")
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (7, 1.6, 1.2, 1.6)), (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)))
MARKERS = "osD^vPX<>*h"
FIRST = 8  # colours that a label may ask for
SALT = "169 "  # with it, two labels of one folder of configs/ seldom ask for the same colour

VIRIDIS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))


def numbers(labels):
    """{label: number of its style}. A label asks for a colour by its name, so that it looks the same in other folders, too, unless
    a label before it has that colour. Swept settings "ADMM (rho=1)" follow after the plain labels."""
    plain = dict.fromkeys(without_suffix(label) for label in labels)
    taken = {}
    for label in plain:
        wanted = zlib.crc32((SALT + label).encode()) % FIRST
        places = [*((wanted + k) % FIRST for k in range(FIRST)), *range(FIRST, len(COLOURS))]
        free = (k for k in places if k not in taken.values())
        taken[label] = next(free, max(len(COLOURS) - 1, *taken.values(), 0) + 1)
    for label in labels:
        if label not in taken:
            taken[label] = max(len(COLOURS) - 1, *taken.values()) + 1
    return taken


def style(number):
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number % len(DASHES)],
            "marker": MARKERS[number % len(MARKERS)]}


def viridis(share):
    """(red, green, blue) from 0 (dark violet) to 1 (yellow); its lightness grows all the way."""
    place = min(3.999, max(0.0, share) * 4)
    low, part = int(place), place - int(place)
    return tuple(round(a + (b - a) * part) for a, b in zip(VIRIDIS[low], VIRIDIS[low + 1]))


def dark_ink_on(rgb):
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 115


def ordered_colours(values):
    """{value: colour} of numbers in their order; the yellow end, too pale for a line, is left out."""
    ordered = sorted(set(values))
    return {value: "#%02x%02x%02x" % viridis(0.88 * k / max(1, len(ordered) - 1)) for k, value in enumerate(ordered)}


BUSY_NOTE = "(busy): timed while other programs kept the machine busy."


def busy_words(busy):
    """The note of a row of the legend on its times, from whether each was taken on a busy machine: " (busy)", " (2 of 5 busy)" or
    nothing."""
    count = sum(map(bool, busy))
    return "" if not count else " (busy)" if count == len(busy) else f" ({count} of {len(busy)} busy)"


def busy_note(times):
    """The note of a figure that has no room for marks: ["2 of 5 times were taken on a busy machine: ADMM (2 of 3)."], or none. times:
    (label, whether it was busy) of each."""
    labels = {}
    for label, busy in times:
        labels.setdefault(label, []).append(bool(busy))
    count = sum(map(sum, labels.values()))
    named = [label + (f" ({sum(busy)} of {len(busy)})" if not all(busy) else "") for label, busy in labels.items() if any(busy)]
    alone = len(labels) == 1
    return [f"{count} of {len(times)} times were taken on a busy machine{'' if alone else ': ' + listed(named, 12)}."] if count else []


def wanted(label, patterns):
    """Whether a label, with or without its swept values, matches one of the patterns; no pattern takes all."""
    names = {label.lower(), without_suffix(label).lower()}
    return not patterns or any(fnmatch.fnmatchcase(name, pattern.lower()) for name in names for pattern in patterns)


def listed(words, most=6):
    """'a, b and 3 more'."""
    words = list(words)
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def none_wanted(folder, patterns, labels):
    """The error where no label matches."""
    labels = list(dict.fromkeys(labels))
    named = [f"'{label}'" if any("," in one for one in labels) else label for label in labels]
    return InputError(f"{folder}: no solver matches {' or '.join(map(repr, patterns))}; there are: {listed(named, 12)}")
