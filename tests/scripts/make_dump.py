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


SPHERE, ELLIPSOID, BOX, HALF_SPACE, CAVITY, DRUM, CYLINDER = range(7)
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


NOWHERE = (0.0, 0.0, 0.0)
BALL, FLOOR, TOUCH = (SPHERE, (0.5, 0.0, 0.0), (0.0, 0.0, 0.5)), (HALF_SPACE, NOWHERE, NOWHERE), (NOWHERE, (0, 1), (2.0, 0.5, 0.0))


def make_dump(path, bodies=(BALL,), obstacles=(FLOOR,), contacts=(TOUCH,), step=3, scene="made_up", speed=1.5, changes=()):
    """Surfaces: (kind, sizes, position[, rotation by rows]); contacts with the normal −z: (point, sides, impulse in its frame).
    changes: (path in the file, values; None: removed)."""
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
        file["fclib_global/info/ccpbench_scene"] = scene
    return path
