"""Runs a function of the user as a solver; follows service.py in the program that is started, as

    python3 -c SCRIPT FILE FUNCTION

The function is called as FUNCTION(problem, settings, report). What it declares are attributes of it, by the keys of the description in
the user guide: solve.models = ["ncp"], solve.settings = {"omega": {"default": 1.0, "above": 0, "below": 2}}, solve.columns = {...}.
"""

import importlib.util
import json
import traceback
import types

KEYS = ("name", "version", "title", "reference", "models", "constraints", "form", "warm_start", "deterministic")


def load(path, name):
    """The function, with its folder first on the path of modules."""
    sys.path[:0] = [os.path.dirname(path)]
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return getattr(module, name)


def description_of(function, module):
    description = {"name": module if function.__name__ == "solve" else f"{module}:{function.__name__}"}
    title = (function.__doc__ or "").strip().split("\n")[0].rstrip(".")
    if title:
        description["title"] = title
    description.update((key, getattr(function, key)) for key in KEYS if hasattr(function, key))
    for key in ("columns", "settings"):
        entries = getattr(function, key, {})
        description[key] = [{"name": name, **({"meaning": entry} if isinstance(entry, str) else entry)} for name, entry in entries.items()]
    return description


def settings_of(declared, numbers):
    """The values by name, each of its own type."""
    values, kinds = types.SimpleNamespace(), {"number": float, "integer": int, "flag": bool}
    for entry, number in zip(declared, numbers.tolist()):
        kind = kinds.get(entry.get("type"), type(entry["default"]))
        setattr(values, entry["name"], entry["choices"][int(number)] if "choices" in entry else kind(number))
    return values


class Report:
    """Shows an iterate with the clock stopped: report(impulse, error=…, converged=…, and a value for each own column). Always true: the
    process ends in it when ccpbench has seen enough."""

    def __init__(self, numpy, rows, columns):
        self.numpy, self.rows, self.columns = numpy, rows, columns
        self.last, self.count, self.seconds = None, 0, 0.0
        self.began = time.perf_counter()

    def __call__(self, impulse, error=float("nan"), converged=False, **columns):
        self.seconds += time.perf_counter() - self.began
        send(ITERATE, self.count, 1 if converged else 0, self.seconds, error, self.payload(impulse, columns))
        self.count += 1
        receive(1)
        self.began = time.perf_counter()
        return True

    def payload(self, impulse, columns):
        self.last = self.numpy.array(impulse, float)
        if self.last.shape != (self.rows,):
            raise ValueError(f"an impulse of the shape {self.last.shape}, expected ({self.rows},)")
        if not self.columns and not columns:
            return self.last.tobytes()
        if unknown := set(columns) - set(self.columns):
            raise ValueError(f"no column of this solver is called {', '.join(sorted(unknown))}")
        return self.last.tobytes() + struct.pack(f"={len(self.columns)}d", *(columns.get(name, float("nan")) for name in self.columns))

    def end(self, answer):
        """answer: an impulse, or None where the last one shown stands and no criterion holds."""
        self.seconds += time.perf_counter() - self.began
        if answer is None and self.last is None:
            raise ValueError("the function returned nothing and showed no iterate")
        send(END, self.count, 1 if answer is None else 0, self.seconds, float("nan"),
             self.payload(self.last if answer is None else answer, {}))


def show_traceback(error, path):
    """Prints it from the first frame in the file on. Returns the place of the last one there, "mine.py:3: ", or nothing."""
    where, first = "", None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == path:
            where = f"{os.path.basename(path)}:{line}: "
    below = error.__traceback__
    while below and first is None:
        first, below = below if below.tb_frame.f_code.co_filename == path else None, below.tb_next
    traceback.print_exception(type(error), error, first)
    return where


def serve_function(path, name):
    path = os.path.abspath(path)
    os.dup2(2, 1)  # before the user prints: standard output belongs to the protocol
    sys.stdout.reconfigure(line_buffering=True)  # the process may be killed
    try:
        import numpy

        function = load(path, name)
    except Exception as error:
        sys.exit(show_traceback(error, path) + reason_of(error))  # the last line is the reason that ccpbench gives
    description = description_of(function, os.path.splitext(os.path.basename(path))[0])
    greet(json.dumps(description).encode())
    try:
        problem = Problem(numpy)
        settings = settings_of(description["settings"], problem.settings)
        make_pages_resident(("numpy", "blas", "lapack", "gfortran"))
        send(READY)
        receive(1)
        report = Report(numpy, problem.rows, [entry["name"] for entry in description["columns"]])
        report.end(function(problem, settings, report))
    except Exception as error:  # whatever it is, ccpbench is to hear of it
        report_failure(error, show_traceback(error, path))
    sys.stderr.flush()
    os._exit(0)


serve_function(*sys.argv[1:])
