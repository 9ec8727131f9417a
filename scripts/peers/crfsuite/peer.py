#!/usr/bin/env python3
"""Trains CRFsuite (python-crfsuite) on the files of `crfsuite data`, and tags dev: peer.py DIR

Prints the measurements as JSON, and writes the labels to DIR/crfsuite.labels."""

import json
import os
import resource
import sys
import time
from importlib.metadata import version

import pycrfsuite


def sequences(path):
    labels, items = [], []
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.rstrip("\n")
            if line:
                label, *attributes = line.split("\t")
                labels.append(label)
                items.append(attributes)
            else:
                yield labels, pycrfsuite.ItemSequence(items)
                labels, items = [], []


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "settings.json")) as f:
        settings = json.load(f)
    assert settings["Method"] == "lbfgs"
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False, params={
        "c1": 0, "c2": settings["L2"], "max_iterations": settings["Iterations"], "delta": settings["Delta"], "period": settings["Period"],
        "epsilon": 0, "feature.possible_transitions": True, "feature.possible_states": False})
    for labels, items in sequences(os.path.join(folder, "train.tsv")):
        trainer.append(items, labels)
    model = os.path.join(folder, "crfsuite.model")
    wall, used = time.perf_counter(), cpu()
    trainer.train(model)
    wall, used = time.perf_counter() - wall, cpu() - used

    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    dev = [items for _, items in sequences(os.path.join(folder, "dev.tsv"))]
    begin = cpu()
    found = [tagger.tag(items) for items in dev]
    predict = cpu() - begin
    begin = cpu()
    for items, labels in zip(dev, found):
        tagger.set(items)
        if labels:
            tagger.tag()
            tagger.marginal(labels[0], 0)
    with_scores = cpu() - begin
    with open(os.path.join(folder, "crfsuite.labels"), "w", encoding="utf-8") as f:
        for labels in found:
            f.writelines(label + "\n" for label in labels)
            f.write("\n")
    print(json.dumps({
        "program": "crfsuite", "version": version("python-crfsuite"), "workers": 1,
        "losses": [i["loss"] for i in trainer.logparser.iterations], "features": trainer.logparser.featgen_num_features,
        "train_seconds": wall, "train_cpu_seconds": used, "predict_cpu_seconds": predict,
        "predict_with_probabilities_cpu_seconds": with_scores, "dev_tokens": sum(map(len, found))}))


main()
