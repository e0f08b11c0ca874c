#!/usr/bin/env python3
"""Compares the time of one solver with the virtual best of others: on each problem, that of the quickest of them.

Prints, per accuracy, a table of the problems and the geometric mean of the ratios over all problems, or over those that take the
virtual best longer than --least. Times are time_to_* of summary.csv (setup included). Problems that only one side brings to the
accuracy are listed, and are in no mean. With --stored the times of the others come from a table made elsewhere, a CSV file with
the columns problem, solver, tolerance, reached (true or false) and time_s. Its problems are named as dumps are, without folders
and endings, .local and .global included. Both sides should have been given the same: N, say, and not its factors.
With --published the sets of local problems of FCLib stand beside the virtual best that was published for them, of another machine
and year (scripts/fclib/published.csv): the median over the problems of a set of the time of the quickest solver here.
Exit code 0 when the solver reaches every accuracy asked for wherever one of the others does.
"""

import argparse
import fnmatch
import math
import sys
from pathlib import Path
from statistics import median

from ccpbench_results import InputError, as_number, csv_rows, read_summary


PUBLISHED = Path(__file__).resolve().parent / "fclib" / "published.csv"


def best_times(rows, wanted, column):
    """The quickest time per problem and model, with the label it belongs to; None where no row reached the accuracy."""
    best = {}
    for row in rows:
        if not wanted(row) or row.get("status") == "unsupported":
            continue
        key, time = (row["problem"], row["model"]), as_number(row[column])
        best.setdefault(key, None)
        if math.isfinite(time) and (best[key] is None or time < best[key][0]):
            best[key] = (time, row["label"])
    return best


def plain_name(problem):
    """The name of a dump without its folder and without the form in its name."""
    name = problem.split("/")[-1]
    for ending in (".hdf5", ".local", ".global"):
        name = name.removesuffix(ending)
    return name


def stored_times(path, accuracy, keys):
    """As best_times, of those of the problems `keys` that the table has at this accuracy."""
    best = {}
    for line, row in enumerate(csv_rows(path, "the folder of a table of times"), start=2):
        reached = (row.get("reached") or "").lower() == "true"
        needed = ["problem", "solver", "tolerance", "reached"] + (["time_s"] if reached else [])
        missing = [name for name in needed if not row.get(name)]
        if missing:
            raise InputError(f"{path}: line {line}: no {' or '.join(missing)}")
        if as_number(row["tolerance"]) != float(accuracy):
            continue
        name, time = row["problem"], as_number(row["time_s"]) if reached else math.inf
        best.setdefault(name, None)
        if math.isfinite(time) and (best[name] is None or time < best[name][0]):
            best[name] = (time, row["solver"])
    if not best:
        raise InputError(f"{path}: no row has the tolerance {accuracy}")
    return {key: best[plain_name(key[0])] for key in keys if plain_name(key[0]) in best}


def shown(time):
    return "–" if time is None else f"{1e3 * time[0]:.3g} ms"


def compare(rows, options, accuracy):
    """Prints one accuracy; whether the solver reached it wherever one of the others did."""
    column = f"time_to_{accuracy}"
    if rows and column not in rows[0]:
        raise InputError(f"summary.csv has no column {column}: expected 1e-2, 1e-3 … 1e-12")
    ours = best_times(rows, lambda row: row["label"] == options.of, column)
    if not ours:
        raise InputError(f"no row is labelled '{options.of}'")
    if options.stored:
        peers = stored_times(options.stored, accuracy, ours)
    else:
        peers = best_times(rows, lambda row: row["label"] != options.of and fnmatch.fnmatch(row["solver"], options.against), column)
    others = str(options.stored or options.against)
    if not any(key in ours for key in peers):
        raise InputError(f"{others}: none of its problems is here" if options.stored
                         else f"no solver named '{others}' beside '{options.of}'")
    ratios, lost = [], []
    print(f"to {accuracy}: {options.of} beside the best of {others}")
    for key in sorted(key for key in ours if key in peers):
        mine, theirs = ours[key], peers[key]
        ratio = mine[0] / theirs[0] if mine and theirs else math.nan
        counted = math.isfinite(ratio) and theirs[0] > options.least
        if counted:
            ratios.append(ratio)
        if theirs and not mine:
            lost.append(key[0])
        print(f"  {key[0]:<44} {shown(mine):>10}  {shown(theirs):>10}  {theirs[1] if theirs else '':<24} "
              f"{'' if math.isnan(ratio) else f'{ratio:.3g}'}{'' if counted or math.isnan(ratio) else ' (not counted)'}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"  geometric mean of {len(ratios)} ratios {mean:.3g}, largest {max(ratios):.3g}")
    else:
        print(f"  no problem takes the best longer than {options.least:g} s")
    print(f"  reached: {sum(1 for key in ours if ours[key])} of {len(ours)}; the others {sum(1 for key in peers if peers[key])} "
          f"of {len(peers)}" + (f"; lost: {', '.join(lost)}" if lost else ""))
    for side, missing in ((options.of, peers.keys() - ours.keys()), (others, ours.keys() - peers.keys())):
        if missing:
            print(f"  without {side}, which has no cell there or does not take them: {', '.join(sorted({key[0] for key in missing}))}")
    return not lost


def beside_published(rows):
    """Prints each set that was published. A problem that nobody here brought to the accuracy counts as infinitely slow."""
    print(f"{'set':<16} {'accuracy':<8} {'published':>11} {'median here':>12}  problems here; published: another machine and year")
    for line in csv_rows(PUBLISHED, "the table of what was published"):
        best = best_times(rows, lambda row: row["problem"].split("/")[-2:-1] == [line["set"]] and "Global/" not in row["problem"],
                          f"time_to_{line['accuracy']}")
        times = [time[0] if time else math.inf for time in best.values()]
        here = "–" if not times else f"{median(times):.3g} s"
        reached = sum(map(math.isfinite, times))
        print(f"{line['set']:<16} {line['accuracy']:<8} {line['time_s'] + ' s':>11} {here:>12}  {len(times)}, {reached} reached: {line['source']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a result folder of `ccpbench run`")
    parser.add_argument("--of", default="Proximal Newton", metavar="LABEL", help="the solver (default: %(default)s)")
    parser.add_argument("--against", default="siconos/*", metavar="PATTERN", help="names of the others (default: %(default)s)")
    parser.add_argument("--stored", type=Path, metavar="CSV", help="a table with the times of the others, in place of the run's")
    parser.add_argument("--at", action="append", metavar="ACCURACY", help="1e-2 … 1e-12, repeatable (default: 1e-8 and 1e-12)")
    parser.add_argument("--least", type=float, default=0.0, metavar="SECONDS",
                        help="leave problems that take the best of the others no longer out of the mean (default: none)")
    parser.add_argument("--published", action="store_true", help="the sets of FCLib beside their published virtual best, instead")
    options = parser.parse_args()
    try:
        rows = read_summary(options.folder, needed=())
        if options.published:
            beside_published(rows)
            return 0
        # Every accuracy is printed, also after one that was not reached.
        reached = [compare(rows, options, accuracy) for accuracy in options.at or ["1e-8", "1e-12"]]
    except InputError as error:
        print(f"virtual_best.py: {error}", file=sys.stderr)
        return 2
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
