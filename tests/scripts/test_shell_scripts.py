"""Tests of scripts/*.sh: with stand-ins for apt-get, sudo, cmake and the program, so that nothing is installed or built."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from make_result_folder import make_result_folder

ROOT = Path(__file__).resolve().parents[2]
SHELL_SCRIPTS = [*sorted((ROOT / "scripts").glob("*.sh")), ROOT / ".ci" / "run"]

# Answers dpkg-query's question as if all packages but those of $MISSING were installed.
DPKG_QUERY = """for name; do case $name in -*) continue ;; esac
case " $MISSING " in *" $name "*) ;; *) echo "installed $name" ;; esac; done"""
# Configures and builds nothing, but leaves what setup.sh looks at; cmake --build makes nothing.
CMAKE = """case $1 in --build) exit ${BUILD_STATUS:-0} ;; esac
mkdir -p build/$2; touch build/$2/build.ninja
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\\nCCPBENCH_BUILD_TESTS:BOOL=%s\\n' "$PWD" "${3#*=}" >build/$2/CMakeCache.txt"""


class ShellScripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name).resolve() / "a checkout"
        self.bin = Path(scratch.name) / "bin"
        self.log = Path(scratch.name) / "log"
        self.bin.mkdir()
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        for name, body in (("dpkg-query", DPKG_QUERY), ("cmake", CMAKE), ("apt-get", "exit ${APT_STATUS:-0}"),
                           ("sudo", '[ "${SUDO_STATUS:-0}" = 0 ] || exit 1; case $1 in -n | -v) exit 0 ;; esac; exec "$@"'),
                           ("id", "echo ${FAKE_UID:-0}"), ("nproc", "echo 4"), ("ctest", "exit ${CTEST_STATUS:-0}")):
            self.stand_in(name, body)

    def stand_in(self, name, body):
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.log}"\n{body}\n')
        path.chmod(0o755)

    def run_script(self, name, *arguments, **environment):
        self.log.write_text("")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CCPBENCH_")}
        clean.update({"PATH": f"{self.bin}:{os.environ['PATH']}", "MISSING": "", **environment})
        return subprocess.run([self.root / "scripts" / name, *arguments], capture_output=True, text=True, timeout=120,
                              env=clean, cwd=self.bin.parent, stdin=subprocess.DEVNULL)

    def calls(self, tool):
        return [line for line in self.log.read_text().splitlines() if line.split(" ")[0] == tool]

    def assert_one_line(self, text, pattern):
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertRegex(text, pattern)

    def test_syntax(self):
        self.assertGreaterEqual(len(SHELL_SCRIPTS), 4)
        for script in SHELL_SCRIPTS:
            with self.subTest(script=script.name):
                checked = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
                self.assertTrue(os.access(script, os.X_OK))

    def test_setup_does_nothing_twice(self):
        self.assertEqual(self.run_script("setup.sh").returncode, 0)
        self.assertEqual(self.calls("apt-get"), [])
        self.assertEqual(len(self.calls("cmake")), 2)
        self.assertEqual(self.run_script("setup.sh").returncode, 0)
        self.assertEqual(self.calls("cmake"), [f"cmake --build {self.root}/build/release --target ccpbench"])

    def test_setup_installs_only_what_is_missing(self):
        result = self.run_script("setup.sh", MISSING="ccache libfmt-dev catch2")
        self.assertEqual(result.returncode, 0, result.stderr)
        installs = [call for call in self.calls("apt-get") if " install " in call]
        self.assertEqual(len(installs), 1)
        self.assertTrue(installs[0].endswith("install -y --no-install-recommends ccache libfmt-dev"), installs)
        self.assertEqual(self.calls("sudo"), [])

    def test_tests_need_more_packages_and_another_configuration(self):
        self.run_script("setup.sh")
        result = self.run_script("setup.sh", "--tests", MISSING="catch2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(self.calls("apt-get")[-1].endswith(" catch2"))
        self.assertEqual(self.calls("cmake")[0], "cmake --preset release -DCCPBENCH_BUILD_TESTS=ON")
        self.assertEqual(self.calls("cmake")[1], f"cmake --build {self.root}/build/release")
        self.run_script("setup.sh")
        self.assertEqual(len(self.calls("cmake")), 1, "a configuration with tests serves the program, too")

    def test_setup_for_the_site_installs_what_it_needs(self):
        result = self.run_script("setup.sh", "--site", MISSING="furo catch2")
        self.assertEqual(result.returncode, 0, result.stderr)
        (install,) = [call for call in self.calls("apt-get") if " install " in call]
        self.assertTrue(install.endswith(" furo"), install)
        self.assertEqual(self.calls("cmake")[-1], f"cmake --build {self.root}/build/release --target ccpbench")

    def test_setup_uses_sudo_when_not_root(self):
        result = self.run_script("setup.sh", MISSING="ccache", FAKE_UID="1000")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sudo -n true", self.calls("sudo"))
        self.assertEqual(len([call for call in self.calls("sudo") if " apt-get " in call]), 2)

    def test_setup_that_cannot_install_says_why_in_one_line(self):
        refused = self.run_script("setup.sh", MISSING="ccache", FAKE_UID="1000", SUDO_STATUS="1")
        self.assertEqual(refused.returncode, 1)
        self.assert_one_line(refused.stderr, "sudo refused; as root: apt-get install --no-install-recommends ccache$")
        failed = self.run_script("setup.sh", MISSING="ccache", APT_STATUS="100")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr.splitlines()[-1], "apt-get update failed")
        self.assertEqual(self.calls("cmake"), [])

    def test_setup_on_another_system(self):
        tools = Path(self.bin.parent) / "few"
        tools.mkdir()
        for tool in ("bash", "env", "dirname", "mkdir", "sed", "tail"):
            (tools / tool).symlink_to(shutil.which(tool))
        result = self.run_script("setup.sh", PATH=str(tools))
        self.assertEqual(result.returncode, 1)
        self.assert_one_line(result.stderr, "not Debian or Ubuntu: .*CCPBENCH_SKIP_PACKAGES=1")
        skipped = self.run_script("setup.sh", MISSING="ccache", CCPBENCH_SKIP_PACKAGES="1")
        self.assertEqual(skipped.returncode, 0, skipped.stderr)
        self.assertEqual(self.calls("dpkg-query"), [])

    def test_setup_configures_a_moved_tree_afresh(self):
        self.run_script("setup.sh")
        cache = self.root / "build" / "release" / "CMakeCache.txt"
        cache.write_text(cache.read_text().replace(str(self.root), "/elsewhere"))
        self.run_script("setup.sh")
        self.assertTrue(self.calls("cmake")[0].endswith("--fresh"), self.calls("cmake"))

    def test_setup_says_what_takes_long(self):
        go_on = self.bin.parent / "go on"
        self.stand_in("cmake", f'case $1 in --build) for _ in $(seq 300); do [ -e "{go_on}" ] && exit 0; sleep 0.1; done ;; esac\n{CMAKE}')
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CCPBENCH_")}
        clean |= {"PATH": f"{self.bin}:{os.environ['PATH']}", "MISSING": "ccache"}
        with subprocess.Popen([self.root / "scripts" / "setup.sh"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=clean, cwd=self.root.parent) as setup:
            lines = [setup.stderr.readline()]
            while lines[-1] and "building" not in lines[-1]:
                lines.append(setup.stderr.readline())
            go_on.touch()
            out, err = setup.communicate(timeout=60)
        self.assertEqual((setup.returncode, out, err), (0, "", ""))
        self.assertEqual(lines[0], "setup: installing packages, some minutes: ccache\n")
        self.assertEqual(lines[-1], "setup: building build/release, some minutes from nothing (log: a checkout/build/setup-release.log)\n")

    def test_setup_says_nothing_of_what_is_done_at_once(self):
        self.assertEqual(self.run_script("setup.sh").returncode, 0)
        again = self.run_script("setup.sh")
        self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "", ""))

    def test_setup_reports_a_failed_build(self):
        result = self.run_script("setup.sh", BUILD_STATUS="1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("setup: the build failed", result.stderr)

    def test_wrong_arguments(self):
        for name, arguments in (("run.sh", ()), ("run.sh", ("--fresh",)), ("setup.sh", ("--nonsense",)),
                                ("setup.sh", ("--preset", "fast")), ("setup.sh", ("--preset",)),
                                ("site.sh", ("--nonsense",)), ("site.sh", ("--out",))):
            with self.subTest(name=name, arguments=arguments):
                result = self.run_script(name, *arguments)
                self.assertEqual(result.returncode, 2)
                self.assertRegex(result.stderr, "usage: scripts/|unknown preset")
                self.assertEqual(self.log.read_text(), "")

    def test_help(self):
        for name in ("run.sh", "setup.sh", "site.sh", "test.sh"):
            result = self.run_script(name, "--help")
            self.assertEqual((result.returncode, result.stderr, self.log.read_text()), (0, "", ""))
            self.assertRegex(result.stdout, f"usage: scripts/{name}")

    def fake_program(self, body):
        program = self.root / "build" / "release" / "apps" / "ccpbench" / "ccpbench"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)

    def test_run_draws_every_folder_and_keeps_the_exit_code(self):
        for status in (0, 3):
            folders = [make_result_folder(self.root / f"out {status}" / name) for name in ("one", "two")]
            cell = next((folders[1] / "cells").iterdir())
            (cell / "steps.csv").write_text("step,status,iterations,contacts,setup_s,solve_s,relative_residual\n0,solved,3,2,1,1,1e-9\n")
            lines = "".join(f"echo 'results: {folder}'; " for folder in folders)
            self.fake_program(f'[ "$*" = "run a.json --out x y" ] || exit 9; echo summary; {lines} exit {status}')
            result = self.run_script("run.sh", "a.json", "--out", "x y")
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(result.stdout.splitlines()[0], "summary")
            for folder in folders:
                self.assertTrue((folder / "plots" / "odd_mass_stack-ccp.png").exists())
            self.assertTrue((folders[1] / "plots" / "odd_mass_stack-ccp-steps.png").exists())
            self.assertIn(f"figure: {folders[0]}/plots/odd_mass_stack-ccp.{{png,svg,pdf}}\n", result.stderr)

    def test_a_quiet_run_draws_without_a_word(self):
        folder = make_result_folder(self.root / "out" / "one")
        self.fake_program(f"echo 'results: {folder}'")
        self.run_script("setup.sh")
        result = self.run_script("run.sh", "a.json", "--quiet")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue((folder / "plots" / "odd_mass_stack-ccp.png").exists())

    def test_run_draws_nothing_after_bad_input_or_an_interrupt(self):
        for status in (2, 130):
            folder = make_result_folder(self.root / "out" / str(status))
            self.fake_program(f"echo 'results: {folder}'; exit {status}")
            self.assertEqual(self.run_script("run.sh", "a.json").returncode, status)
            self.assertFalse((folder / "plots").exists())

    def test_run_stops_when_setup_fails(self):
        self.fake_program("echo ran")
        result = self.run_script("run.sh", "a.json", BUILD_STATUS="1")
        self.assertEqual((result.returncode, result.stdout), (1, ""))

    def test_test_runs_ctest_and_passes_options_on(self):
        result = self.run_script("test.sh", "-R", "two words")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.calls("ctest"), ["ctest --preset release --parallel 5 -R two words"])
        self.assertIn("-DCCPBENCH_BUILD_TESTS=ON", self.calls("cmake")[0])

    def test_test_runs_as_many_tests_at_once_as_it_is_told(self):
        self.assertEqual(self.run_script("test.sh", CTEST_PARALLEL_LEVEL="7").returncode, 0)
        self.assertEqual(self.calls("ctest"), ["ctest --preset release --parallel 7"])

    def test_test_runs_the_fast_tests_only_where_asked(self):
        self.assertEqual(self.run_script("test.sh", "--unit").returncode, 0)
        self.assertEqual(self.calls("ctest"), ["ctest --preset release --parallel 5 -L ^unit$"])

    def test_test_with_sanitizers(self):
        expected = [f"ctest --preset {preset} --parallel 5" for preset in ("release", "asan")]
        self.assertEqual(self.run_script("test.sh", "--asan").returncode, 0)
        self.assertEqual(self.calls("ctest"), expected)
        self.run_script("test.sh", CCPBENCH_SANITIZE="1")
        self.assertEqual(self.calls("ctest"), expected)
        self.assertNotEqual(self.run_script("test.sh", "--asan", CTEST_STATUS="8").returncode, 0)
        self.assertEqual(self.calls("ctest"), expected[:1])


if __name__ == "__main__":
    unittest.main()
