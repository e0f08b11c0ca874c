"""Draws every kind of figure at the widths of a column and of a page, and looks at what stands on it: nothing outside, nothing too small,
no two curves alike, no large part blank."""

import argparse
import sys
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_divergences, make_result_folder
import test_plot_means
import test_plot_profiles
import test_plot_sequence
from test_plot_means import MEAN, SCALING

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
import curve_axes  # noqa: E402
import figure_page  # noqa: E402
import plot_convergence  # noqa: E402
import plot_maps  # noqa: E402
import plot_means  # noqa: E402
import plot_profiles  # noqa: E402
import plot_sequence  # noqa: E402
import plot_sweep  # noqa: E402
import plotting  # noqa: E402
from result_folder import Curve  # noqa: E402
import matplotlib.text  # noqa: E402
import numpy  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

WIDTHS = plotting.WIDTHS
SMALLEST, EDGE = 6.0, 3  # points; pixels at 100 dpi that stay free at the sides


def longest_blank(lines):
    """The largest share of neighbouring lines without ink."""
    longest = run = 0
    for blank in lines:
        run = run + 1 if blank else 0
        longest = max(longest, run)
    return longest / len(lines)


def faults_of(figure):
    """What a reader would complain of."""
    figure.set_dpi(100)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    page, found = figure.bbox, []
    for text in figure.findobj(lambda artist: isinstance(artist, matplotlib.text.Text) and artist.get_visible() and artist.get_text().strip()):
        words, box = text.get_text(), text.get_window_extent()
        if text.get_fontsize() < SMALLEST - 1e-9:
            found.append(f"'{words}' has {text.get_fontsize():g} points")
        if box.width > 0 and (box.x0 < EDGE or box.y0 < -1 or box.x1 > page.x1 - EDGE or box.y1 > page.y1 + 1):
            ticks = [label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels(which="both")]
            if text not in ticks or inside_view(figure, text):
                found.append(f"'{words}' stands outside")
    for axes in figure.axes:
        looks = [(line.get_color(), str(line._unscaled_dash_pattern), line.get_marker()) for line in axes.lines
                 if line.get_linestyle() not in ("None", "none", "") and line.get_color() != "none" and len(line.get_xdata()) > 2]
        for look in {look for look in looks if looks.count(look) > 1}:
            found.append(f"two curves look alike: {look}")
    ink = numpy.asarray(canvas.buffer_rgba())[:, :, :3].min(axis=2) <= 250
    for name, lines in (("rows", ~ink.any(axis=1)), ("columns", ~ink.any(axis=0))):
        if longest_blank(list(lines)) > 1 / 3:
            found.append(f"{longest_blank(list(lines)):.0%} of the {name} are blank")
    return found


def inside_view(figure, text):
    """Whether a tick label belongs to a tick that is drawn."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if text in (tick.label1, tick.label2):
                    return low <= tick.get_loc() <= high
    return True


class FigureChecks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)

    def figures(self, module, folder, draw=None, **options):
        """The figures that a script draws of a folder, by name and width. draw: another function than its plot_folder()."""
        drawn = {}
        kept, plotting.save = plotting.save, lambda figure, path, kind, dpi: drawn.__setitem__(path.stem, figure)
        try:
            found = {}
            for name, width in WIDTHS.items():
                drawn.clear()
                arguments = argparse.Namespace(
                    folders=[folder], out=self.place / "out", format=["png"], table_format=[], dpi=100, quiet=True, width=width, title=True, only=[],
                    legend=None, legend_at="auto", no_notes=False, problem="*", raw=False, all=True, metric=None, kind=None, **options)
                code = plotting.draw_each([folder], lambda one: (draw or module.plot_folder)(one, arguments), arguments)
                self.assertEqual(code, 0)
                found |= {f"{stem} ({name})": figure for stem, figure in drawn.items()}
                plotting.drawn_names.clear()
            return found
        finally:
            plotting.save = kept

    def check(self, module, folder, **options):
        figures = self.figures(module, folder, **options)
        self.assertTrue(figures)
        for name, figure in figures.items():
            self.assertEqual(faults_of(figure), [], name)

    def test_convergence(self):
        plots = [{"kind": "convergence", "y": "velocity_residual", "axes": axes} for axes in ("linear", "log_x", "log_y", "log")]
        self.check(plot_convergence, make_result_folder(self.place / "stack", plots=plots))

    def test_overlays(self):
        folders = [make_result_folder(self.place / name / "stack", problems=("stack (mass=1)", "stack (mass=10)")) for name in ("before", "after")]
        self.check(plot_convergence, folders[0], draw=lambda _, arguments: plot_convergence.plot_overlay(folders, arguments), names={})

    def test_the_end_marker_of_a_band_stands_on_its_line(self):
        values = [10.0 ** ((-1) ** k - 1e-3 * k) for k in range(1000)]
        for status in ("solved", "iteration_limit"):
            curve = Curve("a", status, "p", "ccp", self.place, {}, [], "", columns={"iteration": list(range(1000)), "y": values},
                          style={"color": "black", "linestyle": "-", "marker": "o", "phase": 0.3})
            axis, height = curve_axes.x_axis("iteration", [curve]), curve_axes.heights("y", [curve])
            axes = figure_page.make_page(7.0, 1, []).panels[0]
            plot_convergence.draw_curve(axes, curve, ("iteration", "y"), axis, height, False)
            line, end = (list(line.get_xydata()[-1]) for line in axes.lines)
            self.assertEqual(len(axes.collections), 1)  # the band
            self.assertEqual(line, end)
            self.assertEqual(end[1] == values[-1], status == "solved")

    def test_maps(self):
        make_divergences(self.place / "maps")
        self.check(plot_maps, self.place / "maps")

    def test_means_and_scaling(self):
        made = test_plot_means.Means("make_folder")
        made.folder = self.place / "nuts"
        made.make_folder([MEAN, SCALING])
        self.check(plot_means, made.folder)

    def test_sweeps_and_ensembles(self):
        made = test_plot_means.Means("make_folder")
        made.folder = self.place / "nuts"
        made.make_folder([{"kind": "sweep", "against": "/problems/0/parameters/size", "metric": metric} for metric in ("iterations", "solve_s")] +
                         [{"kind": "ensemble", "metric": "iterations"}])
        self.check(plot_sweep, made.folder)

    def test_sequences(self):
        made = test_plot_sequence.PlotSequence("two_cells")
        made.folder = self.place / "balls"
        made.two_cells()
        self.check(plot_sequence, made.folder)

    def test_profiles(self):
        made = test_plot_profiles.PlotProfiles("make_folder")
        made.folder = self.place / "profiles"
        made.make_folder(labels=("ADMM", "NSGS", "APGD"))
        for width in WIDTHS.values():
            arguments = argparse.Namespace(only=[], results=None, top=10, title=True, width=width)
            drawn = []
            self.assertEqual(plotting.draw_each([made.folder], lambda folder: drawn.append(plot_profiles.draw_figure(folder, arguments))), 0)
            self.assertEqual(faults_of(drawn[0]), [])

    def test_widths_are_those_of_the_guide(self):
        self.assertEqual([round(25.4 * plotting.WIDTHS[name], 9) for name in ("single", "double")], [89, 180])

    def test_ticks_of_a_few_decades_let_values_be_read(self):
        self.assertEqual(plotting.log_values(13, 1100, 10), [20, 50, 100, 200, 500, 1000])
        self.assertEqual(plotting.log_values(0.9, 1300, 8), [1, 3, 10, 30, 100, 300, 1000])
        self.assertEqual(plotting.log_values(1e-9, 2, 10), [10.0**k for k in range(-9, 1)])
        self.assertEqual(len(plotting.log_values(1e-17, 1, 5)), 5)
        for low, high in ((13, 1100), (0.9, 1300), (3, 90), (1e-6, 2e-2), (15, 22), (1, 1e5)):
            for most in (3, 6, 10):
                found = plotting.log_values(low, high, most)
                self.assertTrue(2 <= len(found) <= max(most, 9), (low, high, most, found))
                self.assertTrue(all(low <= value <= high * (1 + 1e-9) for value in found), found)

    def test_changes_of_a_config_are_words(self):
        rho, mass, config = "/solvers/0/parameters/rho", "/problems/0/parameters/heavy_mass", {
            "solvers": [{"solver": "admm", "label": "ADMM"}, {"solver": "apgd"}], "problems": [{"scene": "stack"}],
            "sweep": {"/problems/0/parameters/heavy_mass": [1, 2, 3]}}
        for text, words in ((f"{rho}: 0.1 → 1", "rho of ADMM 0.1 → 1"), (f"{mass}: nothing → 40", "heavy mass 40"),
                            ("/solvers/1/parameters/m: 3 → nothing", "without m of apgd 3"), ("/plots: [] → [{", ""), ("/plots/0/x: a → b", ""),
                            ('/sweep: nothing → {"/problems/0/para….', "sweep over heavy mass (3 values)"), ("/trace: [] → [\"m…", "other trace"),
                            ('/sweep["/problems/0/parameters/heavy_mass"]: [1] → [1, 2, 3]', "sweep over heavy mass (3 values)"),
                            ("a.json differs from its last commit", "a.json differs from its last commit")):
            self.assertEqual(plotting.change_words(text, config), words)

    def test_labels_keep_a_margin_at_both_sides(self):
        page = figure_page.make_page(3.5, 1, [])
        axes = page.panels[0]
        axes.set_xticks([0, 1], ["a first", "the last label"])
        axes.set_yticks([0, 1], ["a label that is long", "b"])
        figure_page.finish(page)
        box = axes.get_tightbbox(page.figure.canvas.get_renderer())
        self.assertGreaterEqual(box.x0, (figure_page.MARGIN - 0.001) * page.figure.dpi)
        self.assertLessEqual(box.x1, (3.5 - figure_page.MARGIN + 0.001) * page.figure.dpi)

    def test_long_titles_have_lines_in_place_of_dots(self):
        words = "a stack of spheres " * 6
        page = figure_page.make_page(3.5, 1, [], title=("Short", words))
        lines = [text.get_text() for text in page.figure.texts]
        self.assertGreater(len(lines), 2)
        self.assertEqual(" ".join(lines), f"Short {words}".strip())

    def test_the_checks_find_what_is_wrong(self):
        figure = next(iter(self.figures(plot_convergence, make_result_folder(self.place / "stack")).values()))
        self.assertEqual(faults_of(figure), [])
        axes = figure.axes[0]
        axes.plot([0, 1, 2], [1, 1, 1], color="red")
        axes.plot([0, 1, 2], [1, 1, 1], color="red")
        figure.text(0.99, 0.5, "far to the right")
        figure.text(0.5, 0.5, "tiny", fontsize=5)
        for words in ("two curves look alike", "'far to the right' stands outside", "'tiny' has 5 points"):
            self.assertIn(words, " ".join(faults_of(figure)))
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, 2 * height)
        for one in figure.axes:
            box = one.get_position()
            one.set_position((box.x0, 0.5 + box.y0 / 2, box.width, box.height / 2))
        self.assertTrue([fault for fault in faults_of(figure) if "blank" in fault])


if __name__ == "__main__":
    unittest.main()
