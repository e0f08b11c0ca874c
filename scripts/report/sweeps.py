"""Sweeps of the report: a line plot of one swept value, a map of two (as figures 2 to 11 of Koziara 2017)."""

import math
from statistics import median

from reading import MODELS, ordered_shares, swept_pointers
from ccpbench_results import as_number, swept_value
from sections import card, plot_box
from series_styles import dark_ink_on, viridis
from text import NAMES, count, figure, say, seconds, table

METRICS = ("iterations", "solve_s", "relative_residual", "natural_map", "products", "back_solves")
MOST_FIGURES = 24
MOST_LINES = 40  # of a plot
MOST_SIDE = 40  # of a map


def pointer_name(pointer):
    return pointer.rsplit("/", 1)[-1].replace("_", " ")


def shade(share):
    """Viridis from 0 (few, yellow) to 1 (many, violet), and the ink that is read on it."""
    rgb = viridis(1 - share)
    return "#%02x%02x%02x" % rgb, "#000" if dark_ink_on(rgb) else "#fff"


def swept(value):
    """A swept value as a person writes it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def order(values):
    return sorted(values, key=lambda v: (0, v, "") if isinstance(v, (int, float)) else (1, 0, str(v)))


def heat_map(caption, x, y, cells, metric):
    """cells: {(x, y): [rows]}. A number per cell, its colour on a logarithmic scale; unsolved cells carry a mark, too."""
    columns, lines = order({k[0] for k in cells}), order({k[1] for k in cells})
    cut = max(len(columns), len(lines)) > MOST_SIDE
    columns, lines = columns[:MOST_SIDE], lines[:MOST_SIDE]
    values = {k: median([as_number(r.get(metric)) for r in rows]) for k, rows in cells.items()}
    logs = [math.log10(v) for v in values.values() if math.isfinite(v) and v > 0]
    low, high = min(logs, default=0.0), max(logs, default=0.0)
    write, body = seconds if metric == "solve_s" else figure, ""
    for line in lines:
        body += f'<tr><th scope="row">{say(swept(line))}</th>'
        for column in columns:
            value = values.get((column, line), math.nan)
            if not math.isfinite(value):
                body += "<td>–</td>"
                continue
            share = (math.log10(value) - low) / (high - low) if value > 0 and high > low else 0.0
            back, ink = shade(share)
            mark = "" if all(r["status"] == "solved" for r in cells[column, line]) else " ✗"
            body += f'<td style="background:{back};color:{ink}">{write(value)}{mark}</td>'
        body += "</tr>"
    head = "".join(f'<th scope="col">{say(swept(c))}</th>' for c in columns)
    note = f'<p class="soft">The first {MOST_SIDE} values of a side; summary.csv has all.</p>' if cut else ""
    return (f'<p class="soft caption">{caption}</p><div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
            f'<table class="heat" aria-label="{caption}">'
            f'<thead><tr><th scope="col">{say(y)} ↓ {say(x)} →</th>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}')


def present(rows, metrics=METRICS):
    return [m for m in metrics if any(math.isfinite(as_number(r.get(m))) for r in rows)]


def groups_by(study, pointers):
    """Cells of one problem, model and solver that all the pointers reach: {(problem, model, base): [(values, row)]}."""
    groups = {}
    for row in study.rows:
        values = tuple(swept_value(study.cells[row["hash"]], p) for p in pointers)
        if any(v is None or isinstance(v, (dict, list)) for v in values):
            continue
        base = (row["problem"].split(" (")[0], row["model"], row["base"])
        groups.setdefault(base, []).append((values, row))
    return groups


def maps(study, pointers):
    parts = []
    for a in range(len(pointers)):
        for b in range(a + 1, len(pointers)):
            for (problem, model, label), members in groups_by(study, (pointers[a], pointers[b])).items():
                cells = {}
                for key, row in members:
                    cells.setdefault(key, []).append(row)
                if len({k[0] for k in cells}) < 2 or len({k[1] for k in cells}) < 2:
                    continue
                title = f"{say(label)}: {say(problem)}, {say(MODELS.get(model, model))}"
                drawn = [f"<div>{heat_map(NAMES.get(m, m).removesuffix(' (s)'), pointer_name(pointers[a]), pointer_name(pointers[b]), cells, m)}</div>"
                         for m in present([r for _, r in members], ("iterations", "solve_s"))]
                parts.append(f'<h4>{title}</h4><div class="maps">{"".join(drawn)}</div>')
    return parts


def line_figure(study, pointers, pointer):
    """The data of one line plot; the other swept values become lines of their own. None when nothing numeric is swept."""
    others = [p for p in pointers if p != pointer]
    lines, rows = {}, []
    for (problem, model, label), members in groups_by(study, (pointer,)).items():
        for (value,), row in members:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            told = [f"{pointer_name(p)} {swept(v)}" for p in others if (v := swept_value(study.cells[row["hash"]], p)) is not None]
            lines.setdefault((label, problem, model, *told), []).append((value, row))
            rows.append(row)
    if len({value for members in lines.values() for value, _ in members}) < 2:
        return None
    left_out = max(0, len(lines) - MOST_LINES)
    lines = dict(list(lines.items())[:MOST_LINES])
    shares = max((ordered_shares({key: swept_value(study.cells[members[0][1]["hash"]], p) for key, members in lines.items()}) for p in others),
                 key=lambda found: len(set(found.values())), default={})
    varying = [k for k in range(3) if len({key[k] for key in lines}) > 1]
    metrics = []
    for metric in present(rows):
        made = []
        for key, members in lines.items():
            points = sorted((x, float(f"{v:.4g}")) for x, r in members if math.isfinite(v := as_number(r.get(metric))))
            made.append({"label": ", ".join([key[k] for k in varying] + list(key[3:])) or key[0], "points": points,
                         **({"share": shares[key]} if key in shares else {})})
        made = [line for line in made if line["points"]]
        metrics.append({"column": metric, "name": NAMES.get(metric, metric), "lines": made,
                        "log": all(y > 0 for line in made for _, y in line["points"])})
    values = sorted({x for members in lines.values() for x, _ in members})
    return {"x": pointer_name(pointer), "log_x": values[0] > 0 and values[-1] / values[0] > 20, "metrics": metrics,
            "left_out": left_out} if metrics else None


def sweeps(study, data, study_number):
    pointers = swept_pointers(study.config)
    if not pointers:
        return ""
    parts = maps(study, pointers)
    left_out = max(0, len(parts) - MOST_FIGURES)
    note = "Colours run with the logarithm, from yellow (few) to violet (many). ✗: at least one cell was not solved."
    text = (f'<p class="soft">{note}</p>' if parts else "") + "".join(parts[:MOST_FIGURES])
    if left_out:
        text += f'<p class="soft">{left_out} more maps left out.</p>'
    for pointer in pointers:
        made = line_figure(study, pointers, pointer)
        if made:
            text += f"<h4>Against {say(made['x'])}</h4>" + plot_box(
                "sweep", study_number, (("metric", "measure"),), f' data-number="{len(data["sweeps"])}"')
            if made["left_out"]:
                text += f'<p class="soft">{count(made["left_out"], "line")} left out; summary.csv has all.</p>'
            if not parts:
                text += values_table(made)
            data["sweeps"].append(made)
    return card("Sweep", text) if text else ""


def values_table(made):
    """The numbers of a line plot, for readers without JavaScript."""
    first = made["metrics"][0]
    values = sorted({x for line in first["lines"] for x, _ in line["points"]})
    rows = [[say(line["label"]), *(figure(dict(line["points"]).get(x, math.nan)) for x in values)] for line in first["lines"]]
    return table(f"{say(first['name'])} against {say(made['x'])}", [("", False)] + [(say(swept(v)), True) for v in values], rows)
