"""DeepBench: kernels without a framework, timed by the vendor, in a spreadsheet per device."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree
import zipfile

from collection import MILLI, Collection, gemm

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read_sheets(path):
    """(name, rows) of each sheet; a row maps column letters to text."""
    with zipfile.ZipFile(path) as book:
        shared = [""]
        if "xl/sharedStrings.xml" in book.namelist():
            strings = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
            shared = ["".join(t.text or "" for t in item.iter(SHEET + "t"))
                      for item in strings.findall(SHEET + "si")]
        names = [s.get("name") for s in
                 ElementTree.fromstring(book.read("xl/workbook.xml")).iter(SHEET + "sheet")]
        for number, name in enumerate(names, 1):
            sheet = ElementTree.fromstring(book.read(f"xl/worksheets/sheet{number}.xml"))
            yield name, [cells(row, shared) for row in sheet.iter(SHEET + "row")]


def cells(row, shared):
    out = {}
    for cell in row:
        value = cell.find(SHEET + "v")
        if value is None:
            continue
        column = re.match("[A-Z]+", cell.get("r")).group()
        out[column] = shared[int(value.text)] if cell.get("t") == "s" else value.text
    return out


def is_number(text):
    try:
        return float(text) > 0
    except (TypeError, ValueError):
        return False


def import_deepbench(folder):
    out = Collection(folder, "Apache-2.0")
    # The V100 stands in a DGX-1, so it is an SXM2 board.
    files = {"DeepBench_NV_TitanX.xlsx": "titan-x-maxwell", "DeepBench_NV_V100.xlsx": "v100-sxm2-16g",
             "DeepBench_NV_T4.xlsx": "t4"}
    for name, device in files.items():
        for sheet, rows in read_sheets(out.path(pathlib.Path("results/train") / name)):
            if "Specs" in sheet or "All Reduce" in sheet:
                continue
            precision = "fp16" if "FP16" in sheet else "fp32"
            section = ""
            for row in rows:
                section = row.get("A", section)
                add_deepbench_row(out, section, row, precision, device)
    return out


def add_deepbench_row(out, section, row, precision, device):
    if not is_number(row.get("C")):
        return
    whole = lambda column: int(float(row[column]))
    common = {"device": device, "precision": precision, "timing": "device"}
    if "Dense" in section and is_number(row.get("I")) and row.get("F") in ("N", "T"):
        gemm(out, float(row["I"]) * MILLI, whole("C"), whole("D"), whole("E"),
             row["F"] + row["G"], precision, device, "device")
    elif "Convolution" in section and is_number(row.get("H")):
        shape = dict(zip(("w", "h", "c", "n", "k", "s", "r", "pad_w", "pad_h", "stride_w",
                          "stride_h"), (whole(c) for c in "CDEFGHIJKLM")))
        # 16-bit timings hold no conversions between layouts: with them, the rest would have to run
        # at several times the bandwidth of the memory.
        layout = {"channels_last": 1} if precision == "fp16" else {}
        for column, kind in (("N", "forward"), ("O", "dgrad"), ("P", "wgrad")):
            if is_number(row.get(column)):
                out.add("gpu.convolution", float(row[column]) * MILLI, **common,
                        **{"pass": kind}, **layout, **shape)
    elif "Recurrent" in section and is_number(row.get("E")):
        gates = 4 if "LSTM" in section else 3 if "GRU" in section else 1
        for column, kind in (("G", "forward"), ("H", "dgrad"), ("I", "wgrad")):
            if is_number(row.get(column)):
                # The benchmark feeds the network without an input matrix.
                out.add("gpu.rnn", float(row[column]) * MILLI, **common, **{"pass": kind},
                        gates=gates, input=0, hidden=whole("C"), batch=whole("D"),
                        steps=whole("E"))
