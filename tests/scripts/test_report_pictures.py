"""Tests of the pictures of scripts/report.py: which files of RESULTS/pictures/ its page holds, what it says of the others."""

import base64
import csv
import html
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

from make_result_folder import make_result_folder

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "report.py"
sys.path.insert(0, str(SCRIPT.parent))
sys.path.insert(0, str(SCRIPT.parent / "report"))

from pictures import caption_of, page_budget, read_picture  # noqa: E402

HOSTILE = '"><script>document.title=1<&script>'
CHROMIUM = shutil.which("chromium")


def png(size):
    """A white picture of 3 × 2 pixels in a file of so many bytes, 90 or more."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head, *rest = chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 0, 0, 0, 0)), chunk(b"IDAT", zlib.compress(b"\0\xff\xff\xff" * 2)), chunk(b"IEND", b"")
    missing = size - 8 - len(head) - len(b"".join(rest))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"teXt", b"x" * (missing - 12)) + b"".join(rest)


class ReportPictures(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.place = Path(scratch.name)
        (self.place / "chart.js").write_text("/* none */")
        self.folder = self.make("stack")

    def make(self, name):
        folder = make_result_folder(self.place / name)
        with (folder / "summary.csv").open(newline="") as file:
            rows = [{**row, "status": "solved"} for row in csv.DictReader(file)]
        with (folder / "summary.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return folder

    def put(self, files, folder=None):
        """Into the folder of pictures; a number is a PNG of so many bytes."""
        place = (folder or self.folder) / "pictures"
        place.mkdir(exist_ok=True)
        for name, content in files.items():
            (place / name).write_bytes(png(content) if isinstance(content, int) else content)
        return place

    def page(self, *folders):
        out = self.place / "page.html"
        made = subprocess.run([sys.executable, "-B", SCRIPT, "--out", out, *(folders or (self.folder,))], capture_output=True, text=True, timeout=200,
                              env={**os.environ, "CCPBENCH_CHART_JS": str(self.place / "chart.js")})
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        return out.read_text(encoding="utf-8")

    def seen(self, page):
        """([(caption, bytes of the picture)], the lines of what was left out)."""
        found = re.findall(r'<figure><img src="data:image/(?:png|gif);base64,([A-Za-z0-9+/=]+)" width="3" height="2" alt="([^"]*)"><figcaption>([^<]*)</figcaption></figure>', page)
        self.assertEqual(len(found), page.count("<img"))
        for _, alt, caption in found:
            self.assertEqual(alt, caption)
        lists = re.findall(r'of pictures/ left out:</p><ul class="soft">(.*?)</ul>', page)
        return [(caption, base64.b64decode(data)) for data, _, caption in found], re.findall(r"<li>([^<]*)</li>", "".join(lists))

    def test_png_files_beside_a_result_are_in_the_page(self):
        without = self.page()
        self.assertNotIn("Pictures</h3>", without)
        self.put({})
        self.assertEqual(self.page(), without)  # an empty folder
        self.put(dict.fromkeys(("ball_box.000010.png", "cohesive_ball.panels.PNG", HOSTILE + ".png", ".ball_box.000011.png.part"), 100))
        page = self.page()
        shown, left_out = self.seen(page)
        self.assertEqual([caption for caption, _ in shown], [html.escape(HOSTILE, quote=True), "ball box, step 10", "cohesive ball, panels"])
        self.assertEqual({data for _, data in shown}, {png(100)})
        self.assertEqual(left_out, [])
        self.assertNotIn(HOSTILE, page)
        self.assertNotIn(".part", page)
        self.assertEqual(page, self.page())

    def test_animations_beside_a_result_are_in_the_page(self):
        animation = b"GIF89a" + struct.pack("<HH", 3, 2) + b"\0\0\0;"
        self.put({"bolt_nut.gif": animation})
        page = self.page()
        self.assertEqual(self.seen(page), ([("bolt nut", animation)], []))
        self.assertIn("data:image/gif;base64,", page)

    def test_captions_are_names_without_their_ending(self):
        for name, caption in (("single_ball.000003.png", "single ball, step 3"), ("c=10.5.png", "c=10.5"), ("walls__after.png", "walls after"),
                              ("drum.1234567.Png", "drum, step 1234567"), ("drum.2024.png", "drum.2024"), ("_.png", "_.png"), ("two.000001.panels.png", "two, step 1, panels")):
            self.assertEqual(caption_of(name), caption)

    def test_what_a_page_cannot_hold_is_named(self):
        no_width = png(100).replace(b"IHDR\0\0\0\3", b"IHDR\0\0\0\0")
        place = self.put({"large.png": 2_500_000, "torn.png": png(100)[:20], "text.png": b"no picture", "move.gif": b"GIF89a", "a.jpg": b"", "flat.png": no_width,
                          "good.png": 2_000_000})
        (place / "folder.png").mkdir()
        (place / "lost.png").symlink_to("nowhere")
        shown, left_out = self.seen(self.page())
        self.assertEqual([caption for caption, _ in shown], ["good"])
        self.assertEqual(left_out, ["a.jpg: not a .png or .gif", "flat.png: 0 × 2 pixels, expected 1 to 20000 each", "folder.png: no file",
                                    "large.png: 2.5 MB, at most 2.0 MB a picture; draw it with a lower --dpi",
                                    "lost.png: cannot be read: No such file or directory", "move.gif: no GIF file", "text.png: no PNG file",
                                    "torn.png: no PNG file"])

    def test_the_limits_are_those_of_the_page(self):
        self.put({f"full{k}.png": 1_999_000 for k in range(5)})
        second = self.make("second")
        self.put({f"more{k}.png": 1_999_000 for k in range(3)}, second)
        shown, left_out = self.seen(self.page(self.folder, second))
        self.assertEqual([caption for caption, _ in shown], [*(f"full{k}" for k in range(5)), "more0"])
        words = "the page holds 40 pictures and 12.0 MB of them at most"
        self.assertEqual(left_out, [f"more{k}.png: {words}" for k in (1, 2)])
        budget = page_budget()
        path = self.put({"small.png": 100}) / "small.png"
        read = [read_picture(path, "png", budget) for _ in range(41)]
        self.assertEqual((read[39], read[40]), ((3, 2, png(100)), words))

    def test_a_file_in_the_place_of_the_folder_is_no_picture(self):
        (self.folder / "pictures").write_text("no folder")
        self.assertNotIn("Pictures</h3>", self.page())

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_shows_them(self):
        self.put({"ball_box.000010.png": 100})
        out, script = self.place / "page.html", "document.body.dataset.seen = document.querySelector('figure img').naturalWidth"
        page = self.page().replace("</body>", f"<script>addEventListener('load', () => {{ {script}; }})</script></body>")
        out.write_text(page, encoding="utf-8")
        made = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                               "--disable-component-update", "--disable-sync", f"--user-data-dir={self.place / 'profile'}",
                               "--virtual-time-budget=3000", "--dump-dom", out.as_uri()], capture_output=True, text=True, timeout=200)
        self.assertIn('data-seen="3"', made.stdout)  # the policy of the page lets the picture in


if __name__ == "__main__":
    unittest.main()
