#!/usr/bin/env python3
"""Builds the documentation site: stages the repository's pages and those that the program writes of itself, and runs Sphinx, whose
warnings are errors. scripts/site.sh sets up what this needs."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pages
import reference

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {"sphinx": "python3-sphinx", "myst_parser": "python3-myst-parser", "furo": "furo"}


def interpreter():
    """This Python or Debian's, whichever has Sphinx and what the site needs of it."""
    test = f"import {', '.join(NEEDED)}"
    for path in (sys.executable, "/usr/bin/python3"):
        if os.access(path, os.X_OK) and subprocess.run([path, "-c", test], capture_output=True).returncode == 0:
            return path
    raise pages.SiteError(f"needs Sphinx: apt-get install {' '.join(NEEDED.values())}")


def run_sphinx(python, staged, made):
    command = [python, "-B", "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going", "-j", "2", "-c", Path(__file__).parent,
               "-d", made.parent / "doctrees", staged, made]
    if subprocess.run(command).returncode:
        raise pages.SiteError("Sphinx found what stands above; nothing was written")


def check_place(out):
    """Refuses to replace a folder that holds something else than a site, which Sphinx marks by a file."""
    if out.exists() and not (out / ".buildinfo").is_file() and (not out.is_dir() or any(out.iterdir())):
        raise pages.SiteError(f"{out} is there already and is no site: expected a new or an empty folder, or an earlier site")


def build(program, out):
    out = out.resolve()  # a link to a folder stays
    check_place(out)
    python = interpreter()
    with tempfile.TemporaryDirectory() as place:
        staged, made = Path(place) / "pages", Path(place) / "site"
        things = reference.make(ROOT, staged, reference.Program(program))
        pages.stage(ROOT, staged, things)
        run_sphinx(python, staged, made)
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)


def main():
    parser = argparse.ArgumentParser(description="Builds the documentation site.")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/apps/ccpbench/ccpbench",
                        help="the program (default: the release build)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/site", help="folder of the site (default: build/site)")
    arguments = parser.parse_args()
    try:
        build(arguments.program, arguments.out)
    except pages.SiteError as error:
        sys.exit(f"site: {error}")
    print(f"site: {arguments.out}/index.html")


if __name__ == "__main__":
    main()
