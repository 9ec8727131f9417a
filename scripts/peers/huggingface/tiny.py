"""Makes the tiny model in taggers/hf/testdata/bert: a BERT of two layers for token classification, with random weights.

    lethe synth --notes 300 --output train.jsonl --format jsonl
    python tiny.py train.jsonl ../../../taggers/hf/testdata/bert
    python tiny.py train.jsonl trained 12
    HIDDEN=256 LAYERS=4 VOCABULARY=4000 RATE=6e-4 THREADS=2 python tiny.py train.jsonl small 10
    HIDDEN=768 LAYERS=12 HEADS=12 INNER=3072 VOCABULARY=30000 LENGTH=512 python tiny.py train.jsonl base

The notes give it its vocabulary and its labels. With a number of epochs, it is trained on them. The variables make it larger. Requires torch, transformers and tokenizers. The notes are invented, so that everything in the model is.
"""

import json
import os
import re
import sys

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

# The types of the notes as other corpora call them, so that tests have something to map.
NAMES = {"PATIENT": "PATIENT", "DOCTOR": "STAFF", "HOSPITAL": "HOSPITAL", "DATE": "DATE", "AGE": "AGE", "PHONE": "PHONE",
         "MEDICALRECORD": "ID", "IDNUM": "ID"}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
HIDDEN, LAYERS, HEADS, VOCABULARY, LENGTH = (  # LENGTH: positions
    int(os.environ.get(*pair)) for pair in (("HIDDEN", "48"), ("LAYERS", "2"), ("HEADS", "4"), ("VOCABULARY", "600"), ("LENGTH", "128"))
)
RATE = float(os.environ.get("RATE", "3e-3"))

torch.manual_seed(1)
torch.set_num_threads(int(os.environ.get("THREADS", "1")))
notes = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
types = sorted({NAMES.get(s["type"], "PLACE") for n in notes for s in n["spans"]})
labels = ["O"] + [p + "-" + t for t in types for p in "BI"]

tok = Tokenizer(models.WordPiece(unk_token="[UNK]"))
tok.normalizer = normalizers.BertNormalizer(lowercase=False)
tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
tok.train_from_iterator((n["text"] for n in notes), trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False))
tok.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
fast = PreTrainedTokenizerFast(tokenizer_object=tok, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
                               model_max_length=LENGTH)


def examples():
    """Yields ids and labels of windows. The first subword of each run of letters and digits has a label; others have none."""
    for n in notes:
        at = {}
        for s in n["spans"]:
            for i in range(s["start"], s["end"]):
                at[i] = ("B" if i == s["start"] else "I", NAMES.get(s["type"], "PLACE"))
        e = tok.encode(n["text"], add_special_tokens=False)
        gold = []
        for start, end in e.offsets:
            if start > 0 and re.match(r"\w\w", n["text"][start - 1:start + 1]):
                gold.append(-100)
            else:
                prefix, typ = at.get(start, ("O", ""))
                gold.append(labels.index(prefix + "-" + typ if typ else "O"))
        for i in range(0, len(e.ids), LENGTH - 2):
            yield [2] + e.ids[i:i + LENGTH - 2] + [3], [-100] + gold[i:i + LENGTH - 2] + [-100]


config = BertConfig(vocab_size=tok.get_vocab_size(), hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=int(os.environ.get("INNER", 2 * HIDDEN)),
                    max_position_embeddings=LENGTH, initializer_range=0.02 if len(sys.argv) > 3 else 0.3, hidden_dropout_prob=0.05, attention_probs_dropout_prob=0.05,
                    id2label=dict(enumerate(labels)), label2id={l: i for i, l in enumerate(labels)})
model = BertForTokenClassification(config)
print(sum(p.numel() for p in model.parameters()), "parameters")
data = list(examples()) if len(sys.argv) > 3 else []
epochs, size = int(sys.argv[3]) if len(sys.argv) > 3 else 0, 16
optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=epochs * (len(data) // size + 1) + 1)
model.train()
for epoch in range(epochs):
    total = 0.0
    for batch in torch.randperm(len(data)).split(size):
        chosen = [data[i] for i in batch]
        longest = max(len(ids) for ids, _ in chosen)
        ids = torch.tensor([i + [0] * (longest - len(i)) for i, _ in chosen])
        gold = torch.tensor([g + [-100] * (longest - len(g)) for _, g in chosen])
        loss = model(input_ids=ids, attention_mask=(ids != 0).long(), labels=gold).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item()
    print(epoch + 1, total / (len(data) / size), flush=True)
model.eval().half().save_pretrained(sys.argv[2])
fast.save_pretrained(sys.argv[2])
