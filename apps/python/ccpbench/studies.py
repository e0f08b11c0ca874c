"""Experiments and rankings, which the program ccpbench runs in processes of their own."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _core, given, places, results
from .problems import Problem, core_of
from .solving import DEFAULT_SOLVER, _options

EXIT_BAD_INPUT, EXIT_SOME_FAILED, EXIT_INTERRUPTED = 2, 3, 130


def _flags(options: dict[str, Any]) -> list[str]:
    """jobs=2, fresh=True, only=["a", "b"] as options of the program; None and False leave one out."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None and one is not False:
                flags.append(flag if one is True else f"{flag}={one}")
    return flags


def _call(*arguments: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    """Runs the program. Raises InputError with its message for bad input."""
    ran = subprocess.run([places.find_program(), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    said = ran.stderr.strip()
    if ran.returncode == EXIT_BAD_INPUT:
        raise _core.InputError(said.splitlines()[0].removeprefix("ccpbench: error: "))
    if ran.returncode == EXIT_INTERRUPTED or ran.returncode < 0:
        raise KeyboardInterrupt(said)
    if ran.returncode not in (0, EXIT_SOME_FAILED):
        raise RuntimeError(said)
    return ran


class Figures(list[Path]):
    """The files of figures; a notebook shows them."""

    def _repr_html_(self) -> str:
        kinds = {".svg": "svg+xml", ".png": "png"}
        shown = {path.stem: path for path in self if path.suffix in kinds}
        return "".join(f'<img alt="{path.stem}" src="data:image/{kinds[path.suffix]};base64,'
                       f'{base64.b64encode(path.read_bytes()).decode()}">' for path in shown.values())


class Plots:
    """The figures of results, a method for each kind. Options are those of `ccpbench plot`: only="*ADMM*", width="single",
    format="svg", out="figures"."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __call__(self, **options: Any) -> Figures:
        """Figures of all kinds that the results have something for."""
        ran = _call("plot", self._folder, *_flags(options))
        return Figures(Path(line.removeprefix("figure: ")) for line in ran.stderr.splitlines() if line.startswith("figure: "))

    def convergence(self, **options: Any) -> Figures:
        """Residuals against iterations and time."""
        return self(kind="convergence", **options)

    def sweep(self, **options: Any) -> Figures:
        """The plots of the kinds sweep and ensemble of the config."""
        return self(kind="sweep", **options)

    def map(self, **options: Any) -> Figures:
        """Numbers over two swept values."""
        return self(kind="map", **options)

    def sequence(self, **options: Any) -> Figures:
        """Scenes in time, step by step."""
        return self(kind="sequence", **options)

    def mean(self, **options: Any) -> Figures:
        """Means over problems."""
        return self(kind="mean", **options)

    def profile(self, **options: Any) -> Figures:
        """Performance and data profiles."""
        return self(kind="profile", **options)


class Results(results.Results):
    """A folder that `run` or `ccpbench run` has written: tables of its cells, traces and steps, and `plot`."""

    @property
    def plot(self) -> Plots:
        """Draws figures: `results.plot()` all, `results.plot.convergence()` those of a kind."""
        return Plots(self.folder)


def run(config: str | os.PathLike[str], out: str | os.PathLike[str] = "results", **options: Any) -> Results:
    """Runs a config, a file or one of `ccpbench list configs`, and goes on where an earlier run stopped. options: those of
    `ccpbench run`, such as jobs=2, size="small", only="*ADMM*", set=["/stop/tolerance=1e-6"], fresh=True. Cells that fail are
    in the results, and warned of."""
    ran = _call("run", config, f"--out={os.fspath(out)}", "--quiet", *_flags(options))
    if ran.returncode == EXIT_SOME_FAILED:
        warnings.warn(ran.stderr.strip(), stacklevel=2)
    return Results(next(line.removeprefix("results: ") for line in ran.stdout.splitlines() if line.startswith("results: ")))


def rank(problem: Problem, solvers: str | Sequence[str] = (DEFAULT_SOLVER, "nsgs", "admm", "apgd"), *, model: str = "ncp",
         tolerance: float = 1e-8, measure: str = "relative_residual", max_iterations: int = 1000, time_limit: float = 60.0,
         threads: int = 1) -> Any:
    """Solves a problem with several methods, each on the problem read anew, and ranks them: the solved ones by their time
    (set-up and iterations), then the others by the residual they came to. solvers: one name or several, as of `solve`, with
    settings as "admm:rho=0.5,preconditioner=diagonal". A pandas.DataFrame, or a Table without pandas."""
    core_of(problem)
    _options(model, measure, tolerance, False, max_iterations, time_limit, threads, ())  # their mistakes by the names they have here
    names = [given.solver_name(one) for one in ([solvers] if isinstance(solvers, str) or callable(solvers) else solvers)]
    with tempfile.TemporaryDirectory(prefix="ccpbench-") as place:
        dump = Path(place) / "problem.hdf5"
        problem.write(dump)
        options = {"solver": names, "model": model, "tolerance": tolerance, "measure": measure, "max_iterations": max_iterations,
                   "time_limit": time_limit, "threads": threads, "json": True}
        ranked = json.loads(_call("solve", dump, *_flags(options)).stdout)["solvers"]
    # pandas leaves out columns in the middle where a line is too narrow.
    order = ["rank", "solver", "status", "settings", "reason", measure, "setup_s", "solve_s", "iterations", "time_s"]
    columns = {name: [row.get("measures", {}).get(name) if name == measure else row.get(name) for row in ranked] for name in order}
    table = results.Table(columns, {name: results.unit_of(name) for name in columns})
    try:
        return table.to_pandas()
    except ImportError:
        return table
