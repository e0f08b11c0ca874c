#!/usr/bin/env python3
"""Fits latency and bandwidth of a network and draws the efficiency of ranks, measured and by a model to 1024 of them.

RESULT_FOLDER is that of configs/ranks_scaling.json: methods on 1, 2, … ranks with several sizes. --network is what `ccpbench-ranks
network` printed; without it two ranks are started on this machine (with CCPBENCH_HOSTS, on these). Strong scaling: the largest size that
was run on the most ranks; weak scaling: sizes in proportion to the ranks. Prints the fit and the table of the figure, which is written as
PNG, SVG and PDF.
"""

import argparse
import csv
import io
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import add_figure_options, add_picture_options, draw_each, place_of_plots, save_all, write_ticks

from ccpbench_results import InputError, Results
from figure_page import Entry, finish, label_y, make_page, plain_frame
from series_styles import busy_note

CELLS = 64  # of a problem, at least
MOST_RANKS = 1024
SWEEPS = ("gauss_seidel", "nsgs")
NAMES = {"apgd": "APGD", "pqn": "PQN", "gauss_seidel": "Gauss–Seidel, colours", "nsgs": "nonlinear Gauss–Seidel, colours"}
LOOKS = [("#000000", "-", "o"), ("#777777", (0, (5, 1.6)), "s"), ("#000000", (0, (1.2, 1.2)), "D"), ("#777777", "-", "^")]


@dataclass
class Network:
    latency: float  # s
    bandwidth: float  # B/s
    stages: float  # latencies of a sum over all ranks, for each doubling of the ranks

    def sum(self, ranks):
        return self.stages * self.latency * math.log2(ranks)


@dataclass
class Cell:
    """An iteration of a method on some ranks."""

    solver: str
    ranks: int
    contacts: int
    seconds: float
    exchanges: float
    sums: float
    bytes: float  # that a rank sends in an exchange
    busy: bool


def measure_network():
    program = os.environ.get("CCPBENCH_RANKS_PROGRAM") or Path(__file__).resolve().parents[1] / "build/release/apps/ccpbench/ccpbench-ranks"
    hosts = os.environ.get("CCPBENCH_HOSTS", "")
    where = ["--hostfile" if os.path.isfile(hosts) else "--host", hosts] if hosts else []
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
    command = [os.environ.get("CCPBENCH_MPIEXEC") or "mpiexec", "-n", "2", "--bind-to", "none", "--oversubscribe", *where,
               program if Path(program).exists() else "ccpbench-ranks", "network"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **root})
    except OSError as error:
        raise InputError(f"{command[0]}: {error.strerror}") from error
    if ran.returncode:
        raise InputError(f"{' '.join(map(str, command))}: {(ran.stderr.strip().splitlines() or ['failed'])[-1]}")
    return ran.stdout


def fit(text, name):
    """Least squares of relative errors: the time of a message is latency + bytes/bandwidth."""
    try:
        rows = [(row["what"], int(row["bytes"]), int(row["ranks"]), float(row["least_s"])) for row in csv.DictReader(io.StringIO(text))]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name}: expected what `ccpbench-ranks network` prints") from error
    messages = [(size, seconds) for what, size, _, seconds in rows if what == "message"]
    sums = [(seconds, ranks) for what, _, ranks, seconds in rows if what == "sum"]
    if len(messages) < 2 or not sums or min(seconds for _, seconds in messages) <= 0:
        raise InputError(f"{name}: expected what `ccpbench-ranks network` prints")
    # Of x₁ + x₂ size = seconds with the weights 1/seconds.
    a11, a12, a22 = (sum((size / s) ** p / s ** (2 - p) for size, s in messages) for p in (0, 1, 2))
    b1, b2 = sum(1 / s for _, s in messages), sum(size / s for size, s in messages)
    determinant = a11 * a22 - a12 * a12
    latency, slope = (a22 * b1 - a12 * b2) / determinant, (a11 * b2 - a12 * b1) / determinant
    if latency <= 0 or slope <= 0:
        raise InputError(f"{name}: the times of messages do not grow with their sizes")
    return Network(latency, 1 / slope, sums[0][0] / (latency * math.log2(sums[0][1])))


def cells_of(folder):
    cells = []
    for row in Results(folder).cells().rows():
        if not row.get("ranks") or not row.get("iterations") or row.get("solve_s") is None:
            continue
        exchanges = row["exchanges"]
        cells.append(Cell(row["solver"], int(row["ranks"]), int(row["contacts"]), row["solve_s"] / row["iterations"],
                          exchanges / row["iterations"], row["reductions"] / row["iterations"],
                          row["bytes_sent"] / (row["ranks"] * exchanges) if exchanges else 0.0, bool(row.get("busy_runs"))))
    if not any(cell.ranks == 1 for cell in cells) or not any(cell.ranks > 1 for cell in cells):
        raise InputError(f"{folder}: expected cells with \"ranks\" of 1 and of more, as of configs/ranks_scaling.json")
    return cells


def surface(ranks, contacts):
    """Of a rank's box of bodies in space, with as many neighbours as a grid of boxes gives it, in contacts."""
    return 6 * (1 - ranks ** (-1 / 3)) * (contacts / ranks) ** (2 / 3)


class Model:
    """The time of an iteration of one method, from its cells."""

    def __init__(self, cells, network, neighbours):
        self.network, self.neighbours = network, neighbours
        one, more = [c for c in cells if c.ranks == 1], [c for c in cells if c.ranks > 1]
        self.one = {c.contacts: c.seconds for c in one}
        self.exchanges = sum(c.exchanges for c in cells) / len(cells)
        self.sums = sum(c.sums for c in cells) / len(cells)
        self.bytes = sum(c.bytes / surface(c.ranks, c.contacts) for c in more) / len(more)  # for each contact of a surface
        self.colours = max(1.0, self.exchanges) if cells[0].solver in SWEEPS else 1.0

    def seconds(self, ranks, contacts, work):
        """work: the time on one rank of all contacts."""
        if ranks == 1:
            return work
        cells = max(CELLS, ranks)
        # Cells of one colour are swept at once, those of a rank one after the other.
        share = self.colours * math.ceil(cells / (ranks * self.colours) - 1e-9) / cells if self.colours > 1 else 0.0
        neighbours = min(ranks - 1, self.neighbours)
        sent = self.bytes * surface(ranks, contacts) / self.network.bandwidth
        return work * max(share, 1 / ranks) + self.exchanges * (neighbours * self.network.latency + sent) + self.sums * self.network.sum(ranks)


def chains(cells):
    """(size of strong scaling, size of a rank of weak scaling; None where there is none)."""
    def most_ranks(sizes):
        """The size that is there for the most numbers of ranks, the largest of several."""
        found = [(len(ranks), size) for size, ranks in sizes.items() if 1 in ranks and len(ranks) > 1]
        return max(found)[1] if found else None

    strong, weak = {}, {}
    for cell in cells:
        strong.setdefault(cell.contacts, set()).add(cell.ranks)
        if cell.contacts % cell.ranks == 0:
            weak.setdefault(cell.contacts // cell.ranks, set()).add(cell.ranks)
    return most_ranks(strong), most_ranks(weak)


def efficiencies(cells, model, size, weak):
    """({ranks: measured}, {ranks: of the model}); work of a size between two others would be a guess, so that it is one of them."""
    one = model.one.get(size)
    measured, modelled = {}, {}
    for cell in cells:
        if cell.contacts == (size * cell.ranks if weak else size):
            measured[cell.ranks] = one / cell.seconds / (1 if weak else cell.ranks)
    for power in range(int(math.log2(MOST_RANKS)) + 1):
        ranks = 2**power
        contacts, work = (size * ranks, one * ranks) if weak else (size, one)
        modelled[ranks] = one / model.seconds(ranks, contacts, work) / (1 if weak else ranks)
    return dict(sorted(measured.items())), modelled


def draw(panels, notes, arguments):
    """panels: (what, {method: (measured, modelled)})."""
    methods = list(dict.fromkeys(method for _, curves in panels for method in curves))
    looks = {method: dict(zip(("color", "linestyle", "marker"), LOOKS[k % len(LOOKS)])) for k, method in enumerate(methods)}
    page = make_page(arguments.width, len(panels), [Entry(NAMES.get(m, m), looks[m]) for m in methods], notes,
                     ("Efficiency of ranks", "marks: measured; curves: the model") if arguments.title else ())
    for axes, (what, curves) in zip(page.panels, panels):
        for method, (measured, modelled) in curves.items():
            look = looks[method]
            axes.plot(list(modelled), [100 * e for e in modelled.values()], color=look["color"], linestyle=look["linestyle"], linewidth=1.1)
            axes.plot(list(measured), [100 * e for e in measured.values()], color=look["color"], linestyle="none", marker=look["marker"],
                      markersize=4.0, markerfacecolor="white", markeredgewidth=0.9)
        axes.set_xscale("log", base=2)
        write_ticks(axes.xaxis, [1, 4, 16, 64, 256, 1024])
        axes.set_ylim(0, max(110, *(105 * e for measured, _ in curves.values() for e in measured.values())))
        axes.set_xlabel(f"ranks ({what})")
        if page.at_left(axes):
            label_y(axes, "efficiency (%)")
        else:
            axes.tick_params(labelleft=False)
        plain_frame(axes)
    finish(page)
    return page.figure


def network_of(file):
    """Of what `ccpbench-ranks network` printed into the file, or prints now where there is none."""
    try:
        return fit(file.read_text(encoding="utf-8") if file else measure_network(), str(file or "ccpbench-ranks network"))
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def plot_folder(folder, arguments):
    cells, network, target = cells_of(folder), network_of(arguments.network), place_of_plots(folder, arguments)
    by_method = {solver: [c for c in cells if c.solver == solver] for solver in dict.fromkeys(c.solver for c in cells)}
    by_method = {solver: own for solver, own in by_method.items() if {1} < {c.ranks for c in own}}
    models = {solver: Model(own, network, arguments.neighbours) for solver, own in by_method.items()}
    panels = []
    for size, weak in zip(chains(cells), (False, True)):
        curves = {solver: efficiencies(own, models[solver], size, weak) for solver, own in by_method.items() if size in models[solver].one}
        if curves:
            panels.append((f"{size} contacts" + (" a rank" if weak else " in all"), curves))
    print(f"latency {1e6 * network.latency:.3g} µs, bandwidth {1e-9 * network.bandwidth:.3g} GB/s, a sum {network.stages:.2g} latencies a doubling of the ranks")
    print("scaling,method,ranks,measured,model")
    for what, curves in panels:
        for solver, (measured, modelled) in curves.items():
            for ranks in sorted({*measured, *modelled}):
                values = (format(of[ranks], ".3g") if ranks in of else "" for of in (measured, modelled))
                print(f"{what},{solver},{ranks},{','.join(values)}")
    notes = [f"Marks: measured. Curves: a model, the time of one rank shared equally; a message takes {1e6 * network.latency:.2g} µs and "
             f"{1e-9 * network.bandwidth:.2g} GB/s, a sum {network.stages:.2g} latencies a doubling of the ranks. A rank has at most {arguments.neighbours} "
             "neighbours; what it sends grows as its surface. Colours wait for each other, and each rank has as many cells of each. "
             "No jitter, no shared bandwidth, the same network between nodes: optimistic.",
             *busy_note([(NAMES.get(cell.solver, cell.solver), cell.busy) for cell in cells])]
    save_all(draw(panels, notes, arguments), target, "ranks-efficiency", arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="RESULT_FOLDER")
    parser.add_argument("--network", type=Path, metavar="FILE", help="what `ccpbench-ranks network` printed (default: measured now, on two ranks)")
    parser.add_argument("--neighbours", type=int, default=12, help="most ranks that one exchanges impulses with (default 12, as PT-Scotch cuts packings)")
    add_picture_options(parser, "RESULT_FOLDER/plots")
    add_figure_options(parser)
    arguments = parser.parse_args()
    return draw_each([arguments.folder], lambda folder: plot_folder(folder, arguments), arguments)


if __name__ == "__main__":
    sys.exit(main())
