"""Laws of the importer: python3 -m unittest calibration/public/import_test.py"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import deepbench
import import_gpu_kernels as importer


def collection(count):
    out = importer.Collection(pathlib.Path("."), "none")
    for n in range(count):
        importer.gemm(out, 1e-6, n + 1, 8, 8, "TN", "fp32", "t4", "device")
    return out


class ThinningTest(unittest.TestCase):
    def test_keeps_everything_that_is_few(self):
        self.assertEqual(len(list(importer.thinned(collection(5).results, 10))), 5)

    def test_keeps_the_same_rows_in_any_order(self):
        results = collection(50).results
        self.assertEqual(list(importer.thinned(results, 10)),
                         list(importer.thinned(results[::-1], 10)))

    def test_counts_each_device_for_itself(self):
        results = collection(20).results
        other = [(b, dict(axes, device="p4"), s) for b, axes, s in results]
        self.assertEqual(len(list(importer.thinned(results + other, 10))), 20)


class DeepBenchTest(unittest.TestCase):
    def rows(self, section, row):
        out = importer.Collection(pathlib.Path("."), "none")
        deepbench.add_deepbench_row(out, section, row, "fp32", "t4")
        return out.results

    def test_reads_milliseconds(self):
        row = {"C": "1760", "D": "16", "E": "1760", "F": "N", "G": "T", "I": "0.038"}
        (benchmark, axes, seconds), = self.rows("Dense Matrix Multiplication", row)
        self.assertEqual((benchmark, axes["m"], axes["trans_b"]), ("gpu.gemm", 1760, "T"))
        self.assertAlmostEqual(seconds, 38e-6)

    def test_leaves_out_passes_that_were_not_taken(self):
        row = dict(zip("CDEFGHIJKLM", "700 161 1 4 32 20 5 0 0 2 2".split()),
                   N="0.211", O="N/A*", P="0.362")
        self.assertEqual([axes["pass"] for _, axes, _ in self.rows("Convolution", row)],
                         ["forward", "wgrad"])

    def test_ignores_headings_and_other_tables(self):
        self.assertEqual(self.rows("Dense", {"C": "M", "D": "N", "E": "K"}), [])
        self.assertEqual(self.rows("All-Reduce", {"C": "100", "D": "2"}), [])


if __name__ == "__main__":
    unittest.main()
