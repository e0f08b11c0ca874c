"""Tests of scripts/report.py: the page, its escaping, its errors, and the page in headless Chromium where that is installed."""

import csv
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

from make_result_folder import make_divergences, make_result_folder, write_record

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "report.py"
sys.path.insert(0, str(SCRIPT.parent))

sys.path.insert(0, str(SCRIPT.parent / "report"))

import ranking  # noqa: E402
from sections import reached  # noqa: E402
from series_styles import numbers  # noqa: E402
from text import figure  # noqa: E402

HOSTILE = '</script><script>document.title="stolen"</script><b onclick=x>&"'
CHROMIUM = shutil.which("chromium")
HAS_CHART = Path("/usr/share/javascript/chart.js/chart.min.js").exists()
STATUS = {"ADMM balanced": "solved", "Jacobi": "iteration_limit", "NSGS": "diverged", "IPM $x": "failed"}


def profiles(*labels, model="ccp"):
    """One performance profile with bands, as the program hands it over."""
    lines = [{"label": label, "points": [[1, 0.5, 0.2, 0.8], [4, 1, 0.7, 1], [10, 1, 0.7, 1]]} for label in labels]
    means = [{"label": label, "solved": 6, "mean": 0.02, "low": 0.01, "high": 0.04} for label in labels]
    return [{"name": f"performance profile, {model}, solver time, accuracy 1e-4", "kind": "performance", "model": model, "by": "time",
             "cost": "solver time", "at": 1e-4, "x": "ratio", "y": "fraction of the problems", "problems": 6, "settings": len(labels) + 30, "lines": lines,
             "means": means}]


def cells(label, *statuses, restarts="0"):
    """One row of a problem each; a number is the time of a solved one in seconds, and its iterations."""
    return [{"label": label, "base": label, "school": "ours", "problem": f"p{k}", "model": "ncp", "restarts": restarts, "setup_s": "0",
             "status": "solved" if isinstance(s, (int, float)) else s, "iterations": str(s) if isinstance(s, (int, float)) else "100",
             "solve_s": str(s) if isinstance(s, (int, float)) else "60",
             "iterations_to_1e-4": str(s) if isinstance(s, (int, float)) else ""} for k, s in enumerate(statuses)]


class Denominators(unittest.TestCase):
    def test_an_accuracy_that_fewer_reach_does_not_look_cheaper(self):
        column = "iterations_to_1e-4"
        self.assertEqual(reached(cells("A", 5, 7, 90), column, figure), "7<br><small>3/3</small>")
        few = reached(cells("A", 5, "iteration_limit", "time_limit"), column, figure)
        self.assertEqual((few, few.value), ("–<br><small>1/3</small>", float("inf")))
        self.assertEqual(reached(cells("A", 5, 7, "iteration_limit"), column, figure), "7<br><small>2/3</small>")
        self.assertEqual(reached(cells("A", 5, "unsupported", "unsupported"), column, figure), "5")
        self.assertEqual(reached(cells("A", 5, 7, restarts="1"), column, figure), "–")

    def test_the_ranking_leaves_out_what_is_not_asked(self):
        rows = cells("A", 5, 7, "unsupported", "unsupported") + cells("B", 6, "iteration_limit", 4, "unsupported")
        rows += cells("peer", 2, 3, "unsupported", "unsupported", restarts="1")
        made = ranking.ranking_table("ncp", rows)
        self.assertIn("3 problems, 1 more that no solver takes.", made)
        self.assertIn("<td class=n data-v=\"-2\">2/3</td>", made.replace(' class="n best"', " class=n"))
        self.assertIn("2/2", made)
        self.assertIn("2.5 <small>runs</small>", made)
        self.assertIn("it solved 2 of 2 problems (it takes 2 of 3), as did 2 others", ranking.answer("ncp", rows))


class Report(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.place = Path(self.scratch.name)
        self.folder = self.place / "stack"
        self.out = self.place / "page.html"
        self.chart = {}
        if not HAS_CHART:  # what the page says without its plots needs no library
            (self.place / "chart.js").write_text("/* none */")
            self.chart = {"CCPBENCH_CHART_JS": str(self.place / "chart.js")}

    def make(self, reason="", title=None, **options):
        make_result_folder(self.folder, **options)
        summary = self.folder / "summary.csv"
        with summary.open(newline="") as file:
            rows = list(csv.DictReader(file))
        for k, row in enumerate(rows):
            row.update(status=STATUS[row["label"]], reason=reason if row["label"] == "IPM $x" else "", iterations=7 + k,
                       setup_s=0.0005, solve_s=0.002, **{"time_to_1e-2": 0.001, "iterations_to_1e-2": 5})
        self.write_rows(rows)
        if title:
            manifest = json.loads((self.folder / "manifest.json").read_text())
            manifest["config"]["title"] = title
            (self.folder / "manifest.json").write_text(json.dumps(manifest))

    def write_rows(self, rows, folder=None):
        with ((folder or self.folder) / "summary.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    def make_sweep(self, name="stack"):
        """Two swept parameters, 3 × 2 cells, iterations 10 … 60."""
        config = {"name": "sweep", "sweep": {"/solvers/0/parameters/rho": [0.1, 1, 10], "/solvers/0/parameters/mu": [1, 2]}}
        folder = self.place / name
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps({"config": config}))
        rows = []
        for k in range(6):
            parameters = {"rho": 10.0 ** (k % 3 - 1), "mu": 1 + k // 3}
            cell = folder / "cells" / f"{k:016x}"
            cell.mkdir(parents=True)
            write_record(cell, {"solver": {"parameters": parameters}})
            rows.append({"problem": "p", "model": "ccp", "label": f"ADMM (rho={parameters['rho']}, mu={parameters['mu']})",
                         "hash": cell.name, "status": "solved" if k else "time_limit", "iterations": 10 * (k + 1)})
        self.write_rows(rows, folder)

    def run_script(self, *arguments, text=None, **environment):
        return subprocess.run([sys.executable, "-B", SCRIPT, "--out", self.out, *arguments], input=text, capture_output=True, text=True,
                              timeout=60, env={**os.environ, **self.chart, **environment})

    def page(self, *arguments, **options):
        result = self.run_script(*(arguments or (self.folder,)), **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.out.read_text(encoding="utf-8")

    def data(self, page):
        return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))

    def test_says_what_ran_and_what_failed(self):
        self.make(reason="no such cone")
        page = self.page()
        for words in ("A made-up stack", "ADMM balanced", "iteration limit", "no such cone", "Time to accuracy", "1 ms"):
            self.assertIn(words, page)
        self.assertRegex(page, r">7</td><td [^>]*>2.5 ms</td>")  # setup and iterations
        curves = self.data(page)[0]["groups"][0]["curves"]
        self.assertEqual([c["label"] for c in curves], ["ADMM balanced", "Jacobi", "NSGS"])
        self.assertEqual(curves[0]["columns"]["iteration"], list(range(23)))

    def ranking(self, rows):
        """(page, rows of its first table as texts of their cells, rows of that table as HTML)"""
        self.make()
        self.write_rows([{"hash": f"{k:016x}", "model": "ncp", "setup_s": 0, "reason": "", "relative_residual": 1e-9, **row}
                         for k, row in enumerate(rows)])
        page = self.page()
        made = re.findall(r"<tr>(<th scope=\"row\">.*?)</tr>", page[page.index("Which solver"):page.index("</table>")], re.S)
        return page, [re.findall(r">([^<>]+?)\s*<", row) for row in made], made

    def test_the_first_table_ranks_by_what_is_solved_and_then_by_time(self):
        page, texts, made = self.ranking([
            {"problem": p, "label": label, "status": status, "iterations": 10, "solve_s": time}
            for label, cells in (("few", ("solved 0.001", "time_limit 9", "time_limit 9")),
                                 ("slow", ("solved 0.002", "solved 0.4", "solved 0.4")),
                                 ("quick", ("solved 0.004", "solved 0.1", "solved 0.1")),
                                 ("picky", ("unsupported 0", "solved 0.2", "solved 0.2")))
            for p, cell in zip("abc", cells) for status, time in (cell.split(),)])
        self.assertEqual([row[0] for row in texts], ["quick", "slow", "picky", "few"])
        self.assertEqual([row[2] for row in texts], ["3/3", "3/3", "2/2", "1/3"])  # what is unsupported is in no denominator
        self.assertEqual([row[3] for row in texts], ["1.59", "3.17", "2", "1"])  # (4·1·1)^⅓, (2·4·4)^⅓, 2, 1
        self.assertIn("<b>quick</b> comes first on the Coulomb model: it solved 3 of 3 problems, as did 1 other, in 1.59 times", page)
        self.assertIn("<li><b>2</b>not solved</li><li><b>1</b>unsupported</li>", page)
        best = [re.findall(r'class="n best"[^>]*>([^<]*)', row) for row in made]
        self.assertEqual(best[0][:2], ["3/3", "1.59"])  # the least of those that solve most, so not the 1 of "few"
        self.assertEqual(best[3], [])
        self.assertIn(">of 1</small>", made[3])  # a median over one problem says so

    def test_times_to_accuracy_leave_out_what_a_solver_does_not_support(self):
        page, _, _ = self.ranking([{"problem": p, "label": label, "status": status, "iterations": 1, "solve_s": 1, "time_to_1e-2": time}
                                   for label, cells in (("A", (("solved", 0.1), ("solved", 0.3))), ("B", (("unsupported", ""), ("solved", 0.2))))
                                   for p, (status, time) in zip("ab", cells)])
        table = page[page.index("Solver time to accuracy"):]
        table = table[:table.index("</table>")]
        self.assertIn("200 ms", table)
        self.assertNotIn("1/2", table)
        self.assertEqual(re.findall(r"<td class=\"?n(?: best)?\"?", table), ['<td class="n best"', "<td class=n"])

    def test_limits_carry_a_reason_and_unsupported_cells_stand_apart(self):
        common = {"problem": "a", "solve_s": 1, "iterations": 700}
        page, _, _ = self.ranking([{**common, "label": "L", "status": "iteration_limit", "relative_residual": 3e-6},
                                   {**common, "label": "T", "status": "time_limit", "reason": "slow <disk>", "relative_residual": 1e-2},
                                   {**common, "label": "U", "status": "unsupported", "reason": "takes no beams"}])
        self.assertIn("all 700 iterations used; relative velocity residual 300 times the tolerance", page)
        self.assertIn("slow &lt;disk&gt;; time used up; relative velocity residual 1.0·10<sup>6</sup> times the tolerance", page)
        failed = page[page.index("<h3>Not solved"):page.index("Unsupported: never run")]
        self.assertNotIn("takes no beams", failed)
        self.assertIn("takes no beams", page[page.index("Unsupported: never run"):])

    def test_groups_by_school_where_there_are_several(self):
        self.make()
        self.assertNotIn(">school<", self.page())
        with (self.folder / "summary.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        peers = {"NSGS": "siconos/nsgs", "ADMM balanced": "siconos/admm"}
        self.write_rows([{**row, "solver": peers.get(row["label"], "own"), "time_to_1e-2": 0.004 if row["label"] == "NSGS" else 0.008} for row in rows])
        manifest = json.loads((self.folder / "manifest.json").read_text())
        manifest["peers"] = {name: {"version": "siconos 4.5.0", "school": "nonsmooth dynamics"} for name in peers.values()}
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        page = self.page()
        self.assertIn("Schools, convex model", page)
        self.assertRegex(page, r'<th scope="row">nonsmooth dynamics</th><td class="?n[^>]*>4 ms</td>')  # the quicker of the two
        self.assertRegex(page, r'<th scope="row">ours</th><td class="?n[^>]*>8 ms</td>')
        named = {("ADMM balanced", "nonsmooth dynamics"), ("NSGS", "nonsmooth dynamics"), ("Jacobi", "ours"), ("IPM $x", "ours")}
        for caption, place in (("Which solver", r'<th scope="row">([^<]*)</th>(?:(?!</tr>).)*<td>([^<]*)</td></tr>'),  # the last column: rank and solved come first
                               ("Solver time to accuracy", r'<th scope="row">([^<]*)</th><td>([^<]*)</td>')):
            shown = page[page.index(caption):]
            self.assertEqual(set(re.findall(place, shown[:shown.index("</table>")])), named)

    def test_thins_long_curves_and_keeps_their_ends(self):
        self.make()
        trace = self.folder / "cells" / f"{2:016x}" / "trace.csv"
        trace.write_text("iteration,relative_residual\n" + "".join(f"{k},{1 / (k + 1)}\n" for k in range(50000)) + "50000,")
        jacobi = self.data(self.page())[0]["groups"][0]["curves"][1]["columns"]["iteration"]
        self.assertLessEqual(len(jacobi), 400)
        self.assertEqual((jacobi[0], jacobi[-1]), (0, 50000))

    def test_thinning_keeps_what_stands_out_and_says_what_it_left_out(self):
        self.make()
        values = [0.1] * 20000
        values[12345], values[12346] = 7e5, 3e-9
        trace = self.folder / "cells" / f"{2:016x}" / "trace.csv"
        trace.write_text("iteration,relative_residual\n" + "".join(f"{k},{v}\n" for k, v in enumerate(values)))
        page = self.page()
        curves = self.data(page)[0]["groups"][0]["curves"]
        shown = curves[1]["columns"]["relative_residual"]
        self.assertEqual((max(shown), min(shown)), (7e5, 3e-9))
        kept = sum(len(c["columns"]["iteration"]) for c in curves)
        self.assertIn(f"{20000 + 23 + 31 - kept} of {20000 + 23 + 31} points left out", page)

    def test_thousands_of_cells_stay_usable_and_the_cuts_are_said(self):
        self.make()
        with (self.folder / "summary.csv").open(newline="") as file:
            row = list(csv.DictReader(file))[1]
        self.write_rows([{**row, "problem": f"p{k:04d}"} for k in range(3000)])
        page = self.page()
        self.assertLess(len(page), 12e6)
        self.assertIn("1500 curves left out", page)
        self.assertIn("The first 400 of 3000; summary.csv has all.", page)
        self.assertEqual(len(self.data(page)[0]["groups"]), 1500)

    def test_profiles_and_warnings(self):
        self.make()
        path = self.folder / "manifest.json"
        manifest = json.loads(path.read_text())
        path.write_text(json.dumps({**manifest, "complete": False, "warnings": ["the machine is <busy>"]}))
        page = self.page(self.folder, "--analysis", text=json.dumps([{"profiles": profiles("ADMM balanced", "Jacobi")}]))
        self.assertIn("<li>not complete: cells are missing</li><li>the machine is &lt;busy&gt;</li>", page)
        self.assertIn("6 problems of the convex model. ", page)
        self.assertIn("All 32 solver settings of the convex model are compared; 2 are drawn, those that solve most.", page)
        self.assertIn("20 ms <small>10 ms – 40 ms</small>", page)
        number = numbers(list(STATUS))  # that of every figure of the folder
        lines = self.data(page)[0]["profiles"][0]["lines"]
        self.assertEqual([line["number"] for line in lines], [number["ADMM balanced"], number["Jacobi"]])
        unsolved = profiles("ADMM balanced", model="ncp")
        unsolved[0]["means"][0]["solved"] = 0
        page = self.page(self.folder, "--analysis", text=json.dumps([{"profiles": profiles("ADMM balanced") + unsolved}]))
        self.assertIn("6 problems of the convex model, 6 problems of the Coulomb model. ", page)
        table = page[page.index("Means at accuracy 10⁻⁴, Coulomb model"):]
        self.assertIn("0/6", table[:table.index("</table>")])  # a solver that solves nothing is not left out
        self.assertNotIn("20 ms", table[:table.index("</table>")])
        refused = self.run_script(self.folder, "--analysis", text="[]")
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))
        self.assertIn("no list of 1 objects", refused.stderr)

    def test_needs_nothing_outside_the_page(self):
        self.make()
        page = re.sub(r"<script>.*?</script>", "", self.page(), flags=re.S)
        self.assertIsNone(re.search(r'(?:src|href)="(?!#|data:)', page))
        self.assertIn("default-src 'none'", page)

    def test_escapes_what_comes_from_files(self):
        self.make(reason=HOSTILE, title=HOSTILE, problems=(HOSTILE,))
        analysis = [{"claims": [{"id": HOSTILE, "says": HOSTILE, "where": HOSTILE, "bound": "< 2", "measured": "1", "verdict": "met",
                                 "set_afterwards": True},
                                {"id": "missed", "bound": "< 2", "measured": "3", "verdict": "not met", "see": f"page#{HOSTILE}"}],
                     "profiles": profiles(HOSTILE)}]
        page = self.page(self.folder, "--analysis", text=json.dumps(analysis))
        self.assertNotIn(HOSTILE, page)
        self.assertNotIn("<b onclick", page)
        self.assertIn("&lt;b onclick=x&gt;&amp;&quot;", page)
        self.assertIn("1 of 2 claims met", page)
        self.assertEqual(page.count("<small>set afterwards</small>"), 1)
        self.assertRegex(page, r"<small>see page#[^<]*&lt;b onclick")
        self.assertIn(HOSTILE, self.data(page)[0]["groups"][0]["name"])

    def test_maps_of_pairs_say_that_they_have_medians(self):
        said = "A number is the median over what else is swept."
        make_divergences(self.folder)
        self.assertNotIn(said, self.page())  # the config asks for its own maps
        manifest = json.loads((self.folder / "manifest.json").read_text())
        del manifest["config"]["plots"]
        (self.folder / "manifest.json").write_text(json.dumps(manifest))
        page = self.page()
        self.assertIn(said, page)
        self.assertIn("epsilon, m ↓ delta →", page)

    def test_sweeps_have_maps_and_lines(self):
        self.make_sweep()
        page = self.page()
        map_html = re.search(r'<table class="heat".*?</table>', page, re.S).group(0)
        numbers = re.findall(r'">(\d+|✗)</td>', map_html)
        self.assertEqual(numbers, ["✗", "20", "30", "40", "50", "60"])  # what an unsolved cell cost is no result
        self.assertIn("mu ↓ rho (1/kg) →", map_html)
        figures = self.data(page)[0]["sweeps"]
        self.assertEqual([f["x"] for f in figures], ["rho", "mu"])
        lines = {line["label"]: line["points"] for line in figures[0]["metrics"][0]["lines"]}
        self.assertEqual(lines["mu 2"], [[0.1, 40], [1, 50], [10, 60]])
        shares = {line["label"]: line.get("share") for line in figures[1]["metrics"][0]["lines"]}
        self.assertEqual(shares, {"rho 0.1": 0, "rho 1": 0.5, "rho 10": 1})  # in order of the number, for colours in order
        self.assertEqual([line.get("share") for line in figures[0]["metrics"][0]["lines"]], [None, None])  # two are no order

    def maps(self, page):
        """{title: lists of the texts of the rows of its map}, and where nothing is unsolved {title: [(row, column)]}."""
        texts, free = {}, {}
        for title, table in re.findall(r'<h4>([^<]*)</h4><div class="maps"><div>.*?(<table class="heat".*?</table>)</div>', page, re.S):
            rows = [re.findall(r"<t[hd]([^>]*)>([^<]*)</t[hd]>", row) for row in table.split("<tr>")[1:]]
            texts[title] = [[text for _, text in row] for row in rows]
            free[title] = [(row[0][1], rows[0][k][1]) for row in rows for k, (classes, _) in enumerate(row) if "class=free" in classes]
        return texts, free

    def test_maps_are_those_that_the_config_asks_for(self):
        make_divergences(self.folder)
        page = self.page()
        texts, free = self.maps(page)
        self.assertEqual(list(texts), [f"PQN: p ({body}), Coulomb model" for body in ("rigid", "soft")])  # none of NSGS, which has no δ
        for title, rows in texts.items():
            self.assertEqual(rows, [["epsilon, m ↓ delta →", "0", "0.001", "0.1"], ["0.001, 1000", "7", "0", "7"], ["0.25, 1000", "14", "0", "14"],
                                    ["0.001, 5", "21", "3", "21"]])
            self.assertEqual(free[title], [("0.001, 1000", "0.001"), ("0.25, 1000", "0.001")])
        self.assertEqual(page.count('<table class="heat"'), 2)  # of pairs of single values there is none
        self.assertEqual(page.count('<td class=free style="background:#d5e8f7;color:#000">0</td>'), 4)
        self.assertEqual(page.count("0 in 2 of 9 cells; at no delta in every row."), 2)
        self.assertIn("from green (few) to violet (many). A framed 0 on light blue: no step was left unsolved.</p>", page)

    def test_zipped_values_make_lines_of_their_own(self):
        make_divergences(self.folder)
        figures = {f["x"]: f["metrics"][0]["lines"] for f in self.data(self.page())[0]["sweeps"]}
        said = {line["label"] for line in figures["delta"]}
        self.assertEqual(said, {f"kind {body}, epsilon {pair}" for body in ("rigid", "soft") for pair in ("0.001, m 1000", "0.25, m 1000", "0.001, m 5")})
        for lines in figures.values():  # none goes up and down at one place
            for line in lines:
                self.assertEqual(len({x for x, _ in line["points"]}), len(line["points"]), line)

    def test_a_strip_without_unsolved_steps_is_said(self):
        make_divergences(self.folder)
        summary = self.folder / "summary.csv"
        summary.write_text(summary.read_text().replace("iteration_limit,100,0.1,3\n", "solved,100,0.1,0\n"))
        self.assertEqual(self.page().count("0 in 3 of 9 cells; at delta 0.001 in every row."), 2)

    def test_maps_show_what_is_missing_and_each_page_is_the_same(self):
        make_divergences(self.folder, left_out=(1, 2), lost=(5,))
        page = self.page(PYTHONHASHSEED="1")
        texts, free = self.maps(page)
        self.assertEqual([row[1:] for row in texts["PQN: p (rigid), Coulomb model"][1:]], [["·", "0", "7"], ["·", "–", "14"], ["21", "3", "21"]])
        self.assertEqual(free["PQN: p (rigid), Coulomb model"], [("0.001, 1000", "0.001")])
        self.assertIn("Hatched: no value. Dot: no cell.</p>", page)
        self.assertIn('<td class="lost" title="no value">–</td>', page)
        self.assertEqual(page, self.page(PYTHONHASHSEED="2"))

    def test_bad_input_is_one_line_and_leaves_an_older_page(self):
        self.make()
        self.out.write_text("older")
        (self.place / "empty").mkdir()
        cases = (((self.place / "nowhere",), "nowhere: no such folder"), ((self.place / "empty",), "manifest.json: no such file"),
                 ((self.folder, self.place / "empty"), "manifest.json: no such file"))
        for arguments, pattern in cases:
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, f"^ccpbench: error: .*{pattern}.*\n$")
        self.assertIn("libjs-chart.js", self.run_script(self.folder, CCPBENCH_CHART_JS="/nowhere").stderr)
        summary = self.folder / "summary.csv"
        summary.write_text(summary.read_text().replace(f"{1:016x}", "../../etc"))
        self.assertRegex(self.run_script(self.folder).stderr, "line 2: '../../etc' is no name of a cell")
        self.assertEqual(self.out.read_text(), "older")
        self.assertEqual(sorted(p.name for p in self.place.glob(".page*")), [])

    def browse(self, script="", size="1280,9000"):
        """The page after its scripts and this one have run, and what they said on the console."""
        page = self.out.read_text(encoding="utf-8")
        self.out.write_text(page.replace("</body>", f"<script>addEventListener('load', () => {{{script}}})</script></body>"), encoding="utf-8")
        result = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", f"--user-data-dir={self.place / 'profile'}", "--enable-logging=stderr",
             f"--window-size={size}", "--virtual-time-budget=3000", "--dump-dom", self.out.as_uri()],
            capture_output=True, text=True, timeout=120)
        return result.stdout, [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    @unittest.skipUnless(CHROMIUM and HAS_CHART, "chromium or libjs-chart.js is not installed")
    def test_tables_sort_and_figures_are_saved_as_svg(self):
        self.make(title=HOSTILE)
        self.page()
        dom, console = self.browse("""
            document.querySelectorAll('.ranked thead button')[5].click();
            const text = document.createElement('pre'); text.id = 'saved'; text.textContent = document.querySelector('[data-plot]').svg();
            document.body.append(text);""")
        self.assertEqual(console, [])
        table = dom[dom.index("ranked"):]
        table = table[:table.index("</table>")]
        self.assertIn('aria-sort="ascending"', table)
        svg = html.unescape(re.search(r'<pre id="saved">(.*?)</pre>', dom, re.S).group(1))
        said = ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
        self.assertLessEqual({"Jacobi · iteration limit", "iteration", "relative velocity residual", "10−9"}, set(said))

    @unittest.skipUnless(CHROMIUM and HAS_CHART, "chromium or libjs-chart.js is not installed")
    def test_a_column_sorts_by_its_numbers_and_both_ways(self):
        rows = [{"problem": "a", "label": label, "status": "solved", "iterations": n, "solve_s": 1e-3 * n, "model": "ncp"}
                for label, n in (("A", 900), ("B", 20), ("C", 1000))]
        self.ranking(rows)
        names = "[...document.querySelectorAll('.ranked tbody th')].map((cell) => cell.textContent).join('')"
        dom, _ = self.browse(f"""
            const button = document.querySelectorAll('.ranked thead button')[5]; let said = '';
            for (let k = 0; k < 2; ++k) {{{{ button.click(); said += {names} + ' '; }}}}
            document.title = said;""".replace("{{", "{").replace("}}", "}"))
        self.assertIn("<title>BAC CAB </title>", dom)

    @unittest.skipUnless(CHROMIUM and HAS_CHART, "chromium or libjs-chart.js is not installed")
    def test_a_narrow_screen_says_what_lies_beyond_its_edge(self):
        self.make()
        self.page()
        narrow = self.browse("const r = document.querySelector('.scroll'), cue = document.querySelector('.cue'), wide = cue.hidden;"
                             "r.style.width = '150px'; r.dispatchEvent(new Event('scroll')); let said = wide + ' ' + cue.hidden + cue.textContent;"
                             "r.scrollLeft = 9999; r.dispatchEvent(new Event('scroll')); document.title = said + cue.textContent;")[0]
        self.assertRegex(narrow, r"<title>true false\d more columns →← scroll back</title>")

    @unittest.skipUnless(CHROMIUM and HAS_CHART, "chromium or libjs-chart.js is not installed")
    def test_a_browser_draws_it_without_a_word_on_the_console(self):
        self.make(reason=HOSTILE, title=HOSTILE, problems=("stack", HOSTILE))
        self.make_sweep("sweep")
        self.page(self.folder, self.place / "sweep", "--analysis", text=json.dumps([{"profiles": profiles("ADMM balanced", "NSGS")}, {}]))
        dom, console = self.browse()
        self.assertEqual(console, [])
        self.assertIn('aria-label="Line plot of relative velocity residual against iteration: ADMM balanced, Jacobi, NSGS.', dom)
        self.assertIn('aria-label="Line plot of fraction of the problems against ratio: ADMM balanced, NSGS.', dom)
        self.assertIn('aria-label="Line plot of iterations against rho: mu 1, mu 2.', dom)
        self.assertEqual(dom.count('aria-pressed="true"'), 3 + 2 + 2 + 3)  # curves, profile, lines against rho and mu
        self.assertNotIn("<title>stolen", dom)


if __name__ == "__main__":
    unittest.main()
