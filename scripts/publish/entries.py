"""The published results of a site: a folder for each, SITE/results/ID. ID is the checksum of its entry.json, which has those of all files.

So a folder can be copied from site to site, and nothing in it can be changed unnoticed. It is a folder of results like any other, with the
config and the judged claims as files beside it. It holds data only: pages are written from it, never copied.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ccpbench_results import InputError, find_file, listed_cells, listed_files, not_ended, parse_json, read_cell, read_json, read_manifest
from reading import Study, read_study

FORMAT = 1
DIGITS = 16  # of a SHA-256, in the name of a folder
ID = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
DATA = re.compile(r"(manifest|config|analysis)\.json|summary\.csv|cells/[0-9a-z]+/(cell\.json|(trace|trace\.\d+|steps)\.csv)")
MOST_SIGNS = {"name": 100, "notes": 4000}
ABOUT = "about.json"  # beside results: who made them, and notes


@dataclass
class Entry:
    id: str
    name: str  # of those who publish it
    notes: str
    files: dict
    study: Study
    cells: dict  # hash -> cell.json

    @property
    def path(self):
        return f"results/{self.id}"


def digest(content):
    return hashlib.sha256(content).hexdigest()


def file_digest(path):
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def check_words(words, where):
    """{"name", "notes"} as texts of a length that a page can show."""
    if not isinstance(words, dict) or not all(isinstance(words.get(key, ""), str) for key in MOST_SIGNS):
        raise InputError(f"{where}: expected an object with the texts 'name' and 'notes'")
    for key, most in MOST_SIGNS.items():
        if len(words.get(key, "")) > most:
            raise InputError(f"{where}: {key}: {len(words[key])} signs, at most {most}")
    return {key: words.get(key, "").strip() for key in MOST_SIGNS}


def about(folder, name, notes):
    """Name and notes: those of the command line, else those stored beside the results."""
    path = folder / ABOUT
    stored = check_words(read_json(path), path) if path.exists() else {}
    return check_words({"name": stored.get("name", "") if name is None else name, "notes": stored.get("notes", "") if notes is None else notes},
                       "--name, --notes")


def result_files(folder):
    """{name in the entry: path} of a folder of results that has come to its end. Raises InputError where one is missing or damaged."""
    if not_ended(read_manifest(folder)):
        raise InputError(f"{folder}: its run has not come to its end; the same command of `ccpbench run` goes on with it")
    files = {name: folder / name for name in ("manifest.json", "summary.csv")}
    for path, _ in listed_cells(folder):
        read_cell(path.parent)
        for name in ("cell.json", *listed_files(path)):
            files[f"cells/{path.parent.name}/{name}"] = find_file(path.parent / name) or path
    for name in files:
        if not DATA.fullmatch(name):
            raise InputError(f"{folder / name}: is none of the files that a run writes")
    return files


def add_entry(site, folder, analysis, name, notes):
    """Copies a folder of results into the site. Returns the ID, and whether it is new. An entry of the same results with another name or other
    notes gives its place."""
    words, files = about(folder, name, notes), result_files(folder)
    config = read_manifest(folder)["config"]
    texts = {"config.json": json.dumps(config, indent=2, ensure_ascii=False) + "\n",
             "analysis.json": json.dumps(analysis, ensure_ascii=False, separators=(",", ":")) + "\n"}
    results = site / "results"
    try:
        results.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".new-", dir=results))
        try:
            checksums = {}
            for where, path in files.items():
                (made / where).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, made / where)
                checksums[where] = file_digest(made / where)
            for where, text in texts.items():
                (made / where).write_text(text, encoding="utf-8")
                checksums[where] = digest(text.encode())
            entry = {"format": FORMAT, **words, "files": dict(sorted(checksums.items()))}
            text = (json.dumps(entry, indent=1, ensure_ascii=False) + "\n").encode()
            (made / "entry.json").write_bytes(text)
            made.chmod(0o755)
            target = results / digest(text)[:DIGITS]
            fresh = not target.exists()
            if fresh:
                forget_same(results, checksums)
                made.rename(target)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{error.filename2 or error.filename or results}: cannot be written ({error.strerror})") from None
    return target.name, fresh


def forget_same(results, checksums):
    """Removes the entry of the same manifest and summary."""
    for folder in entry_folders(results.parent):
        try:
            files = parse_json((folder / "entry.json").read_bytes()).get("files")
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(files, dict) and all(files.get(name) == checksums[name] for name in ("manifest.json", "summary.csv")):
            shutil.rmtree(folder)


def entry_folders(site):
    return sorted(path for path in (site / "results").glob("*") if ID.fullmatch(path.name))


def check_files(folder, files):
    """Raises InputError unless these files, and no others, are there with their checksums."""
    root = os.path.realpath(folder)
    there = {os.path.relpath(Path(where) / name, folder) for where, folders, names in os.walk(folder)
             for name in (*names, *(f for f in folders if (Path(where) / f).is_symlink()))} - {"entry.json"}
    if folder.is_symlink():
        raise InputError(f"{folder}: is a link, expected the folder itself")
    for name in sorted(there | set(files)):
        if name not in files or not DATA.fullmatch(name):
            raise InputError(f"{folder / name}: is none of the files of a published result")
        if os.path.realpath(folder / name) != os.path.join(root, name):
            raise InputError(f"{folder / name}: is a link, expected the file itself")
        if name not in there:
            raise InputError(f"{folder / name}: is missing, though entry.json lists it")
        if file_digest(folder / name) != files[name]:
            raise InputError(f"{folder / name}: is damaged: its checksum is not that of entry.json")


def read_entry(folder):
    """A whole entry. Raises InputError, which names the first file that is missing, damaged, or none of a published result."""
    path = folder / "entry.json"
    try:
        text = path.read_bytes()
        record = parse_json(text)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if digest(text)[:DIGITS] != folder.name:
        raise InputError(f"{path}: is damaged: the name of its folder is not its checksum")
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"{path}: expected an entry of format {FORMAT}")
    words, files = check_words(record, path), record.get("files")
    if not isinstance(files, dict) or not {"manifest.json", "config.json", "analysis.json", "summary.csv"} <= set(files):
        raise InputError(f"{path}: lists no results")
    check_files(folder, files)
    study, analysis = read_study(folder), read_json(folder / "analysis.json")
    if isinstance(analysis, dict):
        study.claims, study.profiles = analysis.get("claims") or [], analysis.get("profiles") or []
        study.analysis_note = str(analysis.get("note") or "")
    cells = {row["hash"]: read_cell(folder / "cells" / row["hash"]) for row in study.rows}
    return Entry(folder.name, words["name"], words["notes"], files, study, cells)
