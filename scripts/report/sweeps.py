"""Sweeps of the report: line plots of one swept value, maps of two (as figures 2 to 11 of Koziara 2017)."""

import math

from reading import MODELS, ordered_shares, swept_pointers
from cell_values import cells_of, name_of
from ccpbench_results import as_number, swept_value, telling_groups, unit_of
from result_maps import FREE, asked_maps, map_colour, pair_maps, swept_text, unmapped
from sections import card, plot_box
from series_styles import busy_note, dark_ink_on
from text import NAMES, count, figure, say, seconds, table

METRICS = ("iterations", "solve_s", "relative_residual", "natural_map", "products", "back_solves")
MOST_FIGURES = 24
MOST_LINES = 40  # of a plot
MOST_SIDE = 40  # of a map


def map_cell(made, place, low, high):
    """One cell: its number on its colour, with a mark where a cell was not solved; a count of failures says that itself."""
    if place not in made.places:
        return '<td title="no cell">·</td>'
    value, solved = made.places[place]
    if not math.isfinite(value):
        return '<td class="lost" title="%s">%s</td>' % (("ended unsolved", "✗") if math.isinf(value) else ("no value", "–"))
    free = made.counts and value == 0
    rgb = FREE if free else map_colour((math.log10(value) - low) / (high - low) if value > 0 and high > low else 0.0, made.counts)
    colours = "background:#%02x%02x%02x;color:%s" % (*rgb, "#000" if dark_ink_on(rgb) else "#fff")
    text = (seconds if unit_of(made.metric) == "s" else figure)(value) + ("" if solved or made.counts else " ✗")
    return f'<td{" class=free" if free else ""} style="{colours}">{text}</td>'


def free_words(made):
    """Zero counts of failures: the number of cells, and the columns that are zero in every row."""
    free = {place for place, (value, _) in made.places.items() if value == 0}
    strip = [column for column in made.columns if all((column, row) in free for row in made.rows)]
    texts = [f"({swept_text(column)})" if isinstance(column, tuple) else swept_text(column) for column in strip]
    name = ", ".join(map(name_of, made.sides[0]))
    where = f"at {name} {', '.join(texts)}" if strip else f"at no {name}"
    return f"0 in {len(free)} of {count(len(made.finite), 'cell')}; {where} in every row."


def heat_map(made):
    """A number per cell, its colour on a logarithmic scale."""
    columns, rows = made.columns[:MOST_SIDE], made.rows[:MOST_SIDE]
    logs = [math.log10(value) for value in made.finite if value > 0]
    low, high = min(logs, default=0.0), max(logs, default=0.0)
    body = "".join(f'<tr><th scope="row">{say(swept_text(row))}</th>{"".join(map_cell(made, (column, row), low, high) for column in columns)}</tr>'
                   for row in rows)
    head = "".join(f'<th scope="col">{say(swept_text(column))}</th>' for column in columns)
    across, up = (say(made.axis_text(side)) for side in (0, 1))
    caption = say(NAMES.get(made.metric, name_of(made.metric)).removesuffix(" (s)") + (f", {made.where}" if made.where else ""))
    note = f'<p class="soft">{say(free_words(made))}</p>' if made.counts else ""
    note += "".join(f'<p class="soft">{say(text)}</p>' for text in (made.edge_note, *busy_note([(made.label, busy) for busy in made.busy])) if text)
    if (columns, rows) != (made.columns, made.rows):
        note += f'<p class="soft">The first {MOST_SIDE} values of a side; summary.csv has all.</p>'
    name = f"{caption}, {say(made.label)}: {say(made.problem)}"
    return (f'<p class="soft caption">{caption}</p><div class="scroll" tabindex="0" role="region" aria-label="{name}">'
            f'<table class="heat" aria-label="{name}">'
            f'<thead><tr><th scope="col">{up} ↓ {across} →</th>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}')


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


def maps_of(study):
    """The maps that the config's "plots" ask for, or else those of every pair of swept values: lists of those that one title names; and
    what to say of solvers without one."""
    cells = cells_of(study.folder, study.rows, [study.cells[row["hash"]] for row in study.rows])
    groups, found = {}, asked_maps(study.config, cells) or pair_maps(study.config, cells)
    for made in found:
        groups.setdefault((made.sides, made.problem, made.model, made.label), []).append(made)
    return list(groups.values()), unmapped(cells, found)


def legend(shown):
    """The legend of the colours and marks in use."""
    counts, start = [made for made in shown if made.counts], "yellow"
    if counts:
        start = "green" if len(counts) == len(shown) else "yellow, of unsolved steps from green"
    places = [(made.counts, *place) for made in shown for place in made.places.values()]
    notes = ((f"Colours run with the logarithm, from {start} (few) to violet (many).", True),
             ("A framed 0 on light blue: no step was left unsolved.", any(0 in made.finite for made in counts)),
             ("Hatched, ✗: ended unsolved.", any(math.isinf(value) for _, value, _ in places)),
             ("✗ beside a number: at least one of its cells ended unsolved.",
              any(not solved and not counted and math.isfinite(value) for counted, value, solved in places)),
             ("Hatched: no value.", any(math.isnan(value) for _, value, _ in places)),
             ("Dot: no cell.", any(len(made.places) < len(made.columns) * len(made.rows) for made in shown)),
             ("A number is the median over what else is swept.", any(made.most > 1 for made in shown)))
    return f'<p class="soft">{" ".join(text for text, there in notes if there)}</p>'


def maps_html(groups):
    text = legend([made for group in groups[:MOST_FIGURES] for made in group]) if groups else ""
    for group in groups[:MOST_FIGURES]:
        first = group[0]
        text += f"<h4>{say(first.label)}: {say(first.problem)}, {say(MODELS.get(first.model, first.model))}</h4>"
        text += f'<div class="maps">{"".join(f"<div>{heat_map(made)}</div>" for made in group)}</div>'
    left_out = len(groups) - MOST_FIGURES
    return text + (f'<p class="soft">{left_out} more maps left out.</p>' if left_out > 0 else "")


def line_figure(study, pointer):
    """The data of one line plot; the other swept values become lines of their own. None when nothing numeric is swept."""
    groups = telling_groups(study.config, pointer)
    others = [group[0] for group in groups if len(group) == 1]
    lines, rows = {}, []
    for (problem, model, label), members in groups_by(study, (pointer,)).items():
        for (value,), row in members:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            told = [", ".join(f"{name_of(p)} {swept_text(v)}" for p in group if (v := swept_value(study.cells[row["hash"]], p)) is not None)
                    for group in groups]
            lines.setdefault((label, problem, model, *filter(None, told)), []).append((value, row))
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
    return {"x": name_of(pointer), "log_x": values[0] > 0 and values[-1] / values[0] > 20, "metrics": metrics,
            "left_out": left_out} if metrics else None


def sweeps(study, data, study_number):
    pointers = swept_pointers(study.config)
    if not pointers:
        return ""
    groups, lacking = maps_of(study)
    text = maps_html(groups) + (f'<p class="soft">{say(lacking[0].upper() + lacking[1:])}.</p>' if lacking else "")
    for pointer in pointers:
        made = line_figure(study, pointer)
        if made:
            text += f"<h4>Against {say(made['x'])}</h4>" + plot_box(
                "sweep", study_number, (("metric", "measure"),), f' data-number="{len(data["sweeps"])}"')
            if made["left_out"]:
                text += f'<p class="soft">{count(made["left_out"], "line")} left out; summary.csv has all.</p>'
            if not groups:
                text += values_table(made)
            data["sweeps"].append(made)
    return card("Sweep", text) if text else ""


def values_table(made):
    """The numbers of a line plot, for readers without JavaScript."""
    first = made["metrics"][0]
    values = sorted({x for line in first["lines"] for x, _ in line["points"]})
    rows = [[say(line["label"]), *(figure(dict(line["points"]).get(x, math.nan)) for x in values)] for line in first["lines"]]
    return table(f"{say(first['name'])} against {say(made['x'])}", [("", False)] + [(say(swept_text(v)), True) for v in values], rows)
