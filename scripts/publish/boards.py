"""The leaderboards: who solves how many problems of a set, to which accuracy, in which time.

A problem set is what runs were given: the problems, the model, and the measure of the stop rule. Runs of the same set are compared, whatever
their configs are called and wherever they ran. Times of different machines are in different rankings.
"""

import json
import math
from collections import Counter
from dataclasses import dataclass, field

from ccpbench_results import as_number
from entries import DIGITS, digest

DECADES = (2, 4, 6, 8, 10, 12)
SHIFT_S = 0.01  # of the geometric mean, as in `ccpbench profile`
BUDGETS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


@dataclass
class Machine:
    """The facts of a manifest that decide times. Runs of one machine have the same texts."""

    facts: tuple
    entries: list = field(default_factory=list)

    @property
    def key(self):
        return "m-" + digest(repr(self.facts).encode())[:DIGITS]

    @property
    def name(self):
        return f"{self.facts[0] or 'unknown processor'}, {self.facts[1]} cores"


def machine_of(entry):
    """Of results that `ccpbench merge` put together: all their machines, which are one to nobody else."""
    manifest = entry.study.manifest
    several = manifest.get("machines")
    found = [one for one in (several if isinstance(several, list) else [manifest.get("environment")]) if isinstance(one, dict)] or [{}]

    def fact(text_of):
        return " + ".join(dict.fromkeys(map(text_of, found)))

    def memory(one):
        amount = as_number(one.get("memory_mb")) / 1024
        return f"{amount:.0f} GiB" if math.isfinite(amount) else "?"

    return Machine((fact(lambda one: str(one.get("cpu") or "")), fact(lambda one: str(one.get("cores") or "?")), fact(memory),
                    fact(lambda one: str(one.get("blas") or "?"))))


def version_of(entry):
    program = entry.study.manifest.get("program")
    program = program if isinstance(program, dict) else {}
    return f"{program.get('version') or '?'} {str(program.get('git_commit') or '')[:9]}".strip()


@dataclass
class Standing:
    """A solver setting of one published result at one accuracy."""

    result: "Result"
    times: list  # of the problems of the set, s; infinite where it does not come there

    @property
    def solved(self):
        return sum(map(math.isfinite, self.times))

    @property
    def mean(self):
        """Shifted geometric mean of the times of the solved problems."""
        logs = [math.log(t + SHIFT_S) for t in self.times if math.isfinite(t)]
        return math.exp(sum(logs) / len(logs)) - SHIFT_S if logs else math.nan

    def within(self, budget):
        return sum(t <= budget for t in self.times)


@dataclass
class Result:
    """A solver setting of one published result on a problem set."""

    entry: object
    label: str
    solver: str
    school: str
    parameters: dict
    rows: dict = field(default_factory=dict)  # problem -> row of summary.csv
    tolerance: float = 0.0  # the loosest of its cells

    @property
    def unsupported(self):
        return sum(row["status"] == "unsupported" for row in self.rows.values())

    def same_setting(self, other):
        """A parameter that only one of them has was added since."""
        mine, its = self.parameters, other.parameters
        return self.solver == other.solver and all(mine[key] == its[key] for key in mine if key in its)


@dataclass
class Board:
    key: str
    model: str
    measure: str
    native: bool
    problems: dict  # identity -> name
    results: list = field(default_factory=list)

    @property
    def title(self):
        titles = Counter(result.entry.study.title for result in self.results)
        return min(titles, key=lambda title: (-titles[title], title))

    def accuracies(self):
        """Those that runs were asked for: decades, and the last one before the tolerance of each."""
        asked = {math.floor(-math.log10(r.tolerance) + 1e-9) for r in self.results if 0 < r.tolerance < 1}
        return sorted({d for d in (*DECADES, *asked) if 2 <= d <= 12 and d <= max(asked, default=0)})

    def standings(self, decade):
        """Of those that were asked for the accuracy, the best first: by the share that is solved, then by the mean of its times."""
        found = []
        for result in self.results:
            if 0 < result.tolerance <= 10.0**-decade * (1 + 1e-9):
                times = [as_number((result.rows.get(problem) or {}).get(f"time_to_1e-{decade}")) for problem in self.problems]
                found.append(Standing(result, [t if math.isfinite(t) else math.inf for t in times]))
        return sorted(found, key=lambda s: (-s.solved, s.mean if s.solved else math.inf, s.result.label, s.result.entry.id))


def budgets(standings):
    """Powers of ten that some times are within, and some are not."""
    times = [t for s in standings for t in s.times if math.isfinite(t)]
    return [b for b in BUDGETS if min(times, default=math.inf) < b < max(times, default=0.0)]


def identity(problem):
    """The identity of a problem, without its name: the scene with its values, or the content of its file."""
    known = {key: problem[key] for key in ("scene", "parameters", "seed", "perturb", "sequence") if key in problem}
    if "file" in problem:
        known["sha256"] = problem["sha256"]
    return digest(json.dumps(known, sort_keys=True).encode())[:DIGITS]


def results_of(entry):
    """{(model, measure, native): ({problem: name}, {label: Result})} of a published result; what could not be read belongs to no set."""
    found = {}
    for row in entry.study.tried():
        cell = entry.cells[row["hash"]]
        stop, solver = cell["stop"], cell["solver"]
        problems, results = found.setdefault((row["model"], str(stop["measure"]), bool(stop.get("native"))), ({}, {}))
        problem = identity(cell["problem"])
        problems[problem] = row["problem"]
        result = results.setdefault(row["label"], Result(entry, row["label"], str(solver["name"]), row["school"], dict(solver.get("parameters") or {})))
        result.rows[problem] = row
        result.tolerance = max(result.tolerance, as_number(stop["tolerance"]))
    return found


def boards(entries):
    """The problem sets of all results, in the order of their titles."""
    found = {}
    for entry in entries:
        for (model, measure, native), (problems, results) in results_of(entry).items():
            key = digest(json.dumps([model, measure, native, sorted(problems)]).encode())[:DIGITS]
            board = found.setdefault(key, Board(key, model, measure, native, problems))
            board.results += results.values()
    return sorted(found.values(), key=lambda board: (board.title, board.model, board.key))


def machines(entries):
    """The machines by their facts, each with its results."""
    found = {}
    for entry in entries:
        machine = machine_of(entry)
        found.setdefault(machine.facts, machine).entries.append(entry)
    return dict(sorted(found.items()))


def settings(results):
    """Results in groups of one solver setting each, in the order of their first."""
    groups = []
    for result in results:
        group = next((g for g in groups if g[0].same_setting(result)), None)
        if group is None:
            groups.append([result])
        else:
            group.append(result)
    return groups
