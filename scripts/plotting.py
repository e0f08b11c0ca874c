"""What the plot_*.py scripts share: an interpreter with matplotlib, styles, numbers, and the options that name pictures."""

import argparse
import math
import os
import re
import sys
from pathlib import Path

from result_folder import InputError

DEBIAN_PYTHON = "/usr/bin/python3"
TRIED = "CCPBENCH_PLOT_INTERPRETER_TRIED"

try:
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib
except ImportError:
    if TRIED not in os.environ and os.access(DEBIAN_PYTHON, os.X_OK):
        os.environ[TRIED] = "1"
        # -s and -E: packages of the first interpreter must not reach the second one.
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-sE", *sys.argv])
    sys.exit(f"{Path(sys.argv[0]).name}: matplotlib is missing: apt-get install python3-matplotlib")

LABELS = {
    "iteration": "iteration",
    "relative_residual": "relative velocity residual",
    "velocity_residual": "velocity residual (m/s)",
    "natural_map": "natural map residual",
    "objective": "objective (J)",
    "penetration_velocity": "penetration velocity (m/s)",
    "cone_violation": "cone violation (N·s)",
    "complementarity": "complementarity (J)",
    "momentum_residual": "momentum residual (kg·m/s)",
    "apgd_residual": "APGD residual",
    "contact_residual": "contact residual (m/s)",
    "lift_velocity": "lift velocity (m/s)",
    "merit": "merit",
    "distance": "distance to the reference solution",
    "primal_residual": "primal residual (N·s)",
    "dual_residual": "dual residual (m/s)",
    "rho": "penalty ρ",
}
MODELS = {"ccp": "convex model (ccp)", "ncp": "Coulomb model (ncp)"}

# Okabe and Ito's colours, which all common kinds of colour vision tell apart; the lengths of the three lists are coprime, so
# that 35 curves differ in line or marker alone.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7A5C00")
DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (7, 1.6, 1.2, 1.6)), (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)))
MARKERS = "osD^vPX"
GREY = "#555555"


def tick_text(value):
    return f"{value:g}" if value == 0 or 1e-3 <= value < 1e5 else power_text(value)


def power_text(value):
    return "10" + str(round(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def file_name(text):
    return re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("_.") or "problem"


def save(figure, path, kind, dpi):
    """Written beside and renamed, so that an interrupted run leaves no torn picture. No dates: same data, same bytes."""
    beside = path.with_name(f".{path.name}.part")
    figure.savefig(beside, format=kind, dpi=dpi, metadata={"Date": None} if kind == "svg" else {"Software": None})
    beside.replace(path)


def formats(text):
    kinds = [kind.strip().lower() for kind in text.split(",") if kind.strip()]
    if not kinds or set(kinds) - {"png", "svg"}:
        raise argparse.ArgumentTypeError(f"'{text}': expected png, svg or png,svg")
    return kinds


def add_picture_options(parser, usual_folder):
    """--out, --format and --dpi."""
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"where the pictures go (default: {usual_folder})")
    parser.add_argument("--format", type=formats, default=["png", "svg"], metavar="LIST",
                        help="png, svg or png,svg (default)")
    parser.add_argument("--dpi", type=int, default=110, help="resolution of the PNG files (default 110)")


def draw_each(folders, draw):
    """Calls draw for every folder. Returns the exit code: 2 after bad input, which is said in one line."""
    matplotlib.rcParams.update({"svg.hashsalt": "ccpbench", "font.size": 9, "axes.edgecolor": GREY, "text.parse_math": False})
    try:
        for folder in folders:
            draw(folder)
    except (InputError, OSError) as error:
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        return 2
    return 0
