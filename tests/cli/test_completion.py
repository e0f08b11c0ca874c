"""Completion scripts in real shells, and the manual page, by the real program (CCPBENCH_PROGRAM)."""

import os
import pty
import re
import select
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
os.environ["PATH"] = str(Path(PROGRAM).resolve().parent) + os.pathsep + os.environ["PATH"]  # the scripts ask the program
BASH = r"""
. ./script
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
while IFS= read -r line; do
  COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
  _ccpbench
  printf '%s\n' "${COMPREPLY[*]}"
done
"""
# What is typed, and the whole words that complete it. bash gives the part after the last ':' or '='.
LINES = [
    ("ccpbench sol", ["solve"]),
    ("ccpbench run --siz", ["--size"]),
    ("ccpbench run --size ", ["paper", "small"]),
    ("ccpbench run configs/te", ["configs/test1.json"]),
    ("ccpbench solve x.hdf5 --solver ip", ["ipm_cone", "ipm_qp", "ipopt/ccp"]),
    ("ccpbench solve x.hdf5 --solver admm:preco", ["admm:preconditioner="]),
    ("ccpbench solve x.hdf5 --solver admm:rho=1,preco", ["admm:rho=1,preconditioner="]),
    ("ccpbench solve x.hdf5 --solver admm --set preco", ["preconditioner="]),
    ("ccpbench solve scene:odd", ["scene:odd_mass_stack"]),
    ("ccpbench solve scene:odd_mass_stack:sph", ["scene:odd_mass_stack:spheres="]),
    ("ccpbench generate odd", ["odd_mass_stack"]),
    ("ccpbench generate odd_mass_stack --set sph", ["spheres="]),
    ("ccpbench list sol", ["solvers"]),
    ("ccpbench list scenes odd", ["odd_mass_stack"]),
    ("ccpbench list configs te", ["test1"]),
    ("ccpbench list statuses sta", ["stalled"]),
    ("ccpbench completion ", ["bash", "fish", "zsh"]),
    ("ccpbench run --jobs ", []),
]


def script(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


class Terminal:
    """A program behind a terminal of its own."""

    def __init__(self, command, folder):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", COLUMNS="200", LC_ALL="C.UTF-8")
            os.execvp(command[0], command)

    def type(self, text):
        os.write(self.end, text.encode())

    def shows(self, text, seconds=60):
        """Reads until the text has come."""
        seen, limit = "", time.monotonic() + seconds
        while text not in seen and time.monotonic() < limit:
            if not select.select([self.end], [], [], 0.2)[0]:
                continue
            try:
                seen += os.read(self.end, 65536).decode(errors="replace")
            except OSError:
                break
        return seen

    def close(self):
        os.close(self.end)
        os.waitpid(self.pid, 0)


class Completion(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "configs").mkdir()
        (self.folder / "configs" / "test1.json").write_text("{}")
        (self.folder / "configs" / "test1.txt").write_text("")

    def need(self, shell):
        if not shutil.which(shell):
            self.skipTest(f"{shell} is not installed")
        (self.folder / "script").write_text(script("completion", shell), encoding="utf-8")

    def test_bash_completes(self):
        self.need("bash")
        answer = subprocess.run(["bash", "--norc", "-c", BASH], input="\n".join(line for line, _ in LINES) + "\n",
                                capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(answer.stderr, "")
        for (line, words), replies in zip(LINES, answer.stdout.split("\n")):
            with self.subTest(line):
                self.assertEqual(sorted(replies.split()), [re.sub(".*[:=](?=.)", "", word) for word in words])

    def test_fish_completes(self):
        self.need("fish")
        for line, words in LINES:
            with self.subTest(line):
                answer = subprocess.run(["fish", "--no-config", "-c", f"source script; complete -C '{line}'"],
                                        capture_output=True, text=True, timeout=120, cwd=self.folder,
                                        env={**os.environ, "HOME": str(self.folder)})
                self.assertEqual(answer.stderr, "")
                self.assertEqual(sorted(word.split("\t")[0] for word in answer.stdout.splitlines()), words)

    def test_zsh_completes(self):
        self.need("zsh")
        subprocess.run(["zsh", "-n", "script"], check=True, timeout=60, cwd=self.folder)
        try:
            shell = Terminal(["zsh", "-f", "-i"], self.folder)
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(f"no pseudo-terminals here ({error})")
        self.addCleanup(shell.close)
        shell.type("PS1=; autoload -U compinit; compinit -u -D; source ./script; bindkey -e; bindkey '^I' complete-word; echo rea''dy\n")
        self.assertIn("ready", shell.shows("ready\r\n"))
        for line, words in LINES:
            if len(words) != 1:
                continue
            with self.subTest(line):
                shell.type(f"{line}\t\x01print -r -- LI''NE=\x05 E''ND\n")  # to the beginning, to the end
                shown = re.search(r"LINE=(.*?) *END\r\n", shell.shows("END\r\n"))
                self.assertEqual(shown and shown.group(1), line[: line.rindex(" ") + 1] + words[0])

    def completions(self, *words):
        answer = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True, timeout=60, cwd=self.folder,
                                env={**os.environ, "CCPBENCH_COMPLETE": "1"})
        return [line.split("\t")[0] for line in answer.stdout.splitlines()]

    def test_every_command_and_option_completes(self):
        commands = re.findall(r"^  ([\w-]+) ", script("--help").split("\nCommands\n")[1].split("\n\n")[0], re.M)
        self.assertGreater(len(commands), 10)
        self.assertEqual(self.completions(""), sorted(commands))
        for command in commands:
            options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", script(command, "--help"), re.M)
            self.assertEqual(self.completions(command, "--"), sorted(options))

    def test_values_complete_after_what_they_depend_on(self):
        self.assertEqual(self.completions("solve", "x.hdf5", "--solver=admm", "--set", "preco"), ["preconditioner="])
        self.assertEqual(self.completions("solve", "x.hdf5", "--solver=admm:preco"), ["--solver=admm:preconditioner="])
        self.assertEqual(self.completions("solve", "x.hdf5", "--solver", "no_method:"), [])
        self.assertEqual(self.completions("generate", "no_scene", "--set", ""), [])
        self.assertEqual(self.completions("run", "con"), ["configs/"])
        self.assertEqual(self.completions("no_command", ""), self.completions(""))
        (self.folder / "a b.json").write_text("{}")
        self.assertEqual(self.completions("run", "a"), ["a b.json"])
        self.assertEqual(self.completions("run", "nowhere/"), [])

    def test_a_wrong_shell_is_refused(self):
        answer = subprocess.run([PROGRAM, "completion", "bsh"], capture_output=True, text=True, timeout=60)
        self.assertEqual((answer.returncode, answer.stdout), (2, ""))
        self.assertIn("did you mean 'bash' or 'zsh'?", answer.stderr)


class Manual(unittest.TestCase):
    def setUp(self):
        self.page = script("man")

    def read(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"{command[0]} is not installed")
        return subprocess.run(command, input=self.page, capture_output=True, text=True, timeout=60)

    def test_groff_has_nothing_to_warn_of(self):
        shown = self.read("groff", "-man", "-ww", "-Tutf8", "-P-bc")
        self.assertEqual(shown.stderr, "")
        for text in ("SYNOPSIS", "EXIT CODES", "ccpbench solve dump.hdf5 --solver nsgs", "Signorini–Coulomb"):
            self.assertIn(text, re.sub("\x1b\\[[0-9;]*m", "", shown.stdout))

    def test_mandoc_has_nothing_to_warn_of(self):
        warnings = self.read("mandoc", "-Tlint", "-Wwarning").stdout.splitlines()
        self.assertEqual([line for line in warnings if "missing date" not in line], [])

    def test_it_has_every_option_and_example(self):
        plain = self.page.replace("\\-", "-")
        for command in re.findall(r'^\.SS "([\w-]+)"', self.page, re.M):
            page = script(command, "--help")
            for option in re.findall(r"^  (--[a-z-]+)", page, re.M):
                self.assertRegex(plain.split(f'.SS "{command}"')[1].split(".SS")[0], rf"\n\.B (-h, )?{option}\b")
            for example in re.findall(r"^  (ccpbench .*)", page, re.M):
                self.assertIn(example, plain)


if __name__ == "__main__":
    unittest.main()
