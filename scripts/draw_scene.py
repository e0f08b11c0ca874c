#!/usr/bin/env python3
"""Draws what `ccpbench generate` writes of a scene: bodies by their speed, contacts by their impulses, as pictures or for ParaView.

Takes the files of one scene, at rest or in steps (generate SCENE --steps FIRST:LAST), or folders of them. Writes a PNG of each
step and an animated GIF of several, with --write panels one PNG of steps side by side (at most 12 of them), and with --write vtk files for ParaView:
open SCENE.pvd. Files of several folders are several runs: --write panels shows one step of each.
"""

import argparse
import sys
from pathlib import Path

# First, since it finds an interpreter with matplotlib.
from plotting import draw_each

from ccpbench_results import InputError
from output_file import check_folder
from scene.dump import Series
from scene.runs import Runs, folders_of
from scene.vtk_files import write_vtk

KINDS = ("png", "gif", "panels", "vtk")
MOST_PANELS = 12


def kinds(text):
    wanted = [kind.strip().lower() for kind in text.split(",") if kind.strip()]
    if not wanted or set(wanted) - set(KINDS):
        raise argparse.ArgumentTypeError(f"'{text}': expected png, gif, panels, vtk or several of them with commas")
    return wanted


def view(text):
    try:
        azimuth, elevation = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}': expected AZIMUTH,ELEVATION in degrees, as -60,22") from None
    if not (abs(azimuth) <= 360.0 and abs(elevation) <= 90.0):
        raise argparse.ArgumentTypeError(f"'{text}': expected an azimuth from -360 to 360 and an elevation from -90 to 90 degrees")
    return azimuth, elevation


def positive(text):
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 1000.0:
        raise argparse.ArgumentTypeError(f"'{text}': expected a number above 0, at most 1000")
    return value


def labels(text):
    found = [" ".join(label.split()) for label in text.split(",")]
    if not all(found):
        raise argparse.ArgumentTypeError(f"'{text}': expected texts between commas, as 'c = 10 N,c = 50 N'")
    return found


def gap(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1000.0:
        raise argparse.ArgumentTypeError(f"'{text}': expected a gap in m, from 0 to 1000")
    return value


def step_number(text):
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"'{text}': expected the number of a step, 0 or more")
    return int(text)


def count(text):
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}': expected a number of steps, 1 or more")
    return int(text)


def dumps_of(arguments):
    """The dumps to draw, and whether they are of several runs: of several folders, each is a run in panels."""
    folders = folders_of(arguments.files)
    if len(folders) < 2 or "panels" not in (arguments.write or ()):
        if arguments.step is not None:
            raise InputError("--step: expected several folders, each a run, and --write panels")
        return Series(arguments.files, arguments.every), False
    others = [kind for kind in arguments.write if kind != "panels"]
    if others:
        raise InputError(f"--write: panels of {len(folders)} folders and {others[0]}, expected panels alone")
    return Runs(folders, arguments.step), True


def check_names(dumps):
    """Files of several folders may have one name; their pictures would be one."""
    places = {}
    for path in dumps.paths:
        other = places.setdefault(path.name, path)
        if other is not path:
            raise InputError(f"{path}: has the name of {other}, expected one run, or --write panels for a panel of each")


def check_panels(dumps, runs, arguments):
    count = len(dumps) if runs else min(len(dumps), MOST_PANELS)
    noun = ("run" if runs else "step") + ("" if count == 1 else "s")
    if not 2 <= count <= MOST_PANELS:
        expected = f"2 to {MOST_PANELS}" if runs else "2 or more"
        raise InputError(f"{dumps.paths[0]}: {count} {noun}, expected {expected} for panels")
    if arguments.labels and len(arguments.labels) != count:
        given = len(arguments.labels)
        raise InputError(f"--labels: {given} {'label' if given == 1 else 'labels'}, expected {count}, one for each of the {count} {noun}")


def draw_series(arguments):
    dumps, runs = dumps_of(arguments)
    wanted = arguments.write or (["png", "gif"] if len(dumps) > 1 else ["png"])
    if "gif" in wanted and len(dumps) < 2:
        raise InputError(f"{dumps.paths[0]}: one step, expected several for a gif")
    if "panels" in wanted:
        check_panels(dumps, runs, arguments)
    elif arguments.labels:
        raise InputError("--labels: expected --write panels, whose panels have labels")
    if not runs:
        check_names(dumps)
    folder = arguments.out or dumps.paths[0].parent
    check_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if {"png", "gif", "panels"} & set(wanted):
        draw_pictures(dumps, wanted, folder, arguments, runs)
    if "vtk" in wanted:
        print(f"vtk: {write_vtk(dumps, folder)}")


def steps_of_panels(count):
    """The places of all dumps of a series, of many those at about equal distances."""
    shown = min(count, MOST_PANELS)
    return [round(k * (count - 1) / (shown - 1)) for k in range(shown)]


def draw_pictures(dumps, wanted, folder, arguments, runs):
    from scene.frames import draw_frames
    from scene.picture import Sheet, draw_panels, look_of, pixels_of, write_png

    look = look_of(dumps, arguments.view, arguments.dpi, arguments.cut, arguments.pieces)
    if "panels" in wanted:
        path = folder / f"{dumps.scene}.panels.png"
        panel = "contacts" if arguments.show == "contacts" else "bodies"
        above = arguments.labels or (dumps.names if runs else ())
        shown = dumps if runs else [dumps[k] for k in steps_of_panels(len(dumps))]
        write_png(pixels_of(draw_panels(shown, look, panel, above, runs)), path, arguments.dpi)
        print(f"panels: {path}" + (f" ({len(shown)} of {len(dumps)} steps)" if len(shown) < len(dumps) else ""))
    if {"png", "gif"} & set(wanted):
        draw_frames(dumps, Sheet(look, dumps.scene, arguments.show), wanted, folder, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file of `ccpbench generate`, or a folder of them")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where everything goes (default: beside the first file)")
    parser.add_argument("--write", type=kinds, metavar="LIST", help="png, gif, panels, vtk (default: png, and gif of several files)")
    parser.add_argument("--show", choices=["both", "bodies", "contacts"], default="both", help="what pictures show (default both)")
    parser.add_argument("--view", type=view, default=(-60.0, 22.0), metavar="AZIMUTH,ELEVATION",
                        help="where the eye is, degrees: around z from x, above the plane of x and y (default -60,22)")
    parser.add_argument("--cut", action="store_true", help="bodies that are meshes are cut open by an upright plane through the middle, facing the eye")
    parser.add_argument("--labels", type=labels, metavar="TEXTS",
                        help="texts above the panels, with commas between them (default: of runs their folders)")
    parser.add_argument("--step", type=step_number, metavar="N", help="panels of several runs show this step of each (default: the last of each)")
    parser.add_argument("--pieces", type=gap, metavar="GAP",
                        help="bodies are coloured by how many hang together through contacts with gaps up to GAP, m (default: by speed)")
    parser.add_argument("--every", type=count, default=1, metavar="N", help="only each N-th step, from the first one on (default 1)")
    parser.add_argument("--rate", type=positive, default=12.0, help="pictures a second of the gif (default 12)")
    parser.add_argument("--dpi", type=positive, default=100, help="resolution of pictures (default 100)")
    arguments = parser.parse_args()
    return draw_each([arguments], draw_series)


if __name__ == "__main__":
    sys.exit(main())
