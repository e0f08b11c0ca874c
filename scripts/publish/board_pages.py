"""The pages of a published site as HTML: the list of all, and a leaderboard for each problem set. Every text of others passes through `told`."""

import base64
import hashlib
import math
from pathlib import Path

import boards
from ccpbench_results import as_number, changes
from reading import MODELS
from sections import card, stop_rule
from text import NAMES, Value, count, figure, say, seconds, table

PARTS = Path(__file__).resolve().parents[1] / "report"
MARK = '<meta name="generator" content="ccpbench publish">'
MOST_NAMES = 200  # problems named on a page


def told(text):
    """A text of others: no markup, and no signs that turn the line around it."""
    return f"<bdi>{say(text)}</bdi>"


def allowed(kind, text):
    return f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page(title, lead, body, up=""):
    """up: the way to the folder of the site."""
    style = "\n" + (PARTS / "report.css").read_text(encoding="utf-8")
    script = "\n" + "".join((PARTS / name).read_text(encoding="utf-8") for name in ("theme.js", "tables.js"))
    policy = f"default-src 'none'; img-src data:; {allowed('script', script)}; {allowed('style', style)}"
    home = f'<nav class="wide" aria-label="Site"><ul><li><a href="{up}index.html">All leaderboards</a></li></ul></nav>' if up else ""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
{MARK}
<link rel="icon" href="data:,">
<title>{say(title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">To the leaderboards</a>
<header><div class="wide"><div><h1>{told(title)}</h1>
<p class="soft">{lead}</p></div>
<button id="theme" class="script" type="button">Theme</button></div></header>
{home}<main id="main" class="wide">{body}</main>
<footer class="wide">Made by ccpbench publish. The results are those of the people named; their files are beside the pages, with checksums.</footer>
<script>{script}</script>
</body>
</html>
"""


def power(decade):
    return f"10<sup>−{decade}</sup>"


def by(entry):
    return told(entry.name) if entry.name else "–"


def links(entry, up=""):
    """The link of a row."""
    files = "".join(f' · <a href="{up}{entry.path}/{name}.json">{name}</a>' for name in ("config", "manifest"))
    return (f'<span class="whole"><a href="{up}reports/{entry.id}.html">report</a>{files} · '
            f'<a href="{up}index.html#{boards.machine_of(entry).key}">machine</a></span>')


def doubts(entry):
    """Warnings on a result before its numbers."""
    manifest = entry.study.manifest
    found = [*changes(manifest), *(w for w in manifest.get("warnings") or [] if isinstance(w, str))]
    return found + ["cells are missing"] * (manifest.get("complete") is False)


def marked(entry):
    found = doubts(entry)
    return f' <small title="{say("; ".join(found))}">⚠\u00a0{len(found)}</small>' if found else ""


def version(entry):
    return f'<span class="whole">{say(boards.version_of(entry))}</span>'


def threads(entry):
    options = entry.study.manifest.get("options")
    number = as_number(options.get("threads")) if isinstance(options, dict) else math.nan
    return f" <small>{figure(number)} threads</small>" if number > 1 else ""


def standing_row(rank, standing, asked, steps):
    result, entry = standing.result, standing.result.entry
    lost = asked - standing.solved - result.unsupported
    why = ", ".join([f"✗ {lost}"] * (lost > 0) + [f"{result.unsupported} unsupported"] * (result.unsupported > 0))
    part = f" <small>of {standing.solved}</small>" if 0 < standing.solved < asked else ""
    return [told(result.label) + threads(entry), Value(str(rank), rank, 0),
            Value(f"{standing.solved}/{asked}{f' <small>{why}</small>' if why else ''}", -standing.solved),
            Value(seconds(standing.mean) + part, standing.mean, standing.solved),
            *(Value(f"{100 * standing.within(b) / asked:.0f} %", -standing.within(b)) for b in steps),
            by(entry) + marked(entry), version(entry), say(result.school), links(entry, "../")]


def rankings(board, decade):
    """A table for each machine, and one of all machines and versions side by side where there are several."""
    standings, asked = board.standings(decade), len(board.problems)
    places, parts = {}, []
    for standing in standings:
        places.setdefault(boards.machine_of(standing.result.entry).facts, []).append(standing)
    for facts, members in sorted(places.items()):
        steps = boards.budgets(members)
        head = [("solver", False), ("rank", True), ("solved", True), ("mean time", True), *((f"≤ {seconds(b)}", True) for b in steps),
                ("by", False), ("version", False), ("school", False), ("files", False)]
        caption = f"On {told(boards.Machine(facts).name)}, {count(asked, 'problem')}"
        parts.append(table(caption, head, [standing_row(k, s, asked, steps) for k, s in enumerate(members, start=1)], "ranked"))
    return "".join(parts) + side_by_side(standings, asked, decade)


def side_by_side(standings, asked, decade):
    """Each solver setting on every machine with every version. Nothing is the best there: the times are of different machines."""
    def column(standing):
        entry = standing.result.entry
        return boards.machine_of(entry).facts, boards.version_of(entry)
    columns = sorted({column(s) for s in standings})
    if len(columns) < 2:
        return ""
    by_result = {id(s.result): s for s in standings}
    body = []
    for group in boards.settings([s.result for s in standings]):
        row = [told(group[0].label)]
        for wanted in columns:
            found = [s for s in map(lambda r: by_result[id(r)], group) if column(s) == wanted]
            row.append("<br>".join(f"{s.solved}/{asked} <small>{seconds(s.mean)}</small>" for s in found) or "·")
        body.append(row)
    head = [("solver setting", False), *((f"{told(boards.Machine(facts).name)}<br>{say(version)}", True) for facts, version in columns)]
    return table(f"Over machines and versions, accuracy {power(decade)}: problems solved, and the mean time of these", head, body, "tight")


def said_set(board):
    measure = say(NAMES.get(board.measure, board.measure).split(" (")[0])
    return f"{count(len(board.problems), 'problem')}, {say(MODELS.get(board.model, board.model))}, {measure}{', stopped by own criteria' * board.native}"


ABOUT = ("Solved: the solver came to this accuracy, on how many of all problems of the set. ✗: tried, and did not come there. Mean time: "
         "set-up and iterations, the geometric mean over the solved problems, shifted by 10 ms; <small>of n</small> says how many these are, so "
         "they may be the easy ones. ≤: the share of all problems that is solved within the time. Ranked by problems solved, then by mean time; "
         "★ is the best of those that solved most. Each machine has a ranking of its own. Only runs that were asked for the accuracy are "
         "in its table. ⚠: the report says what makes a result worth less.")


def board_page(board):
    cards = "".join(f'<section class="card" id="at-{d}"><h2>Accuracy {power(d)}</h2>{rankings(board, d)}</section>' for d in reversed(board.accuracies()))
    jump = "".join(f'<li><a href="#at-{d}">{power(d)}</a></li>' for d in reversed(board.accuracies()))
    names = sorted(board.problems.values())
    listed = "".join(f"<li>{told(name)}</li>" for name in names[:MOST_NAMES])
    more = f"<p class=soft>{len(names) - MOST_NAMES} more.</p>" if len(names) > MOST_NAMES else ""
    none = "" if cards else card("No ranking", "<p>No run of this set was asked for an accuracy of 10<sup>−2</sup> or better.</p>")
    body = (f'<nav aria-label="Accuracies"><ul>{jump}</ul></nav>{cards}{none}'
            + card("The problems", f"<details><summary>{count(len(names), 'problem')}</summary><ul>{listed}</ul>{more}</details>")
            + card("How to read the tables", f'<p class="soft">{ABOUT}</p>'))
    return page(board.title, said_set(board), body, "../")


def first_of(board):
    """The solver that solves most at the tightest accuracy, over all machines; times do not count."""
    for decade in reversed(board.accuracies()):
        standings = board.standings(decade)
        if standings and standings[0].solved:
            most = standings[0].solved
            labels = list(dict.fromkeys(s.result.label for s in standings if s.solved == most))
            others = f" and {count(len(labels) - 1, 'other')}" if len(labels) > 1 else ""
            return f"{told(labels[0])}{others} <small>{most}/{len(board.problems)} to {power(decade)}</small>"
    return "–"


def sets_card(found):
    head = [("problem set", False), ("problems", True), ("model", False), ("results", True), ("machines", True), ("solves most", False)]
    body = []
    for board in found:
        entries = {r.entry.id: r.entry for r in board.results}
        places = {boards.machine_of(entry).facts for entry in entries.values()}
        body.append([f'<a href="sets/{board.key}.html">{told(board.title)}</a>', str(len(board.problems)), say(MODELS.get(board.model, board.model)),
                     str(len(entries)), str(len(places)), first_of(board)])
    return card("Leaderboards", table("A leaderboard for each problem set", head, body) if body else "<p>No results yet.</p>")


def limits(entry):
    """The stop rule without its measure, which is that of the problem set."""
    return stop_rule(entry.study.config.get("stop") or {}).partition("≤ ")[2]


def results_card(entries):
    head = [("results", False), ("by", False), ("when", False), ("version", False), ("cells", True), ("stopped at", False), ("files", False)]
    body = [[told(e.study.title) + marked(e), by(e), f'<span class="whole">{say(str(e.study.manifest.get("end") or "")[:10])}</span>', version(e), str(len(e.study.rows)),
             f'<span class="whole">{say(limits(e))}</span>', links(e)] for e in entries]
    notes = "".join(f'<h4>{told(e.study.title)}{f", {by(e)}" if e.name else ""}</h4><p class="notes">{told(e.notes)}</p>' for e in entries if e.notes)
    return card("Published results", table(count(len(entries), "result"), head, body) if body else "") + (card("Notes", notes) if notes else "")


def machines_card(entries):
    parts = []
    for machine in boards.machines(entries).values():
        manifests = [e.study.manifest.get("environment") or {} for e in machine.entries]
        system = ", ".join(sorted({str(m.get("system") or "?") for m in manifests}))
        clocks = ", ".join(sorted({f"governor {m.get('governor', 'unknown')}, boost {m.get('boost', 'unknown')}" for m in manifests}))
        facts = [("memory", machine.facts[2]), ("BLAS", machine.facts[3]), ("system", system), ("clock", clocks), ("results", len(machine.entries))]
        rows = "".join(f"<dt>{say(k)}</dt><dd>{told(v)}</dd>" for k, v in facts)
        parts.append(f'<h4 id="{machine.key}">{told(machine.name)}</h4><dl>{rows}</dl>')
    return card("Machines", "".join(parts)) if parts else ""


def index_page(found, entries):
    people = sorted({e.name for e in entries if e.name})
    lead = f"{count(len(entries), 'result')} of {count(len(people), 'person') if len(people) < 2 else f'{len(people)} people'}. " if people else ""
    return page("Contact solver leaderboards", lead + "Every solver was judged by the same measures, with its clock stopped.",
                sets_card(found) + results_card(entries) + machines_card(entries))
