"""Makes small tokenizers and says what Hugging Face's own library does with a text, for the tests of data/subword.

    go run ./cmd/lethe synth --corpus en --notes 400 --format jsonl --output notes.jsonl
    python -m venv venv && venv/bin/pip install tokenizers transformers sentencepiece protobuf
    venv/bin/python scripts/peers/subword/subword.py train notes.jsonl OUT [--full]
    venv/bin/python scripts/peers/subword/subword.py encode OUT/roberta < texts.jsonl

train makes one folder per kind of tokenizer below OUT, learned from generated notes. --full makes larger vocabularies, and gives
the tokenizers of SentencePiece the whole table of NFKC. encode reads JSON strings, one per line, and writes the ids and the
offsets in bytes of each as JSON.
"""

import argparse
import json
import pathlib
import sys
import tempfile

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

# What NFKC does to some characters, and what SentencePiece does to others: enough to test the format of the table, in 2 KB.
RULES = ["2026\t2E 2E 2E", "FB01\t66 69", "FB03\t66 66 69", "A0\t20", "2003\t20", "9\t20", "A\t20", "D\t20", "200B\t20", "1\t", "7F\t",
         "65 301\tE9", "6E 303\tF1", "BD\t31 2044 32", "FF21\t41", "FF22\t42", "2460\t31", "3000\t20", "FEFF\t20", "AD\t",
         "41 30A\tC5", "212B\tC5", "1100 1161\tAC00", "FDFA\t635 644 649 20 627 644 644 647"]


def special(*names):
    return [AddedToken(name, special=True, normalized=False) for name in names]


def template(before, after, tokenizer):
    return processors.TemplateProcessing(single=f"{before} $A {after}", pair=f"{before} $A {after} $B:1 {after}:1",
                                         special_tokens=[(t, tokenizer.token_to_id(t)) for t in (before, after)])


def wordpiece(notes, size, lower):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(notes + ["漢 字 é ñ ü Ü Ñ ا ل س 😀 ’ – § µ"] * 5, trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=special(*names), show_progress=False))
    tokenizer.post_processor = template("[CLS]", "[SEP]", tokenizer)
    return tokenizer


def byte_level(notes, size, pre_tokenizer, names):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(notes, trainers.BpeTrainer(
        vocab_size=size, special_tokens=special(*names), initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
    return tokenizer


def roberta(notes, size, prefix):
    tokenizer = byte_level(notes, size, pre_tokenizers.ByteLevel(add_prefix_space=prefix), ["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True, normalized=False)])
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=prefix)
    return tokenizer


def modernbert(notes, size):
    tokenizer = byte_level(notes, size, pre_tokenizers.ByteLevel(add_prefix_space=False), ["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)] + [AddedToken("|||PHONE_NUMBER|||", normalized=True)])
    tokenizer.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True, normalized=False)])
    tokenizer.post_processor = template("[CLS]", "[SEP]", tokenizer)
    return tokenizer


def split(notes, size):
    """The pattern of GPT-4 and of tokenizers derived from it, and words that stand alone."""
    pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    tokenizer = byte_level(notes, size, pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]), ["<|start|>", "<|end|>"])
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex("[“”]"), '"'), normalizers.Replace("’", "'")])
    tokenizer.add_tokens([AddedToken("MRN", single_word=True, normalized=True), AddedToken("Résumé", rstrip=True, normalized=True)])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=True), template("<|start|>", "<|end|>", tokenizer)])
    return tokenizer


def byte_fallback(notes, size):
    """BPE over code points, in which a code point that is not in the vocabulary becomes its bytes."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.train_from_iterator(notes, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)], show_progress=False, max_token_length=12))
    text = json.loads(tokenizer.to_str())
    text["added_tokens"] = text["added_tokens"][:3]
    tokenizer = Tokenizer.from_str(json.dumps(text))
    tokenizer.post_processor = template("<s>", "</s>", tokenizer)
    return tokenizer


def sentence_piece(notes, size, full, out, **options):
    """Trains a SentencePiece model, writes it, and returns it as a message."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "notes").write_text("\n".join(line for note in notes for line in note.splitlines() if line) + "\n漢字 é ñ 😀 ا ل س\n" * 5, encoding="utf-8")
        if full:
            options["normalization_rule_name"] = "nmt_nfkc"
        else:
            (folder / "rules").write_text("\n".join(RULES) + "\n", encoding="utf-8")
            options["normalization_rule_tsv"] = str(folder / "rules")
        sentencepiece.SentencePieceTrainer.train(input=str(folder / "notes"), model_prefix=str(folder / "m"), vocab_size=size, character_coverage=0.9999,
                                                 minloglevel=2, num_threads=1, hard_vocab_limit=False, **options)
        raw = (folder / "m.model").read_bytes()
    message = sentencepiece_model_pb2.ModelProto()
    message.ParseFromString(raw)
    for field in "input", "model_prefix":  # names of files
        message.trainer_spec.ClearField(field)
    message.normalizer_spec.ClearField("normalization_rule_tsv")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(message.SerializeToString())
    return message


def xlm_roberta(notes, size, full, out, camembert=False):
    message = sentence_piece(notes, size, full, out / "sentencepiece.bpe.model")
    pieces = [(p.piece, p.score) for p in message.pieces]
    if camembert:
        vocabulary = [("<s>NOTUSED", 0.0), ("<pad>", 0.0), ("</s>NOTUSED", 0.0), ("<unk>", 0.0), ("<unk>NOTUSED", -100)] + pieces[1:]
    else:
        vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + pieces[3:]
    tokenizer = Tokenizer(models.Unigram(vocabulary + [("<mask>", 0.0)], unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Precompiled(message.normalizer_spec.precompiled_charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    tokenizer.decoder = decoders.Metaspace()
    names = ["<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"] if camembert else []
    tokenizer.add_special_tokens(special("<s>", "<pad>", "</s>", "<unk>", *names) + [AddedToken("<mask>", lstrip=True, special=True, normalized=False)])
    tokenizer.post_processor = template("<s>", "</s>", tokenizer)
    return tokenizer


def deberta(notes, size, full, out):
    from transformers.convert_slow_tokenizer import DebertaV2Converter
    message = sentence_piece(notes, size, full, out / "spm.model", pad_id=0, unk_id=3, bos_id=1, eos_id=2,
                             pad_piece="[PAD]", unk_piece="[UNK]", bos_piece="[CLS]", eos_piece="[SEP]")

    class Original:  # what the converter asks the slow tokenizer
        vocab_file, do_lower_case, split_by_punct, add_prefix_space, legacy = str(out / "spm.model"), False, False, True, True

        def convert_tokens_to_ids(self, token):
            return [p.piece for p in message.pieces].index(token)

    tokenizer = DebertaV2Converter(Original()).converted()
    tokenizer.add_special_tokens(special("[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]"))
    return tokenizer


def train(notes, out, full):
    size = 8000 if full else 1200
    made = {
        "bert": wordpiece(notes, size, True),
        "bert-cased": wordpiece(notes, size, False),
        "roberta": roberta(notes, size, False),
        "roberta-prefix": roberta(notes, size, True),
        "modernbert": modernbert(notes, size),
        "split": split(notes, size),
        "byte-fallback": byte_fallback(notes, size),
        "xlm-roberta": xlm_roberta(notes, size, full, out / "xlm-roberta"),
        "camembert": xlm_roberta(notes, size, full, out / "camembert", camembert=True),
        "deberta-v2": deberta(notes, size, full, out / "deberta-v2"),
    }
    classes = {"bert": "BertTokenizer", "bert-cased": "BertTokenizer", "roberta": "RobertaTokenizer", "roberta-prefix": "RobertaTokenizer",
               "xlm-roberta": "XLMRobertaTokenizer", "camembert": "CamembertTokenizer", "deberta-v2": "DebertaV2Tokenizer"}
    for name, tokenizer in made.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
        config = {"tokenizer_class": classes.get(name, "PreTrainedTokenizerFast")}
        if name.startswith("bert"):
            config["do_lower_case"] = name == "bert"
            tokens = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
            (folder / "vocab.txt").write_text("".join(token + "\n" for token, _ in tokens), encoding="utf-8")
        if name.startswith("roberta"):
            config["add_prefix_space"] = name == "roberta-prefix"
            tokenizer.model.save(str(folder))
            vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
            vocabulary["<mask>"] = tokenizer.token_to_id("<mask>")
            (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
        (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")


def encode(tokenizer, text):
    """Returns ids and offsets in bytes, without white space at the ends of a token."""
    found = tokenizer.encode(text, add_special_tokens=False)
    position, at = [0], 0
    for c in text:
        at += len(c.encode("utf-8"))
        position.append(at)
    offsets = []
    for start, end in found.offsets:
        stripped = text[start:end].strip()
        if stripped:
            start = start + len(text[start:end]) - len(text[start:end].lstrip())
            end = start + len(stripped)
        offsets.append([position[start], position[end]])
    return {"ids": found.ids, "offsets": offsets}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("train")
    command.add_argument("notes", type=pathlib.Path)
    command.add_argument("output", type=pathlib.Path)
    command.add_argument("--full", action="store_true")
    command = commands.add_parser("encode")
    command.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    if args.command == "train":
        with open(args.notes, encoding="utf-8") as lines:
            train([json.loads(line)["text"] for line in lines], args.output, args.full)
        return
    tokenizer = Tokenizer.from_file(str(args.folder / "tokenizer.json"))
    for line in sys.stdin:
        print(json.dumps(encode(tokenizer, json.loads(line)), separators=(",", ":")))


if __name__ == "__main__":
    main()
