#!/usr/bin/env python3
"""Writes the tables of result folders: metrics of several solvers side by side, with those of the paper below.

One table per entry of the config's "plots" with kind "table", as CSV, Markdown and LaTeX, in RESULT_FOLDER/plots/, laid out as Tables II
and III of Lee et al. 2025. A folder whose config has no such entry is left alone.
"""

import sys

# First, since it finds an interpreter with matplotlib.
from plotting import RUN_AGAIN, draw_folders, file_name, place_of_plots, say_nothing_drawn, say_written

from cell_values import read_cells
from result_tables import WRITERS, table_of
from ccpbench_results import read_manifest
from output_file import write_output
from series_styles import none_wanted, wanted


def plot_folder(folder, arguments):
    config = read_manifest(folder)["config"]
    plots = [p for p in config.get("plots") or [] if isinstance(p, dict) and p.get("kind") == "table"]
    if not plots:
        say_nothing_drawn(folder, "table", f"its config has no entry {{\"kind\": \"table\", …}} in \"plots\": {RUN_AGAIN}", arguments)
        return
    everyone, target, names = read_cells(folder), place_of_plots(folder, arguments), []
    cells = [cell for cell in everyone if wanted(cell.row["label"], arguments.only)]
    if everyone and not cells:
        raise none_wanted(folder, arguments.only, [cell.label for cell in everyone])
    for number, plot in enumerate(plots, start=1):
        table = table_of(plot, cells, everyone)
        if table is None:
            print(f"{folder}: no cell with a number for the table '{plot.get('where') or number}'", file=sys.stderr)
            continue
        name = file_name(f"table-{plot.get('where') or number}")
        names.append(f"{name}-{number}" if name in names else name)
        target.mkdir(parents=True, exist_ok=True)
        endings = [ending for ending in WRITERS if ending in arguments.table_format]
        for ending in endings:
            write_output(target / f"{names[-1]}.{ending}", WRITERS[ending](table))
        say_written("table", target, names[-1], endings, arguments)
    print(f"tables: {target} ({', '.join(names) or 'none'})")


if __name__ == "__main__":
    sys.exit(draw_folders(__doc__, plot_folder, tables=True))
