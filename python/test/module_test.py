"""The module gives what the program prints, raises what it refuses, and is quick to import."""

import os
import subprocess
import sys
import unittest

import paceline

PARAMETERS = os.path.join(os.environ["PACELINE_SOURCE"],
                          "calibration/fitted/epyc-2core/parameters.json")


class Module(unittest.TestCase):
    def predict(self, **flags):
        return paceline.predict(model="fcn-r", batch=64, threads=1, device=PARAMETERS, **flags)

    def test_predicts_one_experiment_as_a_report(self):
        report = self.predict()
        self.assertEqual(report["schema"], "paceline.report/1")
        self.assertGreater(report["throughput_samples_per_s"]["median"], 0)

    def test_lists_sweep(self):
        reports = paceline.compare(model="fcn-r", batch=[32, 64], threads=1, device=PARAMETERS)
        self.assertEqual([report["config"]["batch"] for report in reports], [32, 64])
        self.assertEqual(sorted(report["comparison"]["rank"] for report in reports), [1, 2])

    def test_raises_what_the_program_refuses(self):
        with self.assertRaisesRegex(paceline.UsageError, "did you mean"):
            paceline.predict(model="resnet5", batch=8, device=PARAMETERS)
        with self.assertRaises(ValueError):
            self.predict(seed="many")
        with self.assertRaises(paceline.InputError):
            paceline.predict(model="fcn-r", batch=8, device="none.json")

    def test_a_failed_check_is_an_answer(self):
        result = paceline.check(mfu="104%", device="h100-sxm", precision="bf16")
        self.assertEqual(result["verdict"], "impossible")

    def test_imports_without_the_frameworks_it_predicts(self):
        loaded = subprocess.run([sys.executable, "-c", "import paceline, sys; print(*sys.modules)"],
                                capture_output=True, text=True, check=True).stdout.split()
        for module in ("torch", "numpy", "tensorflow"):
            self.assertNotIn(module, loaded)


if __name__ == "__main__":
    unittest.main()
