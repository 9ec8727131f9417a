"""Runs the graph that the authors of NeuroNER saved with a model.

    python neuroner_graph.py RELEASE < sentences.jsonl > logits.jsonl

RELEASE is the folder of a model. Each line of the input is a sentence, {"characters": [[1, 2], [3]], "vectors": [[...],
[...]]}: the ids of the characters of each token, and the vector of each token. Each line of the output is what the
graph computes for it, {"logits": [[...], [...]]}, and its time in seconds. It requires TensorFlow (tested with 2.21).
"""

import json
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.disable_eager_execution()


def main():
    folder = sys.argv[1]
    tf.train.import_meta_graph(os.path.join(folder, "model.ckpt.meta"), clear_devices=True)
    graph = tf.get_default_graph()
    checkpoint = tf.train.load_checkpoint(os.path.join(folder, "model.ckpt"))
    with tf.Session() as session:
        # The table of tokens is not in the release: its vectors are fed instead.
        for variable in tf.global_variables():
            name = variable.op.name
            if checkpoint.has_tensor(name) and name != "token_embedding/token_embedding_weights":
                variable.load(checkpoint.get_tensor(name), session)
        tensor = lambda name: graph.get_tensor_by_name(name + ":0")  # noqa: E731
        for line in sys.stdin:
            sentence = json.loads(line)
            lengths = [len(token) for token in sentence["characters"]]
            characters = numpy.zeros((len(lengths), max(lengths)), numpy.int32)
            for row, token in zip(characters, sentence["characters"]):
                row[: len(token)] = token
            feed = {
                tensor("token_embedding/embedding_lookup"): numpy.array(sentence["vectors"], numpy.float32),
                tensor("input_token_indices_1"): characters,
                tensor("input_token_lengths"): lengths,
                tensor("dropout_keep_prob"): 1.0,
            }
            begin = time.perf_counter()
            logits = session.run(tensor("feedforward_before_crf/scores"), feed)
            print(json.dumps({"logits": logits.tolist(), "seconds": time.perf_counter() - begin}), flush=True)


if __name__ == "__main__":
    main()
