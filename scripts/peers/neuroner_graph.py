"""Compares an imported model with the graph that the authors of NeuroNER saved with it.

    lethe import neuroner RELEASE --vectors VECTORS --output MODEL
    lethe predict MODEL --input NOTES --format jsonl --output found.jsonl --logits LOGITS.tsv --show-text
    python neuroner_graph.py RELEASE VECTORS LOGITS.tsv

RELEASE is the folder of the released model, VECTORS the word vectors in GloVe's format. TensorFlow runs the graph on the
tokens of LOGITS.tsv, sentence by sentence. The output is the largest difference of a logit, the number of tokens whose
label on the best path differs, and the time that the graph took. It requires TensorFlow (tested with 2.21).
"""

import csv
import itertools
import os
import pickle
import re
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.disable_eager_execution()


class Tables(pickle.Unpickler):
    """Reads dataset.pickle and calls nothing but the two classes that it contains."""

    class Dataset:
        pass

    def find_class(self, module, name):
        if (module, name) == ("dataset", "Dataset"):
            return self.Dataset
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        raise pickle.UnpicklingError(f"{module}.{name}")


def read_vectors(path):
    vectors = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word, *numbers = line.rstrip("\n").split(" ")
            vectors.setdefault(word, numpy.array(numbers, numpy.float32))
    return vectors


def lookup(vectors, token, unknown):
    zeros = lambda s: re.sub(r"\d", "0", s)  # noqa: E731
    for form in (token, token.lower(), zeros(token), zeros(token.lower())):
        if form in vectors:
            return vectors[form]
    return unknown


def best_path(logits, transitions):
    """The labels of the best path from START to END, which are the last two."""
    count = logits.shape[1]
    score, back = logits[0] + transitions[count, :count], []
    for row in logits[1:]:
        each = score[:, None] + transitions[:count, :count]
        back.append(each.argmax(0))
        score = each.max(0) + row
    path = [int((score + transitions[:count, count + 1]).argmax())]
    for step in reversed(back):
        path.append(int(step[path[-1]]))
    return path[::-1]


def main():
    folder, vector_file, table = sys.argv[1:]
    with open(os.path.join(folder, "dataset.pickle"), "rb") as file:
        dataset = Tables(file).load()
    vectors = read_vectors(vector_file)
    tf.train.import_meta_graph(os.path.join(folder, "model.ckpt.meta"), clear_devices=True)
    graph = tf.get_default_graph()
    checkpoint = tf.train.load_checkpoint(os.path.join(folder, "model.ckpt"))
    unknown = checkpoint.get_tensor("token_embedding/token_embedding_weights")[0]
    transitions = checkpoint.get_tensor("crf/transitions")
    tensor = lambda name: graph.get_tensor_by_name(name + ":0")  # noqa: E731
    with tf.Session() as session:
        for variable in tf.global_variables():
            name = variable.op.name
            if checkpoint.has_tensor(name) and not name.startswith("token_embedding/"):  # its vectors are fed instead
                variable.load(checkpoint.get_tensor(name), session)
        with open(table, encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            labels = [dataset.index_to_label[i].replace("_", "-") for i in range(len(dataset.index_to_label))]
            tokens = sentences = wrong = 0
            largest = seconds = 0.0
            for _, group in itertools.groupby(rows, lambda row: (row["document"], row["sentence"])):
                sentence = list(group)
                spelt = [[dataset.character_to_index.get(c, 0) for c in row["text"]] for row in sentence]
                characters = numpy.zeros((len(spelt), max(map(len, spelt))), numpy.int32)
                for row, token in zip(characters, spelt):
                    row[: len(token)] = token
                feed = {
                    tensor("token_embedding/embedding_lookup"): numpy.array([lookup(vectors, row["text"], unknown) for row in sentence]),
                    tensor("input_token_indices_1"): characters,
                    tensor("input_token_lengths"): [len(token) for token in spelt],
                    tensor("dropout_keep_prob"): 1.0,
                }
                begin = time.perf_counter()
                logits = session.run(tensor("feedforward_before_crf/scores"), feed)
                seconds += time.perf_counter() - begin
                ours = numpy.array([[float(row[label]) for label in labels] for row in sentence])
                largest = max(largest, float(numpy.abs(logits - ours).max()))
                wrong += sum(labels[i] != row["label"] for i, row in zip(best_path(logits, transitions), sentence))
                tokens, sentences = tokens + len(sentence), sentences + 1
    print(f"{sentences} sentences, {tokens} tokens, largest difference of a logit {largest:.2g}, labels that differ {wrong}, {tokens / seconds:.0f} tokens a second")


if __name__ == "__main__":
    main()
