#!/usr/bin/env python3
"""Prints what CRFsuite learns with L1 penalties from the generated data of taggers/crf/chain/l1_test.go.

    pip install python-crfsuite
    scripts/peers/crfsuite/l1.py
"""

import os
import tempfile

import pycrfsuite

LABELS, ATTRIBUTES, SEQUENCES, TOKENS = 4, 40, 60, 7


class Generator:
    """The multiplier and the increment are those of the C standard's example of rand."""

    state = 1

    def next(self, n):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 16) % n


def sequences():
    """A token has the attribute of its label in three of four cases, one at random, which often comes
    twice, as a and a + ATTRIBUTES, and one that all tokens have."""
    g, all = Generator(), []
    for _ in range(SEQUENCES):
        items, labels = [], []
        y = g.next(LABELS)
        for _ in range(TOKENS):
            if g.next(3) == 0:
                y = g.next(LABELS)
            own = y if g.next(4) > 0 else g.next(LABELS)
            other = LABELS + g.next(ATTRIBUTES - LABELS - 1)
            items.append([str(a) for a in (own, other, other + ATTRIBUTES, ATTRIBUTES - 1)])
            labels.append(str(y))
        all.append((items, labels))
    return all


def train(c1, c2):
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for items, labels in sequences():
        trainer.append(items, labels)
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 5000, "feature.possible_transitions": True,
                        "epsilon": 1e-9, "delta": 1e-13, "period": 20})
    path = os.path.join(tempfile.mkdtemp(), "model")
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    info = tagger.info()
    last = trainer.logparser.last_iteration
    weights = {(int(a), int(l)): w for (a, l), w in info.state_features.items()}
    transitions = {(int(a), int(b)): w for (a, b), w in info.transitions.items()}
    print(f"\t\t{{{c1}, {c2}, {last['loss']:.6f}, {last['active_features']}, [][3]float64{{")
    for (a, l), w in sorted(weights.items(), key=lambda e: -abs(e[1]))[:6]:
        print(f"\t\t\t{{{a}, {l}, {w:.6f}}},")
    print("\t\t}, [][3]float64{")
    for (a, b), w in sorted(transitions.items(), key=lambda e: -abs(e[1]))[:4]:
        print(f"\t\t\t{{{a}, {b}, {w:.6f}}},")
    print("\t\t}},")


if __name__ == "__main__":
    print("// python-crfsuite", __import__("importlib.metadata").metadata.version("python-crfsuite"))
    for c1, c2 in ((0.1, 0), (0.5, 0), (0.5, 0.1), (2, 0.01), (0.0, 1.0)):
        train(c1, c2)
