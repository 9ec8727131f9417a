"""Records what Presidio answers, for the tests of deid/service/presidio. README.md says how to run it."""

import argparse
import json
import os
import random

import harness
import pairs as ours
from presidio_anonymizer.operators import AESCipher


def answered(send, request):
    status, kind, body = send(request["method"], request["path"], request["body"], request["type"])
    return {**request, "status": status, "answer": {"type": kind, "body": body}}


def fixed(key, text):
    """Encrypts with a fixed IV, so that the recorded file does not change from run to run."""
    original, os.urandom = os.urandom, lambda n: bytes(range(n))
    try:
        return AESCipher.encrypt(key.encode(), text)
    finally:
        os.urandom = original


def record(path):
    send = harness.client()
    pairs = [answered(send, r) for r in ours.everything(fixed)]
    with open(path, "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps({k: v for k, v in p.items() if v not in ("", None, False)}, ensure_ascii=True) for p in pairs) + "\n]\n")
    print(f"{len(pairs)} pairs in {path}, {sum(bool(p['differs']) for p in pairs)} of them with a known difference")


def at_random(path, n, seed):
    """Records n random requests of /anonymize and /deanonymize."""
    chance, send = random.Random(seed), harness.client()
    alphabet = "ab  \n\r\t😀é\u0301\ufeffZ,."
    types = ["PERSON", "LOCATION", "AGE", "ID"]

    def operator(keeps):
        return chance.choice([
            {"type": "replace"}, {"type": "replace", "new_value": chance.choice(["", "X", "é😀"])}, {"type": "redact"}, {"type": "hash", "salt": "sixteen bytes it"},
            {"type": "mask", "masking_char": chance.choice("*#é"), "chars_to_mask": chance.randint(-1, 30), "from_end": chance.random() < 0.5} if keeps else {"type": "redact"},
            {"type": "keep"} if keeps else {"type": "replace"}, {"type": chance.choice(["none", "encrypt", ""])} if not keeps and chance.random() < 0.1 else {"type": "redact"},
        ])

    with open(path, "w", encoding="utf-8") as f:
        for i in range(n):
            text = "".join(chance.choice(alphabet) for _ in range(chance.randint(0, 60)))
            reverse = chance.random() < 0.2
            keeps = i % 2 == 0
            spans = []
            for _ in range(chance.randint(0, 7)):
                start = chance.randint(0, len(text))
                end = min(len(text) + (chance.random() < 0.01), start + chance.randint(0, 15))
                spans.append(ours.result(start, max(start, end), chance.choice(types[: chance.randint(1, 4)]), chance.choice([0, 0.5, 1, 1.0, 0.85, round(chance.random(), 3)])))
            kinds = [*types, "DEFAULT"]
            if reverse:
                body = {"text": text, "anonymizer_results": spans, "deanonymizers": {"DEFAULT": {"type": "deanonymize_keep"}}}
            else:
                body = {"text": text, "analyzer_results": spans, "anonymizers": {t: operator(keeps) for t in chance.sample(kinds, chance.randint(0, 3))}}
            request = {"name": f"random {i}", "method": "POST", "path": "/deanonymize" if reverse else "/anonymize", "type": "application/json", "body": json.dumps(body)}
            f.write(json.dumps(answered(send, request)) + "\n")


# Parts of regular expressions, and what may follow them.
PARTS = r"""a b A é ß 1 _ - . \d \w \s \D \W \S [ab] [^ab] [a-z] [^\W\d_] [\w-] [\d.] [^\s] \b \B ^ $ \A \Z (?=a) (?!a) (?<=a) (?<!a) \n \t \. \- [[:alpha:]] \p{L} \p{Lu} (?:ab|a) (a|b)
(?i:B) (?-i:b) (?P<n>a) (?>a|ab) \u00e9 \x41 [é-ü] [\]a] []b] [a^] [\b] [.] \/ # (?#x) [a-] [-a] [^-a] \1 \é \_ [\s\S] [^\n] [\D] [^\D\s] && ~ [a&&b] [a||b] \\ [\\] { } {a} \{ ] (?:) | ()
\07 \0 \101 [\1] (?<m>b) (?P=n) (?P<n>a)(?P=n) [[a] [a[b] [[] [^[] (a)\1 (?(1)a|b)""".split() + [" ", "\\ "]
REPEATS = ["", "", "", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??", "{1,2}?", "{,}", "{2,1}"]
TEXTS = ["aab AB-12 é_ß.\nB1 a", "Zoë Ødegård 4711\r\n-ab{a}", "AÉé \tX#1 ]b[", "1.2.3 aaa\nbbb\n\nABAB", "a", "\n", "abab aA {a}{2} \\_"]
WORDS = "the card number is of code: Code, ward (ward) badge/card mrn:7 pre-card cards; isn't oda@mail.example 12 7. \n \n\n - -- ... 4711 and 😀 número".split(" ")


def analyses_at_random(path, n, seed):
    """Records n random requests of /analyze: regular expressions, and context words."""
    chance, send = random.Random(seed), harness.client()
    with open(path, "w", encoding="utf-8") as f:
        for i in range(n):
            if i % 4:
                text, context = chance.choice(TEXTS), []
                regex = "".join(chance.choice(PARTS) + chance.choice(REPEATS) for _ in range(chance.randint(1, 5)))
            else:
                text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 25)))
                regex, context = r"\d+", chance.sample(["card", "code", "ward", "badge", "mrn", "number", "number is", "NÚM"], 2)
            own = ours.recognizer(regex, 0.25, context=context, global_regex_flags=chance.choice([26, 26, 26, 0, 2, 8, 16, 64, 90]))
            body = {"text": text, "language": "en", "entities": ["CODE"], "ad_hoc_recognizers": [own], "return_decision_process": True}
            request = {"name": f"random {i}", "method": "POST", "path": "/analyze", "type": "application/json", "body": json.dumps(body)}
            f.write(json.dumps(answered(send, request)) + "\n")


def decrypt(path):
    """Decrypts what Lethe encrypted: lines of key, ciphertext and text."""
    n = 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            key, made, text = json.loads(line)
            assert AESCipher.decrypt(key.encode(), made) == text, f"line {n + 1}"
            n += 1
    print(f"{n} texts decrypted")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--random", type=int, metavar="N", help="record N random requests instead of the fixed ones, as JSON Lines")
    parser.add_argument("--analyses", type=int, metavar="N", help="record N random requests of /analyze, as JSON Lines")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decrypt", action="store_true", help="check ciphertexts of Lethe in FILE")
    parser.add_argument("file")
    args = parser.parse_args()
    if args.decrypt:
        decrypt(args.file)
    elif args.random:
        at_random(args.file, args.random, args.seed)
    elif args.analyses:
        analyses_at_random(args.file, args.analyses, args.seed)
    else:
        record(args.file)
