"""Words and numbers of the report, as HTML. Everything that comes from a file passes through `say`."""

import html
import math
import re

NAMES = {
    "iteration": "iteration", "iterations": "iterations", "elapsed_s": "solver time (s)", "solver_s": "solver time (s)", "solve_s": "time of the iterations, without setup (s)",
    "products": "products with N", "back_solves": "back-solves", "factorizations": "factorisations",
    "relative_residual": "relative velocity residual", "velocity_residual": "velocity residual (m/s)",
    "natural_map": "natural map residual", "objective": "objective (J)", "penetration_velocity": "penetration velocity (m/s)",
    "cone_violation": "cone violation (N·s)", "complementarity": "complementarity (J)",
    "momentum_residual": "momentum residual (kg·m/s)", "merit": "merit", "distance": "distance to the reference solution",
    "lift_velocity": "lift velocity (m/s)", "creep_velocity": "creep velocity (m/s)", "regularised_residual": "residual of the method's own law", "own_penetration_velocity": "penetration of the method's velocity (m/s)",
}
TONES = {"solved": "good", "met": "good", "unsupported": "wait", "below_rounding": "wait", "iteration_limit": "wait",
         "time_limit": "wait", "infeasible": "wait", "cannot be judged": "wait"}


def say(value):
    return html.escape(str(value), quote=True)


def status(name, number=""):
    return f'<span class="{TONES.get(name, "bad")}">{f"{number} " if number else ""}{say(name.replace("_", " "))}</span>'


def figure(value):
    """Three digits, as a person writes them."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}·10<sup>{int(exponent)}</sup>".replace("-", "−")


def plain_power(value):
    """An accuracy without tags, for names: 10⁻⁴; one that is no power of ten as it is."""
    exponent = round(math.log10(value)) if value > 0 else 0
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if 0 < value < 0.1 and math.isclose(value, 10.0**exponent) else f"{value:g}"


def seconds(value):
    if not math.isfinite(value):
        return "–"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{figure(float(f'{value * factor:.3g}'))} {unit}"
    return "–"


def count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


class Value(str):
    """A cell of a table: HTML that is sorted by `value`, of which less is better. `weight`: how much stands behind it; the best of a
    column is looked for among the values of most weight. Weight 0: none of them is the best."""

    def __new__(cls, text, value, weight=1):
        made = super().__new__(cls, text)
        made.value, made.weight = value, weight
        return made


def best_places(rows):
    """{(row, column)} of the best values of each column with two values or more that differ."""
    found = set()
    for column in range(1, len(rows[0]) if rows else 0):
        values = [(cell.value, cell.weight, k) for k, row in enumerate(rows)
                  if isinstance(cell := row[column], Value) and math.isfinite(cell.value) and cell.weight > 0]
        most = max((weight for _, weight, _ in values), default=0)
        known = [(value, k) for value, weight, k in values if weight == most]
        if len({value for value, _ in known}) > 1 or len(known) == 1 < len(values):
            least = min(known)[0]
            found.update((k, column) for value, k in known if value == least)
    return found


def cell_html(cell, right, best):
    classes = " ".join(name for name, on in (("n", right), ("best", best), ("reason", not right and len(re.sub(r"<[^>]*>", "", cell)) > 30)) if on)
    value = f' data-v="{cell.value:.6g}"' if isinstance(cell, Value) and math.isfinite(cell.value) else ""
    quoted = f'"{classes}"' if " " in classes else classes
    return f"<td{f' class={quoted}' if classes else ''}{value}>{cell}</td>"


def table(caption, head, rows, kind="plain"):
    """head: (text, is a number) per column; rows: cells as HTML or Value, the first one is the row's head. None of them is escaped here.

    The caption stands before the region that scrolls: it stays in sight on a narrow screen."""
    top = "".join(f'<th scope="col"{" class=n" if right else ""}>{text}</th>' for text, right in head)
    body, best = [], best_places(rows)
    for k, row in enumerate(rows):
        cells = "".join(cell_html(cell, right, (k, j) in best) for j, (cell, (_, right)) in enumerate(zip(row[1:], head[1:]), start=1))
        body.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    name = re.sub(r"<[^>]*>", "", caption)
    return (f'<p class="soft caption">{caption}</p><div class="scroll" tabindex="0" role="region" aria-label="{name}">'
            f'<table class="{kind}" aria-label="{name}">'
            f"<thead><tr>{top}</tr></thead><tbody>{''.join(body)}</tbody></table></div>")
