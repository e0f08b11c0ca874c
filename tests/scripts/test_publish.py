"""Tests of `ccpbench publish`: what is copied, ranked and refused, and the pages in headless Chromium where that is installed."""

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
from types import SimpleNamespace

from make_result_folder import write_record

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS / "publish"), str(SCRIPTS / "report")]

from boards import Board, Result, budgets, machine_of, settings  # noqa: E402
from ccpbench_results import _checksum  # noqa: E402

PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
CHROMIUM = shutil.which("chromium")
HOSTILE = '</script><script>document.title="stolen"</script><img src=x onerror="document.title=\'stolen\'"><b onclick=x>&"\''
CONFIG = {"name": "tiny", "title": HOSTILE,
          "problems": [{"scene": "odd_mass_stack", "label": f"{n} spheres {HOSTILE}" if n == 4 else f"{n} spheres",
                        "parameters": {"spheres": n, "heavy_index": 2}} for n in (3, 4)],
          "solvers": [{"solver": "proximal_newton", "label": "N"}, {"solver": "admm", "label": "A"}, {"solver": "jacobi", "label": "J"}],
          "stop": {"tolerance": 1e-6, "max_iterations": 60}}

# Run beside a page in a frame of its own: how wide it is, what scripts it has, and the least contrast of its texts.
LOOK = """
addEventListener('load', () => setTimeout(() => {
  const page = document.getElementById('page').contentDocument, root = page.documentElement;
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const paper = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  let least = 99, texts = 0;
  const walk = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || ['SCRIPT', 'STYLE'].includes(e.tagName) || !e.getClientRects().length) continue;
    const [a, b] = [light(parts(getComputedStyle(e).color)), light(paper(e))].sort((x, y) => y - x);
    least = Math.min(least, (a + 0.05) / (b + 0.05));
    texts += 1;
  }
  const out = document.createElement('pre');
  out.id = 'seen';
  out.textContent = JSON.stringify({ width: root.scrollWidth, window: page.defaultView.innerWidth, least, texts, scripts: page.scripts.length,
    images: page.images.length, sorts: page.querySelectorAll('button.sort').length, title: page.title, paper: getComputedStyle(page.body).backgroundColor,
    theme: page.getElementById('theme').textContent });
  document.body.append(out);
}, 200));
"""


def ccpbench(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def change_cells(folder, change):
    """Changes cell.json of each cell and the CSV files beside it, with right checksums, as a forger would."""
    for cell in sorted(folder.glob("cells/*")):
        record = json.loads((cell / "cell.json").read_text())
        change(cell, record)
        record["files"] = {name: _checksum((cell / name).read_bytes()) for name in record["files"]}
        write_record(cell, record)


class Boards(unittest.TestCase):
    def test_merged_results_of_several_machines_are_in_no_ranking_of_one(self):
        one, other = {"cpu": "A", "cores": 2, "memory_mb": 1024, "blas": "x"}, {"cpu": "B", "cores": 2, "memory_mb": 2048, "blas": "x"}
        machine = lambda manifest: machine_of(SimpleNamespace(study=SimpleNamespace(manifest=manifest)))
        alone, merged = machine({"environment": one}), machine({"environment": one, "machines": [one, other]})
        self.assertEqual(merged.facts, ("A + B", "2", "1 GiB + 2 GiB", "x"))
        self.assertNotEqual(merged.key, alone.key)
        self.assertEqual(alone.facts, ("A", "2", "1 GiB", "x"))

    def board(self, *results):
        """One of two problems; results: (label, tolerance, times to 1e-4)."""
        board = Board("k", "ncp", "relative_residual", False, {"a": "a", "b": "b"})
        for label, tolerance, *times in results:
            rows = {p: {"status": "solved" if t else "time_limit", "time_to_1e-4": str(t or "")} for p, t in zip("ab", times)}
            entry = type("Entry", (), {"id": label, "study": None})
            board.results.append(Result(entry, label, "admm", "ours", {"rho": 1.0}, rows, tolerance))
        return board

    def test_the_share_comes_before_the_time_and_nobody_is_ranked_beyond_the_tolerance(self):
        board = self.board(("few", 1e-4, 1e-4, None), ("slow", 1e-6, 0.5, 0.7), ("quick", 1e-8, 0.1, 0.2), ("coarse", 1e-3, 1e-5, 1e-5))
        standings = board.standings(4)
        self.assertEqual([s.result.label for s in standings], ["quick", "slow", "few"])
        self.assertEqual([s.solved for s in standings], [2, 2, 1])
        self.assertAlmostEqual(standings[0].mean, ((0.1 + 0.01) * (0.2 + 0.01)) ** 0.5 - 0.01)
        self.assertEqual((standings[0].within(0.1), standings[0].within(1.0)), (1, 2))
        self.assertEqual(budgets(standings), [1e-3, 1e-2, 1e-1])
        self.assertEqual(board.accuracies(), [2, 3, 4, 6, 8])
        self.assertEqual([s.result.label for s in board.standings(8)], ["quick"])

    def test_a_problem_that_was_not_run_is_not_solved(self):
        standing = self.board(("A", 1e-4, 0.1)).standings(4)[0]
        self.assertEqual((standing.solved, len(standing.times)), (1, 2))

    def test_settings_of_a_solver_are_told_apart_by_what_both_have(self):
        a, b, c = self.board(("A", 1e-4), ("B", 1e-4), ("C", 1e-4)).results
        b.parameters = {"rho": 1.0, "added_since": True}
        c.parameters = {"rho": 2.0}
        self.assertEqual([[r.label for r in g] for g in settings([a, b, c])], [["A", "B"], ["C"]])


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM names no program")
class Publish(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.results = Path(cls.scratch.name) / "out" / "tiny"
        config = Path(cls.scratch.name) / "tiny.json"
        config.write_text(json.dumps(CONFIG))
        answer = ccpbench("run", config, "--out", cls.results.parent, "--quiet")
        assert answer.returncode == 0, answer.stderr

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)
        self.site = self.place / "site"
        chart = self.place / "chart.js"
        chart.write_text("/* none */")
        os.environ["CCPBENCH_CHART_JS"] = str(chart)
        self.addCleanup(os.environ.pop, "CCPBENCH_CHART_JS")

    def copy(self, name, cpu=None):
        """The results as another folder, made on another machine with an older version."""
        folder = self.place / name
        shutil.copytree(self.results, folder)
        path = folder / "manifest.json"
        manifest = json.loads(path.read_text())
        manifest["environment"]["cpu"] = cpu or manifest["environment"]["cpu"]
        manifest["program"]["version"] = "0.0.9" if cpu else manifest["program"]["version"]
        path.write_text(json.dumps(manifest))
        return folder

    def publish(self, *arguments, site=None, code=0):
        answer = ccpbench("publish", *arguments, "--out", site or self.site)
        self.assertEqual(answer.returncode, code, answer.stderr)
        return answer

    def entries(self, site=None):
        return sorted(((site or self.site) / "results").iterdir())

    def pages(self, site=None):
        site = site or self.site
        return {path.relative_to(site): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}

    def board(self):
        return next(text for path, text in self.pages().items() if path.parts[0] == "sets")

    def test_each_row_leads_to_its_report_config_manifest_and_machine(self):
        self.publish(self.results, "--name", "A. Person", "--notes", "By night.")
        entry, = self.entries()
        self.assertTrue(self.board().count(f'href="../reports/{entry.name}.html"') >= 3)
        for page, text in self.pages().items():
            for link in re.findall(r'href="([^#"][^"]*)"', text):
                if not link.startswith("data:"):
                    path, _, place = link.partition("#")
                    target = (self.site / page).parent / path
                    self.assertTrue(target.is_file(), link)
                    if place:
                        self.assertIn(f'id="{place}"', target.read_text())
        self.assertEqual(json.loads((entry / "config.json").read_text())["solvers"][0]["label"], "N")
        self.assertIn("A. Person", self.board())
        self.assertIn("By night.", (self.site / "index.html").read_text())
        self.assertEqual(ccpbench("compare", self.results, entry).returncode, 0)  # a folder of results like any other

    def test_merging_is_copying(self):
        other = self.copy("other", "Imaginary 9000")
        (other / "about.json").write_text(json.dumps({"name": "B. Person", "notes": "By day."}))
        self.publish(self.results, "--name", "A. Person")
        self.publish(other, site=self.place / "theirs")
        both = self.place / "both"
        self.publish(self.results, "--name", "A. Person", site=both)
        self.publish(other, site=both)
        shutil.copytree(self.place / "theirs" / "results", self.site / "results", dirs_exist_ok=True)
        self.publish()
        self.assertEqual(self.pages(), self.pages(both))
        self.assertEqual(len(self.entries()), 2)
        board = self.board()
        for words in ("A. Person", "B. Person", "0.0.9", "Over machines and versions", "Imaginary 9000"):
            self.assertIn(words, board)
        # Times of two machines are in two rankings, each with its first.
        ranking = board[board.index('id="at-6"'):board.index("Over machines")]
        machines = re.findall(r"On <bdi>([^<]*)</bdi>", ranking)  # sorted by their names, and one is that of this machine
        cores = json.loads((other / "manifest.json").read_text())["environment"]["cores"]
        self.assertEqual((len(machines), machines), (2, sorted(machines)))
        self.assertIn(f"Imaginary 9000, {cores} cores", machines)
        self.assertEqual(len(re.findall(r'<td class="?n"? data-v="1">1</td>', ranking)), 2)

    def test_the_same_results_are_there_once(self):
        self.publish(self.results, "--name", "A")
        self.assertIn("there already", self.publish(self.results, "--name", "A").stdout)
        self.publish(self.results, "--name", "B")
        entry, = self.entries()
        self.assertEqual(json.loads((entry / "entry.json").read_text())["name"], "B")
        self.assertEqual(len(list((self.site / "reports").iterdir())), 1)

    def test_what_others_wrote_is_never_markup(self):
        self.publish(self.copy("other", HOSTILE), "--name", HOSTILE[:100], "--notes", HOSTILE)
        for page, text in self.pages().items():
            self.assertNotIn("<script>document", text, page)
            self.assertNotIn("<img", text, page)
            self.assertNotIn("<b onclick", text, page)
        self.assertIn("&lt;b onclick=x&gt;", (self.site / "index.html").read_text())

    def test_no_file_of_others_but_data_is_kept(self):
        self.publish(self.results)
        foreign = self.site / "reports" / f"{'0' * 16}.html"
        foreign.write_text("<script>alert(1)</script>")
        entry, = self.entries()
        (self.site / "reports" / f"{entry.name}.html").write_text("<script>alert(1)</script>")
        self.publish()
        self.assertFalse(foreign.exists())
        self.assertNotIn("alert", (self.site / "reports" / f"{entry.name}.html").read_text())
        (entry / "page.html").write_text("x")
        answer = self.publish(code=3)
        self.assertIn("page.html: is none of the files of a published result", answer.stderr)
        self.assertIn("0 results, 0 leaderboards", answer.stdout)
        self.assertEqual(list((self.site / "sets").iterdir()), [])

    def test_damage_is_found_and_named(self):
        self.publish(self.results)
        whole, = self.entries()
        trace = next(whole.glob("cells/*/trace.csv")).relative_to(whole)
        entry = json.loads((whole / "entry.json").read_text())
        outside = {**entry, "files": {**entry["files"], "../../index.html": "0"}}

        def link(folder):
            (folder / "summary.csv").unlink()
            (folder / "summary.csv").symlink_to(self.results / "summary.csv")

        def link_a_folder(folder):
            (folder / "more").symlink_to("/")

        for damage, words in ((link_a_folder, "more: is none of the files"), (lambda f: (f / trace).write_text("iteration\n"), "trace.csv: is damaged"),
                              (lambda f: (f / trace).unlink(), "trace.csv: is missing"), (link, "summary.csv: is a link"),
                              (lambda f: (f / "entry.json").write_text(json.dumps(entry)), "entry.json: is damaged"),
                              (lambda f: (f / "entry.json").write_text(json.dumps(outside)), "entry.json: is damaged")):
            folder = self.place / "copy" / "results" / whole.name
            shutil.copytree(whole, folder)
            damage(folder)
            answer = ccpbench("publish", "--verify", self.place / "copy")
            self.assertEqual((answer.returncode, answer.stderr.count("\n")), (2, 1), answer.stderr)
            self.assertIn(words, answer.stderr)
            shutil.rmtree(self.place / "copy")

    def test_verify_runs_cells_again_and_finds_a_forged_trace(self):
        self.publish(self.results)
        answer = ccpbench("publish", "--verify", self.site, "--sample", 4)
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertIn("4 cells again: as published", answer.stdout)
        self.assertIn("no cell ran again", ccpbench("publish", "--verify", self.site, "--sample", 0).stdout)
        forged = self.copy("forged")

        def better(cell, record):
            if record["solver"]["label"] == "J":
                lines = (cell / "trace.csv").read_text().splitlines()
                at = lines[0].split(",").index("relative_residual")
                rows = [line.split(",") for line in lines[1:]]
                text = [lines[0], *(",".join([*row[:at], repr(float(row[at]) / 10), *row[at + 1:]]) for row in rows)]
                (cell / "trace.csv").write_text("\n".join(text) + "\n")

        change_cells(forged, better)
        self.publish(forged, site=self.place / "bad")
        answer = ccpbench("publish", "--verify", self.place / "bad", "--sample", 6)
        self.assertEqual(answer.returncode, 1, answer.stdout + answer.stderr)
        self.assertRegex(answer.stdout, r"6 cells again: different(.|\n)*relative_residual at")

    def test_verify_starts_no_command_of_a_published_config(self):
        mark = self.place / "started"
        (self.place / "mine.py").write_text(f"open('{mark}', 'a').write('x')\n\n\ndef solve(problem, settings, report):\n    return problem.start\n")
        config = {**CONFIG, "solvers": [*CONFIG["solvers"], {"solver": "python:./mine.py"}], "model": "ncp"}
        (self.place / "own.json").write_text(json.dumps(config))
        self.assertEqual(ccpbench("run", self.place / "own.json", "--out", self.place / "own", "--quiet").returncode, 0)
        mark.unlink()
        self.publish(self.place / "own" / "tiny")
        answer = ccpbench("publish", "--verify", self.site, "--sample", 100)
        self.assertIn("6 cells again: as published", answer.stdout, answer.stderr)  # of eight
        self.assertFalse(mark.exists())

    def test_bad_input_is_one_line_and_leaves_no_page(self):
        (self.place / "empty").mkdir()
        running = self.copy("running")
        manifest = json.loads((running / "manifest.json").read_text())
        (running / "manifest.json").write_text(json.dumps({**manifest, "end": None}))
        strange = self.copy("strange")
        (strange / "manifest.json").write_text(json.dumps({**manifest, "environment": ["a list"]}))
        page = self.place / "mine"
        page.mkdir()
        (page / "index.html").write_text("my page")
        for arguments, words in ((("--out", self.site, self.place / "nowhere"), "no such folder"), (("--out", self.site, self.place / "empty"), "manifest.json"),
                                 (("--out", self.site, strange), "not the results of a run"), (("--out", self.site, running), "has not come to its end"), ((self.results,), "expected --out SITE"),
                                 (("--out", page, self.results), "is a page of another program"), (("--verify", self.place / "empty"), "has no folder results"),
                                 (("--verify", self.site, self.results), "expected no RESULTS"), (("--out", self.site, "--name", "A"), "goes with RESULTS"),
                                 (("--out", self.site, self.results, "--name", "A" * 101), "at most 100")):
            answer = ccpbench("publish", *arguments)
            self.assertEqual((answer.returncode, answer.stderr.count("\n")), (2, 1), answer.stderr)
            self.assertIn(words, answer.stderr)
            self.assertFalse(self.site.exists() and [path for path in self.site.rglob("*") if path.is_file()])
        self.assertEqual((page / "index.html").read_text(), "my page")

    def look(self, page, width, dark):
        """What LOOK sees of a page in a window of this width, and what was said on the console."""
        text = html.escape((self.site / page).read_text(encoding="utf-8"), quote=True)
        frame = self.place / "frame.html"
        frame.write_text(f'<meta charset="utf-8"><iframe id="page" width="{width}" height="900" style="border:0" srcdoc="{text}"></iframe><script>{LOOK}</script>')
        result = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", f"--user-data-dir={self.place / 'profile'}", "--enable-logging=stderr", "--window-size=1400,1000",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=3000", "--dump-dom", frame.as_uri()],
            capture_output=True, text=True, timeout=120)
        seen = re.search(r'<pre id="seen">(.*?)</pre>', result.stdout, re.S)
        self.assertIsNotNone(seen, result.stderr)
        return json.loads(html.unescape(seen.group(1))), [line for line in result.stderr.splitlines() if "CONSOLE" in line]

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_shows_the_pages_on_a_phone_and_by_night(self):
        self.publish(self.results, "--name", HOSTILE[:100], "--notes", HOSTILE + "W" * 300)
        self.publish(self.copy("other", HOSTILE))
        board = next((self.site / "sets").iterdir()).relative_to(self.site)
        for page, width, dark in (("index.html", 360, True), (board, 360, False), (board, 1280, True)):
            seen, console = self.look(page, width, dark)
            self.assertEqual(console, [])
            self.assertEqual((seen["window"], seen["scripts"], seen["images"]), (width, 1, 0))
            self.assertLessEqual(seen["width"], width, page)
            self.assertNotEqual(seen["title"], "stolen")
            self.assertGreaterEqual(seen["least"], 4.5, page)
            self.assertGreater(seen["texts"], 20)
            self.assertGreater(seen["sorts"], 5)
            self.assertEqual(seen["theme"], "Light theme" if dark else "Dark theme")
            self.assertEqual(seen["paper"], "rgb(20, 23, 27)" if dark else "rgb(251, 251, 249)")


if __name__ == "__main__":
    unittest.main()
