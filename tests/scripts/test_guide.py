"""The README and the user guide say what the program does: commands, options, solvers, scenes and configs that they name exist, their
configs are valid, their links lead somewhere. CCPBENCH_PROGRAM names the program."""

import csv
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import markdown_pages as pages
import repository_rules as rules

ROOT = Path(__file__).resolve().parents[2]
DOCS = Path("apps/ccpbench/docs")
PROGRAM = os.environ.get("CCPBENCH_PROGRAM")
GUIDE = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / DOCS).glob("*.md"))]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def ask(*arguments, cwd=None):
    answer = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120)
    if answer.returncode:
        raise AssertionError(f"ccpbench {' '.join(arguments)}: {answer.stderr}")
    return answer.stdout


def make_dump(place, name):
    ask("generate", "odd_mass_stack", "--set", "spheres=2", "--set", "heavy_index=1", "--no-solution", "--form", "local", "--out", name,
        cwd=place)


def listed(topic):
    return [row["name"] for row in csv.DictReader(ask("list", topic, "--format", "csv").splitlines())]


def shell_commands(text):
    """What the page shows of the program and of scripts: lists of words, without comments and what is piped on."""
    shown = [line for language, code in pages.blocks(text) if not language for line in code.splitlines()] + pages.spans(text)
    for line in shown:
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        for sign in ("&&", "|", ">"):
            words = words[:words.index(sign)] if sign in words else words
        if words and (words[0] == "ccpbench" or words[0].startswith("scripts/")):
            yield line, words


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        try:
            files = rules.tracked_files(ROOT)
        except (OSError, subprocess.CalledProcessError) as error:
            raise unittest.SkipTest("not a git checkout: nothing says which pages belong to the repository") from error
        found = pages.pages_of(files)
        self.assertIn(DOCS / "README.md", found)
        configs = [f for f in files if f.parent == Path("configs") and f.suffix == ".json"]
        self.assertGreater(len(configs), 40)
        breaches = pages.link_breaches(ROOT, found) + pages.see_breaches(ROOT, configs)
        self.assertFalse(breaches, "\n" + "\n".join(breaches))

    def test_a_link_that_leads_nowhere_is_found(self):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            (root / "lib").mkdir()
            (root / "lib" / "a.md").write_text("# A `b_c`, d\n# Twice\n# Twice\n```\n# none\n```\n", encoding="utf-8")
            for link, number in (("lib/a.md", 0), ("lib/a.md#a-b_c-d", 0), ("lib/a.md#twice-1", 0), ("#top", 0), ("lib", 0), ("https://b.org/c", 0),
                                 ("lib/b.md", 1), ("lib/a.md#none", 1), ("#a-b_c-d", 1), ("../..", 1)):
                (root / "README.md").write_text(f"# Top\n[text]({link}) `[code](nowhere)`\n", encoding="utf-8")
                self.assertEqual(len(pages.link_breaches(root, [Path("README.md")])), number, link)
            for text, number in (("$x$", 1), ("`$x`", 0), ("```\n$HOME\n```", 0), ("```math\nx\n```", 1)):
                (root / "README.md").write_text(text + "\n", encoding="utf-8")
                self.assertEqual(len(pages.link_breaches(root, [Path("README.md")])), number, text)

    def test_a_config_that_names_no_page_is_found(self):
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            (root / "a.md").write_text("# Found\n", encoding="utf-8")
            for target, number in (("a.md", 0), ("a.md#found", 0), ("https://b.org/c", 0), ("", 0), ("b.md", 1), ("a.md#lost", 1)):
                (root / "c.json").write_text(f'{{"claims": [{{"see": "{target}"}}]}} // a note\n', encoding="utf-8")
                self.assertEqual(len(pages.see_breaches(root, [Path("c.json")])), number, target)

    def test_every_claim_of_the_configs_states_its_source(self):
        self.assertEqual(pages.sourceless_claims(ROOT, sorted((ROOT / "configs").glob("*.json"))), [])
        with tempfile.TemporaryDirectory() as place:
            for text, number in (('"says": "a", "where": "ours", "says": "b", "where": "P, 1"', 0), ('"says": "a", "says": "b", "where": "ours"', 1)):
                (Path(place) / "c.json").write_text(text, encoding="utf-8")
                self.assertEqual(len(pages.sourceless_claims(Path(place), [Path("c.json")])), number, text)

    def test_the_contents_have_every_chapter_once(self):
        linked = [name for name in re.findall(r"^\d+\. \[.*?\]\((\w+\.md)\)", text_of(DOCS / "README.md"), re.M)]
        self.assertEqual(sorted(linked), sorted(page.name for page in (ROOT / DOCS).glob("[a-z]*.md")))


class Library(unittest.TestCase):
    def test_the_program_of_the_page_is_the_one_that_a_test_builds(self):
        shown = {language: code.splitlines() for language, code in pages.blocks(text_of(DOCS / "library.md"))}
        for language, name in (("cmake", "CMakeLists.txt"), ("cpp", "main.cpp")):
            built = iter(text_of(f"tests/install/consumer/{name}").splitlines())
            self.assertGreater(len(shown[language]), 4)
            self.assertFalse([line for line in shown[language] if line not in built], name)  # all of them, in this order


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM does not name the program")
class Tables(unittest.TestCase):
    def test_solvers(self):
        ours = sorted(name for name in listed("solvers") if "/" not in name)
        rows = pages.table(text_of(DOCS / "solvers.md"), ("name", "models", "method", "source"))
        self.assertEqual(sorted(name for row in rows for name in pages.names(row[0])), ours)
        short = pages.table(text_of("README.md"), ("solvers", "method"))
        self.assertEqual(sorted(name for row in short for name in pages.names(row[0]) if "/" not in name), ours)
        schools = {name.split("/")[0] for name in listed("solvers") if "/" in name}
        self.assertLessEqual(schools, {name.split("/")[0] for row in short for name in pages.names(row[0]) if "/" in name})

    def test_peers(self):
        rows = pages.table(text_of(DOCS / "peers.md"), ("peer", "school", "model", "what", "Debian package"))
        for name in (name for name in listed("solvers") if "/" in name):
            program = [row for row in rows if pages.names(row[0])[0].startswith(name.split("/")[0] + "/")]
            self.assertEqual(len(program), 1, name)

    def test_scenes(self):
        short = pages.table(text_of("README.md"), ("scenes", "what"))
        self.assertEqual(sorted(name for row in short for name in pages.names(row[0])), sorted(listed("scenes")))

    def test_configs(self):
        rows = pages.table(text_of(DOCS / "experiments.md"), ("config", "scene", "what"))
        there = sorted(path.stem for path in (ROOT / "configs").glob("*.json"))
        self.assertEqual(sorted(name for row in rows for name in pages.names(row[0])), there)
        self.assertLessEqual({name for row in rows for name in pages.names(row[1])}, set(listed("scenes")))


@unittest.skipUnless(PROGRAM, "CCPBENCH_PROGRAM does not name the program")
class Examples(unittest.TestCase):
    def test_commands_options_and_files_exist(self):
        commands = set(re.findall(r"^  ([\w-]+)  ", ask("--help").split("Options\n")[0], re.M))
        options = {command: set(re.findall(r"--[a-z-]+", ask(command, "--help"))) for command in commands}
        seen = set()
        for page in GUIDE:
            for line, words in shell_commands(text_of(page)):
                with self.subTest(page=page, line=line):
                    for name in (word for word in words if re.fullmatch(r"(scripts|configs)/[\w./]+", word)):
                        self.assertTrue((ROOT / name).exists(), name)
                    if words[0] == "ccpbench" and len(words) > 1:
                        self.assertIn(words[1], commands)
                        self.assertLessEqual({word.split("=")[0] for word in words if word.startswith("--")}, options[words[1]])
                        seen.add(words[1])
        self.assertEqual(commands - seen, set(), "commands that no page shows")

    def test_the_configs_are_valid(self):
        for page in ("README.md", DOCS / "config.md"):
            with self.subTest(page=page), tempfile.TemporaryDirectory() as place:
                code = next(code for language, code in pages.blocks(text_of(page)) if language == "json")
                (Path(place) / "my-study.json").write_text(code, encoding="utf-8")
                (Path(place) / "dumps").mkdir()
                for name in ("dumps/a.hdf5", "Capsules-1.hdf5"):
                    make_dump(place, name)
                self.assertIn("14 cells", ask("check", "my-study.json", "--fclib", ".", cwd=place))

    def test_the_claims_of_the_examples_are_met(self):
        examples = [code for language, code in pages.blocks(text_of(DOCS / "config.md")) if language == "json"][1:]
        self.assertTrue(examples)
        for code in examples:
            with tempfile.TemporaryDirectory() as place:
                (Path(place) / "example.json").write_text(code, encoding="utf-8")
                for size, cells in (("small", "4 cells"), ("paper", "6 cells")):
                    self.assertIn(cells, ask("check", "example.json", "--size", size, cwd=place))
                    result = ask("run", "example.json", "--size", size, "--out", size, "--quiet", cwd=place).split("results: ")[1].strip()
                    self.assertIn("2 of 2 claims met", ask("claims", result, cwd=place))
                    for key in ("sizes", "limits", "claims", "plots"):
                        self.assertIn(f'"{key}"', code)

    def test_new_writes_a_config(self):
        with tempfile.TemporaryDirectory() as place:
            make_dump(place, "dump.hdf5")  # the line above it in the README makes one, too
            shown = [words for _, words in shell_commands(text_of("README.md")) if words[1:2] == ["new"]]
            self.assertEqual(len(shown), 1)
            ask(*shown[0][1:], cwd=place)
            self.assertIn("cells", ask("check", "my-study.json", cwd=place))

    def test_exit_codes(self):
        codes = re.findall(r"^  (\d+) ", ask("--help").split("Exit codes\n")[1], re.M)
        told = text_of(DOCS / "commands.md").split("## Exit codes")[1].split("##")[0]
        for code in codes:
            self.assertRegex(told, rf"\b{code} ", "commands.md")


if __name__ == "__main__":
    unittest.main()
