"""The exports in testdata are what real PyTorch writes today: exports some of them again.

    /usr/bin/python3 -m unittest export_test

Skips itself, with the reason, where torch, torchvision or onnx is missing.
"""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTDATA = pathlib.Path(__file__).resolve().parent / "testdata"
# One of the recorder's own networks, one of torchvision's, one with layers on several paths.
AGAIN = ["fcn-r", "resnet18", "squeezenet"]
NEEDED = ["torch", "torchvision", "onnx"]
MISSING = [module for module in NEEDED if importlib.util.find_spec(module) is None]


def nodes(file):
    """Operators with their attributes and the shapes of the weights, in order."""
    import onnx

    graph = onnx.load(str(file)).graph
    return ([(n.op_type, sorted(str(a) for a in n.attribute)) for n in graph.node],
            [list(weight.dims) for weight in graph.initializer])


@unittest.skipIf(MISSING, "not installed: " + ", ".join(MISSING))
class ExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.output = pathlib.Path(cls.folder.name)
        subprocess.run([sys.executable, str(TESTDATA / "export_networks.py"), str(cls.output), *AGAIN],
                       check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_pytorch_still_counts_what_the_facts_say(self):
        stored = json.loads((TESTDATA / "facts.json").read_text())["networks"]
        again = json.loads((self.output / "facts.json").read_text())["networks"]
        self.assertEqual(again, {name: stored[name] for name in AGAIN})

    def test_the_exported_graphs_are_the_stored_ones(self):
        stored = json.loads((TESTDATA / "facts.json").read_text())["torch"]
        again = json.loads((self.output / "facts.json").read_text())["torch"]
        if again != stored:
            self.skipTest(f"the stored graphs are of torch {stored}, here is {again}")
        for name in AGAIN:
            with self.subTest(name=name):
                self.assertEqual(nodes(self.output / f"{name}.onnx"),
                                 nodes(TESTDATA / f"{name}.onnx"))


if __name__ == "__main__":
    unittest.main()
