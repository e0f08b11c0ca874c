"""Tests of the one writer of scripts, where an interrupt meets it."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import output_file  # noqa: E402


class Writer(unittest.TestCase):
    def interrupted(self, rename_first):
        """What is in a folder after an interrupt before or just after the rename: {name: content}."""
        rename = os.replace

        def stop(source, target):
            if rename_first:
                rename(source, target)
            raise KeyboardInterrupt

        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(output_file.os, "replace", stop), self.assertRaises(KeyboardInterrupt):
                output_file.write_output(Path(folder) / "a.txt", "whole")
            return {path.name: path.read_text() for path in Path(folder).iterdir()}

    def test_an_interrupt_before_the_rename_leaves_nothing(self):
        self.assertEqual(self.interrupted(rename_first=False), {})

    def test_an_interrupt_after_the_rename_leaves_the_whole_file(self):
        self.assertEqual(self.interrupted(rename_first=True), {"a.txt": "whole"})


if __name__ == "__main__":
    unittest.main()
