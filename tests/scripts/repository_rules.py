"""The rules of the source tree that no compiler checks. Each function returns the breaches it finds, one line each."""

import re
import subprocess
from pathlib import Path

TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CONTRIBUTING.md", "apps", "lib", "problems",
             "configs", "scripts", "results", "tests"}
MAX_LINES = 500
COUNTED = {".cpp", ".hpp", ".py", ".sh"}

# What the files of a folder may include, besides files of the same folder. Folders of lib/ by their own name.
MAY_INCLUDE = {
    "core": set(),
    "cones": {"core"},
    "linalg": {"core"},
    "problem": {"core", "cones", "linalg"},
    "solvers": {"core", "cones", "linalg", "problem"},
    "io": {"core", "cones", "linalg", "problem", "solvers"},
    "bench": {"core", "cones", "linalg", "problem", "solvers", "io"},
    "problems": {"core", "cones", "linalg", "problem"},
    "apps": {"core", "cones", "linalg", "problem", "solvers", "io", "bench", "problems"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def tracked_files(root):
    """The files of the repository as paths relative to root: what git would see, without ignored ones."""
    # The tree may belong to someone else, as in a container.
    command = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    return sorted(Path(name) for name in listed if name and (root / name).is_file())


def layer_of(path):
    """The folder a source file counts to: lib/core/types.hpp to core, problems/scenes/x.cpp to problems; None for tests."""
    if path.parts[0] == "lib" and len(path.parts) > 2:
        return path.parts[1]
    return path.parts[0] if path.parts[0] in ("problems", "apps") else None


def included_file(root, source, quote, name):
    """The file of this repository that an include names, relative to root; None for one from outside."""
    places = [Path("lib"), Path("."), Path("problems"), Path("apps"), Path("apps/ccpbench"), Path("tests")]
    if quote == '"':
        places.insert(0, source.parent)
    for place in places:
        if (root / place / name).is_file():
            return Path(*(place / name).parts)
    return None


def include_breaches(root, files):
    breaches = []
    for source in (f for f in files if f.suffix in (".cpp", ".hpp", ".h") and layer_of(f)):
        layer = layer_of(source)
        if layer not in MAY_INCLUDE:
            breaches.append(f"{source}: folder '{layer}' has no place in the order of dependencies")
            continue
        for number, line in enumerate((root / source).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match.group(2)
            if ".." in Path(name).parts:
                breaches.append(f"{source}:{number}: '{name}' climbs out of its folder")
                continue
            target = included_file(root, source, *match.groups())
            if target is None:
                if match.group(1) == '"':
                    breaches.append(f"{source}:{number}: '{name}' is not in the repository; use <...> for other libraries")
                continue
            reached = layer_of(target) or target.parts[0]
            if reached != layer and reached not in MAY_INCLUDE[layer]:
                breaches.append(f"{source}:{number}: {layer} must not include {reached} ('{name}')")
    return breaches


def length_breaches(root, files):
    breaches = []
    for source in (f for f in files if f.suffix in COUNTED):
        lines = len((root / source).read_text(encoding="utf-8").splitlines())
        if lines > MAX_LINES:
            breaches.append(f"{source}: {lines} lines, at most {MAX_LINES}")
    return breaches


def top_level_breaches(files):
    found = {f.parts[0] for f in files if not f.parts[0].startswith(".")}
    return [f"{name}: not a name of the top level" for name in sorted(found - TOP_LEVEL)] + [
        f"{name}: missing from the top level" for name in sorted(TOP_LEVEL - found)]


def baseline_breaches(files):
    """Results are not kept in git, apart from the baselines."""
    kept = [f for f in files if f.parts[0] == "results" and f.parts[1] not in ("baselines", "README.md")]
    return [f"{f}: results are not committed, only results/baselines/" for f in kept]
