"""Tests of scripts/series_styles.py."""

import re
import sys
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from series_styles import COLOURS, dark_ink_on, numbers, ordered_colours, style, viridis, wanted  # noqa: E402

TEST1A = ["ADMM balanced", "P-ADMM balanced", "ADMM fixed", "P-ADMM fixed", "FADMM", "P-FADMM", "P-SPG-FB", "Jacobi", "Gauss-Seidel"]


def lightness(colour):
    red, green, blue = (int(colour[k:k + 2], 16) for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


class Styles(unittest.TestCase):
    def test_fifty_five_series_differ_without_their_colours(self):
        looks = {(str(style(k)["linestyle"]), style(k)["marker"]) for k in range(55)}
        self.assertEqual(len(looks), 55)

    def test_nine_series_have_nine_colours(self):
        self.assertEqual(len({style(k)["color"] for k in numbers(TEST1A).values()}), 9)
        self.assertEqual(len(set(numbers([f"s{k}" for k in range(40)]).values())), 40)

    def test_a_label_looks_the_same_in_other_folders(self):
        whole = numbers(TEST1A)
        self.assertEqual(numbers(TEST1A[:3]), {label: whole[label] for label in TEST1A[:3]})
        alone = {label: numbers([label])[label] for label in TEST1A}
        self.assertGreaterEqual(sum(alone[label] == whole[label] for label in TEST1A), 4)

    def test_swept_labels_follow_and_their_solver_keeps_its_number(self):
        swept = numbers(["ADMM (rho=1)", "ADMM (rho=2)", "Jacobi"])
        self.assertEqual({label: swept[label] for label in ("ADMM", "Jacobi")}, numbers(["ADMM", "Jacobi"]))
        self.assertEqual(len(set(swept.values())), 4)

    def test_ordered_colours_grow_lighter(self):
        found = ordered_colours([3, 1, 2, 10])
        self.assertEqual(list(found), [1, 2, 3, 10])
        steps = [lightness(colour) for colour in found.values()]
        self.assertEqual(steps, sorted(steps))
        self.assertFalse(dark_ink_on(viridis(0)))
        self.assertTrue(dark_ink_on(viridis(1)))

    def test_filters_know_labels_with_and_without_swept_values(self):
        self.assertTrue(wanted("P-ADMM (rho=1)", ["p-admm"]))
        self.assertTrue(wanted("P-ADMM (rho=1)", ["x", "*rho=1*"]))
        self.assertFalse(wanted("P-ADMM (rho=1)", ["admm"]))
        self.assertTrue(wanted("anything", []))

    def test_the_report_has_the_same_colours_and_as_many_styles(self):
        script = (SCRIPTS / "report" / "report.js").read_text(encoding="utf-8")
        light, dark = (re.findall(r'"(#\w{6})"', part) for part in re.search(r"light: \[(.*?)\],\s*dark: \[(.*?)\]", script, re.S).groups())
        self.assertEqual(tuple(light), COLOURS)
        self.assertEqual(len(dark), len(COLOURS))


if __name__ == "__main__":
    unittest.main()
