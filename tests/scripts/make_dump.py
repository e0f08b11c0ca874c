"""Writes small files as `ccpbench generate` does of scenes with shapes, for tests of the scripts; and finds a Python that can."""

import os
import subprocess
import sys

SKIPPED = 4  # exit code that CTest reports as skipped


def run_with(*modules):
    """Goes on in a Python that has the modules: this one or Debian's. Ends the test as skipped where there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            found = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True, timeout=60).returncode == 0
        except OSError:
            continue
        if found and python == sys.executable:
            return
        if found:
            os.execv(python, [python, "-B", *sys.argv])
    print(f"skipped: no Python has {' and '.join(modules)}")
    sys.exit(SKIPPED)


SPHERE, ELLIPSOID, BOX, HALF_SPACE, CAVITY, DRUM, CYLINDER, MESH = range(8)
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


NOWHERE = (0.0, 0.0, 0.0)
BALL, FLOOR, TOUCH = (SPHERE, (0.5, 0.0, 0.0), (0.0, 0.0, 0.5)), (HALF_SPACE, NOWHERE, NOWHERE), (NOWHERE, (0, 1), (2.0, 0.5, 0.0))

# A cube with its corner at (0, 0, 1), moved there from the origin: one hexahedron, or one tetrahedron in its corner.
CUBE = [(k & 1, k >> 1 & 1, 1 + (k >> 2)) for k in range(8)]
CUBE_SKIN = [t for a, b, c, d in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
             for t in ((a, b, c), (a, c, d))]
HEXAHEDRON = (CUBE, CUBE_SKIN, [tuple(range(8))])
TETRAHEDRON = ([CUBE[k] for k in (0, 1, 2, 4)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], [(0, 1, 2, 3)])
MESH_BODY = (MESH, NOWHERE, NOWHERE)


def meshes(*kinds, speed=1.5):
    """The changes of a dump whose bodies are these meshes, (places, skin, elements) each; the first node of each moves, along x."""
    return {
        "ccpbench_meshes/counts": [n for nodes, skin, cells in kinds for n in (len(nodes), len(skin), len(cells), len(cells[0]))],
        "ccpbench_meshes/places": [x for nodes, _, _ in kinds for node in nodes for x in map(float, node)],
        "ccpbench_meshes/starts": [float(x) for nodes, _, _ in kinds for a, b, c in nodes for x in (a, b, c - 1)],
        "ccpbench_meshes/velocities": [x for nodes, _, _ in kinds for k in range(len(nodes)) for x in (speed * (k == 0), 0.0, 0.0)],
        "ccpbench_meshes/skin": [k for _, skin, _ in kinds for triangle in skin for k in triangle],
        "ccpbench_meshes/elements": [k for _, _, cells in kinds for cell in cells for k in cell],
        "ccpbench_meshes/stresses": [1e5 * (k + 1) for k, (_, _, cells) in enumerate(kinds) for _ in cells],
    }


def make_dump(path, bodies=(BALL,), obstacles=(FLOOR,), contacts=(TOUCH,), step=3, scene="made_up", speed=1.5, changes=(), form=True):
    """Surfaces: (kind, sizes, position[, rotation by rows]); contacts with the normal −z: (point, sides, impulse in its frame).
    changes: (path in the file, values; None: removed). form: whether the file has a contact problem."""
    import h5py

    surfaces = [(*surface, UPRIGHT)[:4] for surface in (*bodies, *obstacles)]
    lists = {
        "ccpbench_geometry/bodies": [len(bodies)],
        "ccpbench_geometry/kinds": [s[0] for s in surfaces],
        "ccpbench_geometry/present": [1] * len(surfaces),
        "ccpbench_geometry/sizes": [x for s in surfaces for x in s[1]],
        "ccpbench_geometry/positions": [x for s in surfaces for x in s[2]],
        "ccpbench_geometry/rotations": [x for s in surfaces for x in s[3]],
        "ccpbench_geometry/contact_points": [x for c in contacts for x in c[0]],
        "ccpbench_geometry/contact_frames": [0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, -1.0, 0.0] * len(contacts),
        "ccpbench_geometry/contact_gaps": [-1e-3] * len(contacts),
        "ccpbench_geometry/contact_sides": [x for c in contacts for x in c[1]],
        "fclib_global/spacedim": [3],
        "fclib_global/vectors/mu": [0.25] * len(contacts),
        "guesses/1/r": [x for c in contacts for x in c[2]],
        "ccpbench_state/step": [step],
        "ccpbench_state/time": [0.01 * step],
        "ccpbench_state/values": [x for _ in bodies for x in (*[0.0] * 3, 1.0, *[0.0] * 3, speed, *[0.0] * 5)],
    }
    lists.update(changes)
    with h5py.File(path, "w") as file:
        for place, values in lists.items():
            if values is not None:
                file[place] = values
        if form:
            file["fclib_global/info/ccpbench_scene"] = scene
    return path
