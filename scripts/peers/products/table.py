#!/usr/bin/env python3
"""Prints the results of run.sh as Markdown tables, the best of all rounds: table.py RESULTS.jsonl"""

import json
import sys

best = {}
with open(sys.argv[1]) as f:
    for r in map(json.loads, f):
        if "product" in r:
            key = r["product"], r["program"]
            best[key] = max(best.get(key, 0), r["speed"])


def table(title, products, programs, digits):
    print("|", " | ".join([title, *programs]), "|")
    print("|---|" + "---:|" * len(programs))
    for p in products:
        print("|", " | ".join([p, *(f"{best[p, x]:.{digits}f}" if (p, x) in best else "" for x in programs)]), "|")
    print()


names = list(dict.fromkeys(p for p, _ in best))
kernels = list(dict.fromkeys(x.split()[-1] for _, x in best if x.startswith("Lethe")))
dense = [p for p in names if "x" in p and "/" not in p]
table("GFLOP/s", dense, [f"Lethe {kind} {k}" for k in kernels for kind in ("AddMul", "Packed", "Int8")] + ["OpenBLAS", "PyTorch", "PyTorch int8"], 0)
table("GFLOP/s", [p for p in names if p.startswith("attention")], [f"Lethe {k}" for k in kernels] + ["OpenBLAS"], 0)
table("10⁹ values/s", [p for p in names if p.startswith("row")], [f"Lethe {k}" for k in kernels], 2)
