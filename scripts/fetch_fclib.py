#!/usr/bin/env python3
"""Fetches files of the FCLib collection: by default the sample of configs/fclib_sample.json.

    scripts/fetch_fclib.py FOLDER                     the 200 files with the smallest SHA-256, 0.7 GB
    scripts/fetch_fclib.py FOLDER 'Local/*/Chain/*'   those that match a pattern
    scripts/fetch_fclib.py FOLDER --all               all 3223, 7.9 GB
    scripts/fetch_fclib.py FOLDER --list              what is missing there; fetches nothing

The files come from Git LFS of the FCLib project, and are kept where their SHA-256 is that of scripts/fclib/library.txt. What is
there already is not fetched again.
"""
import argparse
import fnmatch
import hashlib
import json
import sys
import urllib.request
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent / "fclib" / "library.txt"
REPOSITORY = "https://github.com/FrictionalContactLibrary/fclib-library.git"
SAMPLE = 200
BATCH = 100
TYPE = "application/vnd.git-lfs+json"


def library():
    """The manifest: a list of (path, bytes, SHA-256)."""
    entries, folder = [], ""
    for line in LIBRARY.read_text(encoding="utf-8").splitlines()[1:]:
        if line.endswith("/"):
            folder = line
        else:
            name, size, digest = line.split(" ")
            entries.append((folder + name, int(size), digest))
    return entries


def sample(entries):
    """The entries with the smallest SHA-256, which nobody can choose."""
    return sorted(sorted(entries, key=lambda entry: entry[2])[:SAMPLE])


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def is_there(folder, entry):
    path, size, digest = entry
    file = folder / path
    return file.is_file() and file.stat().st_size == size and digest_of(file) == digest


def addresses(entries, repository):
    """Where Git LFS has the contents: SHA-256 -> (address, headers)."""
    body = {"operation": "download", "transfers": ["basic"],
            "objects": [{"oid": digest, "size": size} for _, size, digest in entries]}
    request = urllib.request.Request(repository + "/info/lfs/objects/batch", json.dumps(body).encode(),
                                     {"Accept": TYPE, "Content-Type": TYPE})
    with urllib.request.urlopen(request, timeout=60) as answer:
        objects = json.load(answer)["objects"]
    return {found["oid"]: (found["actions"]["download"]["href"], found["actions"]["download"].get("header", {}))
            for found in objects if "actions" in found}


def fetch(entry, address, folder):
    """Writes one file; false where what came has another SHA-256."""
    path, _, digest = entry
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    with urllib.request.urlopen(urllib.request.Request(address[0], headers=address[1]), timeout=60) as answer:
        with open(part, "wb") as file:
            while block := answer.read(1 << 20):
                file.write(block)
    if digest_of(part) != digest:
        part.unlink()
        return False
    part.replace(target)
    return True


def fetch_all(entries, folder, repository):
    """Fetches all in batches; what could not be had, as 'path: why'."""
    failures = []
    for first in range(0, len(entries), BATCH):
        batch = entries[first:first + BATCH]
        places = addresses(batch, repository)
        for number, entry in enumerate(batch, first + 1):
            print(f"\r{number} of {len(entries)}  {entry[0]:<90.90}", end="", file=sys.stderr)
            if entry[2] not in places:
                failures.append(f"{entry[0]}: not in the repository")
            elif not fetch(entry, places[entry[2]], folder):
                failures.append(f"{entry[0]}: came with another SHA-256")
    print(file=sys.stderr)
    return failures


def chosen(options):
    entries = library()
    if options.pattern:
        found = [entry for entry in entries if any(fnmatch.fnmatch(entry[0], pattern) for pattern in options.pattern)]
        if not found:
            print(f"fetch_fclib.py: no file of the collection matches {' or '.join(options.pattern)}", file=sys.stderr)
            sys.exit(2)
        return found
    return entries if options.all else sample(entries)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="for --fclib")
    parser.add_argument("pattern", metavar="PATTERN", nargs="*", help="of paths in the collection")
    parser.add_argument("--all", action="store_true", help="the whole collection")
    parser.add_argument("--list", action="store_true", help="name the files that are missing, and fetch none")
    parser.add_argument("--repository", default=REPOSITORY, help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    wanted = chosen(options)
    missing = [entry for entry in wanted if not is_there(options.folder, entry)]
    if options.list:
        print("".join(f"{path} {size}\n" for path, size, _ in missing), end="")
        return 0
    try:
        failures = fetch_all(missing, options.folder, options.repository)
    except (OSError, ValueError) as error:
        print(f"\nfetch_fclib.py: {options.repository} cannot be reached: {error}", file=sys.stderr)
        return 2
    for failure in failures:
        print(f"fetch_fclib.py: {failure}", file=sys.stderr)
    print(f"{len(wanted) - len(failures)} of {len(wanted)} files are in {options.folder}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
