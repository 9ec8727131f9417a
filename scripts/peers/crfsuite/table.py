#!/usr/bin/env python3
"""Prints the measurements of run.sh as Markdown: table.py RESULTS.jsonl

Every figure is the median over the rounds, with the minimum and the maximum."""

import json
import sys
from collections import defaultdict
from statistics import median

MEASURES = [
    ("training, s", "train_seconds"), ("processor, s", "train_cpu_seconds"), ("prediction, s", "predict_cpu_seconds"),
    ("with probabilities, s", "predict_with_probabilities_cpu_seconds"), ("from text to spans, s", "text_to_spans_cpu_seconds")]


def figure(values):
    return f"{median(values):.2f} ({min(values):.2f}–{max(values):.2f})" if values else ""


def table(head, rows):
    print("|", " | ".join(head), "|")
    print("|", " | ".join("---" if i == 0 else "---:" for i in range(len(head))), "|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|")
    print()


def main():
    groups, losses, scores = defaultdict(list), {}, {}
    with open(sys.argv[1]) as f:
        for line in f:
            r = json.loads(line)
            if "processor" in r:
                print("-", "; ".join(f"{k} {v}" for k, v in r.items() if k in ("date", "processor", "cores", "system", "load", "go", "lethe")), "\n")
            elif "labels" in r:
                scores[r["iterations"], r["labels"]] = [f"{r[k]:.4f}" for k in ("precision", "recall", "f1")]
            else:
                key = r["iterations"], r["program"], r["workers"]
                groups[key].append(r)
                losses[key] = r["losses"]
    table(["maximum iterations", "program", "cores", "iterations", "last loss"] + [name for name, _ in MEASURES],
          [[*key, len(losses[key]), f"{losses[key][-1]:.3f}", *(figure([r[m] for r in rs if m in r]) for _, m in MEASURES)] for key, rs in sorted(groups.items())])
    table(["maximum iterations", "labels", "P", "R", "F1"], [[*key, *values] for key, values in sorted(scores.items())])
    for iterations in sorted({key[0] for key in groups}):
        ours, theirs = losses.get((iterations, "lethe", 1)), losses.get((iterations, "crfsuite", 1))
        if ours and theirs:
            apart = [abs(a - b) / b for a, b in zip(ours, theirs)]
            print(f"- {iterations} iterations: the losses of the first differ by {apart[0]:.1e}, those of iteration {min(30, len(apart))} by {apart[min(30, len(apart)) - 1]:.1e} of themselves")


main()
