#!/usr/bin/env python3
"""Measures products: peer.py openblas; peer.py torch; peer.py lethe KERNEL, which reads Go's benchmark.

Prints lines of JSON: the program, the product (rows x inner x columns) and GFLOP/s on one thread.
"""

import json
import re
import sys
import time


def speed(m, k, n, f, times=1):
    """The speed of the fastest repetition by the processor time of the thread, of at least five in half a second."""
    best, count, end = float("inf"), 0, time.monotonic() + 0.5
    f()
    while count < 5 or time.monotonic() < end:
        count += 1
        start = time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)
        for _ in range(times):
            f()
        best = min(best, time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) - start)
    return 2 * m * k * n * times / best / 1e9


def report(program, product, value):
    print(json.dumps({"program": program, "product": product, "speed": round(value, 3)}), flush=True)


SIZES = [(m, k, n) for k, n in ((768, 768), (768, 3072), (3072, 768)) for m in (128, 512, 2048, 4096)]


def openblas():
    import numpy as np

    rng = np.random.default_rng(1)
    for m, k, n in SIZES:
        a, b = rng.standard_normal((m, k), "f"), rng.standard_normal((k, n), "f")
        c = np.empty((m, n), "f")
        report("OpenBLAS", f"{m}x{k}x{n}", speed(m, k, n, lambda: np.matmul(a, b, out=c)))
    for rows in (128, 512):
        q, keys, scores = rng.standard_normal((rows, 64), "f"), rng.standard_normal((rows, 64), "f"), np.empty((rows, rows), "f")
        values, out = rng.standard_normal((rows, 64), "f"), np.empty((rows, 64), "f")
        report("OpenBLAS", f"attention{rows}/NT", speed(rows, 64, rows, lambda: np.matmul(q, keys.T, out=scores), 12))
        report("OpenBLAS", f"attention{rows}/NN", speed(rows, rows, 64, lambda: np.matmul(scores, values, out=out), 12))


def torch():
    import torch

    torch.set_num_threads(1)
    with torch.inference_mode():
        for m, k, n in SIZES:
            a, linear = torch.randn(m, k), torch.nn.Linear(k, n)
            report("PyTorch", f"{m}x{k}x{n}", speed(m, k, n, lambda: linear(a)))
            dynamic = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(linear), {torch.nn.Linear}, dtype=torch.qint8)
            report("PyTorch int8", f"{m}x{k}x{n}", speed(m, k, n, lambda: dynamic(a)))


def lethe(kernel):
    for line in sys.stdin:
        found = re.match(r"Benchmark(Encoder|Row)/(\S+?)(?:-\d+)?\s.*?([\d.]+) best-G", line)
        if found is None:
            continue
        group, name, value = found.groups()
        product, _, kind = name.rpartition("/")
        if group == "Row":
            report(f"Lethe {kernel}", f"row/{name}", float(value))
        elif product.startswith("attention"):
            report(f"Lethe {kernel}", name, float(value))
        else:
            report(f"Lethe {kind} {kernel}", product, float(value))


if __name__ == "__main__":
    {"openblas": openblas, "torch": torch, "lethe": lethe}[sys.argv[1]](*sys.argv[2:])
