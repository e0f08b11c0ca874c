"""Pieces of a dump: bodies that hang together through contacts with small gaps."""

import numpy as np

# Of the largest piece, the second one, … and of the rest: hues that differ, from dark to light, so that grey prints serve.
COLOURS = ("#141f66", "#b01c46", "#1f9a4e", "#e8812f", "#66bdf0", "#f5a9cf", "#f3e55a", "#f7f7f7")


def pieces_of(dump, gap):
    """(the number of the piece of each body, the sizes of the pieces), the largest piece first. A contact of two bodies joins them where
    its gap is at most `gap`, m. Bodies that have not entered are in no piece, −1."""
    parent = list(range(dump.bodies))

    def root(body):
        while parent[body] != body:
            parent[body] = parent[parent[body]]
            body = parent[body]
        return body

    joins = ((dump.sides >= 0) & (dump.sides < dump.bodies)).all(axis=1) & (dump.gaps <= gap)
    for one, other in dump.sides[joins].astype(int).tolist():
        parent[root(one)] = root(other)
    there = np.flatnonzero(dump.present[:dump.bodies])
    _, first, members, sizes = np.unique([root(body) for body in there], return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))  # of equal sizes the one with the first body
    rank = np.empty(len(order), int)
    rank[order] = np.arange(len(order))
    numbers = np.full(dump.bodies, -1)
    numbers[there] = rank[members.ravel()]
    return numbers, sizes[order]


def colour_numbers(dump, gap):
    """The place in COLOURS of each body. Bodies that are alone have the last one."""
    numbers, sizes = pieces_of(dump, gap)
    last = len(COLOURS) - 1
    large = min(last, int((sizes > 1).sum()))
    return np.where((numbers >= 0) & (numbers < large), numbers, last)


def colour_names():
    ordinals = ["largest", "2nd", "3rd", *(f"{k}th" for k in range(4, len(COLOURS)))]
    return [*ordinals, "smaller"]


def pieces_text(dump, gap):
    """'largest piece 50 of 1000 bodies'"""
    _, sizes = pieces_of(dump, gap)
    return f"largest piece {sizes.max(initial=0)} of {sizes.sum()} {'body' if sizes.sum() == 1 else 'bodies'}"
