"""The sections of one study of the report, as HTML."""

import json
import math
import re
from statistics import median

import ranking
from ranking import MOST_ROWS, cut_note
from reading import MODELS
from ccpbench_results import as_number, changes
from cell_values import read_cells
from result_tables import lines_of, tables_of
from text import NAMES, Value, count, figure, plain_power, say, seconds, status, table


def card(title, body):
    return f'<section class="card"><h3>{title}</h3>{body}</section>'


def stop_rule(stop):
    measure = str(stop.get("measure") or "relative_residual")
    rules = [(f"{NAMES.get(measure, measure)} ≤ {{}}", "tolerance"), ("{} iterations", "max_iterations"), ("{} s of solver time", "time_limit_s")]
    return " or ".join(text.format(stop[key]) for text, key in rules if stop.get(key) is not None)


def provenance(study):
    manifest = study.manifest
    program, machine, options = (manifest.get(k) or {} for k in ("program", "environment", "options"))
    machines = [m for m in manifest.get("machines") or [machine] if isinstance(m, dict)]
    facts = [
        ("when", " to ".join(str(manifest.get(k)) for k in ("start", "end") if manifest.get(k))),
        ("stopped at", stop_rule(study.config.get("stop") or {})),
        ("program", f"{program.get('name', '')} {program.get('version', '')}, commit {program.get('git_commit', 'unknown')}"),
        ("built by", f"{program.get('compiler', '')}, {program.get('build_type', '')}, {program.get('flags', '')}"),
        ("machine", "; ".join(f"{m.get('cpu', '')}, {m.get('cores', '?')} cores, {as_number(m.get('memory_mb')) / 1024:.0f} GiB" for m in machines)),
        ("system", machine.get("system", "")), ("BLAS", machine.get("blas", "")),
        ("libraries", ", ".join(f"{k} {v}" for k, v in (machine.get("libraries") or {}).items())),
        ("options", ", ".join(f"{k} {v}" for k, v in options.items() if v not in ("", [], False, None))),
    ]
    rows = "".join(f"<dt>{say(k)}</dt><dd>{say(v)}</dd>" for k, v in facts if v)
    text = say(json.dumps(study.config, indent=2, ensure_ascii=False))
    return card("What was run, and where", f"<dl>{rows}</dl><details><summary>The resolved config</summary><pre>{text}</pre></details>")


def in_schools(study, groups, label_of):
    """Groups by key in the order of the schools, so that a table has those of one school below each other."""
    schools = {label: k for k, labels in enumerate(study.schools().values()) for label in labels}
    return sorted(groups.items(), key=lambda item: schools[label_of(item[0])])


def school_column(study):
    """(heads, cells of a label) of a column that is there when a study has several schools."""
    schools = {label: school for school, labels in study.schools().items() for label in labels}
    several = len(study.schools()) > 1
    return [("school", False)] * several, lambda label: [say(schools[label])] * several


def summary(study):
    return ranking.summary(study, card)


def unfinished(study):
    text = study.unfinished()
    return f'<ul class="warnings"><li>{say(text)}</li></ul>' if text else ""


def failures(study):
    return ranking.failures(study, card)


def tightest(study):
    """The least tolerance of the runs; 0 where none is known."""
    config = study.config
    values = [(config.get("stop") or {}).get("tolerance"), *((config.get("sweep") or {}).get("/stop/tolerance") or [])]
    return min((v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)), default=0.0)


def decades(study):
    """Those that any cell got to, and all before them. Nobody was asked for those beyond the tolerance."""
    names = study.rows[0] if study.rows else {}
    steps = sorted((m.group(1) for c in names if (m := re.fullmatch(r"time_to_(1e-\d+)", c or ""))), key=float, reverse=True)
    steps = [step for step in steps if float(step) >= tightest(study) * (1 - 1e-9)]
    while steps and not any(math.isfinite(as_number(r.get(f"{kind}_to_{steps[-1]}"))) for kind in ("time", "iterations") for r in study.rows):
        steps.pop()
    return steps


def power(decade):
    return f"10<sup>−{int(decade.split('-')[1])}</sup>"


def reached(members, column, write):
    """The median over all problems that were tried, those that never got there last, and how many got there. So an accuracy that fewer
    reach never looks cheaper; where half or more do not get there, there is none. Restarts of a peer are no iterations."""
    members = [r for r in members if r["status"] != "unsupported" and not (column.startswith("iterations") and r.get("restarts") == "1")]
    values = [v if math.isfinite(v := as_number(r.get(column))) else math.inf for r in members]
    got = sum(map(math.isfinite, values))
    if not got:
        return "–"
    middle = median(values)
    text = f"{write(middle)}<br><small>{got}/{len(members)}</small>" if len(members) > 1 else write(middle)
    return Value(text, middle, got)


def best_of_schools(study, model, steps):
    """Rows of a table: for each school the time of its quickest solver on each problem, the median over the problems."""
    body = []
    for school in study.schools():
        problems = {}
        for row in study.tried():
            if (row["model"], row["school"]) == (model, school) and row["status"] != "unsupported":
                problems.setdefault(row["problem"], []).append(row)
        if not problems:
            continue
        best = [[{"status": "tried", "time": min((t for r in members if math.isfinite(t := as_number(r.get("time_to_" + d)))), default=math.nan)}
                 for members in problems.values()] for d in steps]
        body.append([say(school), *(reached(by_problem, "time", seconds) for by_problem in best)])
    return body


def accuracy(study):
    steps = decades(study)
    if not steps:
        return ""
    groups, cells = {}, {}
    for row in study.tried():
        groups.setdefault((row["model"], row["label"]), []).append(row)
        cells.setdefault((row["model"], row["problem"]), []).append(row)
    head = [("solver", False)] + [(power(d), True) for d in steps]
    parts = []
    school_head, school = school_column(study)
    for model in dict.fromkeys(key[0] for key in groups):
        if school_head:
            parts.append(table(f"Schools, {say(MODELS.get(model, model))}: solver time to accuracy of the quickest solver of each, median over the "
                               "problems that it takes, and on how many it got there.", [("school", False), *head[1:]],
                               best_of_schools(study, model, steps), "tight"))
        for prefix, write, what in (("time_to_", seconds, "Solver time"), ("iterations_to_", figure, "Iterations")):
            body = [[say(label), *school(label), *(reached(members, prefix + d, write) for d in steps)]
                    for (of, label), members in in_schools(study, groups, lambda key: key[1]) if of == model]
            caption = f"{what} to accuracy, {say(MODELS.get(model, model))}: median over the problems that a solver takes, and on how many it got there; "
            caption += "– where half or more did not. Bold: the least of those that got there most often."
            parts.append(table(caption, [head[0], *school_head, *head[1:]], body[:MOST_ROWS], "tight") + cut_note(len(body)))
    single, rows = [], 0
    for (model, problem), members in cells.items():
        if rows + len(members) > MOST_ROWS or len(cells) == 1:
            break
        rows += len(members)
        body = [[say(r["label"]), *(Value(seconds(v := as_number(r.get("time_to_" + d))), v) for d in steps)] for r in members]
        single.append(table(f"{say(problem)}, {say(MODELS.get(model, model))}", head, body, "tight"))
    more = f'<p class="soft">{len(cells) - len(single)} more in summary.csv.</p>' if len(single) < len(cells) else ""
    if single:
        parts.append(f"<details><summary>Problem by problem</summary>{''.join(single)}{more}</details>")
    return card("Time to accuracy", "".join(parts))


def claims(study):
    if not study.claims:
        return card("Claims", f"<p>Not judged: {say(study.analysis_note)}</p>") if study.analysis_note else ""
    head = [("claim", False), ("source", False), ("bound", True), ("measured", True), ("by", True), ("verdict", False)]
    body = []
    for claim in study.claims:
        reason = "; ".join(words for words in (claim.get("reason"), f"see {claim['see']}" if claim.get("see") else "") if words)
        why = f"<br><small>{say(reason)}</small>" if reason else ""
        body.append([f"{say(claim.get('says') or claim['id'])}{' <small>(must hold)</small>' if claim.get('must') else ''}",
                     say(claim.get("where", "")),
                     say(claim["bound"]) + ("<br><small>set afterwards</small>" if claim.get("set_afterwards") else ""), say(claim["measured"]), say(claim.get("margin", "")),
                     status(claim["verdict"]) + why])
    met = sum(c["verdict"] == "met" for c in study.claims)
    changed = " The results are those of a changed config, not of the paper's." if changes(study.manifest) else ""
    return card("Claims", table(f"{met} of {count(len(study.claims), 'claim')} met.{changed}", head, body, "claims"))


def plot_tables(study):
    """The tables that the config's "plots" ask for, with the paper's numbers below."""
    wanted = [p for p in study.config.get("plots") or [] if isinstance(p, dict) and p.get("kind") == "table"]
    parts = []
    for made in tables_of(study.config, read_cells(study.folder)) if wanted else []:
        head, lines = lines_of(made)
        names = len(head) - len(made.solvers)  # columns that are no numbers
        body = [[say(cell) for cell in line] for line in lines]
        parts.append(table(f"{say(made.title)}: ours, and the paper's", [(say(text), k >= names) for k, text in enumerate(head)], body))
        parts += [f'<p class="soft">{say(" ".join(made.notes))}</p>'] if made.notes else []
    return card("Tables", "".join(parts)) if parts else ""


def plot_box(kind, study_number, controls, extra=""):
    selects = "".join(f'<label>{text}<select name="{name}"></select></label>' for name, text in controls)
    return (f'<div data-plot="{kind}" data-study="{study_number}"{extra}><div class="controls script">{selects}'
            '<button class="save" type="button">Save as SVG</button></div>'
            '<div class="plot script"><canvas role="img"></canvas></div><ul class="legend script" aria-label="Lines; press to hide">'
            "</ul><noscript><p class=soft>The curves need JavaScript; the tables do not.</p></noscript></div>")


def placed_plots(study):
    """{where in a paper: what is drawn of curves}, as the config's "plots" tell."""
    plots, found = study.config.get("plots"), {}
    for plot in plots if isinstance(plots, list) else []:
        if isinstance(plot, dict) and plot.get("where") and plot.get("kind") == "convergence":
            x, y = (NAMES.get(name, name).split(" (")[0] for name in (plot.get("x") or "iteration", plot.get("y") or "relative_residual"))
            found.setdefault(str(plot["where"]), []).append(f"{y} over {x}")
    return found


def convergence(study, data, study_number, left_out):
    if not data["groups"]:
        return ""
    notes = [f"{say(where)}: {say('; '.join(what))}." for where, what in placed_plots(study).items()]
    if left_out["points"]:
        notes.append(f"{left_out['points']} of {left_out['points'] + left_out['kept']} points left out: of each stretch of a long "
                     "curve the lowest and the highest value of every measure are kept.")
    if left_out["curves"]:
        notes.append(f"{count(left_out['curves'], 'curve')} left out to keep the page small; the folder has all.")
    note = f'<p class="soft">{" ".join(notes)}</p>' if notes else ""
    return card("Convergence", plot_box("convergence", study_number, (("problem", "problem"), ("x", "x axis"), ("y", "measure"))) + note)


def mean_text(mean, by):
    write = seconds if by == "time" else figure
    value, low, high = (math.nan if mean.get(k) is None else mean[k] for k in ("mean", "low", "high"))
    return Value(write(value) + (f" <small>{write(low)} – {write(high)}</small>" if math.isfinite(low) and math.isfinite(high) else ""), value)


def means_tables(study):
    """Shifted geometric means of the costs, one table per model and accuracy."""
    entries = [p for p in study.profiles if p.get("means")]
    school_head, school = school_column(study)
    parts = []
    for model, at in dict.fromkeys((p["model"], p["at"]) for p in entries):
        columns = [p for p in entries if (p["model"], p["at"]) == (model, at)]
        cells = [{m["label"]: m for m in p["means"]} for p in columns]
        body = []
        for label in (label for labels in study.schools().values() for label in labels):
            means = [found.get(label) for found in cells]
            if any(means):
                body.append([say(label), *school(label), *("–" if m is None or not m["solved"] else mean_text(m, p["by"]) for m, p in zip(means, columns)),
                             next(Value(f"{m['solved']}/{m.get('problems', p['problems'])}", -m["solved"]) for m, p in zip(means, columns) if m)])
        head = [("solver", False), *school_head, *((say(p["cost"]), True) for p in columns), ("solved", True)]
        parts.append(table(f"Means at accuracy {plain_power(at)}, {MODELS[model]}", head, body, "tight"))
    about = ("Shifted geometric means of the cost over all problems of a model, with 95 % bootstrap intervals where there are five "
             "problems or more. A problem that is not solved counts as ten times the dearest solved one; one that a solver does not "
             "support is in none of its numbers, and operations that another program does not count have no mean.")
    return f'<p class="soft">{about}</p>' + "".join(parts) if parts else ""


def profiles(study, study_number):
    if not study.profiles:
        return ""
    firsts = list({p["model"]: p for p in reversed(study.profiles)}.values())[::-1]
    text = (", ".join(f"{count(p['problems'], 'problem')} of the {MODELS[p['model']]}" for p in firsts) + ". Performance profile: "
            "fraction solved within a multiple of the best solver's cost; data profile: fraction solved within a budget. A line that "
            "stays below 1 ends at the fraction ever solved.")
    for p in firsts:
        if len(p["lines"]) < p["settings"]:
            text += (f" All {p['settings']} solver settings of the {MODELS[p['model']]} are compared; "
                     f"{len(p['lines'])} are drawn, those that solve most.")
    whys = (("unreadable", "could not be read"), ("not_given_to_all", "not all solver settings were run on"), ("untaken", "no solver takes"))
    left = [f"{count(p[key], 'problem')} of the {MODELS[p['model']]} that {why}" for p in firsts for key, why in whys if p.get(key)]
    if left:
        text += f" Left out: {'; '.join(left)}."
    if any(p["problems"] < 5 for p in firsts):
        text += " Fewer than five problems have no bands."
    return card("Profiles", f'<p class="soft">{text}</p>' + plot_box("profile", study_number, (
        ("model", "model"), ("profile", "profile"), ("cost", "cost"), ("at", "accuracy"), ("band", "95 % band"))) + means_tables(study))
