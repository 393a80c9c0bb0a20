"""What several tests need: a folder that goes away, and a command that runs Python code."""

import sys
import tempfile
import unittest


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


def python(*code):
    return [sys.executable, "-c", "; ".join(code)]
