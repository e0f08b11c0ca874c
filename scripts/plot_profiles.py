#!/usr/bin/env python3
"""Draws the performance and data profiles that `ccpbench profile --out DIR` wrote.

    scripts/plot_profiles.py DIR [--out FILE.png]

One row of panels per accuracy: on the left the fraction of problems solved within a factor of the best solver, on the
right within a budget; both on a log axis, with 95 % bootstrap bands. Exit code 2 for input that cannot be drawn.
"""
import argparse
import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LINES = ["-", "--", "-.", ":"]


def read(path, abscissa):
    """{accuracy: {label: [(x, fraction, low, high)]}} and the number of problems."""
    curves, problems = {}, 0
    try:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                point = tuple(float(row[name]) for name in (abscissa, "fraction", "low", "high"))
                curves.setdefault(float(row["at"]), {}).setdefault(row["label"], []).append(point)
                problems = int(row["problems"])
    except (OSError, KeyError, ValueError) as error:
        raise SystemExit(f"plot_profiles: error: {path}: {error}") from error
    if not curves:
        raise SystemExit(f"plot_profiles: error: {path}: holds no curve")
    return curves, problems


def draw(axes, curves, title, label):
    for number, (name, points) in enumerate(curves.items()):
        x, fraction, low, high = zip(*points)
        (line,) = axes.step(x, fraction, where="post", label=name, linestyle=LINES[number // 10 % len(LINES)])
        axes.fill_between(x, low, high, step="post", alpha=0.12, color=line.get_color(), linewidth=0)
    axes.set_xscale("log")
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel(label)
    axes.set_ylabel("fraction of problems")
    axes.set_title(title, fontsize=10)
    axes.grid(True, alpha=0.3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    performance, problems = read(arguments.folder / "performance.csv", "ratio")
    data, _ = read(arguments.folder / "data.csv", "budget")
    with open(arguments.folder / "means.csv", newline="", encoding="utf-8") as file:
        by = next(csv.DictReader(file))["by"]
    unit = "s per contact" if by == "time" else by.replace("_", "-")
    figure, panels = plt.subplots(len(performance), 2, figsize=(11, 3.6 * len(performance) + 0.8), squeeze=False)
    count = f"{problems} problem" + ("" if problems == 1 else "s")
    for row, at in zip(panels, performance):
        draw(row[0], performance[at], f"to {at:g}, {count}", f"{by.replace('_', '-')}: factor of the best")
        draw(row[1], data[at], f"to {at:g}, {count}", f"budget: {unit}")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncol=min(4, len(labels)), fontsize=9, frameon=False)
    lines = (len(labels) + 3) // 4
    figure.tight_layout(rect=(0, 0, 1, 1 - (0.25 * lines + 0.15) / figure.get_figheight()))
    target = arguments.out or arguments.folder / "profiles.png"
    figure.savefig(target, dpi=110)
    print(target)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            raise SystemExit(2) from None
        raise
    except (OSError, StopIteration) as error:
        print(f"plot_profiles: error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
