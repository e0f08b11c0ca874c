"""The common part of the plot_*.py scripts: an interpreter with matplotlib, widths and sizes for print, ticks, and the options of pictures."""

import argparse
import io
import math
import os
import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cell_values import name_of, with_unit  # noqa: F401  (other scripts take them from here)
from ccpbench_results import InputError, changes, listed_values, read_manifest, swept_groups, unit_of
from output_file import check_folder, write_output
from result_folder import own_places
from series_styles import COLOURS, DASHES, MARKERS  # noqa: F401  (other scripts take them from here)

DEBIAN_PYTHON = "/usr/bin/python3"
TRIED = "CCPBENCH_PLOT_INTERPRETER_TRIED"


def use_debian_python():
    """Starts the script again with Debian's Python, which has Debian's packages; returns where that was tried or there is none."""
    if TRIED not in os.environ and os.access(DEBIAN_PYTHON, os.X_OK):
        os.environ[TRIED] = "1"
        # -s and -E: packages of the first interpreter must not reach the second one.
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-sE", *sys.argv])


try:
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib
except ImportError:
    use_debian_python()
    print(f"{Path(sys.argv[0]).name}: matplotlib is missing: apt-get install python3-matplotlib", file=sys.stderr)
    sys.exit(2)

from matplotlib.font_manager import FontProperties  # noqa: E402
from matplotlib.textpath import text_to_path  # noqa: E402
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullFormatter  # noqa: E402

@dataclass
class Layout:
    """Options of all figures of a run: place of the legend (auto, below, inside a panel, or off), and notes."""

    legend_at: str = "auto"
    notes: bool = True
    where: str = ""  # which figure of which paper is drawn: of its title, its name and a note
    mark: str = ""  # a note on all figures of the folder that is drawn: how its config was changed


LEGEND_PLACES = ("auto", "below", "inside", "off")
layout = Layout()


WORDS = {
    "iteration": "iteration",
    "iterations": "iterations",
    "relative_residual": "relative velocity residual",
    "velocity_residual": "velocity residual",
    "natural_map": "natural map residual",
    "objective": "objective",
    "penetration_velocity": "penetration velocity",
    "own_penetration_velocity": "penetration of the method's velocity",
    "cone_violation": "cone violation",
    "complementarity": "complementarity",
    "momentum_residual": "momentum residual",
    "apgd_residual": "APGD residual",
    "contact_residual": "contact residual",
    "lift_velocity": "lift velocity",
    "creep_velocity": "creep velocity",
    "regularised_residual": "residual of the method's own law",
    "merit": "merit",
    "distance": "distance to the reference solution",
    "rounding_floor": "rounding floor",
    "primal_residual": "primal residual",
    "dual_residual": "dual residual",
    "scaled_primal_residual": "scaled primal residual",
    "scaled_dual_residual": "scaled dual residual",
    "combined_residual": "combined residual",
    "rho": "penalty ρ",
    "bilateral_absolute": "residual of bilateral rows",
    "cone_absolute": "residual of contacts",
    "momentum_absolute": "residual of momentum",
    "mean_complementarity": "μ",
    "projected_gradient": "projected gradient",
    "impulse_change": "change of an impulse",
    "factorizations": "factorisations",
    "back_solves": "back-solves",
    "products": "products with N",
    "solver_s": "solver time",
    "solve_s": "time of the iterations",
    "setup_s": "setup time",
    "wall_s": "wall time",
    "seconds_per_iteration": "time per iteration",
    "peak_memory_mb": "peak memory",
    "flops": "floating-point operations",
    "instructions": "instructions",
}
LABELS = {column: words + (f" ({unit_of(column)})" if unit_of(column) else "") for column, words in WORDS.items()}


def label_of(column):
    """The label of a column in a figure, with its unit."""
    unit = unit_of(column)
    return LABELS.get(column) or name_of(column.removesuffix(f"_{unit}")) + (f" ({unit})" if unit else "")


MODELS = {"ccp": "convex model (ccp)", "ncp": "Coulomb model (ncp)"}
GREY = "#555555"
TOLERANCE = "#999999"  # its line: lighter than any curve in grey print

NARROW = 5.0  # inches: a figure below it has its panels above each other
WIDTHS = {"single": 89 / 25.4, "double": 180 / 25.4}  # inches: columns of most journals are 84 to 90 mm, text 174 to 190 mm
TEXT, SMALL = 8.0, 7.0  # points, on paper
KINDS = ("png", "svg", "pdf")
TABLE_KINDS = {"csv": "csv", "markdown": "md", "latex": "tex"}  # endings of their files


def tick_text(value):
    return f"{value:g}" if value == 0 or 1e-3 <= value < 1e5 else power_text(value)


def power_text(value):
    return "10" + str(round(math.log10(value))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def accuracy_text(value):
    """A power of ten as one, other numbers as they are."""
    whole = abs(math.log10(value) - round(math.log10(value))) < 1e-9
    return power_text(value) if whole and value < 0.01 else f"{value:g}"


def power_formula(value):
    """A formula: raised digits of the font itself are too small to tell 10⁻⁸ from 10⁻⁵ in print."""
    exponent = math.floor(math.log10(value) + 1e-9)
    digit = value / 10.0**exponent
    power = f"10^{{{exponent}}}"
    return f"${power}$" if abs(digit - 1) < 1e-6 else f"${digit:.3g}\\cdot{power}$"


def number_texts(values):
    """(texts, whether they are formulas): all plain or all powers of ten."""
    plain = all(value == 0 or 0.0099 < abs(value) < 10001 for value in values)
    return ([f"{value:.6g}" for value in values], False) if plain else ([power_formula(v) if v > 0 else f"{v:g}" for v in values], True)


def set_ticks(axis, values, texts, formulas=False):
    """Fixed ticks. Formulas are switched on for these labels alone, because other texts may hold a "$"."""
    axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FixedFormatter(texts))
    axis.set_minor_formatter(NullFormatter())
    for tick in axis.get_major_ticks(len(values)):
        for label in (tick.label1, tick.label2):
            label.set_parse_math(formulas)


def write_ticks(axis, values, zero=None):
    """Ticks of a logarithmic axis, all written in one way: plain numbers from 0.01 to 10000, otherwise powers of ten. `zero` is the
    place of a tick that says 0."""
    texts, formulas = number_texts(values)
    if zero is not None:
        values, texts = [zero, *values], ["0", *texts]
    set_ticks(axis, values, texts, formulas)


def ticks_at(digits, low, high):
    """These multiples of powers of ten from low to high."""
    decades = range(math.floor(math.log10(low)), math.floor(math.log10(high) + 1e-9) + 1)
    return [m * 10.0**k for k in decades for m in digits if low * (1 - 1e-9) <= m * 10.0**k <= high * (1 + 1e-9)]


def log_values(low, high, most):
    """The ticks of a logarithmic axis from low to high: at most about `most` decades, or 1, 2 and 5 of each, or 1 and 3, where they are
    few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 2 or last - first == 1 and high / low > 50:
        step, digits = 1 + (last - first) // most, (1,)
        if last - first < 4 and step == 1:  # few decades: a value between them could hardly be read
            digits = next((some for some in ((1, 2, 5), (1, 3)) if len(ticks_at(some, low, high)) <= most), (1,))
        return [v for v in ticks_at(digits, low, high) if digits != (1,) or round(math.log10(v)) % step == 0]
    inside = ticks_at((1, 2, 5), low, high)
    if len(inside) < 3:
        inside = ticks_at(range(1, 10), low, high)
    if len(inside) < 2:  # so short that it is as good as linear
        inside = [float(v) for v in MaxNLocator(4, steps=(1, 2, 5, 10)).tick_values(low, high) if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    return inside if len(inside) > 1 else [low, high]


def log_axis(axis, low, high, most=8):
    write_ticks(axis, log_values(low, high, most))


@lru_cache(maxsize=4096)
def text_width(text, points, formula=False):
    """Inches."""
    return text_to_path.get_text_width_height_descent(text, FontProperties(size=points), formula)[0] / 72


def paper_place(where):
    """"fig-3" of "Tasora 2021, sec. 8.1, Fig. 3", what a plot of a config says of itself; empty where it names no figure."""
    found = re.search(r"\b(Figs?)\. *([^,;:]+)", where)
    return file_name(re.sub(" +", "-", f"{found[1].lower()} {found[2]}")) if found else ""


@contextmanager
def placed(where):
    """Figures drawn and saved in it are those of a plot that says where in a paper it stands, or says nothing."""
    layout.where = str(where or "")
    try:
        yield
    finally:
        layout.where = ""


def file_name(text):
    return re.sub(r"_+(?=-)", "", re.sub(r"[^A-Za-z0-9._-]+", "_", text)).strip("_.") or "problem"


def save(figure, path, kind, dpi):
    """No dates: same data, same bytes."""
    picture = io.BytesIO()
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    figure.savefig(picture, format=kind, dpi=dpi, metadata=metadata)
    write_output(path, picture.getvalue())


drawn_names = set()  # (folder, name) of each figure that this program has written


RUN_AGAIN = "add one and run it again, which keeps its finished cells"


def say_nothing_drawn(folder, kind, needs, arguments):
    """For a kind of figure that was requested by name: the results without one, and what they would need for it."""
    if kind in (getattr(arguments, "kind", None) or ()):
        print(f"{folder}: no figure of the kind {kind}: {needs}", file=sys.stderr)


def say_written(kind, target, name, formats, arguments):
    """One line on stderr for what was just written, unless --quiet: figures take about a second each."""
    if not getattr(arguments, "quiet", False):
        files = formats[0] if len(formats) == 1 else "{" + ",".join(formats) + "}"
        print(f"{kind}: {target / name}.{files}", file=sys.stderr, flush=True)


def place_of_plots(folder, arguments):
    """The folder for figures and tables. Raises InputError where it cannot be written."""
    place = arguments.out or folder / "plots"
    check_folder(place)
    return place


def save_all(figure, target, name, arguments):
    """A second figure of the same name, such as of two plots that differ in their cells alone, gets a number."""
    target.mkdir(parents=True, exist_ok=True)
    name = "-".join(filter(None, (paper_place(layout.where), name)))
    free, number = name, 1
    while (target, free) in drawn_names:
        number += 1
        free = f"{name}-{number}"
    drawn_names.add((target, free))
    for kind in arguments.format:
        save(figure, target / f"{free}.{kind}", kind, arguments.dpi)
    say_written("figure", target, free, arguments.format, arguments)


class Formats(argparse.Action):
    """--format: those of figures and those of tables. A list that names none of one kind asks for nothing of that kind."""

    def __call__(self, parser, arguments, text, option=None):
        asked = [kind.strip().lower() for kind in text.split(",") if kind.strip()]
        if not asked or set(asked) - {*KINDS, *TABLE_KINDS}:
            raise argparse.ArgumentError(self, f"'{text}': expected some of {','.join((*KINDS, *TABLE_KINDS))}")
        arguments.format = [kind for kind in asked if kind in KINDS]
        arguments.table_format = [TABLE_KINDS[kind] for kind in asked if kind in TABLE_KINDS]


def width(text):
    """Inches of 'single', 'double' or a number of millimetres."""
    if text in WIDTHS:
        return WIDTHS[text]
    try:
        inches = float(text.removesuffix("mm")) / 25.4
    except ValueError:
        inches = 0.0
    if not 2.0 <= inches <= 40.0:
        raise argparse.ArgumentTypeError(f"'{text}': expected single, double or a width in mm from 51 to 1016")
    return inches


def add_picture_options(parser, usual_folder):
    """--out, --format, --dpi and --quiet."""
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"where the pictures go, of several folders into one each (default: {usual_folder})")
    parser.add_argument("--format", action=Formats, default=list(KINDS), metavar="LIST",
                        help="figures as some of png,svg,pdf, tables as some of csv,markdown,latex: those that are named (default: all)")
    parser.set_defaults(table_format=list(TABLE_KINDS.values()))
    parser.add_argument("--dpi", type=int, default=300, help="resolution of the PNG files (default 300)")
    parser.add_argument("--quiet", action="store_true", help="no line for each figure that is written")


def add_figure_options(parser):
    """--width, --title, --only, --legend-at and --no-notes."""
    parser.add_argument("--legend-at", choices=LEGEND_PLACES, default="auto",
                        help="where the legend stands: beside a single panel if it fits there, else below (auto, default), below, inside a panel, or off")
    parser.add_argument("--no-notes", action="store_true", help="no notes below the figure; in a paper the caption says them")
    parser.add_argument("--width", type=width, default=WIDTHS["double"], metavar="WIDTH",
                        help="single (89 mm), double (180 mm, default) or a number of mm; letters stay as large")
    parser.add_argument("--title", action="store_true", help="the title above the figure; in a paper the caption says it")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB",
                        help="only the solvers whose label matches; repeatable. Styles stay as they are")


def change_words(text, config):
    """A change of a config, "/stop/tolerance: 1e-08 → 1e-06", as words; empty for what changes no result."""
    found = re.fullmatch(r"(/\S*): (.*) → (.*)", text)
    if not found:
        return text
    pointer, before, after = found.groups()
    part, *path = re.findall(r'[^/\[\]"]+', pointer)  # a key with slashes stands in brackets
    if part in ("plots", "claims", "title", "description"):
        return ""
    if part == "sweep":
        swept = [" and ".join(map(name_of, group)) + f" ({len(listed_values(config, group))} values)" for group in swept_groups(config)]
        return f"sweep over {', '.join(swept)}" if swept else "no sweep"
    entries = config.get(part)
    if path and path[0].isdigit() and isinstance(entries, list) and int(path[0]) < len(entries):
        entry, path = entries[int(path[0])], path[1:]
        owner = next((str(entry[key]) for key in ("label", "solver", "scene", "file") if entry.get(key)), "") if isinstance(entry, dict) and len(entries) > 1 else ""
    else:
        owner = ""
    name = (name_of(path[-1] if path else part)) + (f" of {owner}" if owner else "")
    if after.startswith(("{", "[")) or before.startswith(("{", "[")):
        return f"other {name}"
    return f"{name} {after}" if before == "nothing" else f"without {name} {before}" if after == "nothing" else f"{name} {before} → {after}"


def changes_of(folder):
    """How the config of a folder of results was changed; nothing of anything else, nor of plots, which change no result."""
    if not isinstance(folder, Path) or not (folder / "manifest.json").exists():
        return ()
    manifest = read_manifest(folder)
    return tuple(dict.fromkeys(filter(None, (change_words(text, manifest["config"]) for text in changes(manifest)))))


def changed_texts(folders):
    """"Changed: …" where the results of folders are not those of their configs as written: of each by its name, or once where all are
    alike. folders: {name: path}."""
    found = {name: "; ".join(changes_of(folder)) for name, folder in folders.items()}
    if len(set(found.values())) == 1:
        return f"Changed: {text}." if (text := next(iter(found.values()))) else ""
    return " ".join(f"Changed in {name}: {text}." for name, text in found.items() if text)


def speaker():
    """The name before messages: for plot.py that of the program, which calls it."""
    name = Path(sys.argv[0]).name
    return "ccpbench: error" if name == "plot.py" else name


def draw_each(folders, draw, arguments=None):
    """Calls draw for every folder. Of several, each has a folder of its own below arguments.out, where their figures would have the
    same names. Returns the exit code: 2 after bad input, which is said in one line."""
    matplotlib.rcParams.update({
        "svg.hashsalt": "ccpbench", "pdf.fonttype": 42, "font.size": TEXT, "axes.edgecolor": GREY, "text.parse_math": False,
        "axes.labelsize": TEXT, "xtick.labelsize": TEXT - 0.5, "ytick.labelsize": TEXT - 0.5, "axes.linewidth": 0.7,
        "xtick.color": "#333333", "ytick.color": "#333333", "axes.labelcolor": "#111111", "xtick.major.width": 0.7,
        "ytick.major.width": 0.7, "xtick.minor.width": 0.5, "ytick.minor.width": 0.5, "axes.labelpad": 3})
    layout.legend_at, layout.notes = getattr(arguments, "legend_at", "auto"), not getattr(arguments, "no_notes", False)
    if getattr(arguments, "legend", "") is None:
        arguments.legend = "full" if arguments.width >= NARROW else "labels"
    folders = list({folder.resolve() if isinstance(folder, Path) else id(folder): folder for folder in folders}.values())
    out = arguments.out if arguments is not None and len(folders) > 1 else None
    names = {folder: file_name(name) for folder, name in getattr(arguments, "names", {}).items()}
    places = {**own_places(folders), **names} if out else {}
    try:
        for folder in folders:
            layout.mark = changed_texts({"": folder})
            if out:
                arguments.out = out / places[folder]
            draw(folder)
    except (InputError, OSError) as error:
        print(f"{speaker()}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stop:
        print(f"\n{speaker()}: stopped {stop}".rstrip(), file=sys.stderr)
        return 130
    return 0


def draw_folders(about, draw, add_options=lambda parser: None, tables=False):
    """The main function of a script: draw(folder, arguments) for each folder of results it is given. about: its docstring; tables: whether
    it writes these."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="RESULT_FOLDER", help="a folder that `ccpbench run` has written")
    add_options(parser)
    add_figure_options(parser)
    add_picture_options(parser, "RESULT_FOLDER/plots")
    arguments = parser.parse_args()
    if not (arguments.table_format if tables else arguments.format):
        parser.error(f"argument --format: expected some of {','.join(TABLE_KINDS if tables else KINDS)}")
    return draw_each(arguments.folders, lambda folder: draw(folder, arguments), arguments)
