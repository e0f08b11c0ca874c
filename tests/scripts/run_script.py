"""Runs a script as users run it, without starting Python and matplotlib anew each time: in this process."""

import contextlib
import importlib
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
from functools import lru_cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


BACKENDS = tuple(f"matplotlib.backends.backend_{kind}" for kind in ("agg", "pdf", "svg"))


@lru_cache
def reads(modules):
    """Reads what the script will read; False where this interpreter lacks it, and the script must look for another one."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    try:
        for module in modules:
            importlib.import_module(module)
    except ImportError:
        return False
    return True


@contextlib.contextmanager
def place_of_a_script(command, out, err):
    """What a process of its own would have: arguments, variables, outputs, modules of scripts/, settings of matplotlib."""
    matplotlib = sys.modules.get("matplotlib")
    variables, arguments, paths, outputs = dict(os.environ), sys.argv, list(sys.path), (sys.stdout, sys.stderr)
    ours = {name: module for name, module in sys.modules.items() if is_ours(module)}
    descriptors = [os.dup(number) for number in (1, 2)]
    try:
        for name in ours:
            del sys.modules[name]
        own = own_environment()
        os.environ.clear()
        os.environ.update(own)
        for stream, number in ((out, 1), (err, 2)):
            os.dup2(stream.fileno(), number)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        sys.argv = command
        sys.path.insert(0, str(Path(command[0]).parent))
        with matplotlib.rc_context() if matplotlib else contextlib.nullcontext():
            yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, descriptor in zip((1, 2), descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        sys.argv, sys.path[:], (sys.stdout, sys.stderr) = arguments, paths, outputs
        os.environ.clear()
        os.environ.update(variables)
        for name in [name for name, module in sys.modules.items() if is_ours(module)]:
            del sys.modules[name]
        sys.modules.update(ours)


def is_ours(module):
    return SCRIPTS in Path(getattr(module, "__file__", None) or "/").parents


def run_script(script, *arguments, modules=BACKENDS):
    """What subprocess.run gives for a script of scripts/ without variables CCPBENCH_*."""
    command = [str(SCRIPTS / script), *map(str, arguments)]
    if not reads(modules):
        return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=200, env=own_environment())
    code = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with place_of_a_script(command, out, err):
            try:
                runpy.run_path(command[0], run_name="__main__")
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
                if isinstance(end.code, str):
                    print(end.code, file=sys.stderr)
            except Exception:
                code = 1
                traceback.print_exc()
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(command, code, *texts)


ALL_KINDS = ("--format", "png,svg,pdf,csv,markdown,latex")


def run_plot(script, *arguments):
    """Draws SVG alone unless the test asks for others: three kinds of a figure take three times as long."""
    kinds = () if "--format" in arguments else ("--format", "svg,csv,markdown,latex")
    return run_script(script, *arguments, *kinds, "--quiet")


def own_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("CCPBENCH_")}
