"""The first card of a study: what ran, and which solver to take for its problems."""

import math
from statistics import median

from reading import MODELS
from ccpbench_results import as_number, changes
from text import NAMES, Value, count, figure, say, seconds, status, table

MOST_ROWS = 400  # of a table; the files have the rest
LIMITS = ("iteration_limit", "time_limit")


def solver_time(row):
    """Setup and iterations, as times to an accuracy count them."""
    setup = as_number(row.get("setup_s"))
    return as_number(row.get("solve_s")) + (setup if math.isfinite(setup) else 0.0)


def quickest(rows):
    """{problem: least solver time of a solved cell}, at least a microsecond, the resolution of the clock."""
    best = {}
    for row in rows:
        time = solver_time(row)
        if row["status"] == "solved" and math.isfinite(time):
            best[row["problem"]] = min(best.get(row["problem"], math.inf), max(time, 1e-6))
    return best


def standing(label, rows, best):
    """The entry of a solver in the ranking of one model."""
    solved = [r for r in rows if r["status"] == "solved"]
    ratios = [max(solver_time(r), 1e-6) / best[r["problem"]] for r in solved if math.isfinite(solver_time(r)) and r["problem"] in best]
    return {"label": label, "school": rows[0].get("school"), "cells": len(rows), "solved": len(solved), "rows": rows,
            "unsupported": sum(r["status"] == "unsupported" for r in rows),
            "ratio": math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan,
            "first": sum(ratio <= 1.0 for ratio in ratios),
            "restarts": any(r.get("restarts") == "1" for r in rows),
            "iterations": middle(rows, lambda r: as_number(r.get("iterations"))), "time": middle(rows, solver_time)}


def middle(rows, of):
    """The median over the problems that were tried; an unsolved one is beyond all numbers."""
    return median([of(r) if r["status"] == "solved" else math.inf for r in rows if r["status"] != "unsupported"] or [math.nan])


def ranked(rows):
    """Solvers of one model, best first: by what they solved, then by their time as a multiple of the quickest."""
    groups, best = {}, quickest(rows)
    for row in rows:
        groups.setdefault(row["label"], []).append(row)
    found = [standing(label, members, best) for label, members in groups.items()]
    return sorted(found, key=lambda s: (-s["solved"], s["ratio"] if math.isfinite(s["ratio"]) else math.inf))


def others(rows):
    """Statuses of the cells that were tried and not solved, as words."""
    kinds = [r["status"] for r in rows if r["status"] not in ("solved", "unsupported")]
    return ", ".join(status(kind, kinds.count(kind)) for kind in sorted(set(kinds), key=lambda k: (k in LIMITS, k))) or "·"


def taken(rows):
    """The problems that a solver supports."""
    return {r["problem"] for r in rows if r["status"] != "unsupported"}


def runs(standing_of_peer):
    """Iterations that are whole runs of a peer, which compare with nothing."""
    found = standing_of_peer["iterations"]
    return Value(f"{figure(found)} <small>runs</small>" if math.isfinite(found) else "–", found, 0)


def ranking_table(model, rows, unread=0):
    places = ranked(rows)
    problems = len(taken(rows))
    schools = len({s["school"] for s in places}) > 1
    unsupported = any(s["unsupported"] for s in places)
    # The school comes last: on a phone the first columns must answer the question.
    head = [("solver", False), ("rank", True), ("solved", True), ("times the quickest", True), ("quickest on", True)]
    head += [("iterations", True), ("solver time", True)] + [("unsupported", True)] * unsupported + [("not solved", False)] + [("school", False)] * schools
    body = []
    for rank, s in enumerate(places, start=1):
        tried = s["cells"] - s["unsupported"]
        part = f" <small>of {s['solved']}</small>" if 0 < s["solved"] < problems else ""
        body.append([say(s["label"]), Value(str(rank), rank, 0),
                     Value(f"{s['solved']}/{tried}", -s["solved"]),
                     Value(figure(s["ratio"]) + part, s["ratio"], s["solved"]), Value(str(s["first"] or "·"), -s["first"]),
                     runs(s) if s["restarts"] else Value(figure(s["iterations"]), s["iterations"], s["solved"]),
                     Value(seconds(s["time"]), s["time"], s["solved"]),
                     *[str(s["unsupported"] or "·")] * unsupported, others(s["rows"]),
                     *[say(s["school"] or "")] * schools])
    untaken = len({r["problem"] for r in rows}) - problems
    more = (f", {untaken} more that no solver takes" if untaken else "") + (f", {unread} more that could not be read" if unread else "")
    caption = f"Which solver: {say(MODELS.get(model, model))}, {count(problems, 'problem')}{more}."
    return table(caption, head, body[:MOST_ROWS], "plain ranked") + cut_note(len(body))


def cut_note(total):
    return f'<p class="soft">The first {MOST_ROWS} of {total}; summary.csv has all.</p>' if total > MOST_ROWS else ""


def answer(model, rows):
    """The first line of the ranking in words."""
    places = ranked(rows)
    best = places[0]
    name = say(MODELS.get(model, model))
    if not best["solved"]:
        return f"<p><b>No solver</b> solved a problem of the {name}.</p>"
    problems = best["cells"] - best["unsupported"]
    equal = sum(s["solved"] == best["solved"] for s in places)
    so_many = f", as did {count(equal - 1, 'other')}" if equal > 1 else ""
    untaken = f" (it takes {problems} of {len(taken(rows))})" if problems < len(taken(rows)) else ""
    quick = "the quickest on each" if best["ratio"] < 1.005 else f"in {figure(best['ratio'])} times the time of the quickest solver of each"
    return (f"<p><b>{say(best['label'])}</b> comes first on the {name}: it solved {best['solved']} of {count(problems, 'problem')}{untaken}{so_many}, "
            f"{quick}.</p>")


def warnings(study):
    """Warnings before the numbers: cells that are missing, and what makes times worth less."""
    said = [w for w in study.manifest.get("warnings") or [] if isinstance(w, str)]
    said = [f"changed: {text}" for text in changes(study.manifest)] + said
    if study.manifest.get("complete") is False:
        said.insert(0, "not complete: cells are missing")
    return f'<ul class="warnings">{"".join(f"<li>{say(w)}</li>" for w in said)}</ul>' if said else ""


def summary(study, card):
    rows = study.rows
    solved, unsupported = (sum(r["status"] == kind for r in rows) for kind in ("solved", "unsupported"))
    tops = [(len({r["problem"] for r in rows}), "problem"), (len({r["label"] for r in rows}), "solver setting"), (len(rows), "cell"),
            (solved, "solved"), (len(rows) - solved - unsupported, "not solved")] + [(unsupported, "unsupported")] * (unsupported > 0)
    fixed = ("solved", "unsupported")
    numbers = "".join(f"<li><b>{n}</b>{word if word.endswith(fixed) or n == 1 else word + 's'}</li>" for n, word in tops)
    models = list(dict.fromkeys(r["model"] for r in rows))
    parts = []
    for model in models:
        members = [r for r in study.tried() if r["model"] == model]
        words = answer(model, members) if len({r["label"] for r in members}) > 1 else ""
        parts.append(words + ranking_table(model, members, sum(of == model for _, of in study.unread)))
    note = ("Rank: by problems solved, then by time. Times the quickest: solver time, setup included, over that of the quickest solver of the "
            "problem, geometric mean over what a solver solved; <small>of n</small> says how many where that is not all, so it may be of the easy "
            "ones. Iterations and solver time are medians over all problems that it takes, – where it did not solve half of them; "
            "<small>runs</small>: whole runs of a program that shows no iterates. Cells that a solver does not "
            "support count neither as solved nor as not solved. Best values are bold, among solvers that solved the most.")
    return card("Summary", f'<ul class="numbers">{numbers}</ul>{warnings(study)}{"".join(parts)}<p class="soft">{note}</p>')


def allowed(study, row):
    """Why a limit ended a cell, in words: which one, and how far the measure was from its tolerance."""
    stop, swept = study.config.get("stop") or {}, study.config.get("sweep") or {}
    measure = str(stop.get("measure") or "relative_residual")
    words = []
    if row["status"] == "iteration_limit" and math.isfinite(as_number(row.get("iterations"))):
        words.append(f"all {figure(as_number(row['iterations']))} iterations used")
    elif row["status"] == "time_limit":
        limit = as_number(stop.get("time_limit_s")) if not any(key.startswith("/stop") for key in swept) else math.nan
        words.append(f"all of {figure(limit)} s used" if math.isfinite(limit) else "time used up")
    tolerance = stop.get("tolerance")
    least = min((v for v in (tolerance if isinstance(tolerance, list) else [tolerance]) if isinstance(v, (int, float)) and v > 0), default=math.nan)
    value = as_number(row.get(measure))
    if words and math.isfinite(value / least) and value > least and not any(key.startswith("/stop") for key in swept):
        words.append(f"{NAMES.get(measure, measure)} {figure(value / least)} times the tolerance")
    return "; ".join(words)


def failures(study, card):
    """Unsolved cells with their reasons, and problems that no solver takes, by reason."""
    bad = [r for r in study.rows if r["status"] not in ("solved", "unsupported")]
    never = [r for r in study.rows if r["status"] == "unsupported"]
    if not bad:
        text = "<p>Every cell that was tried was solved.</p>" if never else "<p>Every cell was solved.</p>"
    else:
        bad.sort(key=lambda r: (r["status"] in LIMITS, r["status"], r["problem"]))
        head = [("problem", False), ("model", False), ("solver", False), ("status", False), ("reason", False), ("residual", True)]
        body = []
        for r in bad[:MOST_ROWS]:
            why = "; ".join(words for words in (say(r.get("reason") or ""), allowed(study, r)) if words)
            residual = as_number(r.get("relative_residual"))
            body.append([say(r["problem"]), say(r["model"]), say(r["label"]), status(r["status"]), why, Value(figure(residual), residual, 0)])
        made = table("Cells that were not solved; failures first, limits last.", head, body) + cut_note(len(bad))
        text = (f"<details class='failures'{' open' if len(bad) <= 12 else ''}><summary>{count(len(bad), 'cell')}</summary>{made}"
                "</details>")
    return card("Not solved", text + unsupported_table(never))


def unsupported_table(never):
    groups = {}
    for r in never:
        groups.setdefault((r["label"], r["model"], r.get("reason") or ""), []).append(r["problem"])
    body = [[say(label), say(model), Value(str(len(problems)), len(problems), 0), say(reason)]
            for (label, model, reason), problems in groups.items()]
    head = [("solver", False), ("model", False), ("problems", True), ("reason", False)]
    if not body:
        return ""
    return table("Unsupported: never run, and counted neither as solved nor as failed.", head, body[:MOST_ROWS]) + cut_note(len(body))
