"""The tables that a config's "plots" of kind "table" ask for: metrics of several solvers side by side, with the paper's below.

Laid out as Tables II and III of Lee et al. 2025: a column for each solver, a row for each metric. What a run cost that did not solve its
problem is marked: it is a lower bound. Needs no matplotlib: the report uses it, too.
"""

import csv
import io
import math
import re
from dataclasses import dataclass
from statistics import median

from cell_values import asked_labels, case_text, cases, is_busy, is_cost, is_time, metric_column, name_of, runs_of, texts_of, value_text
from ccpbench_results import csv_text, unit_of
from series_styles import BUSY_NOTE, busy_words

# Of these the logarithms are averaged, and −log₁₀ of the mean is shown, as the paper does.
DECADES = ("velocity_residual", "relative_residual", "natural_map", "penetration_velocity", "cone_violation", "complementarity",
           "momentum_residual", "apgd_residual", "contact_residual", "lift_velocity", "creep_velocity", "merit", "distance",
           "regularised_residual")
OVERS = {"mean": lambda values: sum(values) / len(values), "median": median, "smallest": min, "largest": max}
PAPER = "paper"
UNSOLVED_NOTE = "✗: ended unsolved, in k of n runs as k/n; >: its cost so far."


@dataclass
class Number:
    """An entry of a table: NaN without a value, and the number of unsolved runs behind it."""

    value: float
    unsolved: int = 0
    runs: int = 0
    bound: bool = False  # of a cost: the value is a lower bound where runs ended unsolved
    busy: tuple = ()  # of a time: whether each cell was timed on a busy machine

    @property
    def mark(self):
        return "" if not self.unsolved else "✗" if self.unsolved == self.runs else f"✗ {self.unsolved}/{self.runs}"

    @property
    def text(self):
        number = "–" if math.isnan(self.value) else f"{self.value:.4g}".replace("-", "−")
        return f"{'> ' if self.bound and self.unsolved and number != '–' else ''}{number}{' ' if self.mark else ''}{self.mark}{busy_words(self.busy)}"


@dataclass
class ResultTable:
    title: str
    solvers: list
    rows: list  # (case, quantity, a Number for each solver)

    @property
    def marked(self):
        return any(number.mark for _, _, numbers in self.rows for number in numbers)

    @property
    def busy(self):
        return any(busy for _, _, numbers in self.rows for number in numbers for busy in number.busy)

    @property
    def notes(self):
        return [UNSOLVED_NOTE] * self.marked + [BUSY_NOTE] * self.busy

    @property
    def cases(self):
        return list(dict.fromkeys(row[0] for row in self.rows))


def shown_value(metric, value):
    """As it stands in a table: −log₁₀ of residuals, ms of times."""
    if metric in DECADES:
        return -math.log10(value) if value > 0 else math.nan
    return 1e3 * value if unit_of(metric) == "s" else value


def quantity(metric, over):
    """over: how several runs are one number; empty where there is one each."""
    name = f"−log₁₀ {name_of(metric)}" if metric in DECADES else name_of(metric.removesuffix("_s")) if unit_of(metric) == "s" else name_of(metric)
    return f"{name}{' (ms)' if unit_of(metric) == 's' else ''}{f', {over}' if over else ''}"


def number_of(cells, label, metric, over):
    """Over all runs. Of a cost those that ended unsolved are counted, and of a cost to an accuracy those that never came there."""
    mine = [cell for cell in cells if cell.label == label]
    runs = [(shown_value(metric, value), solved) for cell in mine for value, solved in runs_of(cell, metric)]
    values = [value for value, _ in runs if math.isfinite(value)]
    if metric in DECADES and over in ("smallest", "largest"):  # of the residual, whose logarithm is turned round
        over = "largest" if over == "smallest" else "smallest"
    value = OVERS[over](values) if values else math.nan
    busy = tuple(map(is_busy, mine)) if is_time(metric) and values else ()
    if "_to_" in metric:
        return Number(value, len(runs) - len(values), len(runs), busy=busy)
    lost = sum(not solved for _, solved in runs) if is_cost(metric) and values else 0
    return Number(value, lost, len(runs), True, busy)


def paper_values(given, metric, solvers):
    """A list of the paper as it stands in the table; None where there is none for these solvers."""
    if not isinstance(given, list) or len(given) != len(solvers):
        return None
    return [Number(shown_value(metric, value) if isinstance(value, (int, float)) and value is not True else math.nan) for value in given]


def paper_rows(paper, metrics, over, solvers, case=None):
    """Those of all cases where `case` is None, else of one: the paper's values of that name."""
    rows = []
    for name, metric in metrics.items():
        given = paper.get(name)
        values = paper_values(given.get(case) if isinstance(given, dict) else given if case is None else None, metric, solvers)
        if values:
            rows.append((PAPER, quantity(metric, over), values))
    return rows


def table_of(plot, cells, everyone=None):
    """None where no cell has a value. everyone: where the cells are those of some solvers alone, all of them, to which the paper's
    numbers belong."""
    solvers, over = asked_labels(plot, everyone or cells), str(plot.get("over") or "mean")
    metrics = {name: metric_column({**plot, "metric": name}) for name in texts_of(plot.get("metrics")) or ["iterations"]}
    paper, told = plot.get("paper") if isinstance(plot.get("paper"), dict) else {}, cases(plot, cells)
    found = {(case, metric): [number_of(members, label, metric, over) for label in solvers] for case, members in told.items() for metric in metrics.values()}
    if all(number.runs <= 1 for numbers in found.values() for number in numbers):
        over = ""
    rows = []
    for case in told:
        rows += [(case_text(case), quantity(metric, over), found[case, metric]) for metric in metrics.values()]
        rows += paper_rows(paper, metrics, over, solvers, ", ".join(value_text(value) for _, value in case))
    if not any(math.isfinite(number.value) for where, _, numbers in rows if where != PAPER for number in numbers):
        return None
    rows += paper_rows(paper, metrics, over, solvers)
    kept = [k for k, solver in enumerate(solvers) if solver in asked_labels(plot, cells)]
    return ResultTable(str(plot.get("where") or "table"), [solvers[k] for k in kept], [(case, what, [numbers[k] for k in kept]) for case, what, numbers in rows])


def tables_of(config, cells):
    plots = [p for p in config.get("plots") or [] if isinstance(p, dict) and p.get("kind") == "table"]
    return [table for plot in plots if (table := table_of(plot, cells)) is not None]


def lines_of(table):
    """Head and rows of texts; a case is said once."""
    several, last, lines = len(table.cases) > 1, None, []
    for case, what, numbers in table.rows:
        lines.append(([case if case != last else ""] if several else []) + [what, *(number.text for number in numbers)])
        last = case
    return ([""] if several else []) + ["", *table.solvers], lines


def markdown_of(table):
    head, lines = lines_of(table)
    written = [head, ["---"] * len(head), *lines]
    text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in written) + "\n"
    return text + (f"\n{' '.join(table.notes)}\n" if table.notes else "")


LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "₁₀": "$_{10}$", "✗": r"$\times$",
         ">": "$>$", "<": "$<$", "µ": r"\textmu{}", "μ": r"$\mu$", "ρ": r"$\rho$", "ω": r"$\omega$", "ε": r"$\varepsilon$", "δ": r"$\delta$",
         "–": "--"} | {sign: "\\" + sign for sign in "&%$#_{}"}


# 1e-4, 2.5e−05, and the signs above.
LATEX_PARTS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([-−+]?)0*(\d+)(?!\w)|" + "|".join(map(re.escape, LATEX)))


def latex_part(found):
    digits, sign, power = found.groups()
    if digits is None:
        return LATEX[found[0]]
    times, minus = "" if digits == "1" else digits + r"\cdot", "-" if sign in ("-", "−") else ""
    return f"${times}10^{{{minus}{power}}}$"


def latex_text(text):
    return LATEX_PARTS.sub(latex_part, text)


def latex_of(table):
    """For the package booktabs, with what the marks mean in print below."""
    head, lines = lines_of(table)
    names = len(head) - len(table.solvers)
    rows = [" & ".join(map(latex_text, line)) + r" \\" for line in (head, *lines)]
    body = [r"% \usepackage{booktabs}", r"\begin{tabular}{" + "l" * names + "r" * len(table.solvers) + "}", r"\toprule", rows[0], r"\midrule", *rows[1:], r"\bottomrule",
            r"\end{tabular}"]
    notes = [rf"\par\smallskip{{\footnotesize {' '.join(map(latex_text, table.notes))}\par}}"] if table.notes else []
    return "\n".join(body + notes) + "\n"


def csv_of(table):
    """With all digits, the case in each row, and how many runs of how many ended unsolved, and how many cells of how many were timed on
    a busy machine, where some were."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    marks = [f"{label}: unsolved" for label in table.solvers] * table.marked + [f"{label}: busy" for label in table.solvers] * table.busy
    writer.writerow(["case", "quantity", *map(csv_text, [*table.solvers, *marks])])
    for case, what, numbers in table.rows:
        unsolved = [f"{number.unsolved} of {number.runs}" if number.runs else "" for number in numbers] * table.marked
        busy = [f"{sum(number.busy)} of {len(number.busy)}" if number.busy else "" for number in numbers] * table.busy
        writer.writerow([csv_text(case), csv_text(what), *("" if math.isnan(n.value) else f"{n.value:.17g}" for n in numbers), *unsolved, *busy])
    return text.getvalue()


WRITERS = {"csv": csv_of, "md": markdown_of, "tex": latex_of}  # by the ending of the file
