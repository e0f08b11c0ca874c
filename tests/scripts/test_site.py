"""Tests of the documentation site: how equations are typeset, how pages are laid out, and the site as scripts/site/build.py builds it.
CCPBENCH_PROGRAM names the program. Without Sphinx, MyST and Furo the site is not built, and CTest reports the test as skipped."""

import html
import os
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import equations
import markdown_pages

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "scripts" / "site"
PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
SKIPPED = 4  # exit code that CTest reports as skipped
sys.path.insert(0, str(SITE))
import build  # noqa: E402
import pages  # noqa: E402
import reference  # noqa: E402
import typeset  # noqa: E402


MATHEMATICS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "lib/docs").glob("*.md"))
SCENES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "problems/docs").glob("*.md"))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def bare(markup):
    """The text of HTML, and of equations, without what typesetting adds and takes away."""
    return re.sub(r"[\s_^{}()]", "", html.unescape(re.sub(r"<[^>]*>", "", markup)))


class Typesetting(unittest.TestCase):
    def test_letters_and_scripts(self):
        for source, made in (
                ("u_i", "<i>u</i><sub><i>i</i></sub>"), ("N_sym γ", "<i>N</i><sub>sym</sub> <i>γ</i>"), ("y^{k+1}", "<i>y</i><sup><i>k</i>+1</sup>"),
                ("Dᵀ H⁻¹", "<i>D</i><sup>⊤</sup> <i>H</i><sup>−1</sup>"), ("A₁₂", "<i>A</i><sub>12</sub>"), ("k' = 1e-4", "<i>k</i>′ = 1e-4"),
                ("u_T^j", '<i>u</i><span class="scripts"><sup><i>j</i></sup><sub><i>T</i></sub></span>'), ("K*", "<i>K</i><sup>∗</sup>"),
                ("√(2 + x) y", '√<span class="root">2 + <i>x</i></span> <i>y</i>'), ("(H)^½", "(<i>H</i>)<sup>½</sup>"), ("Nd", "<i>N</i><i>d</i>"),
                ("max_i rows(i)", "max<sub><i>i</i></sub> rows(<i>i</i>)"), ("natural_map <= 1", "<code>natural_map</code> ≤ 1"),
                ("Γ = `p < q`", "Γ = <code>p &lt; q</code>"), ("Siconos' error", "Siconos' error"), ("x_n, y", "<i>x</i><sub><i>n</i></sub>, <i>y</i>"),
                ("a point a_i", "a point <i>a</i><sub><i>i</i></sub>")):
            self.assertEqual(typeset.formula(source), made)

    def test_sentences(self):
        self.assertEqual(typeset.pieces("the N_ii of (D.12) and 10^n kg"),
                         [("the N", ("ii", "", "")), (" of (D.12) and 10", ("", "n", "")), (" kg", ("", "", ""))])
        self.assertEqual(typeset.pieces("a file lift_factor, x^"), [("a file lift_factor, x^", ("", "", ""))])
        self.assertEqual(typeset.pieces("N_ii⁻¹C_i")[1][0], "C")

    def test_columns_stay_below_each_other(self):
        made = typeset.block("    A = [ a   b ]      (A.1)  name\n        [ c   d ]\n")
        self.assertEqual(made.count('class="row"'), 2)
        self.assertIn('id="eq-A.1"', made)
        first, second = (re.findall(r"min-width:([\d.]+)em", row) for row in made.split('class="row"')[1:])
        self.assertEqual((float(first[0]), sum(map(float, first))), (float(second[0]), sum(map(float, second))))
        self.assertEqual(typeset.block("    x = 1,   y = 2\n").count('class="gap"'), 1)

    def test_drawings_are_no_equations(self):
        self.assertTrue(typeset.is_mathematics("    H   diag(m I, J)\n    k   M v\n"))
        self.assertTrue(typeset.is_mathematics("  x = [ a ]   (A.1)"))
        for drawing in ("    ( )  20\n", "    |     |\n", "   ____o__\n", "x = y\n", "ccpbench run\n"):
            self.assertFalse(typeset.is_mathematics(drawing), drawing)

    def test_nothing_of_an_equation_is_lost(self):
        raised = str.maketrans({**typeset.RAISED, **typeset.LOWERED, "*": "∗", "'": "′", "`": None, "-": "−"})
        seen = 0
        for page in MATHEMATICS + SCENES:
            for _, block in markdown_pages.blocks(text_of(page)):
                if not typeset.is_mathematics(block):
                    continue
                for line, row in zip(block.rstrip("\n").split("\n"), typeset.block(block).split('<div class="row"')[1:]):
                    row = row.split(">", 1)[1]
                    want = line.replace("<=", "≤").replace(">=", "≥").translate(raised)
                    # Scripts may change places, b'_i to b_i', so the letters are compared without their order.
                    self.assertEqual(sorted(bare(want)), sorted(bare(row).translate(raised)), line)
                    seen += 1
        self.assertGreater(seen, 150)


class Layout(unittest.TestCase):
    def test_links_fit_the_new_places(self):
        needed = set()
        made = pages.relinked(ROOT, PurePosixPath("apps/ccpbench/docs/claims.md"),
                              "[a](../../../lib/docs/k_certified.md#problems-without-a-solution) [b](times.md) [c](#top) [d](https://a.org/b) ![e](../../../results/pictures/test1a.png)\n"
                              "```\n[f](nowhere)\n```\n", needed)
        self.assertEqual(made, "[a](../mathematics/k_certified.md#problems-without-a-solution) [b](times.md) [c](claims.md#top) [d](https://a.org/b) ![e](../results/pictures/test1a.png)\n"
                               "```\n[f](nowhere)\n```\n")
        self.assertEqual(needed, {PurePosixPath("results/pictures/test1a.png")})

    def test_a_link_that_leads_nowhere_is_an_error(self):
        for link in ("nowhere.md", "../times.md", "tests/fuzz", "lib/core"):
            with self.assertRaisesRegex(pages.SiteError, r"^README.md: links to"):
                pages.relinked(ROOT, PurePosixPath("README.md"), f"[a]({link})", set())

    def test_every_page_has_a_place_in_the_contents(self):
        named = {str(page) for _, group in pages.contents(ROOT) for page in group} | {"index.md", "guide/index.md", *pages.BEHIND}
        for readme in ("lib/README.md", "problems/README.md", "results/README.md"):
            named |= {str(pages.place(page)) for page in pages.listed_pages(ROOT, PurePosixPath(readme))}
        self.assertEqual({str(pages.place(page)) for page in pages.sources(ROOT)}, named)

    def test_comments_of_configs_are_left_out(self):
        self.assertEqual(reference.config_of('{ // a "b"\n "c": "http://d // \\" e", // f\n "g": 1 }'), {"c": 'http://d // " e', "g": 1})

    def test_what_a_field_takes(self):
        bounds = {"min": 0.0, "max": None, "min_excluded": True, "max_excluded": False}
        self.assertEqual(reference.allowed({"type": "number", "range": bounds, "unit": "kg"}), "number \\> 0, kg")
        self.assertEqual(reference.allowed({"type": "integer", "range": {**bounds, "max": 3.0}}), "whole number in (0, 3\\]")
        self.assertEqual(reference.allowed({"type": "choice", "choices": ["a", "b"]}), "`a`, `b`")


class Reader(HTMLParser):
    """What a page links to and loads, its ids, and its text outside of code."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.ids, self.code, self.prose = [], [], [], 0, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if "id" in named:
            self.ids.append(named["id"])
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        if tag in ("img", "script", "link") and (named.get("src") or named.get("href")):
            self.loads.append(named.get("src") or named.get("href"))
        self.code += tag in ("pre", "code", "script", "style")

    def handle_endtag(self, tag):
        self.code -= tag in ("pre", "code", "script", "style")

    def handle_data(self, data):
        if not self.code:
            self.prose.append(data)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.out = Path(cls.scratch.name) / "site"
        made = subprocess.run([sys.executable, "-B", SITE / "build.py", "--program", PROGRAM, "--out", cls.out],
                              capture_output=True, text=True, timeout=800)
        assert made.returncode == 0, made.stderr
        cls.told = made.stdout
        cls.pages = {path.relative_to(cls.out).as_posix(): Reader(path.read_text(encoding="utf-8")) for path in cls.out.rglob("*.html")}

    def test_pages(self):
        self.assertEqual(self.told, f"site: {self.out}/index.html\n")
        listed = {kind: reference.Program(PROGRAM).listed(kind) for kind in ("solvers", "scenes", "configs")}
        want = {f"reference/{kind}/{thing['name']}.html" for kind, things in listed.items() for thing in things if "/" not in thing["name"]}
        self.assertGreater(len(want), 80)
        want |= {f"guide/{page.stem}.html" for page in (ROOT / pages.GUIDE).glob("[a-z]*.md")}
        want |= {f"mathematics/{Path(page).stem}.html" for page in MATHEMATICS} | {f"scenes/{Path(page).stem}.html" for page in SCENES}
        want |= {"index.html", "mathematics/index.html", "scenes/index.html", "search.html"}
        self.assertEqual(want - set(self.pages), set())

    def test_links_lead_somewhere_and_nothing_comes_from_elsewhere(self):
        for name, page in self.pages.items():
            for target in page.links + page.loads:
                parts = urlsplit(target)
                if parts.scheme or parts.netloc:
                    self.assertNotIn(target, page.loads, name)
                    continue
                goal = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path))) if parts.path else name
                self.assertTrue((self.out / goal).is_file(), f"{name}: {target}")
                if parts.fragment and target in page.links and goal in self.pages:
                    self.assertIn(unquote(parts.fragment), self.pages[goal].ids, f"{name}: {target}")

    def test_mathematics_is_typeset(self):
        defined = {page: [number for number, _ in equations.definitions(text_of(page))] for page in MATHEMATICS}
        self.assertGreater(sum(map(len, defined.values())), 100)
        for page, numbers in defined.items():
            there = [name for name in self.pages[f"mathematics/{Path(page).stem}.html"].ids if name.startswith("eq-")]
            self.assertEqual(sorted(there), sorted(f"eq-{number}" for number in numbers))
        self.assertIn("../mathematics/k_certified.html#eq-K.1", self.pages["guide/config.html"].links)

    def test_no_markup_is_left(self):
        for name, page in self.pages.items():
            for piece in page.prose:
                self.assertNotRegex(piece, r"\$.*\$|~~~|```|\^\{|(?<![\w`])[A-Za-zγμλρ]_[a-z]\b|\]\(", name)

    def test_the_search_knows_words_of_the_pages(self):
        index = (self.out / "searchindex.js").read_text(encoding="utf-8")
        for word in ("friction", "mehrotra", "snakemak"):
            self.assertIn(word, index.lower())


class Failures(unittest.TestCase):
    def test_a_warning_is_an_error_and_writes_nothing(self):
        with tempfile.TemporaryDirectory() as place:
            staged = Path(place) / "pages"
            pages.write(staged / "index.md", "# A\n\n[b](nowhere.md)\n")
            made = subprocess.run([sys.executable, "-B", "-c", "import sys, build, pages; from pathlib import Path\n"
                                   "try: build.run_sphinx(build.interpreter(), Path(sys.argv[1]), Path(sys.argv[2]))\n"
                                   "except pages.SiteError as error: sys.exit(str(error))", staged, Path(place) / "site"],
                                  capture_output=True, text=True, cwd=SITE, timeout=300)
            self.assertEqual(made.returncode, 1)
            self.assertIn("nowhere.md", made.stderr)

    def test_a_program_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as place:
            made = subprocess.run([sys.executable, "-B", SITE / "build.py", "--program", "/nowhere", "--out", f"{place}/site"],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((made.returncode, made.stderr), (1, "site: /nowhere: No such file or directory\n"))
            self.assertFalse(Path(place, "site").exists())

    def test_a_folder_of_something_else_is_not_replaced(self):
        with tempfile.TemporaryDirectory() as place:
            kept = Path(place, "thesis.tex")
            kept.touch()
            made = subprocess.run([sys.executable, "-B", SITE / "build.py", "--program", PROGRAM, "--out", place],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(made.returncode, 1)
            self.assertIn(f"{place} is there already and is no site", made.stderr)
            self.assertTrue(kept.exists())


if __name__ == "__main__":
    missing = None if PROGRAM else "CCPBENCH_PROGRAM does not name the program"
    try:
        build.interpreter()
    except pages.SiteError as error:
        missing = str(error)
    if missing:
        ran = unittest.main(argv=[sys.argv[0], "Typesetting", "Layout"], exit=False)
        print(f"the site was not built: {missing}")
        sys.exit(SKIPPED if ran.result.wasSuccessful() else 1)
    unittest.main()
