#!/usr/bin/env python3
"""Prints the measurements of run.sh as Markdown: table.py RESULTS.jsonl

Every figure is the median over the rounds, with the minimum and the maximum."""

import json
import sys
from collections import defaultdict
from statistics import median

TRAIN, PREDICT, CACHED = "train_tokens_per_second", "predict_tokens_per_second", "predict_cached_tokens_per_second"


def figure(values, digits=0):
    if not values:
        return ""
    return f"{median(values):,.{digits}f} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|", " | ".join("---" if i == 0 else "---:" for i in range(len(head))), "|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|")
    print()


def main():
    groups, products, machines = defaultdict(list), defaultdict(list), []
    with open(sys.argv[1]) as f:
        for line in f:
            r = json.loads(line)
            if r["program"] == "machine":
                machines.append(r)
            elif r["program"] == "product":
                products[r["size"], r["product"], r["kernel"]].append(r["gflops"])
            else:
                name = f"PyTorch {r['torch']}, {r['layout']}" if r["program"] == "torch" else f"Lethe, {r['kernel']}, {r['cell']} cell"
                groups[name, r["batch"], r["workers"]].append(r)

    for m in machines:
        print("- " + "; ".join(f"{k} {v}" for k, v in m.items() if k not in ("program", "round")))
    print()

    values = lambda key, what: [r[what] for r in groups[key] if what in r]
    middle = lambda key, what: median(values(key, what) or [0])
    table(["program", "batch", "workers", "training, tokens/s", "prediction, tokens/s", "the same, spellings known", "training, % of products' peak"],
          [[*key, figure(values(key, TRAIN)), figure(values(key, PREDICT)), figure(values(key, CACHED)),
            figure([100 * r["gflops_train"] / r["gflops_peak"] for r in groups[key] if "gflops_peak" in r])] for key in groups])

    torch = sorted({r["torch"] for rs in groups.values() for r in rs if r["program"] == "torch"})
    own = lambda batches, workers: [k for k in groups if k[0].startswith("Lethe") and "generic" not in k[0]
                                    and "coupled" in k[0] and k[1] in batches and k[2] == workers]
    rows = []
    for version in torch:
        peers = [k for k in groups if groups[k][0].get("torch") == version]
        one = [k for k in peers if k[2] == 1]
        first = [k for k in peers if k[1] == 1]
        best = lambda keys, *whats: max((middle(k, w) for k in keys for w in whats), default=0)

        def row(what, lethe, peer, bound):
            rows.append([f"{what}, PyTorch {version}", f"{lethe:,.0f}", f"{peer:,.0f}", f"{lethe / peer:.2f}" if peer else "",
                         f"{bound:,.0f}", f"{lethe / bound:.2f}" if bound else ""])

        row("training, batch 1, one core", best(own([1], 1), TRAIN), best(first, TRAIN), 0)
        row("training, two cores", best(own([16, 32], 2), TRAIN), best(peers, TRAIN), 2 * best(one, TRAIN))
        row("prediction, two cores", best(own([1, 16, 32], 2), PREDICT), best(peers, PREDICT), 2 * best(one, PREDICT))
        row("prediction, spellings known", best(own([1, 16, 32], 2), PREDICT), best(peers, CACHED), 2 * best(one, CACHED))
    table(["medians", "Lethe", "peer's best", "times", "twice its best on one thread", "times"], rows)

    one, two = own([16], 1), own([16], 2)
    if one and two:
        print(f"Lethe, batch 16: two workers train {middle(two[0], TRAIN) / middle(one[0], TRAIN):.2f} times as fast as one.\n")

    sizes = list(dict.fromkeys(k[:2] for k in products))
    ratio = lambda a, b: f"{median(a) / median(b):.2f}" if a and b else ""
    table(["product", "Lethe, GFLOP/s", "OpenBLAS, GFLOP/s", "ratio"],
          [[" ".join(s), figure(products[s + ("own",)], 1), figure(products[s + ("openblas",)], 1),
            ratio(products[s + ("own",)], products[s + ("openblas",)])] for s in sorted(sizes)])


if __name__ == "__main__":
    main()
