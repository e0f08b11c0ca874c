"""The examples of the guide and of the docstrings give what they say."""

import doctest
import importlib
import os
import pkgutil
import re
import tempfile
import unittest
from pathlib import Path

from support import cb

PAGE = Path(__file__).resolve().parents[2] / "apps" / "ccpbench" / "docs" / "from_python.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


class Guide(unittest.TestCase):
    def setUp(self):
        before, place = Path.cwd(), tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(os.chdir, before)
        os.chdir(place.name)

    def run_examples(self, test, least):
        said = []
        ran = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
        self.assertEqual(ran.failed, 0, "".join(said))
        self.assertGreaterEqual(ran.attempted, least)

    def test_the_page(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is missing")
        examples = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S))
        self.run_examples(doctest.DocTestParser().get_doctest(examples, {}, PAGE.name, str(PAGE), 0), 25)

    def test_the_ten_lines_are_ten(self):
        first = re.search(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S).group(1)
        self.assertLessEqual(first[:first.index("cb.rank")].count(">>> "), 10)

    def test_the_docstrings(self):
        modules = [cb, *(importlib.import_module(f"ccpbench.{module.name}") for module in pkgutil.iter_modules(cb.__path__) if module.name not in ("_core", "results"))]
        tests = [test for module in modules for test in doctest.DocTestFinder().find(module) if test.examples]
        self.assertGreaterEqual(len(tests), 4)
        for test in tests:
            with self.subTest(test.name):
                self.run_examples(test, 1)

    def test_what_is_public_has_docstrings(self):
        for name in cb.__all__:
            public = getattr(cb, name)
            self.assertTrue(public.__doc__ or issubclass(public, Exception), name)
            if name[0].isupper() and public.__module__.startswith("ccpbench") and not issubclass(public, Exception):
                for attribute, value in vars(public).items():
                    if not attribute.startswith("_") and (callable(value) or isinstance(value, (classmethod, property))):
                        self.assertTrue(value.__doc__, f"{name}.{attribute}")


if __name__ == "__main__":
    unittest.main()
