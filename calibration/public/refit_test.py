#!/usr/bin/env python3
"""Fits two small GPU families again from their public timings: the shipped parameters come out.

    refit_test.py FIT_PROGRAM DATA SHIPPED

FIT_PROGRAM is paceline_fit_gpu, DATA the folder of the collections (exit 77, skipped, if it is not
there), SHIPPED the folder calibration/fitted/gpu.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# Softmax comes from NeuSight alone, weight gradients of recurrent layers from DeepBench alone.
COLLECTIONS = ["neusight", "deepbench"]
FAMILIES = {"gpu.stream.softmax": ["t4", "v100-pcie-32g", "architecture-ada"],
            "gpu.rnn.vector.wgrad": ["titan-x-maxwell", "v100-sxm2-16g", "architecture-kepler"]}
CLOSE = 1e-6


def parameters(file, family):
    fits = json.loads(file.read_text(encoding="utf-8"))["fits"]
    fit, = [fit for fit in fits if fit["implementation"] == family]
    return {parameter["name"]: parameter["value"] for parameter in fit["parameters"]}


def refit(program, data, folder):
    importer = pathlib.Path(__file__).parent / "import_gpu_kernels.py"
    subprocess.run([sys.executable, importer, data, folder / "timings", "--only", *COLLECTIONS],
                   check=True)
    (folder / "fitted").mkdir()
    subprocess.run([program, folder / "timings", folder / "fitted", folder / "report.md",
                    "--only", ",".join(FAMILIES)], check=True, stderr=subprocess.DEVNULL)


def main():
    program, data, shipped = (pathlib.Path(argument) for argument in sys.argv[1:])
    missing = [name for name in COLLECTIONS if not (data / name).is_dir()]
    if missing:
        print(f"skipped: {data} holds no {missing[0]}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refit(program, data, folder)
        wrong = 0
        for family, files in FAMILIES.items():
            for stem in files:
                ours = parameters(folder / "fitted" / (stem + ".json"), family)
                theirs = parameters(shipped / (stem + ".json"), family)
                for key, value in theirs.items():
                    if abs(ours[key] - value) > CLOSE * abs(value):
                        print(f"{stem} {family} {key}: shipped {value}, refitted {ours[key]}")
                        wrong += 1
        print(f"{wrong} parameters differ")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
