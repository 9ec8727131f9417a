#!/usr/bin/env python3
"""Compares the decision values of Lethe's support vector machine with those of LIBSVM.

    peer.py data DIR                        writes the data sets as DIR/NAME.csv
    peer.py compare PROGRAM EPSILON FILE    prints the comparison as a line of JSON

PROGRAM is the Go program of this folder. Both train on 3 of 4 lines of a file, with
LIBSVM's defaults, and give the decision values of all lines."""

import json
import subprocess
import sys
from importlib.metadata import version
from os.path import basename, join

import numpy
from libsvm import svmutil
from sklearn import datasets
from sklearn.preprocessing import StandardScaler


def write(folder, name, rows, positive):
    order = numpy.random.default_rng(1).permutation(len(rows))
    with open(join(folder, name + ".csv"), "w") as f:
        for i in order:
            print(int(positive[i]), *(repr(float(v)) for v in rows[i]), sep=",", file=f)


def data(folder):
    cancer, iris, wine, digits = datasets.load_breast_cancer(), datasets.load_iris(), datasets.load_wine(), datasets.load_digits()
    scaled = StandardScaler().fit_transform
    write(folder, "breast-cancer", scaled(cancer.data), cancer.target == 1)
    write(folder, "iris", iris.data, iris.target == 1)
    write(folder, "wine", scaled(wine.data), wine.target == 1)
    write(folder, "digits", digits.data / 16, digits.target % 2 == 1)
    rows, classes = datasets.make_classification(3000, 20, n_informative=6, flip_y=0.1, random_state=1)
    write(folder, "generated", rows, classes == 1)
    rows, classes = datasets.make_moons(2000, noise=0.4, random_state=1)
    write(folder, "moons-repeated", rows.round(1), classes == 1)  # many equal rows, of both classes


def compare(program, epsilon, path):
    table = numpy.loadtxt(path, delimiter=",")
    classes, rows = table[:, 0], table[:, 1:]
    kept = numpy.arange(len(rows)) % 4 > 0
    options = f"-s 0 -t 2 -c 1 -g {1 / rows.shape[1]!r} -e {epsilon} -q"
    model = svmutil.svm_train(svmutil.svm_problem(classes[kept], rows[kept]), svmutil.svm_parameter(options))
    _, _, values = svmutil.svm_predict(classes, rows, model, "-q")
    theirs = numpy.array(values)[:, 0] * (1 if model.get_labels()[0] == 1 else -1)  # LIBSVM's first class is that of the first line
    ours = json.loads(subprocess.run([program, "train", epsilon, path], check=True, capture_output=True).stdout)
    apart = numpy.abs(theirs - ours["decisions"])
    print(json.dumps({
        "data": basename(path).removesuffix(".csv"), "epsilon": float(epsilon), "libsvm": version("libsvm-official"),
        "trained": int(kept.sum()), "positive": int(classes[kept].sum()), "distinct": len(numpy.unique(table[kept], axis=0)), "features": rows.shape[1],
        "largest_difference": float(apart.max()), "mean_difference": float(apart.mean()),
        "other_class": int(((theirs > 0) != (numpy.array(ours["decisions"]) > 0)).sum()),
        "libsvm_vectors": model.get_nr_sv(), "lethe_vectors": ours["vectors"],
    }), flush=True)


if sys.argv[1] == "data":
    data(sys.argv[2])
else:
    compare(*sys.argv[2:])
