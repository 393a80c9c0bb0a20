"""Kernel timings of one public collection, as import_gpu_kernels.py gathers them."""

import csv
import hashlib

MILLI = 1e-3
MICRO = 1e-6


class Collection:
    """The results of one public collection, and the files they were read from."""

    def __init__(self, folder, licence):
        self.folder = folder
        self.licence = licence
        self.results = []
        self.files = {}

    def path(self, relative):
        path = self.folder / relative
        self.files[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return path

    def add(self, benchmark, seconds, **axes):
        self.results.append((benchmark, axes, seconds))


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def gemm(out, row_seconds, m, n, k, layout, precision, device, timing, batch=1):
    """BLAS convention: C is m x n; layout is the transposition of A and B."""
    out.add("gpu.gemm", row_seconds, device=device, precision=precision, timing=timing,
            m=m, n=n, k=k, batch=batch, trans_a=layout[0], trans_b=layout[1])


def stream(out, kind, row_seconds, elements, read, written, row, precision, device, timing):
    out.add("gpu.stream." + kind, row_seconds, device=device, precision=precision, timing=timing,
            kind=kind, elements=elements, read_bytes=read, written_bytes=written, row=row)
