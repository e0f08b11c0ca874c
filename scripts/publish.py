#!/usr/bin/env python3
"""Publishes result folders as a folder of static pages: leaderboards by problem set, accuracy and budget, over machines and versions.

`ccpbench publish` runs it and hands over the judged claims and profiles on standard input. SITE/results has a folder for each published
result, which is data alone; all pages are written anew from what is there, so that merging two sites is copying their results together.
"""

import argparse
import shutil
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
sys.path[:0] = [str(SCRIPTS / "publish"), str(SCRIPTS / "report")]

import board_pages  # noqa: E402
import report  # noqa: E402
from boards import boards, results_of  # noqa: E402
from ccpbench_results import InputError  # noqa: E402
from entries import add_entry, entry_folders, read_entry  # noqa: E402
from output_file import check_folder, write_output  # noqa: E402


def check_site(site):
    """Raises InputError where pages of others would be replaced."""
    check_folder(site)
    index = site / "index.html"
    if index.exists() and board_pages.MARK not in index.read_text(encoding="utf-8", errors="replace"):
        raise InputError(f"{index}: is a page of another program, expected a folder for ccpbench publish alone")


def whole_entry(folder, library):
    """(entry, its report) with all that the pages need."""
    entry = read_entry(folder)
    try:
        results_of(entry)
        return entry, report.page([entry.study], library)
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError, ZeroDivisionError) as error:
        raise InputError(f"{folder}: not the results of a run: {error!r}") from None


def read_site(site, library):
    """(entries with their reports, what is wrong with the others)"""
    whole, damaged = [], []
    for folder in entry_folders(site):
        try:
            whole.append(whole_entry(folder, library))
        except InputError as error:
            damaged.append(str(error))
    return whole, damaged


def write_pages(site, whole):
    """All pages. Those of sets and results that are gone are removed, so that no page is of anybody else."""
    entries = [entry for entry, _ in whole]
    found = boards(entries)
    pages = {"reports": {entry.id: text for entry, text in whole}, "sets": {board.key: board_pages.board_page(board) for board in found}}
    for part, texts in pages.items():
        folder = site / part
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.glob("*.html"):
                if path.stem not in texts:
                    path.unlink()
        except OSError as error:
            raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
        for name, text in texts.items():
            write_output(folder / f"{name}.html", text)
    write_output(site / "index.html", board_pages.index_page(found, entries))
    return len(found)


def publish(arguments):
    site = arguments.out
    if arguments.check:
        if not (site / "results").is_dir():
            raise InputError(f"{site}: has no folder results; is this a site of `ccpbench publish`?")
    else:
        check_site(site)
    library = report.chart_library()
    analysis = report.read_analysis(arguments.analysis, len(arguments.folders))
    for folder, judged in zip(arguments.folders, analysis):
        if judged.get("writer"):
            raise InputError(f"{folder}: a run is going on ({judged['writer']})")
        name, fresh = add_entry(site, folder, judged, arguments.name, arguments.notes)
        try:
            whole_entry(site / "results" / name, library)
        except InputError:
            if fresh:
                shutil.rmtree(site / "results" / name)
            raise
        print(f"{site / 'results' / name}: {'new' if fresh else 'there already'}")
    whole, damaged = read_site(site, library)
    for text in damaged:
        print(f"ccpbench: {'error' if arguments.check else 'note: left out'}: {text}", file=sys.stderr)
    if arguments.check:
        print(f"{site}: {len(whole)} of {len(whole) + len(damaged)} results are whole")
        return 2 if damaged else 0
    print(f"{site / 'index.html'}: {len(whole)} results, {write_pages(site, whole)} leaderboards")
    return 3 if damaged else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="RESULTS", help="folders that `ccpbench run` has written")
    parser.add_argument("--out", type=Path, required=True, metavar="SITE", help="the folder of pages")
    parser.add_argument("--name", metavar="NAME", help="who publishes the results (default: as about.json beside them says)")
    parser.add_argument("--notes", metavar="TEXT", help="notes on the results (likewise)")
    parser.add_argument("--check", action="store_true", help="write nothing, and look for damage")
    parser.add_argument("--analysis", action="store_true", help="judged claims and profiles come as JSON on standard input")
    try:
        return publish(parser.parse_args())
    except InputError as error:
        print(f"ccpbench: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
