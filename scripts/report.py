#!/usr/bin/env python3
"""Writes one self-contained HTML page of result folders: what was run, summary, pictures, curves, sweeps, failures, claims.

`ccpbench report` runs it and hands over the judged claims on standard input. Needs no Python packages; the curves are drawn by
Chart.js (Debian's libjs-chart.js), which is put into the page.
"""

import argparse
import json
import os
import sys
from pathlib import Path

PARTS = Path(__file__).resolve().parent / "report"
sys.path.insert(0, str(PARTS))

import sections  # noqa: E402
from pictures import page_budget, pictures  # noqa: E402
from reading import MODELS, MOST_CURVES, curve_groups, points_per_curve, read_study  # noqa: E402
from ccpbench_results import InputError, parse_json  # noqa: E402
from output_file import words_beside, write_output  # noqa: E402
from series_styles import numbers  # noqa: E402
from sweeps import sweeps  # noqa: E402
from text import NAMES, say  # noqa: E402

CHART_PLACES = ("/usr/share/javascript/chart.js/chart.min.js", "/usr/share/nodejs/chart.js/dist/chart.min.js")
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def chart_library():
    named = os.environ.get("CCPBENCH_CHART_JS")
    for place in [named] if named else CHART_PLACES:
        try:
            return Path(place).read_text(encoding="utf-8").replace("</script", "<\\/script")
        except (OSError, ValueError):
            continue
    raise InputError(f"{named or CHART_PLACES[0]}: no Chart.js to draw the curves with: apt-get install libjs-chart.js")


def read_analysis(use, count):
    """Per folder, in the order of the command line, {"claims": [...], "profiles": [...], "note": "..."} from standard input."""
    if not use:
        return [{} for _ in range(count)]
    try:
        entries = parse_json(sys.stdin.read())
    except ValueError as error:
        raise InputError(f"--analysis: standard input is no JSON: {error}") from None
    if not isinstance(entries, list) or len(entries) != count or not all(isinstance(e, dict) for e in entries):
        raise InputError(f"--analysis: standard input is no list of {count} objects, one per folder")
    return entries


def numbered(study):
    """The profiles with the number of each label, which is its colour in every plot of the study."""
    number = numbers(study.labels())
    for profile in study.profiles:
        for line in profile["lines"]:
            line["number"] = number.get(line["label"], 0)
    return study.profiles


def first_of(study, axis, columns, usual):
    """The first choice of an axis: that of the first convergence plot of the config, or the default."""
    plots = study.config.get("plots")
    wanted = [p.get(axis) for p in plots if isinstance(p, dict) and p.get("kind") == "convergence"] if isinstance(plots, list) else []
    return next((c for c in (*wanted, usual) if c in columns), (columns or [""])[0])


def study_html(study, place, budget):
    """The section of one study, and the data its plots are drawn from."""
    groups, x, y, left_out = curve_groups(study, budget)
    data = {"groups": groups, "x": x, "y": y, "names": NAMES, "models": MODELS, "profiles": numbered(study), "sweeps": [],
            "first_x": first_of(study, "x", x, "iteration"), "first_y": first_of(study, "y", y, (y or [""])[0])}
    parts = [sections.summary(study), pictures(study, sections.card, budget["pictures"]), sections.convergence(study, data, place, left_out), sections.accuracy(study),
             sections.profiles(study, place), sweeps(study, data, place), sections.plot_tables(study), sections.claims(study), sections.failures(study),
             sections.provenance(study)]
    about = study.config.get("description") or ""
    return (f'<article id="study-{place}" aria-labelledby="title-{place}"><h2 id="title-{place}">{say(study.title)}</h2>'
            f"<p class=soft>{say(about)}</p>{sections.unfinished(study)}{''.join(parts)}</article>"), data


def page(studies, library):
    budget = {"points": points_per_curve(studies), "curves": MOST_CURVES, "pictures": page_budget()}
    made = [study_html(study, place, budget) for place, study in enumerate(studies)]
    # "<" never stands in the data, so that no label can end the element.
    data = json.dumps([d for _, d in made], ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    links = "".join(f'<li><a href="#study-{k}">{say(s.title)}</a></li>' for k, s in enumerate(studies))
    title = studies[0].title if len(studies) == 1 else f"{len(studies)} studies"
    style, *scripts = ((PARTS / name).read_text(encoding="utf-8") for name in ("report.css", "theme.js", "svg.js", "report.js", "tables.js"))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<link rel="icon" href="data:,">
<title>ccpbench: {say(title)}</title>
<style>
{style}</style>
</head>
<body>
<a class="skip" href="#main">To the results</a>
<header><div class="wide"><div><h1>Contact solver benchmark</h1>
<p class="soft">A report of ccpbench. Every solver ran on the same problems and was judged by the same measures.</p></div>
<button id="theme" class="script" type="button">Theme</button></div></header>
{f'<nav class="wide" aria-label="Studies"><ul>{links}</ul></nav>' if len(studies) > 1 else ""}
<main id="main" class="wide">{"".join(html for html, _ in made)}</main>
<footer class="wide">Made by ccpbench report. Curves drawn by Chart.js (MIT licence).</footer>
<script type="application/json" id="data">{data}</script>
<script>{library}</script>
{"".join(f"<script>{chr(10)}{script}</script>{chr(10)}" for script in scripts)}</body>
</html>
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULTS", help="folders that `ccpbench run` has written")
    parser.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE", help="the page (default report.html)")
    parser.add_argument("--analysis", action="store_true", help="judged claims come as JSON on standard input")
    arguments = parser.parse_args()
    try:
        analysis = read_analysis(arguments.analysis, len(arguments.folders))
        library = chart_library()
        studies = [read_study(folder) for folder in arguments.folders]
        for study, found in zip(studies, analysis):
            study.claims, study.analysis_note = found.get("claims") or [], found.get("note") or ""
            study.profiles, study.writer = found.get("profiles") or [], str(found.get("writer") or "")
        write_output(arguments.out, page(studies, library))
    except InputError as error:
        print(f"ccpbench: error: {error}", file=sys.stderr)
        return 2
    print(f"report: {arguments.out}", file=words_beside(arguments.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
