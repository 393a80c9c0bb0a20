#!/usr/bin/env python3
"""Turns public kernel timings into measurement files (paceline.measurements/1).

    import_gpu_kernels.py DATA OUT

DATA is a folder that holds one sub-folder per public collection (calibration/public/README.md says
which, and where each comes from). OUT receives one file per collection. The collections stay where
they are: nothing of them is part of this repository. `paceline calibrate --recipe` runs this.

Each result carries the axes `device` (a name of model/catalog/devices), `precision` and `timing`:
"device" for time on the GPU alone, "call" for events around a framework's call, which contain the
host's dispatch. Collections larger than --rows a device and benchmark are thinned by a hash of the
row, so that the choice is the same everywhere and independent of the order of rows.
"""

import argparse
import hashlib
import json
import pathlib
import re
import statistics
import sys

from collection import MICRO, MILLI, Collection, gemm, read_csv, stream
from deepbench import import_deepbench

# Shorter sequences are steps of inference, wider heads are other kernels than fused attention.
SHORTEST_SEQUENCE = 128
WIDEST_HEAD = 256
# Columns of a product up to which all else is longer.
NARROWEST = 128


# --- aiconfigurator: inference libraries under CUDA graphs, row-major C[m,n] = A[m,k] B[k,n] -----

def products(path):
    """Pairs of (m, n, k) and seconds."""
    for row in read_csv(path):
        yield (int(row["m"]), int(row["n"]), int(row["k"])), float(row["latency_ms"]) * MILLI


def without_quantization(fp8, bf16):
    """Seconds of the fp8 products alone.

    vLLM's fp8 layer first writes its input in 8 bits, with a scale for every row: 7 ns a row however
    narrow the product. What that takes depends on m and k only. It is the time of the narrowest
    products less their own, which is that of bf16 products of half the depth: as many bytes, and
    half of the FLOP at half of the rate. A difference of nearly equal times says nothing, so a row
    stays where the product is at least half of its time.
    """
    quantization = {}
    for (m, n, k), seconds in fp8.items():
        if n <= NARROWEST and (m, n, k // 2) in bf16:
            quantization.setdefault((m, k), []).append(seconds - bf16[m, n, k // 2])
    out = {}
    for (m, n, k), seconds in fp8.items():
        if n <= NARROWEST or (m, k) not in quantization:
            continue
        alone = seconds - statistics.median(quantization[m, k])
        if alone >= seconds / 2:
            out[m, n, k] = alone
    return out


def import_aiconfigurator(folder):
    out = Collection(folder, "Apache-2.0")
    device_of = {"a100_sxm": "a100-sxm-80g", "h100_sxm": "h100-sxm", "l40s": "l40s",
                 "h200_sxm": "h200-sxm", "gb200": "gb200"}
    precision_of = {"bfloat16": "bf16", "fp8": "fp8"}
    for path in sorted((folder / "derived").glob("gemm_*.csv")):
        _, system, rest = re.match(r"(gemm)_([a-z0-9]+(?:_sxm)?)_(.*)\.csv", path.name).groups()
        precision = precision_of[rest.split("_")[-1]]
        rows = products(out.path(path.relative_to(folder)))
        if precision == "fp8":
            in_16_bits = path.with_name(path.name.replace("_fp8", "_bfloat16"))
            rows = without_quantization(dict(rows), dict(products(in_16_bits))).items()
        for (m, n, k), seconds in rows:
            # A linear layer: in BLAS's column-major view its output is n x m, A transposed.
            gemm(out, seconds, n, m, k, "TN", precision, device_of[system], "device")
    for path in sorted((folder / "derived").glob("context_attention_*.csv")):
        system = re.match(r"context_attention_([a-z0-9]+(?:_sxm)?)_", path.name).group(1)
        for row in read_csv(out.path(path.relative_to(folder))):
            if int(row["isl"]) < SHORTEST_SEQUENCE or int(row["head_dim"]) > WIDEST_HEAD:
                continue
            out.add("gpu.attention", float(row["latency_ms"]) * MILLI,
                    device=device_of[system], precision="bf16", timing="device",
                    attention="forward", batch=int(row["batch_size"]), seq=int(row["isl"]),
                    heads=int(row["num_heads"]), kv_heads=int(row["num_key_value_heads"]),
                    head_dim=int(row["head_dim"]), causal=1)
    return out


# --- NeuSight: PyTorch 2.1, fp32, events around the call ----------------------------------------

def neusight_product(row):
    """(m, n, k, batch) of a row of its tables of linear layers and batched products.

    The output has M rows of K columns and N is summed over, whatever the letters suggest: the grids
    of the kernels say so, which the same rows hold (import_test.py). In BLAS's column-major view the
    output is K x M.
    """
    return int(row["K"]), int(row["M"]), int(row["N"]), int(row["B"])


def import_neusight(folder):
    out = Collection(folder, "MIT")
    device_of = {"Tesla P4": "p4", "Tesla P100-PCIE-16GB": "p100-pcie",
                 "Tesla V100-PCIE-32GB": "v100-pcie-32g", "Tesla T4": "t4",
                 "NVIDIA A100-PCIE-40GB": "a100-pcie-40g", "NVIDIA A100 80GB PCIe": "a100-pcie-80g"}
    root = folder / "scripts/asplos/data/dataset/train/collect"
    common = {"precision": "fp32", "timing": "call"}
    for path in sorted(root.glob("*/p2.1.0/*.csv")):
        kind, device = path.parts[-3], device_of[path.stem]
        for row in read_csv(out.path(path.relative_to(folder))):
            seconds = float(row["Latency"]) * MILLI
            if kind in ("linear", "bmm"):
                m, n, k, batch = neusight_product(row)
                gemm(out, seconds, m, n, k, "TN" if kind == "linear" else "NN", "fp32", device,
                     "call", batch)
            elif kind == "conv":
                side, taps = int(row["Input_Size"]), int(row["Kernel_Szie"])
                out.add("gpu.convolution", seconds, device=device, **common, **{"pass": "forward"},
                        n=int(row["B"]), c=int(row["Input_Channel"]), h=side, w=side,
                        k=int(row["Output_Channel"]), r=taps, s=taps,
                        pad_h=int(row["Padding"]), pad_w=int(row["Padding"]),
                        stride_h=int(row["Stride"]), stride_w=int(row["Stride"]))
            else:
                elements = int(row["B"]) * int(row["H"])
                name = {"add": "elementwise", "softmax": "softmax", "ln": "normalization"}[kind]
                reads = 2 if kind == "add" else 1
                stream(out, name, seconds, elements, 4.0 * reads * elements, 4.0 * elements,
                       0 if kind == "add" else int(row["H"]), "fp32", device, "call")
    return out


# --- estimate-train-time: operators of GPT-NeoX on A100, fp16 ------------------------------------

def import_estimate_train_time(folder):
    out = Collection(folder, "MIT")
    root = pathlib.Path("src/estimate_train_time/data/regressors/Perlmutter/operator")
    device = "a100-sxm-80g"

    def rows(operator):
        for row in read_csv(out.path(root / f"NVIDIAA100-SXM4-80GB_{operator}_fp16.csv")):
            yield {key: int(float(value)) for key, value in row.items()
                   if key not in ("F_dur(us)", "B_dur(us)", "dur(us)")}, row

    for operator, grow in (("linear1", 3), ("linear3", 4)):
        for size, row in rows(operator):
            gemm(out, float(row["F_dur(us)"]) * MICRO, grow * size["dim"] // size["mp"],
                 size["b"] * size["l"], size["dim"], "TN", "fp16", device, "call")
    for size, row in rows("flash_atten"):
        heads, width = size["h"] // size["mp"], size["dim"] // size["h"]
        if width % 32 or width > WIDEST_HEAD:
            continue
        for column, kind in (("F_dur(us)", "forward"), ("B_dur(us)", "backward")):
            # The first FlashAttention, half as fast as the second: only its ratio of backward to
            # forward is used.
            out.add("gpu.attention", float(row[column]) * MICRO, device=device, precision="fp16",
                    timing="call", library="flash-1", attention=kind, batch=size["b"],
                    seq=size["l"], heads=heads, kv_heads=heads, head_dim=width, causal=1)
    for operator, kind, reads, back in (("res_add", "elementwise", 2, None),
                                        ("layernorm", "normalization", 1, 2)):
        for size, row in rows(operator):
            elements = size["b"] * size["l"] * size["dim"]
            line = 0 if kind == "elementwise" else size["dim"]
            stream(out, kind, float(row["F_dur(us)"]) * MICRO, elements, 2.0 * reads * elements,
                   2.0 * elements, line, "fp16", device, "call")
            if back:
                stream(out, kind + "_backward", float(row["B_dur(us)"]) * MICRO, elements,
                       2.0 * back * elements, 2.0 * elements, line, "fp16", device, "call")
    for size, row in rows("middleStage_optimizer"):
        # Layers of 12 dim^2 parameters; fused Adam with fp16 weights and gradients and fp32
        # master weights and moments reads 2 + 12 and writes 12 + 2 bytes a parameter.
        parameters = size["encoders"] * 12 * size["dim"] ** 2 // size["mp"]
        stream(out, "optimizer", float(row["dur(us)"]) * MICRO, parameters, 14.0 * parameters,
               14.0 * parameters, 0, "fp32", device, "call")
    return out


# --- gpu-benches: one small copy kernel after another -------------------------------------------

def import_gpu_benches(folder):
    out = Collection(folder, "GPL-3.0 (measured values only)")
    device_of = {"a100_80": "a100-sxm-80g", "a40": "a40", "l40": "l40", "h200": "h200-sxm",
                 "mi210": "mi210"}
    for stem, device in device_of.items():
        path = out.path(pathlib.Path("RRZE-HPC/gpu-small-kernels") / (stem + ".txt"))
        for line in path.read_text(encoding="utf-8").splitlines():
            found = re.match(r"\s*(\d+)\s+\d+kB\s+([\d\s]+)$", line)
            if not found:
                continue
            rates = sorted(float(text) for text in found.group(2).split())
            elements = int(found.group(1))  # doubles, read once and written once
            size = 8.0 * elements
            stream(out, "elementwise", 2 * size / (rates[len(rates) // 2] * 1e9), elements, size,
                   size, 0, "fp32", device, "device")
    return out


# --- simumax: the three products of linear layers on A100 PCIe ----------------------------------

def import_simumax(folder):
    out = Collection(folder, "Apache-2.0")
    text = json.loads(out.path(pathlib.Path("configs/system/a100_pcie.json")).read_text())
    matmul = text["accelerator"]["op"]["matmul"]
    for key, share in matmul["accurate_efficient_factor"].items():
        size = dict(part.split("=") for part in key.split(", "))
        m, n, k = (int(size[name]) for name in "mnk")
        seconds = 2.0 * m * n * k / (matmul["tflops"] * 1e12 * share)
        # Row-major m x n; BLAS sees the transposed product with the operands exchanged.
        gemm(out, seconds, n, m, k, size["layout"], "bf16", "a100-pcie-80g", "device",
             int(size["b"]))
    return out


COLLECTIONS = {"aiconfigurator": import_aiconfigurator, "neusight": import_neusight,
               "deepbench": import_deepbench, "estimate-train-time": import_estimate_train_time,
               "gpu-benches": import_gpu_benches, "simumax": import_simumax}


def thinned(results, rows):
    """At most `rows` results of each benchmark, device and pass, chosen by a hash."""
    groups = {}
    for benchmark, axes, seconds in results:
        part = (benchmark, axes["device"], axes["precision"],
                axes.get("pass", axes.get("attention", "")))
        key = hashlib.sha256(json.dumps([benchmark, axes], sort_keys=True).encode()).hexdigest()
        groups.setdefault(part, []).append((key, benchmark, axes, seconds))
    for part in sorted(groups):
        yield from sorted(groups[part], key=lambda item: item[0])[:rows]


def document(collection, rows):
    results = [{"benchmark": benchmark, "axes": axes, "status": "measured",
                "result_checked": False, "warmup": 0,
                "rounds": [{"start": "unknown", "foreign_cpu": 0.0, "accepted": True,
                            "samples_s": [seconds]}]}
               for _, benchmark, axes, seconds in thinned(collection.results, rows)]
    host = {"cpu": "not stated", "cores": 0, "memory_bytes": 0, "kernel": "not stated"}
    return {"schema": "paceline.measurements/1",
            "provenance": {"tool": "import_gpu_kernels.py", "version": "1", "date": "not stated",
                           "host": host, "libraries": collection.files,
                           "environment": {"licence": collection.licence}, "argv": []},
            "results": results}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--only", nargs="+", choices=sorted(COLLECTIONS), default=list(COLLECTIONS))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.only:
        read = COLLECTIONS[name]
        folder = arguments.data / name
        if not folder.is_dir():
            print(f"skipped: {folder} is not there", file=sys.stderr)
            continue
        try:
            collection = read(folder)
        except FileNotFoundError as error:
            print(f"skipped: {name}: {error.filename} is not there", file=sys.stderr)
            continue
        if not collection.results:
            print(f"skipped: {name}: holds no kernel timings", file=sys.stderr)
            continue
        text = document(collection, arguments.rows)
        (arguments.out / f"{name}.json").write_text(json.dumps(text, indent=1) + "\n")
        print(f"{name}: {len(text['results'])} of {len(collection.results)} results")


if __name__ == "__main__":
    main()
