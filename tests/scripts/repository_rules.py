"""The rules of the source tree that no compiler checks. Each function returns the breaches it finds, one line each."""

import re
import subprocess
from pathlib import Path

import function_lengths

TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "CONTRIBUTING.md", "CHANGELOG.md",
             "CITATION.cff", "apps", "lib", "problems",
             "configs", "scripts", "results", "tests"}
MAX_LINES = 500
MAX_FUNCTION_LINES = 80
COUNTED = {".cpp", ".hpp", ".py", ".sh"}

# What the files of a folder may include, besides files of the same folder. Folders of lib/ by their own name.
MAY_INCLUDE = {
    "core": set(),
    "process": {"core"},
    "kernels": {"core"},
    "cones": {"core", "kernels"},
    "linalg": {"core", "kernels"},
    "problem": {"core", "kernels", "cones", "linalg"},
    "solvers": {"core", "kernels", "cones", "linalg", "problem"},
    "peers": {"core", "process", "cones", "linalg", "problem", "solvers"},
    "distributed": {"core", "process", "linalg", "problem", "solvers"},
    "io": {"core", "cones", "linalg", "problem"},
    "bench": {"core", "process", "cones", "linalg", "problem", "solvers", "peers", "distributed", "io"},
    "problems": {"core", "cones", "linalg", "problem"},
    "apps": {"core", "process", "cones", "linalg", "problem", "solvers", "peers", "distributed", "io", "bench", "problems"},
}
# The same inside a layer: what the files of a room may include, besides files of the same room. TOP: the files in no room.
TOP = "."
FAMILIES = {"augmented_lagrangian", "de_saxce", "fixed_point", "gradient", "interior_point", "newton", "proximal_newton",
            "reference", "regularised", "splitting"}
ROOMS = {
    "linalg": {
        "block": set(),
        "direct": {TOP, "block"},
        TOP: {"block", "direct"},
    },
    "problem": {
        "delassus": {TOP},
        "judge": {TOP, "delassus"},
        TOP: {"delassus"},
    },
    "solvers": {
        "blocks": {TOP},
        "shared": {TOP},
        "de_saxce": {TOP},
        "fixed_point": {TOP, "blocks", "shared"},
        "gradient": {TOP, "blocks", "shared"},
        "interior_point": {TOP, "shared"},
        "newton": {TOP, "shared"},
        "augmented_lagrangian": {TOP, "shared", "newton"},
        "proximal_newton": {TOP, "shared", "newton", "fixed_point"},
        "regularised": {TOP, "shared"},
        "splitting": {TOP, "shared"},
        "reference": {TOP, "shared", "de_saxce", "fixed_point", "interior_point", "proximal_newton", "splitting"},
        TOP: FAMILIES,
    },
    "bench": {
        "record": set(),
        "config": {"record"},
        "results": {"record", "config"},
        "run": {"record", "config", "results"},
        "analysis": {"record", "config", "results"},
        TOP: set(),
    },
    "apps": {
        "terminal": set(),
        "views": {"terminal"},
        "commands": {"terminal", "views"},
        TOP: {"terminal", "commands"},
    },
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


def room_of(path):
    """The folder of a source file inside its layer: lib/bench/run/plan.hpp to run."""
    parts = path.parts[2:-1]
    return parts[0] if parts else TOP


def room_breach(layer, source, target):
    """What is wrong with a file that includes another one of the same layer; None when nothing is."""
    rooms, room, reached = ROOMS.get(layer), room_of(source), room_of(target)
    if rooms is None or room == reached:
        return None
    if room not in rooms:
        return f"room '{room}' of {layer} has no place in the order of dependencies"
    return None if reached in rooms[room] else f"{layer}/{room} must not include {layer}/{reached}"


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
            if target:
                reached = layer_of(target) or target.parts[0]
                breach = room_breach(layer, source, target) if reached == layer else None
                if breach:
                    breaches.append(f"{source}:{number}: {breach} ('{name}')")
            elif Path(name).parts[0] in MAY_INCLUDE:
                reached = Path(name).parts[0]  # generated by the build, included by the name of its folder
            elif match.group(1) == '"':
                breaches.append(f"{source}:{number}: '{name}' is not in the repository; use <...> for other libraries")
                continue
            else:
                continue
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


def function_breaches(root, files):
    breaches = []
    for source in (f for f in files if f.suffix in (".cpp", ".hpp", ".py")):
        for first, last in function_lengths.functions(root / source):
            if last - first >= MAX_FUNCTION_LINES:
                breaches.append(f"{source}:{first}: a function of {last - first + 1} lines, at most {MAX_FUNCTION_LINES}")
    return breaches


def place_breaches(root, files):
    """No definition of a whole target says where the tree is: its objects would be others in every tree, and the compiler's cache useless."""
    breaches = []
    for source in (f for f in files if f.name == "CMakeLists.txt" or f.suffix == ".cmake"):
        text = (root / source).read_text(encoding="utf-8")
        for call in re.finditer(r"target_compile_definitions\([^)]*\)", text):
            if re.search(r"(SOURCE|BINARY)_DIR\}|\$<TARGET_FILE", call.group(0)):
                line = text.count("\n", 0, call.start()) + 1
                breaches.append(f"{source}:{line}: a definition names a folder of this machine; tests/support/places.cpp.in has such names")
    return breaches


def test_name_breaches(root, files):
    """No name of a test begins with a dash: it is an argument of the test program, which would take it for an option."""
    breaches = []
    for source in (f for f in files if f.parts[0] == "tests" and f.suffix == ".cpp"):
        for number, line in enumerate((root / source).read_text(encoding="utf-8").splitlines(), start=1):
            if re.match(r'TEST_CASE\("-', line):
                breaches.append(f"{source}:{number}: the name of a test begins with a dash")
    return breaches


def top_level_breaches(files):
    found = {f.parts[0] for f in files if not f.parts[0].startswith(".")}
    return [f"{name}: not a name of the top level" for name in sorted(found - TOP_LEVEL)] + [
        f"{name}: missing from the top level" for name in sorted(TOP_LEVEL - found)]


def baseline_breaches(files):
    """Results are not kept in git, apart from baselines, verdicts on claims, the pictures of pages, and the pages themselves."""
    kept = [f for f in files if f.parts[0] == "results" and f.parts[1] not in ("baselines", "claims", "pictures")
            and not (len(f.parts) == 2 and f.suffix == ".md")]
    return [f"{f}: results are not committed, only results/baselines/, results/claims/, results/pictures/ and pages (results/*.md)" for f in kept]


def tree_breaches(contributing, files):
    """The tree in CONTRIBUTING.md has every folder with tracked files, one or more a line, and no other; folders of baselines are exempt."""
    printed, above = set(), []
    for line in contributing.split("```\nlib/")[1].split("```")[0].join(("lib/", "")).splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        names = re.match(r"(?:[\w/]+/ {0,2})+", line.lstrip()).group(0).split()
        above = [*above[:depth], names[-1]]
        printed |= {Path(*above[:depth], name) for name in names}
    there = {folder for f in files for folder in f.parents if folder.parts and not folder.parts[0].startswith(".")}
    there = {f for f in there if f.parts[:2] != ("results", "baselines") or len(f.parts) == 2}
    return [f"{folder}: has no line in the tree of CONTRIBUTING.md" for folder in sorted(there - printed)] + [
        f"{folder}: is in the tree of CONTRIBUTING.md, but is no folder" for folder in sorted(printed - there)]
