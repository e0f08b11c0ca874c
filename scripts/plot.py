#!/usr/bin/env python3
"""Draws all figures of result folders: curves, sweeps, maps, sequences, means, tables and profiles. `ccpbench plot` runs it."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import add_figure_options, add_picture_options, draw_each, file_name, place_of_plots, save_all, say_nothing_drawn

import plot_convergence
import plot_maps
import plot_means
import plot_profiles
import plot_sequence
import plot_sweep
import plot_tables
from ccpbench_results import InputError, no_folder, read_manifest, read_summary

KINDS = ("convergence", "sweep", "map", "sequence", "mean", "table", "profile")
COSTS = ("time", "iterations", "products", "back_solves", "factorizations")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"ccpbench: error: {message}", file=sys.stderr)
        sys.exit(2)


def problems_of(folder):
    """{model: names of its problems}."""
    found = {}
    for row in read_summary(folder, ("problem", "model", "label", "hash")):
        found.setdefault(row["model"], set()).add(row["problem"])
    return found


def draw_profiles(folder, arguments):
    """Profiles of each model with two problems or more, computed by the program."""
    read_manifest(folder)
    models = [model for model, problems in problems_of(folder).items() if len(problems) > 1]
    if not models:
        say_nothing_drawn(folder, "profile", "profiles need two problems of a model", arguments)
        return
    target, drawn = place_of_plots(folder, arguments), []
    for model in models:
        with tempfile.TemporaryDirectory() as place:
            made = subprocess.run([arguments.program, "profile", str(folder), "--model", model, "--by", arguments.by, "--out", place,
                                   *(f"--at={at:g}" for at in arguments.at)], capture_output=True, text=True)
            if "no problem was given to all" in made.stderr and not arguments.kind:
                print(f"{folder}: no profiles of the {model} model: no problem was given to all solver settings", file=sys.stderr)
                continue
            if made.returncode != 0:
                lines = made.stderr.strip().splitlines() or [f"{arguments.program} ended with code {made.returncode}"]
                raise InputError(f"{folder}: no profiles: {lines[-1].removeprefix('ccpbench: error: ')}")
            arguments.model = model
            figure = plot_profiles.draw_figure(Path(place), arguments)
        if figure is None:
            say_nothing_drawn(folder, "profile", f"no solver solves a problem of the {model} model", arguments)
            continue
        save_all(figure, target, file_name(f"profiles-{arguments.by}-{model}"), arguments)
        drawn.append(model)
    if drawn:
        print(f"plots: {target} (profiles by {arguments.by.replace('_', '-')}: {', '.join(drawn)})")


def draw(folder, arguments):
    if not arguments.kind and not (folder / "manifest.json").exists() and (folder / "performance.csv").exists():
        plot_profiles.draw(folder, arguments)  # what `ccpbench profile --out` has written
        return
    kinds = [kind for kind in arguments.kind or KINDS if (arguments.table_format if kind == "table" else arguments.format)]
    for kind in set(arguments.kind) - set(kinds):
        say_nothing_drawn(folder, kind, "--format names none for it", arguments)
    arguments.results = folder
    if "convergence" in kinds:
        plot_convergence.plot_folder(folder, arguments)
    if "sweep" in kinds:
        plot_sweep.plot_folder(folder, arguments)
    if "map" in kinds:
        plot_maps.plot_folder(folder, arguments)
    if "sequence" in kinds:
        plot_sequence.plot_folder(folder, arguments)
    if "mean" in kinds:
        plot_means.plot_folder(folder, arguments)
    if "table" in kinds:
        plot_tables.plot_folder(folder, arguments)
    if "profile" in kinds:
        draw_profiles(folder, arguments)


def named_folders(texts):
    """({name: folder} of those that are written NAME=FOLDER, all folders). Raises InputError where one is not there, or two have a name."""
    names, folders = {}, []
    for text in texts:
        name, _, path = text.partition("=") if not Path(text).exists() else ("", "", text)
        folder = Path(path if name and path else text)
        if not folder.is_dir():
            raise no_folder(folder)
        if name:
            if name in names.values():
                raise InputError(f"{text}: another folder has the name '{name}', expected one of its own")
            names[folder] = name
        folders.append(folder)
    return names, folders


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", metavar="RESULTS",
                        help="folders that `ccpbench run` has written; as NAME=FOLDER one has that name in an overlay, and below --out")
    parser.add_argument("--kind", action="append", default=[], choices=KINDS, metavar="KIND", help=f"{', '.join(KINDS)}; repeatable (default: all)")
    parser.add_argument("--by", default="time", choices=COSTS, metavar="NAME", help=f"what profiles count: {', '.join(COSTS)}")
    parser.add_argument("--program", default="ccpbench", metavar="PATH", help="the program that computes profiles (default: ccpbench)")
    plot_convergence.add_curve_options(parser)
    plot_profiles.add_profile_options(parser)
    add_figure_options(parser)
    add_picture_options(parser, "RESULTS/plots")
    parser.set_defaults(metric=None)
    arguments = parser.parse_args()
    try:
        arguments.names, arguments.folders = named_folders(arguments.folders)
    except InputError as error:
        parser.error(error)
    if arguments.overlay:
        if not arguments.format:
            parser.error("--overlay draws figures: --format names none of png,svg,pdf")
        return draw_each(arguments.folders[:1], lambda folder: plot_convergence.plot_overlay(arguments.folders, arguments), arguments)
    return draw_each(arguments.folders, lambda folder: draw(folder, arguments), arguments)


if __name__ == "__main__":
    sys.exit(main())
