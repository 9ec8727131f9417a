#!/usr/bin/env python3
"""Prints the comparisons of run.sh as a Markdown table: table.py RESULTS.jsonl"""

import json
import sys

print("| data | rows | distinct | features | tolerance | largest difference | mean | other class | support vectors: LIBSVM | Lethe |")
print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
with open(sys.argv[1]) as f:
    for r in map(json.loads, f):
        if "data" in r:
            print("|", " | ".join(map(str, [
                r["data"], r["trained"], r["distinct"], r["features"], f"{r['epsilon']:.0e}", f"{r['largest_difference']:.1e}", f"{r['mean_difference']:.1e}",
                r["other_class"], r["libsvm_vectors"], r["lethe_vectors"]])), "|")
