"""scripts/fetch_fclib.py against a server of Git LFS on this machine, and its manifest against the config of the sample."""
import hashlib
import http.server
import json
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import fetch_fclib  # noqa: E402

CONTENTS = {f"Local/set/{name}.hdf5": f"what is in {name}".encode() for name in ("one", "two", "three")}
ENTRIES = [(path, len(content), hashlib.sha256(content).hexdigest()) for path, content in CONTENTS.items()]


class Lfs(http.server.BaseHTTPRequestHandler):
    """Has all contents but that of `three`, and sends something else for `two` where spoiled."""
    spoiled = False

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        place = f"http://127.0.0.1:{self.server.server_address[1]}/"
        known = {entry[2] for entry in ENTRIES[:2]}
        objects = [{"oid": wanted["oid"], "actions": {"download": {"href": place + wanted["oid"]}}}
                   if wanted["oid"] in known else {"oid": wanted["oid"], "error": {"code": 404}} for wanted in asked["objects"]]
        self.answer(json.dumps({"objects": objects}).encode())

    def do_GET(self):
        content = {entry[2]: CONTENTS[entry[0]] for entry in ENTRIES}[self.path[1:]]
        self.answer(b"something else" if Lfs.spoiled and content.endswith(b"two") else content)

    def answer(self, content):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class FetchTest(unittest.TestCase):
    def setUp(self):
        self.server = http.server.HTTPServer(("127.0.0.1", 0), Lfs)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.place = f"http://127.0.0.1:{self.server.server_address[1]}"
        folder = tempfile.TemporaryDirectory()
        self.folder = Path(folder.name)
        self.addCleanup(folder.cleanup)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        Lfs.spoiled = False

    def run_script(self, *arguments):
        with mock.patch.object(sys, "argv", ["fetch_fclib.py", str(self.folder), "--repository", self.place, *arguments]), \
                mock.patch.object(fetch_fclib, "library", lambda: ENTRIES), mock.patch("builtins.print") as said:
            code = fetch_fclib.main()
        return code, "\n".join(str(call.args[0]) for call in said.call_args_list if call.args)

    def test_files_come_once_and_what_is_missing_is_named(self):
        code, said = self.run_script("--all")
        self.assertEqual(code, 1)
        self.assertIn("Local/set/three.hdf5: not in the repository", said)
        self.assertEqual((self.folder / "Local/set/two.hdf5").read_bytes(), CONTENTS["Local/set/two.hdf5"])
        _, said = self.run_script("--all", "--list")
        self.assertEqual(said.strip(), "Local/set/three.hdf5 16")

    def test_a_file_with_another_hash_is_not_kept(self):
        Lfs.spoiled = True
        code, said = self.run_script("Local/*/two*")
        self.assertEqual(code, 1)
        self.assertIn("came with another SHA-256", said)
        self.assertEqual([file for file in self.folder.rglob("*") if file.is_file()], [])

    def test_without_a_network_one_line_says_so(self):
        self.place = "http://127.0.0.1:1"
        code, said = self.run_script("--all")
        self.assertEqual(code, 2)
        self.assertIn("cannot be reached", said)

    def test_a_pattern_that_matches_nothing_is_bad_input(self):
        with self.assertRaises(SystemExit) as end:
            self.run_script("Global/*")
        self.assertEqual(end.exception.code, 2)


class ManifestTest(unittest.TestCase):
    def test_it_is_complete(self):
        entries = fetch_fclib.library()
        self.assertEqual(len(entries), 3223)
        self.assertEqual(sum(path.startswith("RollingGlobal/") for path, _, _ in entries), 568)
        self.assertTrue(all(re.fullmatch("[0-9a-f]{64}", digest) for _, _, digest in entries))
        self.assertEqual(sum(size for _, size, _ in entries), 7884866739)

    def test_the_config_has_the_sample(self):
        config = (ROOT / "configs" / "fclib_sample.json").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r'"fclib": "([^"]*)"', config), [path for path, _, _ in fetch_fclib.sample(fetch_fclib.library())])


if __name__ == "__main__":
    unittest.main()
