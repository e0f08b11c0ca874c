"""The one way in which scripts write files that users name, as OutputFile of lib/io does it for the program.

A file, or a name that is free, is written under a temporary name in its folder and renamed, so that nobody meets half a file. Mode and
owner of an older file stay as far as that is permitted. A link stays, and the file that it leads to is written so. A device, a pipe,
and what this process has open (/dev/stdout) get the bytes as they are.
"""

import contextlib
import errno
import os
import stat
import sys
import tempfile
from pathlib import Path

from ccpbench_results import InputError


def own_descriptor(path):
    """N where the path is /proc/self/fd/N, to which /dev/stdout leads."""
    name, folder = path.name, os.path.realpath(path.parent)
    return int(name) if name.isascii() and name.isdigit() and folder == os.path.realpath("/proc/self/fd") else None


def without_links(path):
    """The target of a name, existing or not; a descriptor of this process as /proc/self/fd/N."""
    for _ in range(40):
        if own_descriptor(path) is not None or not path.is_symlink():
            return path
        target = path.parent / os.readlink(path)
        if path.exists() and not os.path.lexists(target):
            return path  # what another process has open
        path = target
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def is_standard_output(path):
    return own_descriptor(without_links(Path(path))) == 1


def words_beside(path):
    """The stream for messages about the path: not the path itself."""
    return sys.stderr if is_standard_output(path) else sys.stdout


def take_over(handle, old):
    """Owner and mode of an older file, as far as they are permitted."""
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(handle, old.st_uid, old.st_gid)
    except OSError:
        mode &= 0o777
        try:
            os.fchown(handle, -1, old.st_gid)
        except OSError:
            mode &= ~0o070 | (mode & 0o7) << 3  # nothing to another group that was not everyone's
    try:
        os.fchmod(handle, mode)
    except OSError:
        pass  # not every file system has modes


def replace(path, data):
    """path: of a file, or free."""
    old = path.stat() if path.exists() else None
    if old is not None and not os.access(path, os.W_OK, effective_ids=True):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ccpbench-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            if old is not None:
                take_over(handle, old)
            else:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(handle, 0o666 & ~mask)
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):  # an interrupt may come after the file has taken its place
            os.unlink(name)
        raise


def write_output(path, content):
    """content: a text, written as UTF-8, or bytes. Raises InputError, in one line."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        target = without_links(Path(path))
        number = own_descriptor(target)
        if number is not None:
            sys.stdout.flush()
            with os.fdopen(os.dup(number), "wb") as file:
                file.write(data)
        elif target.is_dir():
            raise InputError(f"{path}: is a folder, expected a file to write")
        elif target.exists() and not target.is_file():
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
                file.write(data)
        else:
            replace(target, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def check_folder(folder):
    """Raises InputError where no file can be made in a folder, or where it is not there and cannot be made. To be asked before the work
    whose results go there; makes nothing."""
    there = Path(folder)
    while not os.path.lexists(there):
        there = there.parent
    if not there.is_dir():
        raise InputError(f"{folder}: cannot be a folder to write to: {there} is none")
    if not os.access(there, os.W_OK | os.X_OK, effective_ids=True):
        raise InputError(f"{folder}: no file can be made in {there}")
