"""Compares the spans of Lethe's tagger hf with those of transformers, on tiny models with random weights.

    python spans.py LETHE FOLDER [ARCHITECTURE...]

makes a model of each architecture in FOLDER (which must not exist), labels texts with pipeline("token-classification",
aggregation_strategy="first") and with LETHE, and prints how many spans are equal. Requires torch, transformers and tokenizers.

Where the pipeline cannot be right, the comparison is with its rule applied to the words that Lethe labels:

  - The pipeline knows where words end only for WordPiece. For other tokenizers it takes a subword for the start of a word if there
    is a space (U+0020) before it or at its start, so that words on two lines are one.
  - It takes bytes of one character, and the subword of a lone U+2581, which SentencePiece puts before some words, for words.
  - It cuts texts that are longer than the model can read, without a word.
  - It does not know the prefixes E-, S-, L- and U-.

A text that is longer than the model can read is compared with the mean of windows, which this script computes anew.
"""

import json
import math
import os
import random
import subprocess
import sys

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LABELS = ["O", "B-PATIENT", "I-PATIENT", "B-DATE", "I-DATE", "B-DOCTOR", "I-DOCTOR"]
POSITIONS = 512
WINDOW, STRIDE = 512, 128

random.seed(1)
WORDS = ("Seen by Dr Roe Amundsen on May the patient Núñez Peña reports pain Straße Tromsø was given fifty units "
         "Übermorgen naïve façade hospital ward Saint Olga clinic and he left").split()


def sentence(n):
    return " ".join(random.choice(WORDS) for _ in range(n))


PLAIN = {  # texts of words between spaces, for which the pipeline knows all borders
    "words": sentence(60),
    "emoji": "Seen 👩‍⚕️ by 👍🏽 Roe 🇳🇴 on 🙂 May 😀😀 ward",
    "marks": "Nu\u0301n\u0303ez Pen\u0303a A\u0301lvarez e\u0301\u0323 naïve Tromsø क्षि ภาษา ward Roe",
    "other letters": "Иванов 東 京 田 서울 שלום مرحبا Αθήνα Roe ward",
    "one word of 5,000 letters": "Seen by " + "abcdefghij" * 500 + " Roe on May",
    "several hundred words": sentence(180),
}
HARD = {  # texts that it gets wrong at least for some tokenizers
    "punctuation": "Roe, Amundsen (Dr.), 03/04/2071; tel. 555-0199... roe@ward.org -- Nu\u0301n\u0303ez's.",
    "CRLF": "Name: Roe\r\nDate: 3 May 2071\r\n\r\nSeen by\tDr. Amundsen\r\nward 12b",
    "space": "Roe \u00a0 Amundsen \u2003 May\u200bward  \t Peña\u2028Olga",
    "control": "Roe \x01 Amundsen\x02ward \ufeff Olga \u00ad May",
    "20,000 words": "\n".join(sentence(20) for _ in range(1000)),
    "20,000 words on a line": sentence(20000),
}


def wordpiece(lower):
    def make(corpus):
        t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.normalizer = normalizers.BertNormalizer(lowercase=lower)
        t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        t.train_from_iterator(corpus, trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
        t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
        return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
                                                    mask_token="[MASK]")
    return make


def bytelevel(corpus):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=500, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
                                                      initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="<pad>", cls_token="<s>", sep_token="</s>",
                                                bos_token="<s>", eos_token="</s>", mask_token="<mask>")


def unigram(corpus):
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("  ", " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.train_from_iterator(corpus, trainers.UnigramTrainer(vocab_size=300, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>",
                                                          show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="<pad>", cls_token="<s>", sep_token="</s>",
                                                bos_token="<s>", eos_token="</s>")


SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, initializer_range=0.4)
ARCHITECTURES = {
    "bert": (wordpiece(False), lambda n, c: transformers.BertConfig(vocab_size=n, max_position_embeddings=POSITIONS, **SMALL, **c)),
    "distilbert": (wordpiece(True), lambda n, c: transformers.DistilBertConfig(vocab_size=n, max_position_embeddings=POSITIONS, dim=32, n_layers=2, n_heads=4, hidden_dim=64,
                                                                               initializer_range=0.4, **c)),
    "electra": (wordpiece(True), lambda n, c: transformers.ElectraConfig(vocab_size=n, max_position_embeddings=POSITIONS, embedding_size=16, **SMALL, **c)),
    "roberta": (bytelevel, lambda n, c: transformers.RobertaConfig(vocab_size=n, max_position_embeddings=POSITIONS + 2, pad_token_id=1, **SMALL, **c)),
    "xlm-roberta": (unigram, lambda n, c: transformers.XLMRobertaConfig(vocab_size=n, max_position_embeddings=POSITIONS + 2, pad_token_id=1, **SMALL, **c)),
    "deberta-v2": (unigram, lambda n, c: transformers.DebertaV2Config(vocab_size=n, max_position_embeddings=POSITIONS, relative_attention=True, position_buckets=32,
                                                                      pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm", share_att_key=True,
                                                                      position_biased_input=False, type_vocab_size=0, **SMALL, **c)),
    "modernbert": (bytelevel, lambda n, c: transformers.ModernBertConfig(vocab_size=n, max_position_embeddings=POSITIONS, local_attention=16, global_attn_every_n_layers=2,
                                                                         pad_token_id=1, bos_token_id=0, eos_token_id=2, cls_token_id=0, sep_token_id=2,
                                                                         **{**SMALL, "num_hidden_layers": 3}, **c)),
}


def words_of(text, tokenizer):
    """The words of Lethe's tokenizers whitespace and letters-digits, as ranges of code points."""
    import unicodedata
    out, i = [], 0
    kind = lambda ch: "L" if unicodedata.category(ch)[0] == "L" else "N" if unicodedata.category(ch) == "Nd" else "M" if unicodedata.category(ch)[0] == "M" else "x"
    while i < len(text):
        if text[i].isspace() and text[i] not in "\x1c\x1d\x1e\x1f":
            i += 1
            continue
        start, first = i, kind(text[i])
        i += 1
        while i < len(text) and not text[i].isspace():
            k = kind(text[i])
            if tokenizer == "letters-digits" and not (first == "L" and k in "LM" or first == "N" and k == "N"):
                break
            i += 1
        out.append((start, i))
    return out


def align(words, offsets, marks):
    """The units that are labelled, as [start, end, first subword, from, to]. marks tells by subword whether it is a lone space."""
    units, k = [], 0
    for start, end in words:
        while k < len(offsets) and offsets[k][1] <= start:
            k += 1
        last = k
        while last < len(offsets) and offsets[last][0] < end:
            last += 1
        if last == k:
            continue
        if units and units[-1][4] > k:
            units[-1][1], units[-1][4] = end, last
        else:
            first = k - 1 if k > 0 and marks[k - 1] and offsets[k - 1][1] == start and not (units and units[-1][4] == k) else k
            units.append([start, end, first, k, last])
    for i, u in enumerate(units):
        u[3] = units[i - 1][4] if i else 0
    if units:
        units[-1][4] = len(offsets)
    return units


def logits_of(model, fast, ids):
    with torch.no_grad():
        full = torch.tensor([[fast.cls_token_id] + ids + [fast.sep_token_id]])
        return model(input_ids=full, attention_mask=torch.ones_like(full)).logits[0, 1:-1].double()


def spans_by_rule(text, model, fast, tokenizer):
    """The rule of "first" for given words, and by word its range and by how much its label is more probable than the next one."""
    e = fast(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False)
    ids, offsets = e["input_ids"], e["offset_mapping"]
    offsets = [(a + len(text[a:b]) - len(text[a:b].lstrip()), b) if text[a:b].strip() else (a, b) for a, b in offsets]
    units = align(words_of(text, tokenizer), offsets, [t in ("\u2581", "Ġ") for t in fast.convert_ids_to_tokens(ids)])
    room = WINDOW - 2
    if len(ids) <= room:
        p = torch.softmax(logits_of(model, fast, ids), -1)
        rows = [p[u[2]] for u in units]
    else:
        rows = windows(text, ids, units, model, fast, room)
    labels = [LABELS[int(torch.argmax(r))] for r in rows]
    margins = [(u[0], u[1], float(torch.topk(r, 2).values.diff().abs())) for u, r in zip(units, rows)]
    spans, last, end = [], None, 0
    for u, label in zip(units, labels):
        prefix, _, typ = label.partition("-")
        gap = text[end:u[0]]
        end = u[1]
        lines = gap.count("\n") or gap.count("\r")
        if label == "O":
            last = None
        elif last == typ and prefix == "I" and lines < 2:
            spans[-1][1] = u[1]
        else:
            spans.append([u[0], u[1], typ])
            last = typ
    return [tuple(s) for s in spans], margins


def windows(text, ids, units, model, fast, room):
    """The mean of windows that end between sentences. The texts of this script have one sentence per line, or none."""
    opens = [i == 0 or "\n" in text[units[i - 1][1]:u[0]] for i, u in enumerate(units)]
    total, weights = [0.0] * len(units), [0.0] * len(units)
    begin = done = 0
    while done < len(units):
        to = begin
        while to < len(units) and units[to][4] - units[begin][3] <= room:
            to += 1
        if to < len(units):
            k = to
            while k > done and units[k][3] - units[begin][3] >= room // 2:
                if opens[k]:
                    to = k
                    break
                k -= 1
        a, b = units[begin][3], units[to - 1][4]
        p = torch.softmax(logits_of(model, fast, ids[a:b]), -1)
        for i in range(begin, to):
            left = units[i][2] - a + 1 if begin > 0 else math.inf
            right = b - units[i][2] if to < len(units) else math.inf
            w = min(left, right)
            total[i] = total[i] + w * p[units[i][2] - a]
            weights[i] += w
        done = to
        if to == len(units):
            break
        begin = to
        while begin > 0 and b - units[begin - 1][3] <= STRIDE:
            begin -= 1
        for k in range(begin, to):
            if 2 * (b - units[k][3]) < STRIDE:
                break
            if opens[k]:
                begin = k
                break
    return [t / w for t, w in zip(total, weights)]


def lethe_spans(lethe, folder, name, tokenizer, texts):
    """What Lethe finds in the texts, by text."""
    run = os.path.join(folder, "run-" + name + "-" + tokenizer)
    corpus = os.path.join(folder, "texts-" + tokenizer + ".jsonl")
    with open(corpus, "w", encoding="utf-8") as f:
        for key, text in texts.items():
            f.write(json.dumps({"id": key, "text": text, "spans": []}) + "\n")
    gold = os.path.join(folder, "gold.jsonl")
    with open(gold, "w", encoding="utf-8") as f:
        f.write(json.dumps({"id": "gold", "text": "Roe", "spans": [{"start": 0, "end": 3, "type": "DOCTOR"}]}) + "\n")
    config = os.path.join(folder, name + ".yaml")
    with open(config, "w") as f:
        f.write(json.dumps({"name": name, "corpus": {"format": "jsonl", "types": "i2b2-2014", "splits": {"train": gold}},
                            "system": {"hf": {"model": os.path.join(folder, name), "tokenizer": tokenizer, "window": WINDOW, "stride": STRIDE}}}))
    for command in ([lethe, "train", config, "--out", run],
                    [lethe, "predict", run, "--input", corpus, "--format", "jsonl", "--output", run + ".jsonl", "--output-format", "jsonl"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(" ".join(command) + "\n" + done.stderr)
    found = {}
    for line in open(run + ".jsonl", encoding="utf-8"):
        note = json.loads(line)
        found[note["id"]] = [(s["start"], s["end"], s["type"]) for s in note["spans"]]
    return found


def strip(text, start, end, typ):
    """A span of the pipeline, which contains the space before it for SentencePiece."""
    covered = text[start:end]
    return start + len(covered) - len(covered.lstrip()), end - len(covered) + len(covered.rstrip()), typ


def report(name, way, key, want, got, margins=()):
    both = len(set(want) & set(got))
    mark = ""
    if not both == len(want) == len(got):
        mark = "   <-- differ"
        places = []  # where spans differ; rounding can explain a place if one of its words has two labels that are nearly as probable
        for start, end, _ in sorted(set(want) ^ set(got)):
            if places and start <= places[-1][1]:
                places[-1][1] = max(end, places[-1][1])
            else:
                places.append([start, end])
        if margins:
            worst = max(min(m for a, b, m in margins if a <= end and start <= b) for start, end in places)
            mark += f" in {len(places)} places, margin at most {worst:.1e}"
    print(f"{name:12} {way:9} {key:26} {len(want):6} {len(got):6} {both:6}{mark}", flush=True)


def main():
    lethe, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.mkdir(folder)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    corpus = [text for key, text in {**PLAIN, **HARD}.items() if not key.startswith("one word")]
    print(f"{'model':12} {'as':9} {'text':26} {'theirs':>6} {'Lethe':>6} {'equal':>6}")
    for name in sys.argv[3:] or ARCHITECTURES:
        make, config = ARCHITECTURES[name]
        fast = make(corpus)
        torch.manual_seed(3)
        c = config(len(fast), dict(id2label=dict(enumerate(LABELS)), label2id={l: i for i, l in enumerate(LABELS)}))
        model = transformers.AutoModelForTokenClassification.from_config(c).eval()
        model.save_pretrained(os.path.join(folder, name))
        fast.save_pretrained(os.path.join(folder, name))
        found = {}
        pipe = transformers.pipeline("token-classification", model=model, tokenizer=fast, aggregation_strategy="first")
        for key, text in {**PLAIN, **HARD}.items():
            tokenizer = "whitespace" if key in PLAIN else "letters-digits"
            if tokenizer not in found:
                found[tokenizer] = lethe_spans(lethe, folder, name, tokenizer, PLAIN if key in PLAIN else HARD)
            ids = fast(text, add_special_tokens=True)["input_ids"]
            if key in PLAIN and len(ids) <= WINDOW:
                theirs = [strip(text, s["start"], s["end"], s["entity_group"]) for s in pipe(text)]
                report(name, "pipeline", key, theirs, found[tokenizer][key])
            if not (key.startswith("one word") and len(ids) > WINDOW):  # Lethe reads the word in parts
                spans, margins = spans_by_rule(text, model, fast, tokenizer)
                report(name, "rule", key, spans, found[tokenizer][key], margins)


if __name__ == "__main__":
    main()
