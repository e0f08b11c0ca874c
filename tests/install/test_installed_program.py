"""Tests of the installed program, away from its source tree, and of the Debian packages. CCPBENCH_BUILD names the build folder."""

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = os.environ["CCPBENCH_BUILD"]
PYTHON = any(Path(BUILD).glob("apps/python/ccpbench/_core*.so"))  # left out without pybind11
RANKS = Path(BUILD, "apps/ccpbench/ccpbench-ranks").exists()  # left out without MPI and PETSc


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, **options)


class InstalledProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ccpbench installed ")
        cls.addClassCleanup(scratch.cleanup)
        first, cls.prefix = Path(scratch.name) / "first", Path(scratch.name) / "prefix"
        for component in ("program", "peers", *(["python"] if PYTHON else []), *(["ranks"] if RANKS else [])):
            made = run("cmake", "--install", BUILD, "--prefix", first, "--component", component)
            assert made.returncode == 0, made.stderr
        first.rename(cls.prefix)  # nothing may depend on where it was installed
        cls.scripts = cls.prefix / "share" / "ccpbench" / "scripts"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)

    def program(self, *arguments):
        # The scripts are named, so that those of the source tree cannot stand in for one that was forgotten.
        return run(self.prefix / "bin" / "ccpbench", *arguments, cwd=self.place, env={**os.environ, "CCPBENCH_SCRIPTS": str(self.scripts)})

    def test_runs_a_config_by_its_name_and_shows_its_results(self):
        made = self.program("run", "test1a", "--quiet")
        self.assertEqual((made.returncode, made.stdout, made.stderr), (0, "results: results/test1a\n", ""))
        for arguments in (("check", "test1a"), ("plot", "results/test1a", "--format", "svg", "--quiet"), ("report", "results/test1a"), ("publish", "results/test1a", "--out", "site"), ("claims", "results/test1a")):
            made = self.program(*arguments)
            self.assertEqual((made.returncode, made.stderr), (0, ""), arguments)
        self.assertTrue(list((self.place / "results" / "test1a" / "plots").glob("*.svg")))
        self.assertIn("ADMM balanced", (self.place / "report.html").read_text(encoding="utf-8"))
        self.assertTrue((self.place / "site" / "index.html").is_file())
        script = "from ccpbench_results import Results; print(Results('results/test1a').cells()['status'][0])"
        read = run(sys.executable, "-Bc", script, cwd=self.place, env={**os.environ, "PYTHONPATH": str(self.prefix / "lib/python3/dist-packages")})
        self.assertEqual((read.stdout, read.stderr), ("solved\n", ""))

    def test_finds_its_scripts_and_peers_by_itself(self):
        self.assertEqual(self.program("list", "configs").stdout.count(str(self.prefix / "share" / "ccpbench" / "configs")),
                         len(list((self.prefix / "share" / "ccpbench" / "configs").iterdir())))
        marked = self.scripts / "plot.py"
        original = marked.read_bytes()
        self.addCleanup(marked.write_bytes, original)
        marked.write_text("print('installed')\n")
        self.assertEqual(run(self.prefix / "bin" / "ccpbench", "plot", "x", cwd=self.place).stdout, "installed\n")
        for peer in (self.prefix / "libexec" / "ccpbench").glob("ccpbench-peer-*"):
            name = peer.name.removeprefix("ccpbench-peer-")
            method = next(line.split()[0] for line in self.program("list", "solvers").stdout.splitlines() if line.startswith(f"{name}/"))
            peer.rename(peer.with_suffix(".away"))
            self.assertIn("its version here: absent", self.program("list", "solvers", method).stdout)
            peer.with_suffix(".away").rename(peer)
            self.assertNotIn("version here: absent", self.program("list", "solvers", method).stdout)

    @unittest.skipUnless(PYTHON, "the Python package was not built")
    def test_python_has_the_package(self):
        script = ("import ccpbench as cb\nfrom ccpbench import places, results\nprint(places.find_program())\n"
                  "p = cb.Problem.from_scene('odd_mass_stack')\nprint(cb.solve(p).status, cb.rank(p, ['nsgs'])['solver'][0])\n"
                  "cells = cb.run('test1a', size='small').cells()\nprint(cells['status'][0], type(cells) is results.Table)\n")
        environment = {**os.environ, "PYTHONPATH": str(self.prefix / "lib/python3/dist-packages"), "CCPBENCH_PROGRAM": ""}
        ran = run(sys.executable, "-Bc", script, cwd=self.place, env=environment)
        self.assertEqual((ran.stdout, ran.stderr), (f"{self.prefix / 'bin' / 'ccpbench'}\nsolved nsgs\nsolved True\n", ""))
        self.assertTrue((self.prefix / "lib/python3/dist-packages/ccpbench/py.typed").is_file())

    @unittest.skipUnless(RANKS and shutil.which("mpiexec"), "ccpbench-ranks was not built, or mpiexec is missing")
    def test_solves_on_ranks(self):
        made = self.program("solve", "scene:random_contacts:contacts=100", "--solver", "apgd", "--ranks", "2", "--tolerance", "1e-2")
        self.assertEqual((made.returncode, made.stderr), (0, ""), made.stdout)
        self.assertIn("2: ", next(line for line in made.stdout.splitlines() if "exchanges" in line))
        self.assertTrue((self.prefix / "share" / "man" / "man1" / "ccpbench-ranks.1.gz").is_file())

    def test_has_its_manual_page_and_completions(self):
        share = self.prefix / "share"
        with gzip.open(share / "man" / "man1" / "ccpbench.1.gz", "rt", encoding="utf-8") as page:
            self.assertEqual(page.read(), self.program("man").stdout)
        for shell, path in (("bash", "bash-completion/completions/ccpbench"), ("zsh", "zsh/vendor-completions/_ccpbench"),
                            ("fish", "fish/vendor_completions.d/ccpbench.fish")):
            self.assertEqual((share / path).read_text(encoding="utf-8"), self.program("completion", shell).stdout, shell)

    def test_names_that_no_config_has(self):
        made = self.program("run", "tset1a")
        self.assertEqual(made.returncode, 2)
        self.assertEqual(made.stderr, "ccpbench: error: tset1a: is neither a file nor the name of a config (did you mean 'test1a'?)\n")
        (self.place / "test1a").mkdir()  # a folder is no config
        self.assertEqual(self.program("check", "test1a").returncode, 0)
        (self.place / "configs").mkdir()  # the user's own folder comes first
        shutil.copy(self.prefix / "share" / "ccpbench" / "configs" / "test1b.json", self.place / "configs" / "mine.json")
        self.assertEqual(self.program("check", "mine").returncode, 0)
        self.assertEqual(self.program("check", "test1b").returncode, 2)

    def test_the_packages_have_no_errors(self):
        missing = [tool for tool in ("dpkg-shlibdeps", "file", "lintian") if not shutil.which(tool)]
        if missing:
            self.skipTest(f"{missing[0]} is missing")
        made = run("cpack", "-B", self.place, cwd=BUILD)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        packages = sorted(self.place.glob("*.deb"))
        self.assertIn("ccpbench", {package.name.split("_")[0] for package in packages})
        self.assertEqual("python3-ccpbench" in {package.name.split("_")[0] for package in packages}, PYTHON)
        self.assertEqual("ccpbench-ranks" in {package.name.split("_")[0] for package in packages}, RANKS)
        root = self.place / "root"
        for package in packages:
            self.assertEqual(run("dpkg-deb", "-x", package, root).returncode, 0, package)
        if PYTHON:
            script = "import ccpbench as cb; print(cb.rank(cb.Problem.from_scene('odd_mass_stack'), ['nsgs'])['status'][0])"
            ran = run(sys.executable, "-Bc", script, cwd=self.place, env={**os.environ, "PYTHONPATH": str(root / "usr/lib/python3/dist-packages"), "CCPBENCH_PROGRAM": ""})
            self.assertEqual((ran.stdout, ran.stderr), ("iteration_limit\n", ""))
        said = run("lintian", "--no-tag-display-limit", *packages)
        self.assertEqual([line for line in said.stdout.splitlines() if line.startswith("E:")], [])
        self.assertIn(said.returncode, (0, 2), said.stderr)  # 2: it found something


if __name__ == "__main__":
    unittest.main()
