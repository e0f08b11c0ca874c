"""The places of the program and of what was installed with it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from . import _core

# Of an installation: PREFIX/lib/python3/dist-packages/ccpbench; of a build tree: apps/python/ccpbench. Not resolved: parts
# of a build tree are links into the source tree.
BESIDE = [Path(__file__).parents[k] / rest for k, rest in ((4, "bin/ccpbench"), (2, "ccpbench/ccpbench"))]


def find_program() -> Path:
    """The program ccpbench: $CCPBENCH_PROGRAM, or the one beside this package, or that of PATH."""
    named = os.environ.get("CCPBENCH_PROGRAM")
    if named:
        return Path(named)
    for place in BESIDE:
        if place.is_file():
            return place
    found = shutil.which("ccpbench")
    if not found:
        raise _core.InputError("the program ccpbench is not here: install it, or name it in CCPBENCH_PROGRAM")
    return Path(found)


def find_peers() -> None:
    """Says where the adapters of other programs are, which the program finds beside itself."""
    if "CCPBENCH_PEER_FOLDER" in os.environ:
        return
    try:
        program = find_program()
    except _core.InputError:
        return
    for folder in (program.parent / "peers", program.parents[1] / "libexec" / "ccpbench"):
        if folder.is_dir():
            os.environ["CCPBENCH_PEER_FOLDER"] = str(folder)
            return
