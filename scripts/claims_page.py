#!/usr/bin/env python3
"""Writes results/CLAIMS.md: the claims of all configs and their recorded verdicts, results/claims/NAME.json.

    ccpbench claims configs/test1a.json --both-sizes --format json > judged.json
    scripts/claims_page.py judged.json      # records these verdicts, then writes the page
    scripts/claims_page.py                  # writes the page
"""

import argparse
import datetime
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZES = ("paper", "small")
HEAD = """# Claims

`scripts/claims_page.py` writes this page from the configs and the verdicts in `results/claims`. [Each
config](../apps/ccpbench/docs/experiments.md) has the texts of its claims, their sources and bounds.

* **Bold** claims must hold. *Italic* ones are ours, the others are of papers. A dagger (†) marks a bound that was set after the number was
  known. ✗ marks a claim that is not met and links to the page that says why.
* "measured" is at the size of the paper, with the numbers of claims that are not met and of bounds that papers set. Incomplete: cells of the
  config have not run.
* A section names the date and commit of its verdicts, or the commit that brought them where their own is gone, and the time of its cells on
  two loaded virtual cores. `ccpbench claims configs/NAME.json --both-sizes` repeats it, with all numbers.

"""


def read_config(path):
    """A config as a dictionary; it may have comments (//)."""
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda match: match.group(1) or "", path.read_text(encoding="utf-8")))


def claims_of(config):
    """The claims of each size: {size: {id: claim}}. A claim may be about one size, and a size may replace all claims."""
    found = {}
    for size in SIZES:
        claims = config.get("sizes", {}).get(size, {}).get("/claims", config.get("claims", []))
        found[size] = {claim["id"]: claim for claim in claims if claim.get("size", size) == size}
    return found


def is_ours(claim):
    return re.match(r"ours($|[,:;]| \()", claim.get("where", "ours")) is not None


def escaped(text):
    return re.sub(r"([\\|*_<`])", r"\\\1", text)


def duration(seconds):
    if seconds < 100.0:
        return f"{1000 * seconds:.0f} ms" if seconds < 1.0 else f"{seconds:.3g} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000.0 else f"{seconds / 3600:.1f} h"


def entry(claim, verdict, numbers_if_met):
    """A claim at one size: "30 ≤ 36", after the verdict where that is not just "met"."""
    measured, bound, text, *reason = verdict
    if text == "met" and not numbers_if_met:
        return text
    page = claim.get("see", "")
    link = page.removeprefix("results/") if page.startswith("results/") or "://" in page else f"../{page}"
    sign = (f"[✗]({link}) " if page else "✗ ") if text.startswith("not met") else ""
    words = re.sub(r"^(not )?met(, )?", "", text)
    numbers = "" if text.startswith("cannot") else f"{measured} {escaped(bound)}"
    return sign + ": ".join(part for part in (words, *reason, numbers) if part)


def origin(recorded):
    """When and from which commit the verdicts of a config come, and the time of the cells."""
    runs = []
    for run in (recorded[size] for size in SIZES if size in recorded):
        text = f"{run['date']}, `{run['commit']}`" + (f", {duration(run['cells_s'])}" if "cells_s" in run else "")
        runs += [text] if text not in runs else []
    return "; small size: ".join(runs) + "."


def section(name, config, recorded):
    claims = claims_of(config)
    sizes = [size for size in SIZES if size in recorded]
    lines = [f"\n## {escaped(name)}\n", f"[Config](../configs/{name}.json), {origin(recorded)}"]
    lines += [recorded["note"]] if "note" in recorded else []
    lines += ["", "|claim|measured|" + ("small size|" if "small" in sizes else ""), "|---" * (1 + len(sizes)) + "|"]
    for ident in dict.fromkeys(ident for size in sizes for ident in claims[size]):
        there = {size: (claims[size][ident], recorded[size]["claims"][ident]) for size in sizes if ident in claims[size]}
        claim = next(iter(there.values()))[0]
        mark = ("**" if claim.get("must") else "") + ("*" if is_ours(claim) else "")
        what = f"{mark}{ident}{mark}" + ("†" if claim.get("set_afterwards") else "")
        of_paper = not is_ours(claim) and not claim.get("set_afterwards")
        cells = [entry(*there[size], of_paper and (size == "paper" or len(there) == 1)) if size in there else "–" for size in sizes]
        lines.append("|" + "|".join([what, *cells]) + "|")
    return "\n".join(lines) + "\n"


def counts(configs, records):
    """Each claim once: at the size of the paper, or at the small one where it is only about that."""
    lines = ["| claims | all | met | not met | cannot be judged | bound set afterwards |", "|---|---|---|---|---|---|"]
    for whose, ours in (("of papers", False), ("ours", True)):
        found = [0] * 5
        for name, recorded in records.items():
            judged = {}
            for size in (size for size in SIZES if size in recorded):
                for ident, claim in claims_of(configs[name])[size].items():
                    if is_ours(claim) == ours:
                        judged.setdefault(ident, (claim, recorded[size]["claims"][ident][2]))
            for claim, verdict in judged.values():
                kind = next(i for i, word in enumerate(("met", "not met", "cannot be judged"), 1) if verdict.startswith(word))
                found = [count + (place in (0, kind) or place == 4 and claim.get("set_afterwards", False)) for place, count in enumerate(found)]
        lines.append(f"| {whose} | " + " | ".join(str(count) for count in found) + " |")
    return "\n".join(lines) + "\n"


def page(root):
    """The text of the page."""
    records = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / "results/claims").glob("*.json"))}
    configs = {name: read_config(root / f"configs/{name}.json") for name in records}
    return HEAD + counts(configs, records) + "".join(section(name, configs[name], records[name]) for name in records)


def record(judged, root, commit, date):
    """Keeps the verdicts of one config as `ccpbench claims --format json` gives them. Sizes that were not judged stay as they are."""
    path = root / f"results/claims/{judged['config']}.json"
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    recorded.pop("note", None)  # it is about earlier results
    for size in SIZES:
        rows = {row["claim"]: [row["measured_text"], row["bound"], row["verdict"], *([row["reason"]] if row["reason"] else [])]
                for row in judged["claims"] if row["size"] == size}
        if rows:
            recorded[size] = {"date": date, "commit": commit, "command": judged["command"], "cells_s": judged["cells_s"], "claims": rows}
    path.write_text(text_of(recorded), encoding="utf-8")


def text_of(recorded):
    """JSON with one line per claim."""
    text = json.dumps(recorded, indent=2, ensure_ascii=False)
    return re.sub(r"\[\s+(.*?)\s+\]", lambda match: "[" + re.sub(r"\n\s+", " ", match.group(1)) + "]", text, flags=re.S) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judged", nargs="*", type=Path, metavar="FILE", help="output of ccpbench claims --format json, to be recorded")
    files = parser.parse_args().judged
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip() if files else ""
    for file in files:
        for judged in json.loads(file.read_text(encoding="utf-8")):
            record(judged, ROOT, commit, datetime.date.today().isoformat())
    (ROOT / "results/CLAIMS.md").write_text(page(ROOT), encoding="utf-8")


if __name__ == "__main__":
    main()
