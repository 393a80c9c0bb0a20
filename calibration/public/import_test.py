"""Laws of the importer: python3 -m unittest calibration/public/import_test.py"""

import pathlib
import re
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


class NeuSightTest(unittest.TestCase):
    """Kernels are named after their tile, and a grid counts the tiles that cover the output."""

    TABLES = (pathlib.Path(__file__).parents[2] / "../shared/data/calibration/neusight"
              / "scripts/asplos/data/dataset/train/collect")
    TILE = re.compile(r";(?:ampere|volta|maxwell)_sgemm_(\d+)x(\d+)_")

    def blocks(self, row):
        m, n, _, _ = importer.neusight_product(row)
        tile_m, tile_n = map(int, self.TILE.match(row["Kernels"]).groups())
        return -(-m // tile_m), -(-n // tile_n)

    def test_an_output_has_as_many_tiles_as_the_grid(self):
        row = {"Kernels": ";ampere_sgemm_32x128_tn", "B": "1", "M": "244", "N": "85", "K": "1567"}
        self.assertEqual(self.blocks(row), (49, 2))
        row = {"Kernels": ";ampere_sgemm_128x128_nn", "B": "6", "M": "27", "N": "21", "K": "390"}
        self.assertEqual(self.blocks(row), (4, 1))

    def test_every_published_grid_agrees(self):
        if not self.TABLES.is_dir():
            self.skipTest("the public timings are not beside the source")
        seen = 0
        for path in sorted(self.TABLES.glob("linear/p2.1.0/*.csv")):
            for row in importer.read_csv(path):
                if self.TILE.match(row["Kernels"]):
                    grid = int(row["Grid x"]), int(row["Grid y"])
                    self.assertEqual(self.blocks(row), grid, (path.name, row))
                    seen += 1
        self.assertGreater(seen, 30000)


class Fp8Test(unittest.TestCase):
    """Layers made of a product and of a kernel that quantizes m rows of k."""

    def setUp(self):
        def product(m, n, k, size):
            return 2e-6 + size * (m * k + k * n + m * n) / 2e12 + m * n * k * size / 1e15
        def layer(m, n, k):
            return product(m, n, k, 1) + 2e-6 + 7e-9 * m + 3e-12 * m * k
        shapes = [(m, n, k) for m in (16, 4096, 16384) for n in (32, 64, 128, 1024, 8192)
                  for k in (512, 1024, 2048, 4096)]
        self.bf16 = {shape: product(*shape, 2) for shape in shapes}
        self.fp8 = {shape: layer(*shape) for shape in shapes}
        self.alone = {shape: product(*shape, 1) for shape in shapes}

    def test_finds_the_products(self):
        found = importer.without_quantization(self.fp8, self.bf16)
        self.assertGreater(len(found), 10)
        for shape, seconds in found.items():
            self.assertAlmostEqual(seconds / self.alone[shape], 1, delta=0.05, msg=shape)

    def test_leaves_out_what_quantization_hides(self):
        found = importer.without_quantization(self.fp8, self.bf16)
        for shape in found:
            self.assertGreater(self.alone[shape] * 2.1, self.fp8[shape])
        self.assertNotIn((16384, 1024, 1024), found)  # 22 of 191 us

    def test_leaves_out_depths_without_a_bf16_product_of_half(self):
        self.assertFalse([k for _, _, k in importer.without_quantization(self.fp8, self.bf16)
                          if k == 512])


if __name__ == "__main__":
    unittest.main()
