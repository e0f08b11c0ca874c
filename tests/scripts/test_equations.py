"""Tests of the equations of lib/docs: the rules hold for this repository, and each one can fail."""

import unittest
from pathlib import Path

import equations
from repository_rules import tracked_files

ROOT = Path(__file__).resolve().parents[2]
OWN = {Path("tests/scripts/equations.py"), Path("tests/scripts/test_equations.py")}  # examples of what is wrong

CONTENTS = """* A. [The problem](docs/a_problem.md): (A.1)–(A.2)
* B. [Profiles](docs/b_profiles.md): (B.1)–(B.1)
"""
GOOD = """# A. The problem

```
    H v = k       (A.1)   momentum
    (A.1) for γ   (A.2)   kinematics
```

Inserting (A.1) into (A.2) gives nothing.

# B. Profiles

* (B.1) Performance profile: of (A.2).

# References
"""


def citing_files(root):
    for path in tracked_files(root):
        if path.suffix in equations.CITING and path not in OWN and path.parts[:2] != ("results", "baselines"):
            yield path, (root / path).read_text(encoding="utf-8")


class ThisRepository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.contents = (ROOT / "lib" / "README.md").read_text(encoding="utf-8")
        cls.text = "".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "lib" / "docs").glob("*.md")))

    def test_numbers_are_defined_once_and_in_order(self):
        self.assertGreater(len(equations.definitions(self.text)), 100)
        self.assertEqual(equations.definition_breaches(self.text), [])

    def test_the_contents_omit_none(self):
        self.assertEqual(equations.contents_breaches(self.contents, self.text), [])

    def test_every_cited_number_exists(self):
        files = list(citing_files(ROOT))
        self.assertGreater(equations.citations(files), 300)
        self.assertEqual(equations.citation_breaches(self.text, files), [])


class Doctored(unittest.TestCase):
    def doctored(self, old, new, text=GOOD):
        self.assertIn(old, text)
        return text.replace(old, new)

    def test_the_good_example(self):
        self.assertEqual(equations.definitions(GOOD), [("A.1", "A"), ("A.2", "A"), ("B.1", "B")])
        self.assertEqual(equations.definition_breaches(GOOD), [])
        self.assertEqual(equations.contents_breaches(CONTENTS, GOOD), [])
        self.assertEqual(equations.citation_breaches(GOOD, [("lib/docs/a_problem.md", GOOD), ("x.cpp", "/// (A.1, A.2), (B.1)")]), [])

    def test_a_number_defined_twice(self):
        self.assertRegex(equations.definition_breaches(self.doctored("(A.2)   kin", "(A.1)   kin"))[0], r"\(A.1\).*\(A.2\) is due")

    def test_a_number_left_out(self):
        self.assertRegex(equations.definition_breaches(self.doctored("(A.2)   kin", "(A.3)   kin"))[0], r"\(A.3\).*\(A.2\) is due")

    def test_a_number_of_another_section(self):
        self.assertRegex(equations.definition_breaches(self.doctored("* (B.1)", "* (A.3)"))[0], r"\(A.3\).*\(B.1\) is due")

    def test_contents_that_stop_short(self):
        self.assertEqual(len(equations.contents_breaches(self.doctored("(A.1)–(A.2)", "(A.1)–(A.1)", CONTENTS), GOOD)), 1)

    def test_contents_that_claim_too_much(self):
        self.assertEqual(len(equations.contents_breaches(self.doctored("(B.1)–(B.1)", "(B.1)–(B.2)", CONTENTS), GOOD)), 1)

    def test_a_section_missing_in_the_contents(self):
        self.assertEqual(len(equations.contents_breaches(self.doctored("* B. [Profiles]", "* [Profiles]", CONTENTS), GOOD)), 1)

    def test_a_section_without_equations_in_the_contents(self):
        self.assertEqual(len(equations.contents_breaches(CONTENTS, self.doctored("* (B.1) Perf", "* Perf"))), 1)

    def test_citations_of_nothing(self):
        for line in ("/// (A.3)", "// as (A.1–A.4)", "see equation C.1", "/// the cone, B.2; and more", "(E12)", "(eq. 3; E7)",
                     "(A.1, E45)", "(E121–E124)"):
            with self.subTest(line=line):
                self.assertGreater(len(equations.citation_breaches(GOOD, [("x.cpp", line)])), 0)

    def test_what_is_no_citation(self):
        for line in ("TEST 1.A", "1E5", "0xE12", "sec. 4.11", "import x  # noqa: E402", "Xeon E5-2680", "K.1.2"):
            with self.subTest(line=line):
                self.assertEqual(equations.citation_breaches(GOOD, [("x.cpp", line)]), [])


if __name__ == "__main__":
    unittest.main()
