"""Writes tiny models with random weights as transformers and torch.save write them, and what is in them.

    python make.py FOLDER

In FOLDER, each model gets a folder with its files and expected.json: the settings that transformers reads from
config.json, and the shape of each tensor and the SHA-256 of its numbers as little-endian float32.
It requires torch, transformers and safetensors. The models in this folder were written by PyTorch 2.15 and
transformers 5.23.
"""

import hashlib
import json
import os
import sys

import torch
import transformers
from safetensors.torch import save_file

LABELS = ["O", "B-NAME", "I-NAME"]
SIZES = dict(
    vocab_size=7, hidden_size=4, num_hidden_layers=2, num_attention_heads=2, intermediate_size=6, max_position_embeddings=9,
    id2label=dict(enumerate(LABELS)), label2id={label: i for i, label in enumerate(LABELS)},
)
MODELS = {
    "bert": dict(hidden_act="gelu_new", type_vocab_size=3, layer_norm_eps=1e-11),
    "roberta": dict(type_vocab_size=1),
    "xlm-roberta": dict(pad_token_id=2),
    "camembert": dict(),
    "distilbert": dict(sinusoidal_pos_embds=True, activation="relu"),
    "electra": dict(embedding_size=3),
    "deberta-v2": dict(
        relative_attention=True, position_buckets=4, pos_att_type="p2c|c2p", share_att_key=True, norm_rel_ebd="layer_norm",
        position_biased_input=False, conv_kernel_size=3, conv_act="gelu",
    ),
    "modernbert": dict(
        pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2, num_hidden_layers=4,
        norm_bias=True, mlp_bias=True, local_attention=6, global_attn_every_n_layers=2, global_rope_theta=5000.0,
    ),
}
KEYS = [
    "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_dim", "vocab_size", "max_position_embeddings",
    "type_vocab_size", "pad_token_id", "embedding_size", "layer_norm_eps", "norm_eps", "relative_attention", "position_buckets",
    "share_att_key", "position_biased_input", "pos_att_type", "conv_kernel_size", "norm_bias", "mlp_bias", "attention_bias",
    "local_attention", "layer_types", "rope_parameters",
]


def expected(folder, config, tensors):
    """Writes expected.json. The names of the tensors are without the prefix of the encoder."""
    content = {"config": {}, "tensors": {}}
    for key in KEYS:
        if hasattr(config, key):
            content["config"][key] = getattr(config, key)
    for name, tensor in sorted(tensors.items()):
        numbers = tensor.detach().to(torch.float32).contiguous().numpy().astype("<f4")
        content["tensors"][name] = [list(numbers.shape), hashlib.sha256(numbers.tobytes()).hexdigest()]
    with open(os.path.join(folder, "expected.json"), "w") as f:
        json.dump(content, f, separators=(",", ":"))
        f.write("\n")


def build(model_type):
    torch.manual_seed(1)
    sizes = {**SIZES, **MODELS[model_type]}
    if model_type == "distilbert":
        for key, own in [("hidden_size", "dim"), ("num_hidden_layers", "n_layers"), ("num_attention_heads", "n_heads"), ("intermediate_size", "hidden_dim")]:
            sizes[own] = sizes.pop(key)
    model = transformers.AutoModelForTokenClassification.from_config(transformers.AutoConfig.for_model(model_type, **sizes))
    with torch.no_grad():
        for p in model.parameters():
            p.normal_()
    return model


def plain(model, tensors):
    """Removes the prefix of the encoder from the names."""
    prefix = model.base_model_prefix + "."
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items()}


def prepare(root, name, model):
    folder = os.path.join(root, name)
    os.makedirs(folder)
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(folder)
    return folder


def main(root):
    for model_type in MODELS:
        model = build(model_type)
        # The half types and float64 occur, too.
        model = model.to({"roberta": torch.float16, "xlm-roberta": torch.bfloat16, "distilbert": torch.float64}.get(model_type, torch.float32))
        folder = os.path.join(root, model_type)
        model.save_pretrained(folder)
        expected(folder, transformers.AutoConfig.from_pretrained(folder), plain(model, model.state_dict()))

    model = build("bert")
    tensors = model.state_dict()

    folder = os.path.join(root, "parts")
    model.save_pretrained(folder, max_shard_size="1KB")
    expected(folder, model.config, plain(model, tensors))

    folder = prepare(root, "torch", model)
    torch.save(tensors, os.path.join(folder, "pytorch_model.bin"))
    expected(folder, model.config, plain(model, tensors))

    folder = prepare(root, "torch-parts", model)
    names = list(tensors)
    index = {"metadata": {"total_size": sum(t.nbytes for t in tensors.values())}, "weight_map": {}}
    for i, part in enumerate([names[:9], names[9:]]):
        file = f"pytorch_model-{i + 1:05d}-of-00002.bin"
        torch.save({name: tensors[name] for name in part}, os.path.join(folder, file))
        index["weight_map"].update({name: file for name in part})
    with open(os.path.join(folder, "pytorch_model.bin.index.json"), "w") as f:
        json.dump(index, f, indent=2)
    expected(folder, model.config, plain(model, tensors))

    # What occurs in files that others wrote: all types, parameters, views of one storage, transposed
    # matrices, old names of layer norms, constants, and a CRF beside an encoder that another module contains.
    folder = prepare(root, "torch-unusual", model)
    odd, want = {}, {}
    for i, (name, tensor) in enumerate(tensors.items()):
        tensor = tensor.clone()
        if tensor.dim() == 2 and i % 2:
            tensor = tensor.t().contiguous().t()
        if i % 5 == 0:
            tensor = tensor.to([torch.float16, torch.bfloat16, torch.float64][i // 5 % 3])
        want[name.removeprefix("bert.")] = tensor
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        odd["module." + name] = torch.nn.Parameter(tensor) if i % 3 == 0 else tensor
    both = torch.randn(5, 3)  # the transitions and the starts are views of it
    for name, tensor in [("transitions", both[:3]), ("start_transitions", both[3]), ("end_transitions", torch.randn(3))]:
        odd["module.crf." + name] = want["crf." + name] = tensor
    odd["module.bert.embeddings.position_ids"] = torch.arange(9).expand((1, -1))
    odd["module.bert.pooler.dense.weight"] = torch.randn(4, 4)
    torch.save(odd, os.path.join(folder, "pytorch_model.bin"))
    expected(folder, model.config, want)

    folder = prepare(root, "torch-legacy", model)
    torch.save(tensors, os.path.join(folder, "pytorch_model.bin"), _use_new_zipfile_serialization=False)

    folder = prepare(root, "unprefixed", model)
    save_file({k: v.contiguous() for k, v in plain(model, tensors).items()}, os.path.join(folder, "model.safetensors"), {"format": "pt"})
    expected(folder, model.config, plain(model, tensors))


main(sys.argv[1])
