"""Arguments of users, converted for the compiled part, whose own messages on types are long."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from . import _core


def shown(value: Any) -> str:
    """A value in one short line."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 60 else line[:59] + "…"


def mistaken(name: str, value: Any, expected: str) -> _core.InputError:
    return _core.InputError(f"{name} is {shown(value)}, expected {expected}")


def whole(name: str, value: Any, least: int = -2**31 + 1, most: int = 2**31 - 1) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise mistaken(name, value, "a whole number") from None
    if isinstance(value, bool):
        raise mistaken(name, value, "a whole number")
    if not least <= number <= most:
        raise mistaken(name, value, f"a whole number from {least} to {most}")
    return number


def real(name: str, value: Any) -> float:
    try:
        if not isinstance(value, (str, bytes, bool)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise mistaken(name, value, "a number")


def flag(name: str, value: Any) -> bool:
    if value not in (True, False):
        raise mistaken(name, value, "True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise mistaken(name, value, "a text")
    return value


def texts(name: str, value: Any, what: str) -> list[str]:
    """A list of texts; one text is none."""
    entries = list(value) if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else None
    if entries is None or not all(isinstance(entry, str) for entry in entries):
        raise mistaken(name, value, f"a list of {what}")
    return [str(entry) for entry in entries]


def several(name: str, value: Any, what: str) -> list[str]:
    """The same, where one text is a list of one."""
    return [value] if isinstance(value, str) else texts(name, value, what)


def solver_name(value: Any) -> str:
    if callable(value):
        raise mistaken("solver", value, 'a name; write a function of your own to a file: "python:FILE:FUNCTION"')
    if not isinstance(value, str):
        raise mistaken("solver", value, "a name of ccpbench.solvers()")
    return value
