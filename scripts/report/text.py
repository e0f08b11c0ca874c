"""Words and numbers of the report, as HTML. Everything that comes from a file passes through `say`."""

import html
import math

NAMES = {
    "iteration": "iteration", "iterations": "iterations", "elapsed_s": "solver time (s)", "solve_s": "time of the iterations, without setup (s)",
    "products": "products with N", "back_solves": "back-solves", "factorizations": "factorisations",
    "relative_residual": "relative velocity residual", "velocity_residual": "velocity residual (m/s)",
    "natural_map": "natural map residual", "objective": "objective (J)", "penetration_velocity": "penetration velocity (m/s)",
    "cone_violation": "cone violation (N·s)", "complementarity": "complementarity (J)",
    "momentum_residual": "momentum residual (kg·m/s)", "merit": "merit", "distance": "distance to the reference solution",
    "lift_velocity": "lift velocity (m/s)",
}
TONES = {"solved": "good", "met": "good", "unsupported": "wait", "iteration_limit": "wait", "time_limit": "wait",
         "cannot be judged": "wait"}


def say(value):
    return html.escape(str(value), quote=True)


def status(name):
    return f'<span class="{TONES.get(name, "bad")}">{say(name.replace("_", " "))}</span>'


def figure(value):
    """Three digits, as a person writes them."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    digits, exponent = f"{value:.1e}".split("e")
    return f"{digits}·10<sup>{int(exponent)}</sup>".replace("-", "−")


def seconds(value):
    if not math.isfinite(value):
        return "–"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{figure(float(f'{value * factor:.3g}'))} {unit}"
    return "–"


def count(number, word):
    return f"{number} {word}{'' if number == 1 else 's'}"


def table(caption, head, rows, kind="plain"):
    """head: (text, is a number) per column; rows: cells as HTML, the first one is the row's head. None of them is escaped here.

    The caption stands before the region that scrolls: it stays in sight on a narrow screen."""
    top = "".join(f'<th scope="col"{" class=n" if right else ""}>{text}</th>' for text, right in head)
    body = []
    for row in rows:
        cells = "".join(f"<td{' class=n' if right else ''}>{cell}</td>" for cell, (_, right) in zip(row[1:], head[1:]))
        body.append(f'<tr><th scope="row">{row[0]}</th>{cells}</tr>')
    return (f'<p class="soft caption">{caption}</p><div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
            f'<table class="{kind}" aria-label="{caption}">'
            f"<thead><tr>{top}</tr></thead><tbody>{''.join(body)}</tbody></table></div>")
