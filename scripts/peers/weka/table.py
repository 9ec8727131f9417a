#!/usr/bin/env python3
"""Compares results of run.sh: table.py RESULTS.jsonl

Prints a Markdown table. Exits with 1 if a tree or an error rate differs.
"""

import json
import re
import sys


def trees(printed):
    """The trees of a printout, without what only one of the programs prints."""
    trees = []
    for line in printed.splitlines():
        line = " ".join(line.split())
        if line == "J48 pruned tree":
            trees.append([])
        elif trees and re.search(r"^:|(<=|>|=) |^Number of Leaves|^Size of", line):
            trees[-1].append(line)
    return trees


def same(a, b):
    """Whether two trees are equal, but for the last digit of the weights at leaves."""
    weights = r"\(([\d.]+)(?:/([\d.]+))?\)$"
    if [re.sub(weights, "", line) for line in a] != [re.sub(weights, "", line) for line in b]:
        return False
    for pair in zip(a, b):
        x, y = ([float(v or 0) for g in re.findall(weights, line) for v in g] for line in pair)
        if any(abs(v - w) > 0.011 for v, w in zip(x, y)):
            return False
    return True


def main():
    results = {}
    for line in open(sys.argv[1], encoding="utf-8"):
        r = json.loads(line)
        if "program" in r:
            results.setdefault((r["data"], r["setting"]), {})[r["program"]] = r
    print("| data | setting | trees | equal trees | training error | test error | seconds WEKA | Lethe |")
    print("|---|---|---|---|---|---|---|---|")
    failed = False
    for (data, setting), pair in results.items():
        weka, lethe = pair["weka"], pair["lethe"]
        ours, theirs = trees(lethe["trees"]), trees(weka["trees"])
        equal = sum(map(same, ours, theirs))
        rates = []
        for key in ("train", "test"):
            a, b = f"{100 * weka[key]:.3f} %", f"{100 * lethe[key]:.3f} %"
            rates.append(a if a == b else f"{a} / {b}")
        print(f"| {data} | {setting} | {weka['count']} | {equal} | {rates[0]} | {rates[1]} | "
              f"{weka['seconds']:.2f} | {lethe['seconds']:.2f} |")
        far = any(abs(weka[k] - lethe[k]) > 0.001 for k in ("train", "test"))
        failed |= far or (setting.startswith("J48") and equal != 1)
    sys.exit(failed)


main()
