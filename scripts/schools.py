#!/usr/bin/env python3
"""Compares the schools of a result folder, such as that of the config `peers`, in tables of Markdown.

A school is what manifest.json says of a peer, and 'ours' for our own methods. Tables: how many problems each school solves to each
accuracy, and how long the best of it takes beside ours; the same for each scene by itself; every solver; and how near friction in
boxes comes to the cone. Times are time_to_* of summary.csv (setup included).
"""

import argparse
import math
import sys
from pathlib import Path
from statistics import median

from ccpbench_results import InputError, as_number, read_manifest, read_summary, school_of
from output_file import write_output

ACCURACIES = ("1e-4", "1e-8", "1e-12")
OURS = "ours"
MARK = "<!-- scripts/schools.py -->"
BOXES = ("dart/", "bullet/")
MODELS = {"ncp": "Coulomb model (`ncp`)", "ccp": "Convex model (`ccp`)"}


def shown(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def time_to(row, accuracy):
    """inf where it was never reached."""
    value = as_number(row.get(f"time_to_{accuracy}"))
    return value if math.isfinite(value) else math.inf


def markdown(head, body):
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("|" + "|".join(line) + "|" for line in lines) + "\n"


def best(rows, accuracy):
    """{problem: (time, label)} of the quickest row of each problem that got there."""
    found = {}
    for row in rows:
        time = time_to(row, accuracy)
        if time < found.get(row["problem"], (math.inf,))[0]:
            found[row["problem"]] = (time, row["label"])
    return found


def group_of(problem, scenes):
    return "scenes" if problem in scenes else "dumps"


def school_cell(rows, ours, accuracy):
    """Solved of taken, time of the best of the school, and its ratio to the best of ours where both got there."""
    found, mine = best(rows, accuracy), best(ours, accuracy)
    taken = {row["problem"] for row in rows}
    if not found:
        return f"0/{len(taken)}"
    both = [max(found[p][0], 1e-9) / max(mine[p][0], 1e-9) for p in found if p in mine]
    ratio = f", × {mean(both):.3g}" if both and rows is not ours else ""
    return f"{len(found)}/{len(taken)}, {shown(mean([max(t, 1e-9) for t, _ in found.values()]))}{ratio}"


def table_of_schools(members, scenes):
    body = []
    for group in ("dumps", "scenes"):
        inside = [row for row in members if group_of(row["problem"], scenes) == group]
        ours = [row for row in inside if row["school"] == OURS]
        for school in dict.fromkeys(row["school"] for row in inside):
            rows = ours if school == OURS else [row for row in inside if row["school"] == school]
            body.append([group, school, *(school_cell(rows, ours, at) for at in ACCURACIES)])
    return markdown(["problems", "school", *ACCURACIES], body)


def table_of_scenes(members, scenes):
    """The quickest solver of each school to 1e-8."""
    body, schools = [], list(dict.fromkeys(row["school"] for row in members))
    for problem in (p for p in dict.fromkeys(row["problem"] for row in members) if p in scenes):
        cells = []
        for school in schools:
            rows = [row for row in members if (row["problem"], row["school"]) == (problem, school)]
            found = best(rows, "1e-8").get(problem)
            cells.append(f"{shown(found[0])} ({found[1]})" if found else "–" if rows else "not taken")
        body.append([problem, next(row["contacts"] for row in members if row["problem"] == problem), *cells])
    return markdown(["scene, to 1e-8", "contacts", *schools], body)


def table_of_solvers(members, scenes):
    """How many problems each solver brings to 1e-8, and its median time."""
    body = []
    for label in dict.fromkeys(row["label"] for row in members):
        rows = [row for row in members if row["label"] == label]
        line = [label]
        for group in ("dumps", "scenes"):
            inside = [row for row in rows if group_of(row["problem"], scenes) == group]
            times = [t for row in inside if math.isfinite(t := time_to(row, "1e-8"))]
            line.append(f"{len(times)}/{len(inside)}" + (f", {shown(median(times))}" if times else ""))
        body.append(line)
    return markdown(["solver, to 1e-8", "dumps", "scenes"], body)


def table_of_boxes(members, scenes):
    body = []
    for label in dict.fromkeys(row["label"] for row in members if row["solver"].startswith(BOXES)):
        for group in ("dumps", "scenes"):
            rows = [row for row in members if row["label"] == label and group_of(row["problem"], scenes) == group]
            maps = sorted(v for row in rows if math.isfinite(v := as_number(row["natural_map"])))
            if maps:
                exact = sum(math.isfinite(time_to(row, "1e-8")) for row in rows)
                body.append([label, group, str(len(maps)), f"{maps[0]:.1e}", f"{median(maps):.1e}", f"{maps[-1]:.1e}", str(exact)])
    head = ["solver", "problems", "results", "least natural map", "median", "largest", "within 1e-8 of the cone's solution"]
    return markdown(head, body) if body else ""


def program_of(row):
    """What takes part: one of our settings, or another program with all its solvers."""
    return row["label"] if row["school"] == OURS else row["solver"].split("/")[0]


def report(folder):
    manifest = read_manifest(folder)
    rows = read_summary(folder, needed=("problem", "model", "label", "solver", "status"))
    missing = [f"time_to_{at}" for at in ACCURACIES if rows and f"time_to_{at}" not in rows[0]]
    if missing:
        raise InputError(f"{folder / 'summary.csv'}: has no column {missing[0]}")
    problems = manifest["config"].get("problems") or []
    scenes = {p.get("label") or p["scene"] for p in problems if isinstance(p, dict) and "scene" in p}
    for row in rows:
        row["school"] = school_of(manifest, row["solver"])
    taken = [row for row in rows if row["status"] != "unsupported"]
    parts = []
    for model in dict.fromkeys(row["model"] for row in taken):
        members = [row for row in taken if row["model"] == model]
        parts += [f"## {MODELS.get(model, model)}\n", "### By school\n", table_of_schools(members, scenes)]
        if scenes:
            parts += ["### Scene by scene\n", table_of_scenes(members, scenes)]
        parts += ["### Solver by solver\n", table_of_solvers(members, scenes)]
        boxes = table_of_boxes(members, scenes)
        if boxes:
            parts += ["### Boxes beside cones\n", boxes]
    there, missing = {program_of(row) for row in taken}, {}
    for row in rows:
        if program_of(row) not in there:
            missing.setdefault(row["reason"], {})[program_of(row)] = None
    if missing:
        parts += ["## Not taken\n", "\n".join(f"* {reason}: {', '.join(labels)}" for reason, labels in sorted(missing.items())) + "\n"]
    return "\n".join(parts)


def put_into(path, text):
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no file, expected one with the line '{MARK}'")
    try:
        old = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
    if f"{MARK}\n" not in old:
        raise InputError(f"{path}: has no line '{MARK}'")
    write_output(path, old.split(f"{MARK}\n")[0] + f"{MARK}\n\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a result folder of `ccpbench run`")
    parser.add_argument("--into", type=Path, metavar="FILE", help=f"replace what follows the line '{MARK}' of a file, instead of printing")
    options = parser.parse_args()
    try:
        text = report(options.folder)
        if options.into is None:
            print(text, end="")
        else:
            put_into(options.into, text)
    except InputError as error:
        print(f"schools.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
