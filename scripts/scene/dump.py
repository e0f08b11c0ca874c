"""Reads what `ccpbench generate` writes of a scene for pictures: /ccpbench_geometry, /ccpbench_state, and the impulses."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from plotting import use_debian_python
from ccpbench_results import InputError, check_fetched

try:
    import h5py
except ImportError:
    use_debian_python()
    h5py = None

SPHERE, ELLIPSOID, BOX, HALF_SPACE, CAVITY, DRUM, CYLINDER, MESH = range(8)
SIZES = {SPHERE: 1, ELLIPSOID: 3, BOX: 3, CAVITY: 1, DRUM: 1, CYLINDER: 2}  # how many lengths each kind has
ROLLING = ("fclib_global_rolling", "fclib_local_rolling")  # contacts with moments
FORMS = ("fclib_global", "fclib_local", *ROLLING)


@dataclass
class Mesh:
    """An elastic body, or a rigid surface without elements. Rows of skin and elements are numbers of its nodes."""

    number: int  # of the surface
    places: np.ndarray  # nodes × 3, m
    starts: np.ndarray  # where the nodes began, nodes × 3, m
    velocities: np.ndarray  # nodes × 3, m/s
    skin: np.ndarray  # triangles × 3, counter-clockwise from outside
    elements: np.ndarray  # elements × 4 or 8
    stresses: np.ndarray  # von Mises, one an element, Pa

    @property
    def speeds(self):
        return np.linalg.norm(self.velocities, axis=1)


@dataclass
class Dump:
    """One file. Surfaces: the bodies first, then the obstacles; contacts in the order of the file."""

    path: Path
    scene: str
    step: int  # None: of a scene at rest
    time: float  # s
    bodies: int  # how many of the surfaces
    kinds: np.ndarray
    present: np.ndarray
    sizes: np.ndarray  # surfaces × 3, m
    positions: np.ndarray  # surfaces × 3, m
    rotations: np.ndarray  # surfaces × 3 × 3
    velocities: np.ndarray  # bodies × 3, m/s; None: unknown
    points: np.ndarray  # contacts × 3, m
    frames: np.ndarray  # contacts × 3 × 3: rows are the normal and both tangents
    gaps: np.ndarray  # m
    sides: np.ndarray  # contacts × 2
    friction: np.ndarray
    impulses: np.ndarray  # contacts × 3, in the world, N·s; None: not in the file
    meshes: list  # of the bodies and the obstacles that are one, in the order of their numbers

    @property
    def speeds(self):
        return None if self.velocities is None else np.linalg.norm(self.velocities, axis=1)

    @property
    def name(self):
        """The file's name without its form and ending."""
        return re.sub(r"(\.(global|local|shapes))?\.(hdf5|h5)$", "", self.path.name)


def numbers(path, group, name, *shape):
    """A list of a group with so many rows and columns; −1: any number of rows."""
    if name not in group or not isinstance(group[name], h5py.Dataset) or group[name].dtype.kind not in "iuf":
        raise InputError(f"{path}: {group.name}/{name} is missing, expected a list of numbers")
    values = np.asarray(group[name])
    each = int(np.prod(shape[1:]))
    if values.size % each or (shape[0] >= 0 and values.size != each * shape[0]):
        expected = f"a multiple of {each}" if shape[0] < 0 else str(each * shape[0])
        raise InputError(f"{path}: {group.name}/{name} has {values.size} numbers, expected {expected}")
    if values.dtype.kind == "f" and name != "sizes" and not np.isfinite(values).all():
        raise InputError(f"{path}: {group.name}/{name} has entries that are not finite")
    return values.reshape(shape)


def whole_number(path, group, name):
    return int(numbers(path, group, name, 1)[0])


def text_of(group, name):
    value = group[name][()] if name in group else b""
    return value.decode("utf-8", "replace").rstrip("\0") if isinstance(value, bytes) else str(value)


def velocities_of(path, state, bodies):
    """Of rigid bodies with 13 numbers and then pseudo-rigid ones with 24, as MotionState has them."""
    values = numbers(path, state, "values", -1, 1).ravel()
    soft, rest = divmod(values.size - 13 * bodies, 11)
    if rest or not 0 <= soft <= bodies:
        raise InputError(f"{path}: /ccpbench_state/values has {values.size} numbers, expected 13 or 24 for each of {bodies} bodies")
    rigid = bodies - soft
    return np.vstack([values[:13 * rigid].reshape(rigid, 13)[:, 7:10], values[13 * rigid:].reshape(soft, 24)[:, 12:15]])


def meshes_of(path, file, kinds):
    """As many as there are surfaces of their kind."""
    surfaces = np.flatnonzero(kinds == MESH)
    count = len(surfaces)
    if not count:
        return []
    if "ccpbench_meshes" not in file:
        raise InputError(f"{path}: /ccpbench_geometry/kinds has {count} meshes, expected them in /ccpbench_meshes")
    group, meshes = file["ccpbench_meshes"], []
    counts = numbers(path, group, "counts", count, 4).astype(int)
    nodes, triangles, elements, corners = counts.T
    if counts[:, :2].min() < 1 or counts.min() < 0 or not np.isin(corners, (4, 8)).all():
        raise InputError(f"{path}: /ccpbench_meshes/counts has a mesh without nodes or skin, or elements of other than 4 or 8 nodes")
    lists = {name: numbers(path, group, name, nodes.sum(), 3) for name in ("places", "starts", "velocities")}
    skin, stresses = numbers(path, group, "skin", triangles.sum(), 3), numbers(path, group, "stresses", elements.sum())
    cells = numbers(path, group, "elements", (elements * corners).sum())
    for k in range(count):
        before = counts[:k]
        first, cut = before.sum(axis=0), (before[:, 2] * before[:, 3]).sum()
        rows = {name: values[first[0]:first[0] + nodes[k]] for name, values in lists.items()}
        mesh = Mesh(number=int(surfaces[k]), skin=skin[first[1]:first[1] + triangles[k]].astype(int),
                    elements=cells[cut:cut + elements[k] * corners[k]].reshape(elements[k], corners[k]).astype(int),
                    stresses=stresses[first[2]:first[2] + elements[k]], **rows)
        for name, list_ in (("skin", mesh.skin), ("elements", mesh.elements)):
            if list_.size and not (0 <= list_.min() and list_.max() < nodes[k]):
                raise InputError(f"{path}: /ccpbench_meshes/{name} names a node that is not there, expected 0 to {nodes[k] - 1}")
        meshes.append(mesh)
    return meshes


def friction_of(path, form, count):
    """Of all contacts of the file: first those that are seen, then rows that FCLib holds as contacts, such as limits of joints."""
    if "mu" not in form.get("vectors", {}):
        return np.zeros(count)
    friction = numbers(path, form["vectors"], "mu", -1, 1).ravel()
    if len(friction) < count:
        raise InputError(f"{path}: {form.name}/vectors/mu has {len(friction)} numbers, expected {count} or more, the contacts seen")
    return friction


def impulses_of(path, file, form, frames, count):
    """Of the solution, else of the first guess, in the world; None where there is neither. count: contacts of the file."""
    for place in ("solution", "guesses/1"):
        if f"{place}/r" not in file:
            continue
        rows = whole_number(path, form, "spacedim")
        forces = min(rows, 3) if form.name[1:] not in ROLLING else 2 if rows == 3 else 3  # the moments come after them
        local = numbers(path, file[place], "r", count, rows)[:len(frames), :forces]
        return np.einsum("cr,crx->cx", local, frames[:, :forces])
    return None


def read_open(path, file):
    if "ccpbench_geometry" not in file:
        kind = "an FCLib file" if any(form in file for form in FORMS) else "no FCLib file"
        raise InputError(f"{path}: {kind} without /ccpbench_geometry, expected one that `ccpbench generate` wrote of a scene with "
                         "shapes")
    seen = file["ccpbench_geometry"]
    form = next((file[name] for name in FORMS if name in file), None)
    if form is None and ("ccpbench_state" not in file or seen["contact_sides"].size):  # without contacts there is no problem
        raise InputError(f"{path}: neither /fclib_global nor /fclib_local, expected a contact problem")
    bodies, kinds = whole_number(path, seen, "bodies"), numbers(path, seen, "kinds", -1, 1).ravel()
    count = len(kinds)
    if not 0 <= bodies <= count:
        raise InputError(f"{path}: /ccpbench_geometry/bodies is {bodies}, expected 0 to {count}, the number of surfaces")
    unknown = set(kinds.tolist()) - set(range(8))
    if unknown:
        raise InputError(f"{path}: /ccpbench_geometry/kinds has {min(unknown)}, expected numbers from 0 to 7")
    frames, sizes = numbers(path, seen, "contact_frames", -1, 3, 3), numbers(path, seen, "sizes", count, 3)
    for kind, needed in SIZES.items():
        if not (sizes[kinds == kind][:, :needed] > 0.0).all():
            raise InputError(f"{path}: /ccpbench_geometry/sizes has a surface without extent, expected lengths above 0")
    sides = numbers(path, seen, "contact_sides", len(frames), 2)
    if sides.size and not (-1 <= sides.min() and sides.max() < count):
        raise InputError(f"{path}: /ccpbench_geometry/contact_sides names a surface that is not there, expected -1 to {count - 1}")
    state = file.get("ccpbench_state")
    friction = friction_of(path, form or {}, len(frames))
    meshes = meshes_of(path, file, kinds)
    if meshes and meshes[0].number < bodies:
        velocities = np.zeros((bodies, 3))
        own = np.ones(bodies, dtype=bool)  # of bodies that are no meshes
        for mesh in meshes:
            if mesh.number < bodies:
                own[mesh.number], velocities[mesh.number] = False, mesh.velocities.mean(axis=0)
        if own.any() and "velocities" in seen:
            velocities[own] = numbers(path, seen, "velocities", int(own.sum()), 3)
    elif "velocities" in seen:
        velocities = numbers(path, seen, "velocities", bodies, 3)
    else:
        velocities = velocities_of(path, state, bodies) if state else None
    return Dump(
        path=path, scene=text_of((form or {}).get("info", {}), "ccpbench_scene") or text_of(state or {}, "scene") or path.stem,
        step=whole_number(path, state, "step") if state else None,
        time=float(numbers(path, state, "time", 1)[0]) if state else 0.0,
        bodies=bodies, kinds=kinds, present=numbers(path, seen, "present", count) != 0,
        sizes=sizes, positions=numbers(path, seen, "positions", count, 3),
        rotations=numbers(path, seen, "rotations", count, 3, 3),
        velocities=velocities,
        points=numbers(path, seen, "contact_points", len(frames), 3), frames=frames,
        gaps=numbers(path, seen, "contact_gaps", len(frames)), sides=sides,
        friction=friction[:len(frames)], impulses=impulses_of(path, file, form, frames, len(friction)), meshes=meshes)


def read_dump(path):
    """Throws InputError for what is no such file."""
    if h5py is None:
        raise InputError("h5py is missing: apt-get install python3-h5py")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    check_fetched(path)
    try:
        with h5py.File(path, "r") as file:
            return read_open(path, file)
    except (OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"{path}: no HDF5 file that can be read: {str(error).splitlines()[0]}") from None


def files_of(places):
    """The files named, and those in folders named; of a step in both forms the global one, which is the first by name."""
    paths = []
    for place in places:
        inside = sorted(p for p in place.iterdir() if p.suffix in (".hdf5", ".h5")) if place.is_dir() else [place]
        if not inside:
            raise InputError(f"{place}: no .hdf5 file in this folder")
        paths += inside
    seen, kept = set(), []
    for path in paths:
        stem = os.path.join(path.parent, re.sub(r"\.(global|local|shapes)$", "", path.stem))
        if stem not in seen:
            kept.append(path)
        seen.add(stem)
    return kept


class Series:
    """The dumps of one scene in the order of their steps. Each is read when it is asked for: all together may fill the memory."""

    def __init__(self, places, every=1):
        """Reads all once, and keeps each `every`-th of them. Throws InputError for dumps of several scenes."""
        steps = []
        for path in files_of(places):
            dump = read_dump(path)
            if not steps:
                self.scene = dump.scene
            elif dump.scene != self.scene:
                raise InputError(f"{path}: is of the scene '{dump.scene}', expected '{self.scene}' as in {steps[0][1]}")
            steps.append((-1 if dump.step is None else dump.step, path))
        steps = sorted(steps, key=lambda step: step[0])[::every]
        self.steps, self.paths = [step for step, _ in steps], [path for _, path in steps]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return read_dump(self.paths[index])

    def path_of(self, step, folder):
        """The file of a step, None: of the last one. folder: for the message of the InputError where it is not there."""
        if step is None:
            return self.paths[-1]
        if step not in self.steps:
            there = ", ".join(map(str, self.steps[:6])) + (", …" if len(self.steps) > 6 else "") if self.steps[0] >= 0 else "a scene at rest"
            raise InputError(f"{folder}: no step {step} of those named, expected one that is there ({there})")
        return self.paths[self.steps.index(step)]
