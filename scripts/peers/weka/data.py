#!/usr/bin/env python3
"""Writes the data sets of the comparison with WEKA: data.py FOLDER

Each set is split into NAME.train.arff and NAME.test.arff, two thirds and one third.
Requires scikit-learn. With $LETHE_CORPORA/conll2003/train.txt it also writes a set of
words with orthographic attributes.
"""

import os
import random
import re
import sys
from pathlib import Path

from sklearn import datasets

WORDS = 40_000


def bundled(load):
    d = load()
    names = getattr(d, "feature_names", None)
    attributes = [(f"a{i} {n}", None) for i, n in enumerate(names)]
    classes = [f"c{i}" for i in range(len(d.target_names))]
    rows = [[*(f"{v:.7g}" for v in x), classes[y]] for x, y in zip(d.data, d.target)]
    return attributes, classes, rows, None


def made(rng, n, nominal, numeric, classes, noise, weighted):
    """Instances of a random tree of rules over some attributes, with noise."""
    sizes = [rng.choice([2, 3, 3, 4, 7]) for _ in range(nominal)]
    attributes = [(f"n{i}", [f"v{v}" for v in range(k)]) for i, k in enumerate(sizes)]
    attributes += [(f"x{i}", None) for i in range(numeric)]
    classes = [f"c{c}" for c in range(classes)]
    cuts = {}

    def rule(row, depth, key):
        if depth == 6:
            return cuts.setdefault(key, rng.randrange(len(classes)))
        a = cuts.setdefault(key, rng.randrange(len(row)))
        if a < nominal:
            side = row[a]
        else:
            side = int(float(row[a]) > cuts.setdefault((key, "cut"), rng.gauss(0, 0.5)))
        return rule(row, depth + 1, (key, side))

    rows, weights = [], []
    for _ in range(n):
        row = [f"v{min(int(rng.expovariate(1)), k - 1)}" for k in sizes]
        for i in range(numeric):
            digits = [0, 1, 2, 4][i % 4]
            v = round(rng.gauss(0, 1) * (3 if digits == 0 else 1), digits)
            row.append(f"{v + 0.0:.{digits}f}")  # not -0, which WEKA prints with its sign
        y = rule(row, 0, "root") if rng.random() > noise else rng.randrange(len(classes))
        rows.append([*row, classes[y]])
        weights.append(f"{rng.choice([0.5, 1, 1, 2, 3.25])}")
    return attributes, classes, rows, weights if weighted else None


SHAPES = {
    "capital": lambda w: w[0].isupper(),
    "all capitals": lambda w: w.isupper(),
    "capital inside": lambda w: any(c.isupper() for c in w[1:]),
    "lower": lambda w: w.islower(),
    "digit": lambda w: any(c.isdigit() for c in w),
    "number": lambda w: bool(re.fullmatch(r"[\d.,]+", w)),
    "hyphen": lambda w: "-" in w,
    "punctuation": lambda w: not any(c.isalnum() for c in w),
    "length": len,
    "vowels": lambda w: sum(c in "aeiouAEIOU" for c in w),
    "last letter": lambda w: ord(w[-1]) % 128,
}


def words(file):
    """Words with the shapes of a window of two words, frequency, and place."""
    sentences, sentence = [], []
    count = 0
    with open(file, encoding="utf-8") as f:
        for line in f:
            fields = line.split()
            if fields and fields[0] != "-DOCSTART-":
                sentence.append((fields[0], fields[-1].split("-")[-1]))
                count += 1
            elif sentence:
                sentences.append(sentence)
                sentence = []
                if count >= WORDS:
                    break
    frequency, lower = {}, {}
    for s in sentences:
        for w, _ in s:
            frequency[w.lower()] = frequency.get(w.lower(), 0) + 1
            lower[w.lower()] = lower.get(w.lower(), 0) + w.islower()
    attributes = [(f"{name} {at:+d}", None) for at in range(-2, 3) for name in SHAPES]
    attributes += [("frequency", None), ("share in lower case", None), ("place", None)]
    rows = []
    for s in sentences:
        for i, (w, y) in enumerate(s):
            row = []
            for at in range(-2, 3):
                inside = 0 <= i + at < len(s)
                row += [int(f(s[i + at][0])) if inside else -1 for f in SHAPES.values()]
            n = frequency[w.lower()]
            row += [n, f"{lower[w.lower()] / n:.5g}", i]
            rows.append([*map(str, row), y])
    return attributes, sorted({r[-1] for r in rows}), rows, None


def write(folder, name, data, rng):
    attributes, classes, rows, weights = data
    order = list(range(len(rows)))
    if name != "words":
        rng.shuffle(order)
    cut = 2 * len(rows) // 3
    for part, chosen in (("train", order[:cut]), ("test", order[cut:])):
        with open(folder / f"{name}.{part}.arff", "w", encoding="ascii") as f:
            print(f"@relation {name}", file=f)
            for a, values in attributes:
                kind = "numeric" if values is None else "{%s}" % ",".join(values)
                print(f"@attribute '{a}' {kind}", file=f)
            print("@attribute class {%s}" % ",".join(classes), file=f)
            print("@data", file=f)
            for i in chosen:
                print(*rows[i], sep=",", end=",{%s}\n" % weights[i] if weights else "\n", file=f)


def main():
    folder = Path(sys.argv[1])
    rng = random.Random(1)
    sets = {
        "iris": bundled(datasets.load_iris),
        "wine": bundled(datasets.load_wine),
        "cancer": bundled(datasets.load_breast_cancer),
        "digits": bundled(datasets.load_digits),
        "nominal": made(rng, 3000, 12, 0, 3, 0.1, False),
        "mixed": made(rng, 6000, 6, 8, 4, 0.15, False),
        "weighted": made(rng, 3000, 5, 5, 3, 0.1, True),
    }
    corpora = os.environ.get("LETHE_CORPORA")
    if corpora and (Path(corpora) / "conll2003/train.txt").exists():
        sets["words"] = words(Path(corpora) / "conll2003/train.txt")
    for name, data in sets.items():
        write(folder, name, data, rng)


main()
