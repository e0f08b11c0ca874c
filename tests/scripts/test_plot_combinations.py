"""Every plot that `ccpbench check` accepts is drawn, and the report has it: each kind with each metric and each value of each key that the
schema allows it. What check refuses, it refuses by name. CCPBENCH_PROGRAM names the program."""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from functools import lru_cache
from io import StringIO
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from run_script import SCRIPTS, run_script

sys.path.insert(0, str(SCRIPTS))
import plot_convergence  # noqa: E402
import plot_maps  # noqa: E402
import plot_means  # noqa: E402
import plot_sequence  # noqa: E402
import plot_sweep  # noqa: E402
import plotting  # noqa: E402
from ccpbench_results import read_manifest  # noqa: E402
from cell_values import read_cells  # noqa: E402
from result_tables import WRITERS, table_of  # noqa: E402

PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
SPHERES, RHO = "/problems/0/parameters/spheres", "/solvers/0/parameters/rho"
# What these runs do not always have: distances, as no problem is perturbed; positive objectives; what CANAL counts, over the step of ADMM;
# what ADMM measures, over products, and its primal residual, which is 0.
LACKING = {"distance", "objective", "outer_iterations_to", "failures", "dual_residual", "primal_residual_max"}
PAPER = [1.5, None, 3]  # numbers of the three solvers
MODULES = {"convergence": plot_convergence, "sweep": plot_sweep, "ensemble": plot_sweep, "map": plot_maps, "mean": plot_means,
           "scaling": plot_means, "sequence": plot_sequence}


def answer(*arguments):
    made = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    return made.stdout or made.stderr


def listed(*arguments):
    return json.loads(answer("list", *arguments))


def values_of(schema, key, kind, measures):
    """The values of a key to try, all of them where it has a list."""
    free = {"y": [*measures, *(["dual_residual"] if kind in ("convergence", "mean") else [])],
            "against": [SPHERES, RHO] if kind == "map" else ["contacts", "rows", "dofs", SPHERES, RHO],
            "problem": ["stack"], "times": [SPHERES], "of": ["ADMM", ["reference", "A*"]], "by": [RHO],
            "x_label": ["across"], "y_label": ["up"], "where": ["Tasora 2021, Fig. 3"]}
    return free.get(key) or schema["properties"][key].get("enum")


def plots_of(kind, schema, metrics, measures, drawn=False):
    """Plots of a kind that have each metric with each value of each other key at least once, then each value alone, and pairs of them.
    drawn: each metric alone and with one value of each other key, since figures take their time."""
    refused = next(rule["then"]["properties"] for rule in schema["allOf"] if rule["if"]["properties"]["kind"]["const"] == kind)
    keys = {key: values_of(schema, key, kind, measures) for key in schema["properties"]
            if key not in refused and key not in ("kind", "metric", "metrics", "at", "paper")}
    named = "metric" if "metric" not in refused else "metrics" if "metrics" not in refused else None
    start = {"kind": kind, **({"against": RHO} if kind == "map" else {})}
    plots = [start]
    for number, (metric, decade) in enumerate(metrics if named else [(None, False)]):
        base = {**start, **({named: metric} if named else {}), **({"at": 1e-2} if decade else {})}
        plots.append(base)
        turns = max(len(values) for key, values in keys.items() if key != "y" or not named)
        for turn in [number % turns] if drawn and named else range(turns):
            plots.append({**base, **{key: values[turn] for key, values in keys.items() if key != "y" and turn < len(values)},
                          **({"y": keys["y"][(turn + number) % len(keys["y"])]} if "y" in keys else {})})
        if kind == "table":
            plots += [{**base, "paper": {metric: PAPER}}, {**base, "by": RHO, "paper": {metric: {"0.1": PAPER}}}]
    plots += [{**start, key: value} for key, values in keys.items() for value in values]
    few = {key: values if len(values) < 4 else [values[0], values[-1]] for key, values in keys.items()}
    for first in few:
        for second in list(few)[list(few).index(first) + 1:]:
            plots += [{**start, first: a, second: b} for a in few[first] for b in few[second]]
    return list({json.dumps(plot, sort_keys=True): plot for plot in plots}.values())


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM names no program")
class PlotCombinations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.place = Path(scratch.name)
        cls.schema = listed("config", "--schema")["$defs"]["plot"]
        cls.measures = [measure["name"] for measure in listed("measures", "--json")]
        cls.metrics = [(metric["name"], metric["at"]) for metric in listed("metrics", "--json") if metric["claims"]]
        cls.config = {"name": "all", "stop": {"tolerance": 1e-6, "max_iterations": 60}, "trace": cls.measures,
                      "problems": [{"scene": "odd_mass_stack", "label": "stack", "parameters": {"heavy_index": 2, "spheres": 3}}],
                      "solvers": [{"solver": "admm", "label": "ADMM"}, {"solver": "canal", "label": "CANAL"}, {"solver": "reference"}],
                      "sweep": {SPHERES: [3, 4, 5], RHO: [0.1, 1.0]}}
        cls.falling = {**cls.config, "name": "falling", "sweep": {"/stop/tolerance": [1e-2, 1e-4]},
                       "problems": [{"scene": "ball_box", "parameters": {"spheres": 3}, "sequence": {"steps": 4}}]}
        for config in (cls.config, cls.falling):
            (cls.place / f"{config['name']}.json").write_text(json.dumps(config))
            answer("run", cls.place / f"{config['name']}.json", "--quiet", "--out", cls.place)
            fill_gaps(cls.place / config["name"])

    def checked(self, plots, config=None):
        """The mistakes that check finds in a config with these plots: {place: message}."""
        path = self.place / "checked.json"
        path.write_text(json.dumps({**(config or self.config), "plots": plots}))
        return {mistake["place"]: mistake["message"] for mistake in json.loads(answer("check", path, "--json"))[0]["mistakes"]}

    def drawn(self, plot, folder):
        """(how many figures of a plot are made, what is said of it). Layout that follows from no value is left out: it takes most of
        the time."""
        saved, said = [], StringIO()
        arguments = argparse.Namespace(out=self.place / "out", format=["png"], table_format=[], dpi=50, quiet=True, width=7.1, title=True, only=[],
                                       legend="full", legend_at="auto", no_notes=False, problem="*3*" if plot["kind"] == "convergence" else "*", raw=False,
                                       all=True, metric=None, kind=None)
        module, asked = MODULES[plot["kind"]], plot_convergence.wanted_plots({"plots": [plot]})[-1]
        manifest = {**read_manifest(folder), "config": {**read_manifest(folder)["config"], "plots": [plot]}}
        with mock.patch.object(plotting, "save", lambda figure, path, kind, dpi: saved.append(path.stem)), redirect_stdout(StringIO()), \
                redirect_stderr(said), mock.patch.object(module, "read_manifest", lambda _: manifest, create=True), \
                mock.patch("result_folder.read_manifest", lambda _: manifest), mock.patch("plot_sweep.read_cells", kept_cells), \
                mock.patch.object(module, "finish", lambda page: None), mock.patch("plot_convergence.wanted_plots", lambda *_: [asked]):
            module.plot_folder(folder, arguments)
        plotting.drawn_names.clear()
        return saved, said.getvalue()

    def check_drawn(self, kind, folder, config, expected=None):
        self.assertEqual(self.checked(plots_of(kind, self.schema, self.metrics, self.measures), config), {})
        for plot in plots_of(kind, self.schema, self.metrics, self.measures, drawn=True):
            with self.subTest(plot=plot):
                saved, said = self.drawn(plot, folder)
                if said:
                    self.assertRegex(said, rf"^[^\n]*: no [^\n]* ({'|'.join(LACKING & set(map(str, plot.values())))})[^\n]*\n$")
                    continue
                self.assertTrue([name for name in saved if (expected or kind) in name or kind == "convergence"], saved)
                self.assertEqual(any(name.startswith("fig-3-") for name in saved), "where" in plot, saved)

    def test_convergence(self):
        self.check_drawn("convergence", self.place / "all", self.config)

    def test_sweeps(self):
        self.check_drawn("sweep", self.place / "all", self.config)

    def test_ensembles(self):
        self.check_drawn("ensemble", self.place / "all", self.config)

    def test_maps(self):
        self.check_drawn("map", self.place / "all", self.config)

    def test_means(self):
        self.check_drawn("mean", self.place / "all", self.config)

    def test_scaling(self):
        self.check_drawn("scaling", self.place / "all", self.config)

    def test_sequences(self):
        self.check_drawn("sequence", self.place / "falling", self.falling, "steps")


    def test_tables(self):
        plots = plots_of("table", self.schema, self.metrics, self.measures)
        self.assertEqual(self.checked(plots), {})
        cells = kept_cells(self.place / "all")
        for plot in plots:
            with self.subTest(plot=plot):
                table = table_of(plot, cells)
                if table is None and plot["metrics"] in LACKING:
                    continue
                self.assertEqual(sum(row[0] == "paper" for row in table.rows), "paper" in plot)
                for write in WRITERS.values():
                    self.assertIn("ADMM", write(table))

    def test_the_report_has_all_tables_and_maps(self):
        plots = [plot for kind in ("table", "map", "convergence") for plot in plots_of(kind, self.schema, self.metrics, self.measures)]
        folder = self.place / "all"
        text = (folder / "manifest.json").read_text()
        self.addCleanup((folder / "manifest.json").write_text, text)
        manifest = json.loads(text)
        (folder / "manifest.json").write_text(json.dumps({**manifest, "config": {**manifest["config"], "plots": plots}}))
        made = run_script("report.py", folder, "--out", self.place / "page.html", modules=("csv",))
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        page = (self.place / "page.html").read_text()
        tables = [plot for plot in plots if plot["kind"] == "table" and table_of(plot, kept_cells(folder))]
        self.assertEqual(len(re.findall("<p class=\"soft caption\">[^<]*ours, and the paper", page)), len(tables))
        self.assertIn("Tasora 2021, Fig. 3", page)

    def test_the_command_draws_one_of_each_kind(self):
        """With all of the layout, and written."""
        for name, kinds in (("all", [kind for kind in MODULES if kind != "sequence"] + ["table"]), ("falling", ["sequence"])):
            folder = self.place / name
            text = (folder / "manifest.json").read_text()
            plots = [next(plot for plot in plots_of(kind, self.schema, self.metrics, self.measures) if "where" in plot) for kind in kinds]
            (folder / "manifest.json").write_text(json.dumps({**json.loads(text), "config": {**json.loads(text)["config"], "plots": plots}}))
            said = subprocess.run([PROGRAM, "plot", folder, "--format", "svg,csv", "--problem", "*3*" if name == "all" else "*", "--title",
                                   *(f"--kind={kind}" for kind in ("convergence", "sweep", "map", "mean", "table", "sequence"))],
                                  capture_output=True, text=True, timeout=300, env={**os.environ, "CCPBENCH_SCRIPTS": str(SCRIPTS)})
            (folder / "manifest.json").write_text(text)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertNotIn("Traceback", said.stderr)
            names = [path.name for path in (folder / "plots").iterdir()]
            for kind in kinds:
                wanted = {"convergence": "fig-3-stack", "table": "table-Tasora_2021_Fig._3.csv", "sequence": "steps"}.get(kind, f"fig-3-{kind}")
                shown = [name for name in names if name.startswith(wanted) or kind == "sequence" and wanted in name]
                self.assertTrue(shown, (kind, names))
                if kind != "table":
                    self.assertIn("Tasora 2021, Fig. 3", "".join((folder / "plots" / name).read_text() for name in shown))

    def test_what_is_refused_is_named(self):
        plots, expected = [], {}
        for rule in self.schema["allOf"]:
            kind = rule["if"]["properties"]["kind"]["const"]
            for key in rule["then"]["properties"]:
                expected[f"/plots/{len(plots)}/{key}"] = f"the kind '{kind}' does not use '{key}', expected one of kind, "
                value = values_of(self.schema, key, "sweep", self.measures) or {"metric": ["iterations"], "metrics": ["iterations"], "at": [1e-3],
                                                                                  "paper": [{}]}[key]
                plots.append({"kind": kind, **({"against": RHO} if kind == "map" else {}), key: value[0]})
        for name, decade in self.metrics:
            for kind, key in (("sweep", "metric"), ("ensemble", "metric"), ("scaling", "metric"), ("table", "metrics")):
                expected[f"/plots/{len(plots)}"] = "the key 'at' is missing: the metric '" + name if decade else f"the metric '{name}' takes no 'at'"
                plots.append({"kind": kind, key: name, **({} if decade else {"at": 1e-2})})
        for plot, place, words in (({"kind": "map"}, "/against", "'contacts' is not swept, expected one of "),
                                   ({"kind": "sweep", "times": "/stop/tolerance"}, "/times", "'/stop/tolerance' is not swept"),
                                   ({"kind": "table", "of": "A*", "paper": {"iterations": [1, 2]}}, "/paper/iterations", "expected a list of 1 numbers")):
            expected[f"/plots/{len(plots)}{place}"] = words
            plots.append(plot)
        found = self.checked(plots)
        self.assertEqual(set(found), set(expected))
        for place, words in expected.items():
            self.assertIn(words, found[place])
        self.assertIn("is not traced, expected it in the list 'trace'",
                      self.checked([{"kind": "convergence", "y": "merit"}], {**self.config, "trace": ["natural_map"]})["/plots/0/y"])


def fill_gaps(folder):
    """Gives each cell a number wherever the run has none, and each trace in each column, so that there is something to draw."""
    with (folder / "summary.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows):
        for place, name in enumerate(row):
            row[name] = row[name] if row[name] not in ("", "0", "nan") else "" if name in ("reason", "stopped_by") else str(1 + (number + place) % 7)
    with (folder / "summary.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({key: value for key, value in manifest.items() if key != "files"}))


@lru_cache
def kept_cells(folder):
    return read_cells(folder)


if __name__ == "__main__":
    unittest.main()
