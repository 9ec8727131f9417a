"""Computes the scores of token-classification networks with transformers, for comparison with nn/encoder.

    python encoders.py golden GOLDEN.json
    python encoders.py models FOLDER [ARCHITECTURE ...]
    python encoders.py time FOLDER [MODEL ...]
    python encoders.py onnx FOLDER MODEL ...

golden writes the scores of small networks: each architecture, and each option of its config.json. Their weights
follow a formula, which the test repeats, so the file has only configurations, shapes, tokens and scores.

models writes networks of the usual sizes with random weights, each in a folder as transformers saves it, with some
sequences and their scores in cases.json.

time prints how long these networks take for 8 sequences of 512 tokens with 2 threads, as the shortest of several runs.

onnx adds model.onnx and a tokenizer.json whose tokens are [PAD], [UNK], [CLS], [SEP], w4, w5 and so on, for
scripts/peers/hugot. It supports bert and distilbert.

It requires torch and transformers (tested with 2.15 and 5.23), and onnx for the last.
"""

import json
import math
import os
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy  # noqa: E402
import tokenizers  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

transformers.logging.set_verbosity_error()

VOCABULARY = 60
LABELS = ["O", "B-DATE", "I-DATE"]


def weights(name, shape):
    """Numbers in [-0.5, 0.5) that depend on the name and the index, or in [0.5, 1.5) for the gains of norms."""
    seed = 2166136261
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    x = numpy.arange(math.prod(shape), dtype=numpy.uint64) + numpy.uint64(seed)
    x = x * numpy.uint64(2654435761) % numpy.uint64(2**32)
    x ^= x >> numpy.uint64(15)
    x = x * numpy.uint64(2246822519) % numpy.uint64(2**32)
    x ^= x >> numpy.uint64(13)
    values = (x >> numpy.uint64(8)).astype(numpy.float32) / 2**24 - 0.5
    if "norm" in name.lower() and name.endswith(".weight"):
        values += 1
    return torch.from_numpy(values.astype(numpy.float32).reshape(shape))


def sequence(length, salt, vocabulary=VOCABULARY):
    return [(7 * i * i + 13 * i + 5 * salt + i // 3) % vocabulary for i in range(length)]


def build(kind, settings):
    labels = settings.pop("labels", LABELS)
    config = transformers.AutoConfig.for_model(kind, **settings)
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: i for i, label in enumerate(labels)}
    model = transformers.AutoModelForTokenClassification.from_config(config)
    config.architectures = [type(model).__name__]
    return model.eval()


def scores(model, sequences):
    """The logits of each sequence, computed alone and without padding."""
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([s]), attention_mask=torch.ones(1, len(s), dtype=torch.long)).logits[0] for s in sequences]


SMALL = dict(vocab_size=VOCABULARY, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, max_position_embeddings=40)
DISTIL = dict(vocab_size=VOCABULARY, dim=16, n_layers=2, n_heads=2, hidden_dim=24, max_position_embeddings=40)
DEBERTA = SMALL | dict(
    max_position_embeddings=150,
    relative_attention=True,
    pos_att_type=["p2c", "c2p"],
    share_att_key=True,
    norm_rel_ebd="layer_norm",
    position_buckets=16,
    max_relative_positions=-1,
    position_biased_input=False,
    type_vocab_size=0,
    layer_norm_eps=1e-7,
)
MODERN = SMALL | dict(
    num_hidden_layers=4, max_position_embeddings=300, local_attention=16, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2
)
SHIFTED = SMALL | dict(max_position_embeddings=42, pad_token_id=1, type_vocab_size=1, layer_norm_eps=1e-5)
SHORT, LONG = (1, 2, 40), (1, 5, 150)

VARIANTS = {
    "bert": ("bert", SMALL, SHORT),
    "bert gelu_new": ("bert", SMALL | dict(hidden_act="gelu_new"), SHORT),
    "bert relu": ("bert", SMALL | dict(hidden_act="relu"), SHORT),
    "bert silu": ("bert", SMALL | dict(hidden_act="silu"), SHORT),
    "roberta": ("roberta", SHIFTED, SHORT),
    "xlm-roberta": ("xlm-roberta", SHIFTED, SHORT),
    "camembert": ("camembert", SHIFTED, SHORT),
    "electra": ("electra", SMALL | dict(embedding_size=12), SHORT),
    "electra without projection": ("electra", SMALL | dict(embedding_size=16), SHORT),
    "distilbert": ("distilbert", DISTIL, SHORT),
    "distilbert sinusoidal": ("distilbert", DISTIL | dict(sinusoidal_pos_embds=True), SHORT),
    "distilbert relu": ("distilbert", DISTIL | dict(activation="relu"), SHORT),
    "deberta": ("deberta-v2", DEBERTA, LONG),
    "deberta c2p": ("deberta-v2", DEBERTA | dict(pos_att_type="c2p"), LONG),
    "deberta p2c": ("deberta-v2", DEBERTA | dict(pos_att_type=["p2c"]), LONG),
    "deberta without types of attention": ("deberta-v2", DEBERTA | dict(pos_att_type=[]), LONG),
    "deberta own projections": ("deberta-v2", DEBERTA | dict(share_att_key=False), LONG),
    "deberta without norm": ("deberta-v2", DEBERTA | dict(norm_rel_ebd="none"), LONG),
    "deberta without buckets": ("deberta-v2", DEBERTA | dict(position_buckets=-1), LONG),
    "deberta near": ("deberta-v2", DEBERTA | dict(position_buckets=-1, max_relative_positions=20), LONG),
    "deberta near buckets": ("deberta-v2", DEBERTA | dict(position_buckets=8, max_relative_positions=64), LONG),
    "deberta absolute": ("deberta-v2", DEBERTA | dict(position_biased_input=True, type_vocab_size=2), LONG),
    "deberta not relative": ("deberta-v2", DEBERTA | dict(relative_attention=False, position_biased_input=True), LONG),
    "deberta convolution": ("deberta-v2", DEBERTA | dict(conv_kernel_size=3, conv_act="gelu"), LONG),
    "deberta wide convolution": ("deberta-v2", DEBERTA | dict(conv_kernel_size=5), LONG),
    "deberta projection": ("deberta-v2", DEBERTA | dict(embedding_size=12), LONG),
    "modernbert": ("modernbert", MODERN, (1, 2, 300)),
    "modernbert biases": ("modernbert", MODERN | dict(norm_bias=True, attention_bias=True, mlp_bias=True, classifier_bias=True), (1, 40)),
    "modernbert global": ("modernbert", MODERN | dict(layer_types=["full_attention"] * 4), (2, 40)),
    "modernbert local": (
        "modernbert",
        MODERN
        | dict(
            layer_types=["sliding_attention"] * 4,
            local_attention=6,
            rope_parameters={
                "full_attention": {"rope_type": "default", "rope_theta": 500.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
            },
        ),
        (2, 40),
    ),
    "modernbert activations": ("modernbert", MODERN | dict(hidden_activation="silu", classifier_activation="relu"), (2, 40)),
}


def golden(path):
    found = []
    for name, (kind, settings, lengths) in VARIANTS.items():
        model = build(kind, dict(settings))
        state = model.state_dict()
        for key, tensor in state.items():
            tensor.copy_(weights(key, tuple(tensor.shape)))
        sequences = [sequence(length, salt) for salt, length in enumerate(lengths)]
        if settings is SHIFTED:  # padding within a sequence has the position of padding
            sequences[-1][20] = sequences[-1][30] = settings["pad_token_id"]
        found.append(
            {
                "name": name,
                "config": json.loads(model.config.to_json_string()),
                "shapes": {key: list(tensor.shape) for key, tensor in state.items()},
                "sequences": sequences,
                "scores": [[float(f"{x:.6g}") for x in s.flatten().tolist()] for s in scores(model, sequences)],
            }
        )
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(f, separators=(",", ":")) for f in found) + "\n]\n")


MODELS = {
    "distilbert": ("distilbert", dict()),
    "bert": ("bert", dict()),
    "roberta": ("roberta", dict(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5)),
    "xlm-roberta": ("xlm-roberta", dict(vocab_size=250002, max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5)),
    "electra": ("electra", dict(embedding_size=768, hidden_size=768, num_attention_heads=12, intermediate_size=3072)),
    "electra-small": ("electra", dict()),
    "deberta": (
        "deberta-v2",
        DEBERTA
        | dict(
            vocab_size=128100, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072, max_position_embeddings=512, position_buckets=256
        ),
    ),
    "modernbert": ("modernbert", dict()),
    "bert-large": ("bert", dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096)),
}


def models(folder, names):
    for name in names or MODELS:
        kind, settings = MODELS[name]
        torch.manual_seed(1)
        model = build(kind, settings | dict(labels=["O"] + [p + t for t in ("DATE", "NAME", "AGE", "ID", "PLACE") for p in ("B-", "I-")]))
        with torch.no_grad():  # so that attention and activations are not almost linear
            for key, tensor in model.state_dict().items():
                if tensor.dim() > 1:
                    tensor.mul_(2.5)
        model.save_pretrained(os.path.join(folder, name))
        limit = 512
        sequences = [sequence(length, salt, model.config.vocab_size) for salt, length in enumerate((1, 2, 17, 128, limit - 1, limit, 60, 3))]
        if kind == "modernbert":
            sequences.append(sequence(2000, 9, model.config.vocab_size))
        with open(os.path.join(folder, name, "cases.json"), "w") as file:
            json.dump({"sequences": sequences, "scores": [s.flatten().tolist() for s in scores(model, sequences)]}, file)


def measure(folder, names):
    torch.set_num_threads(2)
    for name in names or sorted(os.listdir(folder)):
        model = transformers.AutoModelForTokenClassification.from_pretrained(os.path.join(folder, name)).eval()
        ids = torch.tensor([sequence(512, salt, model.config.vocab_size) for salt in range(8)])
        best, cpu = math.inf, math.inf
        with torch.inference_mode():
            for _ in range(6):
                start, busy = time.perf_counter(), time.process_time()
                model(input_ids=ids, attention_mask=torch.ones_like(ids))
                best, cpu = min(best, time.perf_counter() - start), min(cpu, time.process_time() - busy)
        attention = model.config._attn_implementation
        print(json.dumps({"model": name, "attention": attention, "seconds": round(best, 3), "processor": round(cpu, 3), "tokens_per_second": round(ids.numel() / best)}), flush=True)


class Exported(torch.nn.Module):
    """A model whose graph has only operators that hugot knows: the mask, positions and types are computed outside."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        given = {}
        if self.model.config.model_type == "bert":
            given = dict(position_ids=torch.cumsum(attention_mask * 0 + 1, dim=1) - 1, token_type_ids=input_ids * 0)
        mask = (1.0 - attention_mask[:, None, None, :].to(torch.float32)) * -1e9
        return self.model(input_ids=input_ids, attention_mask=mask, **given).logits


def onnx(folder, names):
    for name in names:
        path = os.path.join(folder, name)
        model = transformers.AutoModelForTokenClassification.from_pretrained(path, attn_implementation="eager").eval()
        config = {key: value for key, value in model.config.to_dict().items() if value is not None}  # hugot refuses null
        with open(os.path.join(path, "config.json"), "w") as file:
            json.dump(config, file)
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
        vocabulary = special + [f"w{i}" for i in range(len(special), model.config.vocab_size)]
        tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece({w: i for i, w in enumerate(vocabulary)}, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = tokenizers.processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
        tokenizer.add_special_tokens(special)
        tokenizer.save(os.path.join(path, "tokenizer.json"))
        ids = torch.ones(2, 16, dtype=torch.long)
        axes = {0: "batch", 1: "sequence"}
        torch.onnx.export(
            Exported(model),
            (ids, torch.ones_like(ids)),
            os.path.join(path, "model.onnx"),
            input_names=["input_ids", "attention_mask"],
            output_names=["logits"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": axes},
            opset_version=14,
            dynamo=False,
        )


if __name__ == "__main__":
    command, path, *rest = sys.argv[1:]
    if command == "golden":
        golden(path)
    elif command == "models":
        models(path, rest)
    elif command == "time":
        measure(path, rest)
    elif command == "onnx":
        onnx(path, rest)
    else:
        sys.exit(__doc__)
