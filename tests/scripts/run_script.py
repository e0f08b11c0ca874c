"""Runs a script as users run it, without starting Python and matplotlib anew each time: in a fork of this process."""

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


def be_script(command, out, err):
    """Ends this process as the script would end."""
    code = 1
    try:
        for stream, number in ((out, 1), (err, 2)):
            os.dup2(stream.fileno(), number)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        sys.argv = command
        sys.path.insert(0, str(Path(command[0]).parent))
        runpy.run_path(command[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run_script(script, *arguments, modules=BACKENDS):
    """What subprocess.run gives for a script of scripts/ without variables CCPBENCH_*."""
    command = [str(SCRIPTS / script), *map(str, arguments)]
    if not reads(modules):
        return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=200, env=own_environment())
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            environment = own_environment()
            os.environ.clear()
            os.environ.update(environment)
            be_script(command, out, err)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode())
    return subprocess.CompletedProcess(command, code, *texts)


def run_plot(script, *arguments):
    return run_script(script, *arguments, "--quiet")


def own_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("CCPBENCH_")}
