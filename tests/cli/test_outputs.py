"""Every option that names an output, with every kind of thing that may have the name. CCPBENCH_PROGRAM names the program.

Devices are made in a temporary folder, and small or read-only file systems are mounted in a name space of its own, which this file
enters by starting itself again: as root, or as root of a user name space. What a machine does not allow is left out and said.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["CCPBENCH_PROGRAM"]
INSIDE = "CCPBENCH_TEST_INSIDE"
REAL_ROOT = os.geteuid() == 0 and os.environ.get(INSIDE) != "user"
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
CONFIG = {"name": "tiny", "problems": [{"scene": "odd_mass_stack", "parameters": {"heavy_index": 2, "spheres": 4}}],
          "solvers": [{"solver": "admm"}, {"solver": "jacobi"}], "stop": {"max_iterations": 20},
          "claims": [{"id": "few", "says": "few", "metric": "iterations", "of": "admm", "at_most": 1e6}]}


def is_trace(data):
    return data.startswith(b"iteration,outer,") and data.count(b"\n") > 3 and data.endswith(b"\n")


def is_dump(data):
    return data.startswith(b"\x89HDF\r\n\x1a\n") and len(data) > 2000


def is_page(data):
    return data.startswith(b"<!DOCTYPE html>") and data.rstrip().endswith(b"</html>")


# What writes one file: its command, with OUT in the place of the file, and what the file must be.
FILES = {
    "solve --trace": (["solve", "base.hdf5", "--solver", "nsgs", "--trace", "OUT"], is_trace),
    "solve --trace --format": (["solve", "base.hdf5", "--solver", "nsgs", "--trace", "OUT", "--format", "json"], is_trace),
    "solve --save-solution": (["solve", "base.hdf5", "--solver", "nsgs", "--save-solution", "OUT"], is_dump),
    "generate --out": (["generate", "sliding_sphere", "--form", "local", "--out", "OUT"], is_dump),
    "new --out": (["new", "fresh", "scene:sliding_sphere", "--solver", "nsgs", "--out", "OUT"], lambda data: b'"name": "fresh"' in data),
    "report --out": (["report", "results/tiny", "--out", "OUT"], is_page),
}
# What writes into a folder: its command, with OUT in the place of the folder, and a file that is there afterwards.
FOLDERS = {
    "run --out": (["run", "tiny.json", "--quiet", "--out", "OUT"], "tiny/summary.csv"),
    "claims --out": (["claims", "tiny.json", "--quiet", "--out", "OUT"], "tiny/summary.csv"),
    "generate --steps --out": (["generate", "ball_box", "--set", "spheres=8", "--steps", "0:1", "--driver", "nsgs", "--form", "local",
                                "--out", "OUT"], None),
    "convert --out": (["convert", "base.hdf5", "--form", "global", "--out", "OUT"], "base.global.hdf5"),
    "profile --out": (["profile", "results/tiny", "--at", "1e-2", "--out", "OUT"], "accuracy.csv"),
    "compare --baseline": (["compare", "results/tiny", "--update", "--baseline", "OUT"], "tiny/baseline.json"),
    "publish --out": (["publish", "results/tiny", "--out", "OUT"], "index.html"),
    "plot --out": (["plot", "results/tiny", "--kind", "convergence", "--format", "svg", "--quiet", "--out", "OUT"], "*.svg"),
}


def kind_of(path):
    return stat.S_IFMT(path.lstat().st_mode)


class Reader:
    """Reads a named pipe to its end."""

    def __init__(self, path):
        self.data = b""
        self.thread = threading.Thread(target=self.read, args=(path,), daemon=True)
        self.thread.start()

    def read(self, path):
        self.data = path.read_bytes()

    def all(self):
        self.thread.join(30)
        return None if self.thread.is_alive() else self.data


class Place(unittest.TestCase):
    option = ""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="ccpbench outputs ")
        cls.addClassCleanup(scratch.cleanup)
        cls.home = Path(scratch.name)
        cls.home.chmod(0o755)
        (cls.home / "tiny.json").write_text(json.dumps(CONFIG))
        for command in (["run", "tiny.json", "--quiet"],
                        ["generate", "odd_mass_stack", "--set", "spheres=4", "--set", "heavy_index=2", "--form", "local", "--out", "base.hdf5"]):
            made = subprocess.run([PROGRAM, *command], cwd=cls.home, capture_output=True, text=True)
            if made.returncode not in (0, 3):
                raise AssertionError(made.stderr)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir=self.home)
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)
        self.place.chmod(0o777)

    def run_with(self, command, out, before=(), **options):
        words = [str(out) if word == "OUT" else word for word in command]
        options = {"cwd": self.home, "capture_output": True, "text": True, "timeout": 120, **options}
        return subprocess.run([*before, PROGRAM, *words], **options)

    def refused(self, made, out, says):
        """One line that names the output, and nothing half-written beside it."""
        self.assertEqual(made.returncode, 2, made.stderr)
        lines = made.stderr.splitlines()
        self.assertEqual(len(lines), 1, made.stderr)
        self.assertRegex(lines[0], "^ccpbench: error: ")
        self.assertIn(str(out.name), lines[0])
        self.assertRegex(lines[0], says)

    def nothing_beside(self, *names):
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), sorted(names))

    def each(self, table):
        for option, (command, check) in table.items():
            for path in self.place.iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            self.option = option
            yield option, command, check

    def _formatMessage(self, message, standard):
        return f"{self.option}: {super()._formatMessage(message, standard)}"

    def mounted(self, *words):
        """A file system on the folder `place/disk`, to be taken away again."""
        disk = self.place / "disk"
        disk.mkdir(exist_ok=True)
        if INSIDE not in os.environ or subprocess.run(["mount", *words, disk], capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        return disk

    def device(self, name, minor):
        path = self.place / name
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            path.chmod(0o666)
            path.open("wb").close()
        except OSError:
            self.skipTest("no device can be made here")
        return path


class OneFile(Place):
    def test_new_file(self):
        for option, command, check in self.each(FILES):
            made = self.run_with(command, self.place / "new", umask=0o027)
            self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertTrue(check((self.place / "new").read_bytes()))
            self.assertEqual(stat.S_IMODE((self.place / "new").stat().st_mode), 0o640)
            self.nothing_beside("new")

    def test_file_keeps_its_mode_and_owner(self):
        for option, command, check in self.each(FILES):
            path = self.place / "old"
            path.write_text("old")
            path.chmod(0o600)
            owner = (65534, 65533) if REAL_ROOT else (os.geteuid(), os.getegid())
            os.chown(path, *owner)
            made = self.run_with(command, path)
            if option == "new --out":
                self.refused(made, path, "is there already and stays as it is")
                self.assertEqual(path.read_text(), "old")
                continue
            self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertTrue(check(path.read_bytes()))
            self.assertEqual((stat.S_IMODE(path.stat().st_mode), path.stat().st_uid, path.stat().st_gid), (0o600, *owner))
            self.nothing_beside("old")

    def test_link_stays(self):
        for option, command, check in self.each(FILES):
            (self.place / "deep").mkdir()
            (self.place / "deep/target").write_text("keep")
            (self.place / "link").symlink_to("deep/target")
            made = self.run_with(command, self.place / "link")
            self.assertEqual(os.readlink(self.place / "link"), "deep/target")
            if option == "new --out":
                self.refused(made, self.place / "link", "is there already")
                continue
            self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertTrue(check((self.place / "deep/target").read_bytes()))
            self.assertEqual([path.name for path in (self.place / "deep").iterdir()], ["target"])
            self.nothing_beside("deep", "link")

    def test_dangling_link_makes_its_target(self):
        for option, command, check in self.each(FILES):
            (self.place / "link").symlink_to("made")
            (self.place / "lost").symlink_to("nowhere/made")
            made = self.run_with(command, self.place / "link")
            self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertTrue((self.place / "link").is_symlink())
            self.assertTrue(check((self.place / "made").read_bytes()))
            self.refused(self.run_with(command, self.place / "lost"), self.place / "lost", "there is no folder")
            self.nothing_beside("link", "lost", "made")

    def test_pipe_gets_all(self):
        for option, command, check in self.each(FILES):
            os.mkfifo(self.place / "pipe")
            reader = Reader(self.place / "pipe")
            made = self.run_with(command, self.place / "pipe")
            self.assertIn(made.returncode, (0, 3), made.stderr)
            data = reader.all()
            self.assertIsNotNone(data, "the pipe was never opened")
            self.assertTrue(check(data))
            self.assertEqual(kind_of(self.place / "pipe"), stat.S_IFIFO)
            self.nothing_beside("pipe")

    def test_reader_that_goes_ends_it_quietly_or_in_one_line(self):
        for option, command, check in self.each(FILES):
            os.mkfifo(self.place / "pipe")
            reader = threading.Thread(target=lambda: os.close(os.open(self.place / "pipe", os.O_RDONLY)), daemon=True)
            reader.start()
            made = self.run_with(command, self.place / "pipe")
            self.assertNotIn(made.returncode, (1, 70), made.stderr)  # small texts may be written before the reader goes
            self.assertLessEqual(len(made.stderr.splitlines()), 1, made.stderr)
            reader.join(30)
            self.assertEqual(kind_of(self.place / "pipe"), stat.S_IFIFO)
            self.nothing_beside("pipe")

    def test_standard_output_has_the_output_alone(self):
        for option, command, check in self.each(FILES):
            link = self.place / "stdout"  # as /dev/stdout is, which a writer that is broken would replace for the whole machine
            link.symlink_to("/proc/self/fd/1")
            made = self.run_with(command, link, text=False)
            self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertTrue(check(made.stdout), made.stdout[-300:])
            path = self.place / "redirected"
            with path.open("wb") as file:
                file.write(b"before\n")
                file.flush()
                made = self.run_with(command, link, capture_output=False, stdout=file, stderr=subprocess.DEVNULL)
            self.assertIn(made.returncode, (0, 3))
            self.assertTrue(path.read_bytes().startswith(b"before\n"))
            self.assertTrue(check(path.read_bytes()[7:]))
            self.assertTrue(link.is_symlink())

    def test_device_stays(self):
        for option, command, check in self.each(FILES):
            path = self.device("null", 3)
            (self.place / "link").symlink_to("null")
            for name in ("null", "link"):
                made = self.run_with(command, self.place / name)
                self.assertIn(made.returncode, (0, 3), made.stderr)
            self.assertEqual((kind_of(path), path.stat().st_rdev, stat.S_IMODE(path.stat().st_mode)),
                             (stat.S_IFCHR, os.makedev(1, 3), 0o666))
            self.nothing_beside("null", "link")

    def test_full_device_stays(self):
        for option, command, check in self.each(FILES):
            path = self.device("full", 7)
            self.refused(self.run_with(command, path), path, r"cannot be written \(No space left on device\)$")
            self.assertEqual(kind_of(path), stat.S_IFCHR)
            self.nothing_beside("full")

    def test_full_disk_leaves_the_older_file(self):
        disk = self.mounted("-t", "tmpfs", "-o", "size=16k", "none")
        (disk / "old").write_text("old")
        with (disk / "ballast").open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(bytes(1024))
                except OSError:
                    break
        for option, (command, check) in FILES.items():
            with self.subTest(option):
                path = disk / ("new" if option == "new --out" else "old")
                self.refused(self.run_with(command, path), path, r"cannot be written \(No space left on device\)$")
                self.assertEqual((disk / "old").read_text(), "old")
                self.assertEqual(sorted(path.name for path in disk.iterdir()), ["ballast", "old"])

    def test_read_only_folder_is_named_before_the_work(self):
        disk = self.mounted("-t", "tmpfs", "none")
        (disk / "old").write_text("old")
        if subprocess.run(["mount", "-o", "remount,ro", disk], capture_output=True).returncode != 0:
            self.skipTest("no file system can be made read-only here")
        for option, (command, check) in FILES.items():
            for name in ("new",) if option == "new --out" else ("new", "old"):
                with self.subTest(option, name=name):
                    made = self.run_with(command, disk / name)
                    self.refused(made, disk / name, r"cannot be written \(.*Read-only file system\)$")
                    self.assertEqual(made.stdout, "")
        self.assertEqual((disk / "old").read_text(), "old")

    @unittest.skipUnless(REAL_ROOT and shutil.which("setpriv"), "only root becomes another user")
    def test_what_another_user_may_not_write(self):
        for option, command, check in self.each(FILES):
            closed = self.place / "closed"
            closed.mkdir(mode=0o755)
            (self.place / "old").write_text("old")
            (self.place / "old").chmod(0o644)
            if subprocess.run([*NOBODY, "test", "-x", PROGRAM]).returncode != 0:
                self.skipTest("another user does not reach the program")
            made = self.run_with(command, closed / "new", before=NOBODY)
            self.refused(made, closed / "new", r"no file can be made in .*: Permission denied\)$")
            self.assertEqual(made.stdout, "")
            if option != "new --out":  # the folder is open to all, the file is not
                self.refused(self.run_with(command, self.place / "old", before=NOBODY), self.place / "old", "Permission denied")
            self.assertEqual((self.place / "old").read_text(), "old")
            self.assertEqual(list(closed.iterdir()), [])

    def test_folder_in_place_of_the_file(self):
        for option, command, check in self.each(FILES):
            (self.place / "folder").mkdir()
            made = self.run_with(command, self.place / "folder")
            self.refused(made, self.place / "folder", "is a folder, expected a file to write|is there already")
            self.assertEqual(made.stdout, "")
            self.assertEqual(list((self.place / "folder").iterdir()), [])
            self.nothing_beside("folder")

    def test_input_in_place_of_the_output(self):
        before = (self.home / "base.hdf5").read_bytes()
        (self.place / "link").symlink_to(self.home / "base.hdf5")
        for name in (self.home / "base.hdf5", self.place / "link"):
            self.refused(self.run_with(FILES["solve --trace"][0], name), name, "is the problem")
        made = self.run_with([*FILES["solve --trace"][0], "--save-solution", "OUT"], self.place / "both")
        self.refused(made, self.place / "both", "expected two files")
        self.assertEqual((self.home / "base.hdf5").read_bytes(), before)
        self.nothing_beside("link")


class OneFolder(Place):
    def wrote(self, made, folder, file):
        self.assertIn(made.returncode, (0, 3), made.stderr)
        self.assertTrue(any(folder.glob(file or "*.hdf5")), made.stderr)
        self.assertEqual([path for path in folder.rglob("*") if path.name.endswith((".tmp", ".part"))], [])

    def test_new_folder_and_links(self):
        for option, command, file in self.each(FOLDERS):
            (self.place / "real").mkdir()
            (self.place / "link").symlink_to("real")
            self.wrote(self.run_with(command, self.place / "link"), self.place / "real", file)
            self.assertTrue((self.place / "link").is_symlink())
            if option == "convert --out":
                continue  # it makes no folder
            self.wrote(self.run_with(command, self.place / "new"), self.place / "new", file)

    def test_what_is_no_folder_stays(self):
        for option, command, file in self.each(FOLDERS):
            (self.place / "file").write_text("keep")
            os.mkfifo(self.place / "pipe")
            (self.place / "dangling").symlink_to("nowhere")
            for name in ("file", "pipe", "dangling"):
                made = self.run_with(command, self.place / name)
                self.refused(made, self.place / name, "folder|cannot be made")
                self.assertEqual(made.stdout, "")
            self.assertEqual((self.place / "file").read_text(), "keep")
            self.assertEqual(kind_of(self.place / "pipe"), stat.S_IFIFO)
            self.nothing_beside("file", "pipe", "dangling")

    def test_device_stays(self):
        for option, command, file in self.each(FOLDERS):
            path = self.device("null", 3)
            self.refused(self.run_with(command, path), path, "folder|cannot be made")
            self.assertEqual(kind_of(path), stat.S_IFCHR)

    def test_read_only_folder_is_named_before_the_work(self):
        disk = self.mounted("-t", "tmpfs", "none")
        if subprocess.run(["mount", "-o", "remount,ro", disk], capture_output=True).returncode != 0:
            self.skipTest("no file system can be made read-only here")
        for option, (command, file) in FOLDERS.items():
            with self.subTest(option):
                made = self.run_with(command, disk)
                self.refused(made, disk, "no file can be made in")
                self.assertEqual(made.stdout, "")

    def test_full_disk_is_said(self):
        disk = self.mounted("-t", "tmpfs", "-o", "size=4k", "none")
        (disk / "ballast").write_bytes(bytes(4096))
        for option, (command, file) in FOLDERS.items():
            with self.subTest(option):
                made = self.run_with(command, disk)
                self.assertEqual(made.returncode, 2, made.stderr)
                self.assertRegex(made.stderr, r"^ccpbench: error: [^\n]*disk[^\n]*No space left on device\)?[^\n]*\n(ccpbench: note: [^\n]*\n)?$")
                self.assertEqual([path for path in disk.rglob("*") if path.name.endswith(".tmp")], [])

    def test_links_in_the_folder_stay(self):
        (self.place / "out").mkdir()
        (self.place / "kept.hdf5").write_text("old")
        (self.place / "out/base.global.hdf5").symlink_to("../kept.hdf5")
        self.wrote(self.run_with(FOLDERS["convert --out"][0], self.place / "out"), self.place / "out", "base.global.hdf5")
        self.assertTrue((self.place / "out/base.global.hdf5").is_symlink())
        self.assertTrue(is_dump((self.place / "kept.hdf5").read_bytes()))


def start_inside():
    """In a name space whose mounts end with it, where that is allowed."""
    for words in (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"]):
        if os.geteuid() == 0 and "--user" in words or not shutil.which("unshare"):
            continue
        if subprocess.run([*words, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode == 0:
            os.environ[INSIDE] = "user" if "--user" in words else "root"
            os.execvp(words[0], [*words, sys.executable, "-B", *sys.argv])


if __name__ == "__main__":
    if INSIDE not in os.environ:
        start_inside()
    unittest.main()
