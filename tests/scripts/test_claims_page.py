"""results/CLAIMS.md is what claims_page.py makes of the configs and the recorded verdicts, and these agree."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import claims_page  # noqa: E402

SIGNS = {"at_most": "≤", "at_least": "≥", "less_than": "<", "greater_than": ">"}
CONFIG = """{"title": "A|B", "sizes": {"small": {}}, // a note: "//"
  "claims": [
    {"id": "few", "must": true, "says": "few iterations", "where": "Lee 2025, Table II", "at_most": 9},
    {"id": "late", "says": "fewer", "where": "Lee 2025, Table II", "at_most": 9, "set_afterwards": true},
    {"id": "fast", "says": "rigid bodies: fast (2 s)", "where": "ours; x", "see": "results/A.md#b", "size": "paper", "less_than": 2},
    {"id": "tiny", "says": "a // b", "where": "ours", "see": "C.md", "size": "small", "less_than": 2}]}
"""


def row(claim, size, verdict, reason=""):
    return {"claim": claim, "size": size, "measured_text": "3", "bound": "< 2", "verdict": verdict, "reason": reason, "says": "s"}


class Repository(unittest.TestCase):
    def test_the_page_is_what_the_script_makes(self):
        made = claims_page.page(ROOT)
        self.assertEqual((ROOT / "results/CLAIMS.md").read_text(encoding="utf-8").splitlines(), made.splitlines(), "run scripts/claims_page.py")

    def test_verdicts_and_claims_agree(self):
        files = sorted(file for file in (ROOT / "configs").glob("*.json") if claims_page.read_config(file).get("claims"))
        self.assertEqual([file.name for file in files], sorted(file.name for file in (ROOT / "results/claims").glob("*.json")))
        for file in files:
            config = claims_page.read_config(file)
            recorded = json.loads((ROOT / "results/claims" / file.name).read_text(encoding="utf-8"))
            for size, claims in claims_page.claims_of(config).items():
                rows = recorded.get(size, {}).get("claims", {})
                if rows or size == "paper" or "small" in config.get("sizes", {}):
                    with self.subTest(config=file.stem, size=size):
                        self.assertEqual(sorted(claims), sorted(rows))
                        for ident, claim in claims.items():
                            self.check(ident, claim, rows[ident])

    def check(self, ident, claim, verdict):
        _, bound, text, *_ = verdict
        self.assertTrue(not text.startswith("not met") or claim.get("see"), f"{ident} does not say why it is not met")
        sign, number = bound.split()
        for key in (key for key in SIGNS if key in claim):
            self.assertEqual(sign, SIGNS[key], ident)
            if isinstance(claim[key], (int, float)) and number != "–":
                self.assertAlmostEqual(float(number), claim[key], delta=1e-3 * abs(claim[key]), msg=ident)


class Page(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        for folder in ("configs", "results/claims"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "configs/a_b.json").write_text(CONFIG, encoding="utf-8")

    def record(self, *rows, seconds=9.0):
        judged = {"config": "a_b", "command": "ccpbench claims configs/a_b.json --both-sizes", "cells_s": seconds, "claims": rows}
        claims_page.record(judged, self.root, "abc1234", "2026-11-27")

    def test_both_sizes_side_by_side(self):
        self.record(row("few", "paper", "met"), row("late", "paper", "met"), row("fast", "paper", "not met, incomplete"),
                    row("few", "small", "met, without 3 steps"), row("late", "small", "not met"),
                    row("tiny", "small", "cannot be judged", "not run"))
        made = claims_page.page(self.root)
        self.assertIn("## a\\_b\n\n[Config](../configs/a_b.json), 2026-11-27, `abc1234`, 9 s.\n\n|claim|measured|small size|\n|---|---|---|\n"
                      "|**few**|3 \\< 2|without 3 steps: 3 \\< 2|\n"
                      "|late†|met|✗ 3 \\< 2|\n"
                      "|*fast*|[✗](A.md#b) incomplete: 3 \\< 2|–|\n"
                      "|*tiny*|–|cannot be judged: not run|\n", made)
        self.assertIn("| of papers | 2 | 2 | 0 | 0 | 1 |\n| ours | 2 | 0 | 1 | 1 | 0 |\n", made)

    def test_a_size_that_is_judged_again_leaves_the_other_as_it_was(self):
        late = [row("late", size, "met") for size in ("paper", "small")]
        self.record(row("few", "paper", "met"), row("fast", "paper", "met"), row("few", "small", "met"), row("tiny", "small", "met"), *late)
        self.record(row("few", "small", "met"), row("tiny", "small", "not met"), late[1], seconds=0.25)
        made = claims_page.page(self.root)
        self.assertIn("2026-11-27, `abc1234`, 9 s; small size: 2026-11-27, `abc1234`, 250 ms.\n", made)
        self.assertIn("|*tiny*|–|[✗](../C.md) 3 \\< 2|\n", made)
        self.assertIn("|**few**|3 \\< 2|met|\n|late†|met|met|\n|*fast*|met|–|\n", made)


if __name__ == "__main__":
    unittest.main()
