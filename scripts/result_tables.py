"""The tables that a config's "plots" of kind "table" ask for: metrics of several solvers side by side, with the paper's below.

Laid out as Tables II and III of Lee et al. 2025: a column for each solver, a row for each metric. Needs no matplotlib: the report uses
it, too.
"""

import csv
import io
import math
from dataclasses import dataclass
from statistics import median

from cell_values import asked_labels, case_text, cases, name_of, texts_of, value_text, values_of
from ccpbench_results import csv_text, unit_of

# Of these the logarithms are averaged, and −log₁₀ of the mean is shown, as the paper does.
DECADES = ("velocity_residual", "relative_residual", "natural_map", "penetration_velocity", "cone_violation", "complementarity",
           "momentum_residual", "apgd_residual", "contact_residual", "lift_velocity", "merit", "distance")
OVERS = {"mean": lambda values: sum(values) / len(values), "median": median, "smallest": min, "largest": max}
PAPER = "paper"


@dataclass
class ResultTable:
    title: str
    solvers: list
    rows: list  # (case, quantity, a number or NaN for each solver)

    @property
    def cases(self):
        return list(dict.fromkeys(row[0] for row in self.rows))


def shown_value(metric, value):
    """As it stands in a table: −log₁₀ of residuals, ms of times."""
    if metric in DECADES:
        return -math.log10(value) if value > 0 else math.nan
    return 1e3 * value if unit_of(metric) == "s" else value


def quantity(metric, over):
    name = f"−log₁₀ {name_of(metric)}" if metric in DECADES else name_of(metric.removesuffix("_s")) if unit_of(metric) == "s" else name_of(metric)
    return f"{name}{' (ms)' if unit_of(metric) == 's' else ''}, {over}"


def number_of(cells, label, metric, over):
    values = [shown_value(metric, value) for cell in cells if cell.label == label for value in values_of(cell, metric)]
    values = [value for value in values if math.isfinite(value)]
    if metric in DECADES and over in ("smallest", "largest"):  # of the residual, whose logarithm is turned round
        over = "largest" if over == "smallest" else "smallest"
    return OVERS[over](values) if values else math.nan


def paper_values(given, metric, solvers):
    """A list of the paper as it stands in the table; None where there is none for these solvers."""
    if not isinstance(given, list) or len(given) != len(solvers):
        return None
    return [shown_value(metric, value) if isinstance(value, (int, float)) and value is not True else math.nan for value in given]


def paper_rows(paper, metrics, over, solvers, case=None):
    """Those of all cases where `case` is None, else of one: the paper's values of that name."""
    rows = []
    for metric in metrics:
        given = paper.get(metric)
        values = paper_values(given.get(case) if isinstance(given, dict) else given if case is None else None, metric, solvers)
        if values:
            rows.append((PAPER, quantity(metric, over), values))
    return rows


def table_of(plot, cells):
    """None where no cell has a value."""
    solvers, metrics, over = asked_labels(plot, cells), texts_of(plot.get("metrics")) or ["iterations"], str(plot.get("over") or "mean")
    paper, rows = plot.get("paper") if isinstance(plot.get("paper"), dict) else {}, []
    for case, members in cases(plot, cells).items():
        rows += [(case_text(case), quantity(metric, over), [number_of(members, label, metric, over) for label in solvers]) for metric in metrics]
        rows += paper_rows(paper, metrics, over, solvers, ", ".join(value_text(value) for _, value in case))
    if not any(math.isfinite(value) for where, _, values in rows if where != PAPER for value in values):
        return None
    return ResultTable(str(plot.get("where") or "table"), solvers, rows + paper_rows(paper, metrics, over, solvers))


def tables_of(config, cells):
    plots = [p for p in config.get("plots") or [] if isinstance(p, dict) and p.get("kind") == "table"]
    return [table for plot in plots if (table := table_of(plot, cells)) is not None]


def text_of(value):
    return "–" if math.isnan(value) else f"{value:.4g}".replace("-", "−")


def lines_of(table):
    """Head and rows of texts; a case is said once."""
    several, last, lines = len(table.cases) > 1, None, []
    for case, what, values in table.rows:
        lines.append(([case if case != last else ""] if several else []) + [what, *map(text_of, values)])
        last = case
    return ([""] if several else []) + ["", *table.solvers], lines


def markdown_of(table):
    head, lines = lines_of(table)
    written = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in written) + "\n"


def csv_of(table):
    """With all digits, and the case in each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["case", "quantity", *map(csv_text, table.solvers)])
    for case, what, values in table.rows:
        writer.writerow([csv_text(case), csv_text(what), *("" if math.isnan(value) else f"{value:.17g}" for value in values)])
    return text.getvalue()
