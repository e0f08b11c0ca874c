"""Results of `ccpbench run` in Python: tables of cells, traces and steps with units, as columns or as pandas data frames.

    from ccpbench_results import Results
    results = Results("results/test1a")     # a folder with manifest.json and summary.csv
    cells = results.cells()                 # one row per cell: a Table
    cells.where(label="*ADMM*").to_pandas() # needs pandas; nothing else here needs a package

Numbers are floats, NaN where there is none; texts are str. Bad input is an InputError, one line that names file and defect.
The scripts that draw figures and write the report read results through this module.
"""

import csv
import fnmatch
import hashlib
import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

# Units of columns of summary.csv, trace.csv and steps.csv, as `ccpbench list` gives those of measures and of solvers.
COLUMN_UNITS = {
    "velocity_residual": "m/s", "objective": "J", "penetration_velocity": "m/s", "own_penetration_velocity": "m/s",
    "cone_violation": "N·s", "complementarity": "J", "momentum_residual": "kg·m/s", "distance": "m/s", "rounding_floor": "m/s",
    "lift_velocity": "m/s",
    "creep_velocity": "m/s",
    "al_residual": "m/s", "beta": "kg", "combined_residual": "J", "regularised_cost": "J",
    "dual_residual": "m/s", "impulse_change": "N·s", "mean_complementarity": "J",
    "bilateral_absolute": "m/s", "cone_absolute": "m/s", "momentum_absolute": "kg·m/s",
    "newton_merit": "m/s", "newton_residual": "kg^(1/2)·m/s", "primal_residual": "N·s", "projected_gradient": "m/s", "rho": "1/kg",
    "scaled_dual_residual": "√J", "scaled_primal_residual": "√J", "step": "kg", "subproblem_merit": "m/s", "theta_d": "kg·m/s",
    "theta_p": "m/s",
    "deepest_gap": "m", "energy_gain": "J", "objective_gap": "J", "primal_residual_max": "N·s", "peak_memory_mb": "MiB",
    "seconds_per_iteration": "s", "seconds_per_step": "s", "seconds_per_factorization": "s", "seconds_per_back_solve": "s", "time_to": "s", "bytes_per_contact": "B",
    "bytes_sent": "B", "rank_memory_mb": "MiB",
    "along": "m/s", "angle": "°", "drift": "m", "spinning": "rad/s", "turning": "rad/s", "way": "m", "hover": "m", "joint_error": "m",  # of scenes
    "slip": "m", "path_error": "rad", "overlap": "m", "jitter": "rad/s", "rattle": "m/s", "depth": "m", "off_helix": "m", "off_axis": "m", "off_height": "m", "tilt": "rad",
}
# By what a name ends with: time_s, time_to_1e-8, kinetic_J.
ENDINGS = ((re.compile(r"_s(_min|_max)?$"), "s"), (re.compile(r"^time_to_1e-\d+$"), "s"), (re.compile(r"_J$"), "J"))
# Of parameters of scenes and solvers, where all that have one of the name agree.
PARAMETER_UNITS = {
    "amplitude": "m/s²", "angular_velocity": "rad/s", "ball_density": "kg/m³", "ball_gap": "m", "ball_height": "m", "ball_mass": "kg",
    "ball_radius": "m", "ball_speed": "m/s", "blade_height": "m", "blade_length": "m", "blade_place": "m",
    "blade_speed": "rad/s", "blade_thickness": "m", "bond": "m", "box_edge": "m", "box_mass": "kg", "brick_density": "kg/m³",
    "clearance": "m", "damping_time": "s", "finger_stiffness": "N·m/rad", "grip": "m", "pot_grip": "m", "mouth": "m", "period": "s", "squeeze": "rad", "stiffness": "N·m/rad", "cohesion": "N", "column_gap": "m", "density": "kg/m³", "diameter": "m", "distance": "m", "duration": "s",
    "edge": "m", "ellipsoid_flat": "m", "envelope": "m", "force": "N", "frequency": "Hz", "gap": "m", "gravity": "m/s²",
    "heavy_mass": "kg", "height": "m", "hold": "s", "joint_damping": "N·m·s/rad", "length": "m", "light_mass": "kg",
    "limit_margin": "rad", "lone_mass": "kg", "margin": "m", "mass": "kg", "mass_unit": "kg", "offset": "m", "overlap": "m", "patch": "m",
    "penalty_stiffness": "N/m", "pitch": "m", "pot_mass": "kg", "press": "m", "punch_mass": "kg", "push": "m", "radius": "m",
    "residual_step": "kg", "rho": "1/kg", "rho_bilateral": "1/kg", "rolling_friction": "m", "row_gap": "m", "slab_mass": "kg", "slope": "°",
    "span": "m",
    "speed": "m/s", "spinning_friction": "m", "sphere_radius": "m", "spin": "rad/s", "swing": "rad", "time": "s", "time_step": "s", "tolerance_dual": "m/s",
    "tolerance_primal": "N·s", "tool_mass": "kg", "turn_rate": "1/s", "width": "m", "wrist_angle": "rad", "young": "Pa",
}
TEXTS = {"problem", "model", "label", "solver", "hash", "status", "reason", "school", "stopped_by"}  # columns that are no numbers


def unit_of(column):
    """The unit of a column of results; empty for counts, ratios and texts."""
    return COLUMN_UNITS.get(column) or next((unit for ending, unit in ENDINGS if ending.search(column)), "")


@dataclass(repr=False)
class Table:
    """Columns of one length, by name, each with a unit (empty where there is none)."""

    columns: dict
    units: dict = field(default_factory=dict)

    def __len__(self):
        return len(next(iter(self.columns.values()), []))

    def __repr__(self):
        """Size and names of the columns, without values."""
        names = list(self.columns)
        return f"Table of {len(self)} × {len(names)} (rows × columns): {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"

    def __getitem__(self, name):
        """The values of a column, a list. Raises InputError with the names that there are for another."""
        if name not in self.columns:
            raise InputError(f"no column '{name}'; there are: {', '.join(self.columns)}")
        return self.columns[name]

    def rows(self):
        """A dict per row."""
        return [dict(zip(self.columns, values)) for values in zip(*self.columns.values())]

    def where(self, **wanted):
        """The rows whose columns are as wanted: a text is a shell pattern, a number is equal, a function says whether."""
        tests = [(self[name], _test(value)) for name, value in wanted.items()]
        kept = [k for k in range(len(self)) if all(test(values[k]) for values, test in tests)]
        return Table({name: [values[k] for k in kept] for name, values in self.columns.items()}, dict(self.units))

    def to_pandas(self, units=False):
        """A pandas.DataFrame with the units in `.attrs["units"]`; with units=True in the names of its columns, too: "solve_s (s)"."""
        try:
            import pandas
        except ImportError:
            raise ImportError("data frames need pandas: apt-get install python3-pandas") from None
        named = {f"{name} ({self.units[name]})" if units and self.units.get(name) else name: name for name in self.columns}
        frame = pandas.DataFrame({shown: self.columns[name] for shown, name in named.items()})
        frame.attrs["units"] = {shown: self.units.get(name, "") for shown, name in named.items()}
        return frame


class Results:
    """A folder that `ccpbench run` has written, or one of its earlier/ folders."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)  # manifest.json: the program, the machine, the options
        self.config = self.manifest["config"]  # as it was run, with size and --set
        self.name = str(self.config.get("name") or self.folder.name)
        self.changes = changes(self.manifest)  # how the config differs from the committed one; a text each

    def cells(self):
        """One row per cell, in the order of the config: the columns of summary.csv, 'school' (the kind of program; ours) and the
        swept values, named by the last part of their pointer, after their part of the cell ('problem.contacts') where that is
        the name of another column."""
        rows = read_summary(self.folder, ("problem", "model", "label", "hash"))
        names = list(dict.fromkeys(name for row in rows for name in row if name))
        columns = {name: [_value(name, row.get(name)) for row in rows] for name in names}
        units = {name: unit_of(name) for name in names}
        columns["school"] = [school_of(self.manifest, row.get("solver")) for row in rows]
        pointers = dict.fromkeys(pointer for group in swept_groups(self.config) for pointer in group)
        records = cell_records(self.folder, rows, needed=bool(pointers))
        for place, pointer in _places(pointers).items():
            name = place[-1] if place[-1] not in columns else f"{place[0]}.{place[-1]}"
            found = [swept_value(record, pointer) for record in records]
            plain = all(value is None or isinstance(value, (int, float)) for value in found)
            columns[name] = [_number(value) if plain else "" if value is None else _text(value) for value in found]
            units[name] = PARAMETER_UNITS.get(place[-1], "") if plain and "parameters" in place else ""
        return Table(columns, {name: units.get(name, "") for name in columns})

    def traces(self, **wanted):
        """One row per iteration of the cells as wanted (columns of cells(), as in Table.where): problem, model, label, hash, then
        the columns of their traces. Of sequences those of the steps that were traced, numbered in the column 'sequence_step'."""
        return self._joined(wanted, lambda folder: [
            *((None, read_trace(path)) for path in [find_file(folder / "trace.csv")] if path),
            *((step, read_trace(path)) for step, path in step_traces(folder).items())])

    def steps(self, **wanted):
        """One row per step of the sequences as wanted: problem, model, label, hash, then the columns of their steps.csv."""
        return self._joined(wanted, lambda folder: [(None, read_steps(path)) for path in [find_file(folder / "steps.csv")] if path])

    def _joined(self, wanted, tables_of):
        """The tables of cells below each other."""
        cells = self.cells()
        parts = [({name: row[name] for name in ("problem", "model", "label", "hash")}, step, table)
                 for row in cells.where(**wanted).rows() for step, table in tables_of(self.folder / "cells" / row["hash"])]
        keys = ["problem", "model", "label", "hash"] + ["sequence_step"] * any(step is not None for _, step, _ in parts)
        names = dict.fromkeys(name for _, _, table in parts for name in table)
        columns = {name: [] for name in [*keys, *names]}
        for cell, step, table in parts:
            length = len(next(iter(table.values()), []))
            for name in columns:
                given = {**cell, "sequence_step": _number(step)}
                columns[name] += [given[name]] * length if name in given else table.get(name) or [_value(name, None)] * length
        return Table(columns, {name: "" if name in keys else _unit_in(name, parts) for name in columns})


def _unit_in(name, parts):
    """Steps are numbered in a table of steps; in a trace, 'step' is a step length."""
    return "" if name == "step" and any("time_s" in table for _, _, table in parts) else unit_of(name)


def _places(pointers):
    """{(part of the cell, …, name): pointer}; which entry of the config a pointer reaches is no matter, a cell has one of each."""
    places = {}
    for pointer in pointers:
        part, *path = pointer.strip("/").split("/")
        path = path[1:] if part in ("problems", "solvers") else path
        places.setdefault(({"problems": "problem", "solvers": "solver"}.get(part, part), *path), pointer)
    return places


def _number(value):
    return float(value) if isinstance(value, (int, float)) else math.nan


def _text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# What `ccpbench` and csv_text() write with an apostrophe before it: a spreadsheet would take it for a formula.
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?(inf|nan|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)\Z")


def csv_text(text):
    """A text as a cell of a CSV file that a spreadsheet shows as text."""
    return "'" + text if FORMULA.match(text) and not NUMBER.match(text) else text


def plain_text(cell):
    """The text of which csv_text() has made a cell."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


def _value(column, text):
    return plain_text(text or "") if column in TEXTS else as_number(text)


def _test(wanted):
    """Whether a value is as wanted, as a function."""
    if callable(wanted):
        return wanted
    if isinstance(wanted, str):
        return lambda value: isinstance(value, str) and fnmatch.fnmatchcase(value, wanted)
    return lambda value: value == wanted


class InputError(ValueError):
    """One line that says what is wrong with the input."""


def parse_json(text):
    """Throws ValueError for malformed text, and where Python gives up on its depth."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too many lists and objects inside of one another") from None


def check_fetched(path):
    """Raises InputError for a file that Git LFS has not fetched."""
    with path.open("rb") as file:
        if file.read(64).startswith(b"version https://git-lfs.github.com/spec/"):
            raise InputError(f"{path}: is a pointer of Git LFS, not the file itself; `git lfs pull` fetches it")


def read_json(path):
    try:
        check_fetched(path)
        return parse_json(path.read_text(encoding="utf-8"))
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; is this a result folder of `ccpbench run`?") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None


def no_folder(folder):
    """The error for a missing result folder; runs write to results/ by default."""
    usual = Path("results") / folder
    return InputError(f"{folder}: no such folder" + (f"; did you mean {usual}?" if usual.is_dir() and not folder.exists() else ""))


def read_manifest(folder):
    """manifest.json, which has an object 'config'."""
    if not folder.is_dir():
        raise no_folder(folder)
    manifest = read_json(folder / "manifest.json")
    if not isinstance(manifest, dict) or not isinstance(manifest.get("config"), dict):
        raise InputError(f"{folder / 'manifest.json'}: no object 'config' in it")
    return manifest


def changes(manifest):
    """How the config that was run differs from the one that is written and committed, a text each."""
    found = manifest.get("changes")
    if found is None:  # of manifests before there was a list
        options = manifest.get("options")
        settings = options.get("set") if isinstance(options, dict) else None
        found = [f"--set {text}" for text in settings] if isinstance(settings, list) else []
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def csv_rows(path, folder):
    """The rows of a file, each by the names of the columns. `folder` says what its folder should be, for the message."""
    try:
        check_fetched(path)
        with path.open(newline="", encoding="utf-8") as file:
            return [{key: plain_text(cell) if isinstance(cell, str) else cell for key, cell in row.items()} for row in csv.DictReader(file)]
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; is this {folder}?") from None
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


def read_summary(folder, needed=("hash",)):
    """The rows of summary.csv. Every row has the columns `needed`."""
    path = folder / "summary.csv"
    find_file(path, "manifest.json", "writes it again")
    rows = csv_rows(path, "a result folder of `ccpbench run`")
    for line, row in enumerate(rows, start=2):
        missing = [name for name in needed if not row.get(name)]
        if missing:
            raise InputError(f"{path}: line {line}: no {' or '.join(missing)}")
        if not all(c.isalnum() for c in row.get("hash") or ""):
            raise InputError(f"{path}: line {line}: '{row['hash']}' is no name of a cell")
    return rows


def school_of(manifest, solver):
    """The kind of program that a solver comes from; 'ours' for our own methods."""
    peers = manifest.get("peers")
    peer = peers.get(solver) if isinstance(peers, dict) else None
    return str(peer.get("school") or "ours") if isinstance(peer, dict) else "ours"


def without_suffix(label):
    """The label as in the config: a sweep adds " (name=value, …)"."""
    return label.split(" (")[0] if label.endswith(")") and "=" in label else label


def swept_groups(config):
    """A list of pointers per axis of the sweep: zipped ones, which change together, are one. Models are told apart anyway."""
    sweep = config.get("sweep")
    groups = []
    for key, value in (sweep if isinstance(sweep, dict) else {}).items():
        group = list(value) if key == "zip" and isinstance(value, dict) else [key]
        if group and "/model" not in group:
            groups.append(group)
    return groups


def listed_values(config, group):
    """The values of a pointer as they stand in the config, of several zipped ones as tuples."""
    sweep = config["sweep"]
    lists = sweep["zip"] if group[0] in (sweep.get("zip") or {}) else sweep
    return list(lists[group[0]] if len(group) == 1 else zip(*(lists[pointer] for pointer in group)))


def telling_groups(config, against=None):
    """As swept_groups(), of zipped pointers only those that tell the combinations apart, the first ones. Where `against` (a pointer, or its
    last part) is in a group it tells some, and the group has what it does not."""
    told = []
    for group in swept_groups(config):
        known = [p for p in group if against in (p, p.rsplit("/", 1)[-1])]
        ordered = known + [p for p in group if p not in known]
        combinations = listed_values(config, ordered)
        enough = next((k for k in range(1, len(ordered)) if len({repr(one[:k]) for one in combinations}) == len(combinations)), len(ordered))
        told.append([p for p in ordered[:enough] if p not in known])
    return [group for group in told if group]


def swept_value(cell, pointer):
    """The value of a cell.json at a swept pointer of the config; None where the pointer does not reach the cell."""
    part, *path = pointer.strip("/").split("/")
    if part in ("problems", "solvers"):
        path = path[1:]  # which entry: the cell has one
    if part == "solvers" and path == ["threads"]:
        part, path = "threads", []
    found = cell.get({"problems": "problem", "solvers": "solver"}.get(part, part)) if isinstance(cell, dict) else None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def as_number(text):
    """NaN for what is no number."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


def listed_files(index):
    """{name: checksum} of the files that a cell.json or manifest.json lists."""
    try:
        return _listed(parse_json(index.read_bytes()))
    except (OSError, ValueError):
        return {}  # who reads the index says what is wrong with it


def _listed(record):
    files = record.get("files") if isinstance(record, dict) else None
    return {name: digits for name, digits in files.items() if isinstance(digits, str)} if isinstance(files, dict) else {}


def _checksum(content):
    return hashlib.sha256(content).hexdigest()[:16]


def _missing(path, listed, mended):
    return InputError(f"{path}: is missing, though {listed}; `ccpbench run` of the config {mended}")


def _damaged(path, mended):
    return InputError(f"{path}: is damaged: its checksum is not that of when it was written; `ccpbench run` of the config {mended}")


def find_file(path, index="cell.json", mended="runs the cell again"):
    """A file of results, or None where it is neither there nor listed. What the cell.json (or manifest.json) beside it lists is there, with
    the checksum that it gives: raises InputError where it is not."""
    expected = listed_files(path.parent / index).get(path.name)
    if not path.exists():
        if expected is not None:
            raise _missing(path, f"{index} lists it", mended)
        return None
    try:
        damaged = expected is not None and _checksum(path.read_bytes()) != expected
    except OSError:
        return path  # who reads it says what is wrong with it
    if damaged:
        raise _damaged(path, mended)
    return path


def checksum_of_cell(text, digits):
    """The checksum of the text of a cell.json that gives `digits`: taken with an empty one in its place."""
    body, _, rest = text.rpartition(f'"checksum": "{digits}"'.encode())
    return _checksum(body + b'"checksum": ""' + rest)


def read_cell(folder):
    """cell.json of the folder of a cell. Raises InputError where it is missing or damaged, or lists a file that is missing."""
    path, mended = folder / "cell.json", "runs the cell again"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise _missing(path, "summary.csv lists the cell", mended) from None
    except OSError as error:
        raise InputError(f"{path}: {error}") from None
    cell = read_json(path)
    if not isinstance(cell, dict):
        raise InputError(f"{path}: not a cell")
    if checksum_of_cell(content, cell.get("checksum")) != cell.get("checksum"):
        raise _damaged(path, mended)
    for name in _listed(cell):
        if not (folder / name).exists():
            raise _missing(folder / name, "cell.json lists it", mended)
    return cell


def not_ended(manifest):
    """Whether the run that has written it goes on, or was killed: what it has not come to is not missing."""
    return "start" in manifest and manifest.get("end") is None


def cell_records(folder, rows, needed=True):
    """The cell.json of each row of summary.csv. Raises InputError as read_cell(). One that is missing is {} where it is not needed, and the
    run has not come to it yet, so that the manifest does not list the summary."""
    needed = needed or not not_ended(read_manifest(folder)) and "summary.csv" in listed_files(folder / "manifest.json")
    folders = {row["hash"]: folder / "cells" / row["hash"] for row in rows}
    records = {name: read_cell(cell) if needed or (cell / "cell.json").exists() else {} for name, cell in folders.items()}
    return [records[row["hash"]] for row in rows]


def _whole_rows(path):
    """The names of the columns of a CSV file, and its rows with as many fields."""
    find_file(path)
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            names = next(rows, [])
            return names, [row for row in rows if len(row) == len(names)]
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


def read_trace(path):
    """The columns of a trace.csv by name. A last row cut short by a crash is left out."""
    names, values = _whole_rows(path)
    columns = {name: [as_number(row[k]) for row in values] for k, name in enumerate(names)}
    columns.setdefault("iteration", [float(k) for k in range(len(values))])
    start = next((v for v in columns.get("velocity_residual", []) if v > 0), None)
    if "relative_residual" not in columns and start:
        columns["relative_residual"] = [v / start for v in columns["velocity_residual"]]
    return columns


def listed_cells(folder):
    """(path of cell.json, its row of summary.csv) in the order of the config. Only what is in the summary belongs to the
    config as it is now: cells of an earlier version of it may lie in the same folder. Without a summary, all cells."""
    if not find_file(folder / "summary.csv", "manifest.json", "writes it again"):
        return [(path, {}) for path in sorted(folder.glob("cells/*/cell.json"))]
    return [(folder / "cells" / row["hash"] / "cell.json", row) for row in read_summary(folder)]


def step_traces(folder):
    """{step: path} of the traces that a cell with a sequence has kept, in order. Raises InputError where one is missing or damaged."""
    names = {path.name for path in folder.glob("trace.*.csv")} | set(listed_files(folder / "cell.json"))
    found = {int(parts[1]): folder / name for name in names
             if len(parts := name.split(".")) == 3 and parts[0] == "trace" and parts[1].isdigit() and parts[2] == "csv"}
    return {step: find_file(path) for step, path in sorted(found.items())}


def read_steps(path):
    """The columns of a steps.csv by name, numbers as floats. A last row cut short by a crash is left out."""
    names, values = _whole_rows(path)
    return {name: [_value(name, row[k]) for row in values] for k, name in enumerate(names)}
