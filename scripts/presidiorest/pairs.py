"""The requests whose answers are recorded. All persons and numbers are invented."""

import json
import random

ALL = []


def add(name, path, body=None, method="POST", type="application/json", varies=False, differs=""):
    """Adds a request. varies: the answer has random parts. differs: why Lethe's answer is another one."""
    if body is not None and not isinstance(body, str):
        body = json.dumps(body, ensure_ascii=False)
    ALL.append({"name": name, "method": method, "path": path, "type": type, "body": body, "varies": varies, "differs": differs})


def result(start, end, type="PERSON", score=0.85, **more):
    return {"start": start, "end": end, "score": score, "entity_type": type, **more}


def anonymize(name, text, results, anonymizers=None, varies=False, differs="", **more):
    body = {"text": text, "analyzer_results": results, **more}
    if anonymizers is not None:
        body["anonymizers"] = anonymizers
    add(name, "/anonymize", body, varies=varies, differs=differs)


def deanonymize(name, text, results, deanonymizers=None, varies=False, differs="", **more):
    body = {"text": text, "anonymizer_results": results, **more}
    if deanonymizers is not None:
        body["deanonymizers"] = deanonymizers
    add(name, "/deanonymize", body, varies=varies, differs=differs)


def analyze(name, text="Oda Lund lives in Bergen, room 4711.", differs="", **more):
    add(name, "/analyze", {"text": text, "language": "en", **more}, differs=differs)


def recognizer(regex=None, score=0.5, name="Own", entity="CODE", pattern="code", **more):
    r = {"name": name, "supported_entity": entity, "supported_language": "en", **more}
    if regex is not None:
        r["patterns"] = [{"name": pattern, "regex": regex, "score": score}]
    return r


SEEN = "Seen by Oda Lund in Bergen."
ODA, BERGEN = result(8, 16), result(20, 26, "LOCATION", 0.6)
KEY, KEY24, KEY32 = "WmZq4t7w!z%C&F)J", "WmZq4t7w!z%C&F)JWmZq4t7w", "WmZq4t7w!z%C&F)JWmZq4t7w!z%C&F)J"


def lists():
    add("analyzer health", "/health", method="GET")
    for path in ("/anonymizers", "/deanonymizers"):
        add("list " + path, path, method="GET", differs="" if path == "/deanonymizers" else "Lethe's own operators follow those of Presidio")
    add("recognizers of an unknown language", "/recognizers?language=xx", method="GET")
    add("entities of an unknown language", "/supportedentities?language=xx", method="GET")
    server = "the server of Lethe answers other methods, for all endpoints alike"
    add("analyze by GET", "/analyze", method="GET", differs=server)
    add("anonymizers by POST", "/anonymizers", {}, differs=server)


def operators():
    anonymize("default operator", SEEN, [ODA, BERGEN])
    anonymize("no results", SEEN, [])
    anonymize("empty text", "", [])
    add("no text", "/anonymize", {"analyzer_results": []})
    anonymize("empty anonymizers", SEEN, [ODA], {})
    anonymize("anonymizers null", SEEN, [ODA], None)
    anonymize("replace", SEEN, [ODA, BERGEN], {"PERSON": {"type": "replace", "new_value": "NAME"}, "LOCATION": {"type": "replace"}})
    anonymize("replace with an empty value", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": ""}})
    anonymize("replace with null", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": None}})
    anonymize("replace with a number", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": 5}})
    anonymize("replace with zero", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": 0}})
    anonymize("replace with a list", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": ["a"]}})
    anonymize("replace with a fraction", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": 1.5}})
    anonymize("replace with special signs", SEEN, [ODA], {"PERSON": {"type": "replace", "new_value": "\"\\/<&>\n\t\u007f\u2028é😀"}})
    anonymize("operator for a type that does not occur", SEEN, [ODA], {"AGE": {"type": "redact"}})
    anonymize("wrong operator for a type that does not occur", SEEN, [ODA], {"AGE": {"type": "nothing"}})
    anonymize("default redact", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "redact"}})
    anonymize("default and type", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "redact"}, "PERSON": {"type": "keep"}})
    anonymize("redact", SEEN, [ODA], {"PERSON": {"type": "redact"}})
    anonymize("redact everything", "Oda", [result(0, 3)], {"PERSON": {"type": "redact"}})
    anonymize("keep", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "keep"}})
    anonymize("keep and replace", SEEN, [ODA, BERGEN], {"PERSON": {"type": "keep"}})
    anonymize("parameters that an operator lacks", SEEN, [ODA], {"PERSON": {"type": "keep", "new_value": "x", "more": {"a": [1]}}})
    for n in (0, 1, 3, 8, 99, -2):
        for end in (False, True):
            anonymize(f"mask {n} from end {end}", SEEN, [ODA], {"PERSON": {"type": "mask", "masking_char": "*", "chars_to_mask": n, "from_end": end}})
    anonymize("mask with a letter outside of ASCII", SEEN, [ODA], {"PERSON": {"type": "mask", "masking_char": "█", "chars_to_mask": 4, "from_end": False}})
    anonymize("mask with an emoji", SEEN, [ODA], {"PERSON": {"type": "mask", "masking_char": "😀", "chars_to_mask": 4, "from_end": True}})
    anonymize("mask with nothing", SEEN, [ODA], {"PERSON": {"type": "mask", "masking_char": "", "chars_to_mask": 4, "from_end": True}})
    mask = {"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": True}
    for key, values in {
        "masking_char": ["ab", "e\u0301", None, 5, True, ["*"], {"a": 1}, 1.5],
        "chars_to_mask": [None, "4", 1.5, True, [4], {"a": 1}, 0.0],
        "from_end": [None, "true", 1, 0, "", 1.5, [1]],
    }.items():
        for value in values:
            anonymize(f"mask with {key} {json.dumps(value)}", SEEN, [ODA], {"PERSON": {**mask, key: value}})
        anonymize(f"mask without {key}", SEEN, [ODA], {"PERSON": {k: v for k, v in mask.items() if k != key}})
    salt = "sixteen bytes it"
    for method in ("sha256", "sha512"):
        anonymize(f"hash {method} with salt", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "hash", "hash_type": method, "salt": salt}})
        anonymize(f"hash {method} without salt", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "hash", "hash_type": method}}, varies=True)
    anonymize("hash with neither", SEEN, [ODA], {"PERSON": {"type": "hash"}}, varies=True)
    anonymize("hash of text outside of ASCII", "Zoë 😀 Ødegård", [result(0, 13)], {"PERSON": {"type": "hash", "salt": "sëchzehn bytës"}})
    for value in ["md5", "", None, 5, ["sha256"], "SHA256"]:
        anonymize(f"hash of type {json.dumps(value)}", SEEN, [ODA], {"PERSON": {"type": "hash", "hash_type": value, "salt": salt}})
    for value in ["", "short", "fifteen bytes i", None, 5, salt * 9]:
        anonymize(f"hash with salt {json.dumps(value)[:20]}", SEEN, [ODA], {"PERSON": {"type": "hash", "salt": value}})
    for key in (KEY, KEY24, KEY32):
        anonymize(f"encrypt with {len(key)} bytes", SEEN, [ODA, BERGEN], {"DEFAULT": {"type": "encrypt", "key": key}}, varies=True)
    anonymize("encrypt with a key outside of ASCII", SEEN, [ODA], {"PERSON": {"type": "encrypt", "key": "åäöåäöåä"}}, varies=True)
    anonymize("encrypt text outside of ASCII", "Zoë 😀 Ødegård", [result(0, 13)], {"PERSON": {"type": "encrypt", "key": KEY}}, varies=True)
    anonymize("encrypt a whole block", "sixteen bytes it", [result(0, 16)], {"PERSON": {"type": "encrypt", "key": KEY}}, varies=True)
    anonymize("encrypt nothing", "Oda", [result(3, 3)], {"PERSON": {"type": "encrypt", "key": KEY}}, varies=True)
    for value in ["short", "", None, 5, 0, ["a"], KEY32 * 2, KEY + "x"]:
        anonymize(f"encrypt with the key {json.dumps(value)[:40]}", SEEN, [ODA], {"PERSON": {"type": "encrypt", "key": value}})
    anonymize("encrypt without key", SEEN, [ODA], {"PERSON": {"type": "encrypt"}})
    anonymize("custom", SEEN, [ODA], {"PERSON": {"type": "custom", "lambda": "lambda x: x"}})
    anonymize("custom for a type that does not occur", SEEN, [], {"AGE": {"type": "custom"}})
    anonymize("decrypt as anonymizer", SEEN, [ODA], {"PERSON": {"type": "decrypt", "key": KEY}})
    anonymize("unknown operator", SEEN, [ODA], {"PERSON": {"type": "scramble"}})
    anonymize("unknown operator, no result", SEEN, [], {"PERSON": {"type": "scramble"}})
    for value in ["", None, 5, True, ["mask"], 1.5]:
        anonymize(f"operator of type {json.dumps(value)}", SEEN, [ODA], {"PERSON": {"type": value}})
    anonymize("operator without type", SEEN, [ODA], {"PERSON": {"new_value": "x"}})
    anonymize("empty operator", SEEN, [ODA], {"PERSON": {}})
    for value in ["mask", None, 5, ["mask"]]:
        anonymize(f"operator {json.dumps(value)}", SEEN, [ODA], {"PERSON": value})
    for value in ["mask", 5, ["mask"], []]:
        anonymize(f"anonymizers {json.dumps(value)}", SEEN, [ODA], value)


def results():
    for name, body in {
        "results null": {"text": SEEN, "analyzer_results": None},
        "results missing": {"text": SEEN},
        "results a number": {"text": SEEN, "analyzer_results": 5},
        "results a string": {"text": SEEN, "analyzer_results": "x"},
        "results an object": {"text": SEEN, "analyzer_results": {"a": 1}},
        "results an empty object": {"text": SEEN, "analyzer_results": {}},
        "results with a string": {"text": SEEN, "analyzer_results": ["x"]},
        "results with null": {"text": SEEN, "analyzer_results": [None]},
        "text null": {"text": None, "analyzer_results": [ODA]},
        "text a number": {"text": 5, "analyzer_results": [ODA]},
        "unknown keys": {"text": SEEN, "analyzer_results": [ODA], "trace": True, "language": "en"},
    }.items():
        add(name, "/anonymize", body)
    for key in ("start", "end", "score", "entity_type"):
        anonymize(f"result without {key}", SEEN, [{k: v for k, v in ODA.items() if k != key}])
        anonymize(f"result with {key} null", SEEN, [{**ODA, key: None}])
    for key in ("start", "end"):
        for value in ["8", 8.5, [8], {"a": 1}, -1, True, 0.0, ""]:
            anonymize(f"result with {key} {json.dumps(value)}", SEEN, [{**ODA, key: value}])
    anonymize("result with an empty type", SEEN, [{**ODA, "entity_type": ""}])
    anonymize("result with a type that is a number", SEEN, [{**ODA, "entity_type": 5}], differs="a type must be a string")
    anonymize("result with more keys", SEEN, [{**ODA, "analysis_explanation": None, "recognition_metadata": {"a": "b"}}])
    anonymize("result beyond the text", "Oda L", [result(3, 99)])
    anonymize("result after the text", "Oda L", [result(6, 9)])
    anonymize("result at the end of the text", "Oda L", [result(5, 5)])
    anonymize("empty result", SEEN, [result(8, 8)])
    anonymize("empty result in another", SEEN, [ODA, result(9, 9, "LOCATION")])
    anonymize("reversed result", SEEN, [result(16, 8)])
    anonymize("whole text", SEEN, [result(0, len(SEEN))])
    anonymize("results out of order", SEEN, [BERGEN, ODA])
    anonymize("same result twice", SEEN, [ODA, ODA])
    for score in [1, 0, 1.0, 0.1 + 0.2, 1e-7, 1e22, 100, -1, "high", True, {"a": [1, 2.5, None]}, 123456789012345680]:
        anonymize(f"score {json.dumps(score)}", SEEN, [{**ODA, "score": score}])


def conflicts():
    text = "George Washington Square Park is in Oda Lund Street, call 555-0100."
    both = [result(0, 17), result(7, 29, "LOCATION", 0.6)]
    anonymize("partial overlap", text, both)
    anonymize("partial overlap, the later first", text, both[::-1])
    anonymize("partial overlap, both kept", text, both, {"DEFAULT": {"type": "keep"}})
    for kept, other in (("PERSON", "LOCATION"), ("LOCATION", "PERSON")):
        for o in ({"type": "redact"}, {"type": "replace", "new_value": "X"}, {"type": "mask", "masking_char": "*", "chars_to_mask": 99, "from_end": False}):
            anonymize(f"partial overlap, {kept} kept and {other} {o['type']}", text, both, {kept: {"type": "keep"}, other: o},
                      differs="the kept entity leaves nothing of the other one")
    anonymize("partial overlap, masked in part", text, both, {"DEFAULT": {"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": False}},
              differs="a mask leaves nothing of the other entity")
    anonymize("partial overlap, masked entirely", text, both, {"DEFAULT": {"type": "mask", "masking_char": "*", "chars_to_mask": 40, "from_end": False}})
    anonymize("chain of partial overlaps", text, [result(0, 8), result(5, 14, "LOCATION"), result(12, 20, "AGE")])
    anonymize("chain of partial overlaps, kept", text, [result(0, 8), result(5, 14, "LOCATION"), result(12, 20, "AGE")], {"DEFAULT": {"type": "keep"}})
    anonymize("chain of partial overlaps, the middle kept", text, [result(0, 8), result(5, 14, "LOCATION"), result(12, 20, "AGE")], {"LOCATION": {"type": "keep"}},
              differs="the kept entity leaves nothing of the others")
    anonymize("same type overlapping", text, [result(0, 10, score=0.3), result(7, 17, score=0.9)])
    anonymize("same type overlapping, first surer", text, [result(0, 10, score=0.9), result(7, 17, score=0.3)])
    anonymize("same type touching", text, [result(0, 7), result(7, 17)])
    anonymize("three of a type overlapping", text, [result(0, 5), result(4, 9), result(8, 12)])
    anonymize("one of a type over two", text, [result(0, 5), result(7, 9), result(3, 8)])
    anonymize("same type with a space between", text, [result(0, 6, score=0.9), result(7, 17, score=0.4)])
    anonymize("three of a type with spaces between", text, [result(0, 6, score=0.9), result(7, 17, score=0.4), result(18, 24, score=0.7)])
    anonymize("same type with a comma between", "Lund, Oda", [result(0, 4), result(6, 9)])
    for name, gap in {"two spaces": "  ", "a line end": "\n", "a space and a line end": " \n", "two lines": " \n\n", "a tab": "\t", "a no-break space": "\u00a0", "CRLF": "\r\n"}.items():
        anonymize(f"same type with {name} between", "Oda" + gap + "Lund", [result(0, 3), result(3 + len(gap), 7 + len(gap))])
    anonymize("two types with a space between", text, [result(0, 6), result(7, 17, "LOCATION")])
    anonymize("another type between two of a type", "Oda X Lund", [result(0, 3), result(4, 5, "AGE"), result(6, 10)])
    anonymize("contained", text, [result(0, 17), result(7, 10, "LOCATION", 1.0)])
    anonymize("contained, same start", text, [result(0, 17), result(0, 10, "LOCATION", 1.0)])
    anonymize("contained, same end", text, [result(0, 17), result(7, 17, "LOCATION", 1.0)])
    kept = "the kept entity leaves nothing of the other one"
    anonymize("contained in a kept one", text, [result(0, 17), result(7, 10, "LOCATION", 1.0)], {"PERSON": {"type": "keep"}}, differs=kept)
    anonymize("contained and kept", text, [result(0, 17), result(7, 10, "LOCATION", 1.0)], {"LOCATION": {"type": "keep"}})
    anonymize("contained, both kept", text, [result(0, 17), result(7, 10, "LOCATION", 1.0)], {"DEFAULT": {"type": "keep"}})
    anonymize("same offsets, one kept", text, [result(0, 17), result(0, 17, "LOCATION", 0.3)], {"PERSON": {"type": "keep"}}, differs=kept)
    anonymize("contained in a masked one", text, [result(0, 17), result(7, 10, "LOCATION", 1.0)],
              {"PERSON": {"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": False}}, differs="the mask leaves nothing of the other entity")
    anonymize("same offsets, second surer", text, [result(0, 17, score=0.3), result(0, 17, "LOCATION", 0.4)])
    anonymize("same offsets, first surer", text, [result(0, 17, score=0.4), result(0, 17, "LOCATION", 0.3)])
    anonymize("same offsets, equal scores", text, [result(0, 17, score=0.4), result(0, 17, "LOCATION", 0.4)])
    anonymize("same offsets, equal scores, an int and a fraction", text, [result(0, 17, score=1), result(0, 17, "LOCATION", 1.0), result(0, 17, "AGE", 1)])
    anonymize("same offsets, scores that cannot be compared", text, [result(0, 17, score=1), result(0, 17, "LOCATION", "1")])
    anonymize("same offsets, scores that are strings", text, [result(0, 17, score="a"), result(0, 17, "LOCATION", "b")])
    anonymize("same type overlapping, scores that cannot be compared", text, [result(0, 10, score=1), result(7, 17, score="x")])
    anonymize("merged and then partially overlapping", "Oda Maria Lund Park", [result(0, 3), result(4, 9), result(8, 14, "LOCATION"), result(15, 19, "LOCATION")])
    anonymize("adjacent entities", "OdaLundBergen", [result(0, 3), result(3, 7, "AGE"), result(7, 13, "LOCATION")])
    anonymize("mask of merged entities", "Oda  Lund here", [result(0, 3), result(5, 9)], {"PERSON": {"type": "mask", "masking_char": "#", "chars_to_mask": 5, "from_end": True}})


def unicode():
    for name, text, spans in [
        ("emoji", "😀😀 Oda Lund 👩‍⚕️ Bergen 😀", [(3, 11), (16, 22)]),
        ("CRLF", "Oda\r\nLund\r\nBergen\r\n", [(5, 9), (11, 17)]),
        ("U+FEFF", "\ufeffOda Lund\ufeff Bergen", [(1, 9), (11, 17)]),
        ("combining marks", "Zoe\u0308 Lu\u0301nd in Bergen", [(0, 4), (5, 10)]),
        ("right to left", "שלום Oda مرحبا Lund", [(5, 8), (15, 19)]),
        ("CJK", "患者 Oda 先生は東京", [(3, 6), (9, 11)]),
        ("outside of the basic plane", "𝒪𝒹𝒶 Lund 𠀋", [(0, 3), (9, 10)]),
        ("control characters", "a\u0000b\u001f Oda \u007f\u0085 \u2028Lund", [(5, 8), (13, 17)]),
        ("flags", "🇳🇴 Oda 🇺🇸", [(3, 6)]),
        ("escapes", "\"Oda\" \\ / \b\f <b>", [(1, 4)]),
    ]:
        results = [result(a, b, "PERSON" if i == 0 else "LOCATION", 0.5 + i / 8) for i, (a, b) in enumerate(spans)]
        anonymize(f"{name}, replaced", text, results)
        anonymize(f"{name}, kept", text, results, {"DEFAULT": {"type": "keep"}})
        anonymize(f"{name}, masked", text, results, {"DEFAULT": {"type": "mask", "masking_char": "*", "chars_to_mask": 2, "from_end": True}})
        word = next(text[a:b] for a, b in spans)
        analyze(f"analyze {name}", text, ad_hoc_recognizers=[recognizer(deny_list=[word])], entities=["CODE", "LOCATION"])
        analyze(f"analyze {name} by pattern", text, ad_hoc_recognizers=[recognizer(r"\w+")], entities=["CODE", "PERSON"])
    add("escaped pairs", "/anonymize", '{"text":"\\ud83d\\ude00 Oda","analyzer_results":[{"start":2,"end":5,"score":1,"entity_type":"PERSON"}]}')
    add("half of a pair", "/anonymize", '{"text":"\\ud83d Oda","analyzer_results":[{"start":2,"end":5,"score":1,"entity_type":"PERSON"}]}',
        differs="half of a surrogate pair is no text")
    add("byte order mark", "/anonymize", '\ufeff{"text":"Oda","analyzer_results":[]}')
    add("duplicate keys", "/anonymize", '{"text":"Oda","text":"Lund","analyzer_results":[]}')


def bodies():
    for path in ("/anonymize", "/deanonymize", "/analyze"):
        for body in ("", "{", "[]", "[1]", "null", "5", "\"text\"", "true", "{}", "{\"text\":}", "nonsense", "{\"text\":\"Oda\"} {}"):
            add(f"{path} with {body!r}", path, body)
        add(f"{path} as text", path, "{}", type="text/plain")
        add(f"{path} without type", path, "{}", type="")
        add(f"{path} with a charset", path, {"text": "Oda", "analyzer_results": [], "language": "en"}, type="application/json; charset=utf-8")
        add(f"{path} as JSON of another type", path, {"text": "Oda", "analyzer_results": [], "language": "en"}, type="application/vnd.api+json")


def batches():
    texts = ["Oda Lund", "no one", "In Bergen"]
    lists = [[result(0, 8)], [], [result(3, 9, "LOCATION")]]
    anonymize("batch", texts, lists)
    anonymize("batch with operators", texts, lists, {"PERSON": {"type": "mask", "masking_char": "*", "chars_to_mask": 3, "from_end": False}, "DEFAULT": {"type": "redact"}})
    anonymize("empty batch", [], [])
    anonymize("batch of one", ["Oda"], [[result(0, 3)]])
    anonymize("batch with a list too few", texts, lists[:2])
    anonymize("batch with a list too many", texts, lists + [[]])
    anonymize("batch without results", texts, None, differs="a text without results would pass as it is")
    anonymize("batch with null as a list", texts, [[], None, []])
    anonymize("batch with an error", texts, [[], [result(0, 99)], []])
    anonymize("batch with a number as a text", ["Oda", 5], [[], []])
    anonymize("batch with null as a text", ["Oda", None], [[], []])
    deanonymize("batch", ["Oda Lund", "x"], [[result(0, 3)], []], {"DEFAULT": {"type": "deanonymize_keep"}})
    deanonymize("batch with a list too few", ["Oda", "x"], [[]])
    deanonymize("batch without results", ["Oda", "x"], None)
    deanonymize("empty batch", [], [])


CIPHERS = [  # made by the packages with KEY, KEY24 and KEY32
    ("Oda Lund", KEY), ("Zoë 😀 Ødegård", KEY24), ("sixteen bytes it", KEY32), ("", KEY),
]


def reverse(encrypt):
    for i, (text, key) in enumerate(CIPHERS):
        made = encrypt(key, text)
        deanonymize(f"decrypt {i}", f"Seen by {made}.", [{"start": 8, "end": 8 + len(made), "entity_type": "PERSON"}], {"PERSON": {"type": "decrypt", "key": key}})
    made = encrypt(KEY, "Oda Lund")
    at = {"start": 0, "end": len(made), "entity_type": "PERSON", "text": made, "operator": "encrypt"}
    decrypt = {"type": "decrypt", "key": KEY}
    deanonymize("decrypt with the default", made, [at], {"DEFAULT": decrypt})
    for score in [0.5, 1, "0.25", None, True, "x", [1]]:
        deanonymize(f"decrypt with the score {json.dumps(score)}", made, [{**at, "score": score}], {"DEFAULT": decrypt})
    deanonymize("decrypt twice", made + " " + made, [at, {**at, "start": len(made) + 1, "end": 2 * len(made) + 1}], {"DEFAULT": decrypt})
    deanonymize("decrypt with another key", made, [at], {"DEFAULT": {"type": "decrypt", "key": KEY32}}, differs="")
    deanonymize("decrypt a part", made, [{**at, "end": len(made) - 4}], {"DEFAULT": decrypt})
    deanonymize("decrypt no ciphertext", SEEN, [result(8, 16)], {"DEFAULT": decrypt})
    deanonymize("decrypt nothing", SEEN, [result(8, 8)], {"DEFAULT": decrypt})
    for value in ["short", "", None, 5]:
        deanonymize(f"decrypt with the key {json.dumps(value)}", made, [at], {"DEFAULT": {"type": "decrypt", "key": value}})
    deanonymize("decrypt without key", made, [at], {"DEFAULT": {"type": "decrypt"}})
    deanonymize("no deanonymizer", made, [at])
    deanonymize("no deanonymizer for a type", made, [at], {"AGE": decrypt})
    deanonymize("no results", SEEN, [], {"DEFAULT": decrypt})
    deanonymize("results null", SEEN, None, {"DEFAULT": decrypt})
    deanonymize("results missing text", "", [], None)
    deanonymize("deanonymize_keep", SEEN, [result(8, 16), result(20, 26, "LOCATION")], {"DEFAULT": {"type": "deanonymize_keep"}})
    deanonymize("keep in deanonymize", SEEN, [result(8, 16)], {"DEFAULT": {"type": "keep"}})
    deanonymize("unknown deanonymizer", SEEN, [result(8, 16)], {"DEFAULT": {"type": "scramble"}})
    deanonymize("deanonymizer without type", SEEN, [result(8, 16)], {"DEFAULT": {"key": KEY}})
    deanonymize("overlapping", SEEN, [result(5, 16), result(8, 20, "LOCATION")], {"DEFAULT": {"type": "deanonymize_keep"}})
    deanonymize("same start", SEEN, [result(5, 16), result(5, 10, "LOCATION")], {"DEFAULT": {"type": "deanonymize_keep"}})
    deanonymize("beyond the text", SEEN, [result(5, 99)], {"DEFAULT": {"type": "deanonymize_keep"}})
    for key in ("start", "end", "entity_type"):
        deanonymize(f"result without {key}", SEEN, [{k: v for k, v in ODA.items() if k != key}], {"DEFAULT": {"type": "deanonymize_keep"}})


def analysis():
    analyze("analyze persons", entities=["PERSON"])
    analyze("analyze persons and places", entities=["PERSON", "LOCATION"])
    analyze("analyze an unknown type", entities=["NOTHING"])
    analyze("analyze a known and an unknown type", entities=["PERSON", "NOTHING"])
    analyze("entities a string", entities="PERSON")
    analyze("entities a number", entities=5)
    analyze("no PHI", "There is nothing here.", entities=["PERSON"])
    for value in [0, 0.9, 0.91, 0.98, 0.99, 1, 2, -1]:
        analyze(f"threshold {value}", entities=["PERSON", "LOCATION", "ID"], score_threshold=value)
    analyze("threshold null", entities=["PERSON"], score_threshold=None)
    analyze("threshold a string", entities=["PERSON"], score_threshold="high")
    analyze("threshold a list", entities=["PERSON"], score_threshold=[1])
    analyze("correlation id", entities=["PERSON"], correlation_id="abc-1")
    analyze("correlation id an object", entities=["PERSON"], correlation_id={"a": 1})
    analyze("unknown key", entities=["PERSON"], trace=True)
    analyze("batch", ["Oda Lund", "nobody", "In Bergen with Oda Lund"], entities=["PERSON", "LOCATION"])
    analyze("batch of one", ["Oda Lund"], entities=["PERSON"])
    analyze("batch with empty texts and numbers", ["Oda Lund", 5, None, "", [], 0, 1.5, True], entities=["PERSON"])
    analyze("batch with a list", ["a", ["b"]], entities=["PERSON"])
    analyze("empty batch", [], entities=["PERSON"])
    analyze("empty text", "", entities=["PERSON"])
    analyze("text null", None, entities=["PERSON"])
    analyze("text a number", 4711, entities=["ID"])
    analyze("text an object", {"a": 1})
    add("no text", "/analyze", {"language": "en"})
    add("no language", "/analyze", {"text": "Oda"})
    add("neither text nor language", "/analyze", {"entities": ["PERSON"]})
    for language in ["", None, "xx", "EN", 5, ["en"]]:
        add(f"language {json.dumps(language)}", "/analyze", {"text": "Oda", "language": language})
    add("Spanish", "/analyze", {"text": "Oda Lund", "language": "es", "entities": ["PERSON"]})
    analyze("two persons", "Oda Lund and Zoë Ødegård", entities=["PERSON"])
    for value, how in [(["Oda Lund"], None), (["oda lund"], None), (["Oda"], None), (["Lund", "Bergen"], None), ([], None), ("Oda Lund and others", None), ("Oda", None), ([5], None),
                       (["Oda.*"], "regex"), (["oda"], "regex"), (["^Lund"], "regex"), (["^Bergen$", "x"], "regex"), ([""], "regex"), (["Lund", ""], "regex"), (["("], "regex"),
                       ([5], "regex"), (["(?<=Oda )Lund"], "regex"), (["Oda Lund"], "other"), ([], "other"), (["Oda Lund"], "exact"), (5, None), (5, "regex")]:
        more = {} if how is None else {"allow_list_match": how}
        analyze(f"allow list {json.dumps(value)} {how}", entities=["PERSON", "LOCATION"], allow_list=value, **more)
    for flags in [0, 2, 26, None, "i"]:
        analyze(f"allow list with flags {flags}", entities=["PERSON"], allow_list=["oda"], allow_list_match="regex", regex_flags=flags)
    analyze("allow list match null", entities=["PERSON"], allow_list=["Oda Lund"], allow_list_match=None)


def adhoc():
    text = "Code AB-1234 and code CD-99 in ward 7, card number AB-1234; oda@mail.example, 12/3/2021"
    only = {"entities": ["CODE"]}

    def one(name, *recognizers, differs="", text=text, **more):
        analyze(f"ad hoc {name}", text, ad_hoc_recognizers=list(recognizers), differs=differs, **{**only, **more})

    one("pattern", recognizer(r"[A-Z]{2}-\d+"))
    one("pattern explained", recognizer(r"[A-Z]{2}-\d+"), return_decision_process=True)
    one("pattern without all types", recognizer(r"[A-Z]{2}-\d+"), entities=[])
    one("two patterns", {**recognizer(), "patterns": [{"name": "a", "regex": "AB-\\d+", "score": 0.3}, {"name": "b", "regex": "\\d+", "score": 1}]})
    one("two recognizers of two types", recognizer("AB"), recognizer("CD", 0.7, "Other", "LETTERS"), entities=["CODE", "LETTERS"])
    one("contained of the same score", {**recognizer(), "patterns": [{"name": "a", "regex": "AB-\\d+", "score": 0.5}, {"name": "b", "regex": "\\d+", "score": 0.5}]})
    one("contained of a higher score", {**recognizer(), "patterns": [{"name": "a", "regex": "AB-\\d+", "score": 0.5}, {"name": "b", "regex": "\\d+", "score": 0.6}]})
    one("contained of another type", recognizer(r"AB-\d+"), recognizer(r"\d+", 0.5, "Other", "LETTERS"), entities=["CODE", "LETTERS"])
    for score in [0, 0.0, 1, 1.0, 0.01, 0.65, -1, 2, "x", None, True]:
        one(f"score {json.dumps(score)}", recognizer("AB", score), return_decision_process=True)
    one("deny list", recognizer(deny_list=["ward", "CD-99"]))
    one("deny list explained", recognizer(deny_list=["ward", "CD-99", "a b", "x.y*", "é#~&"]), return_decision_process=True)
    one("deny list in other case", recognizer(deny_list=["WARD"]))
    one("deny list in other case, flags 0", recognizer(deny_list=["WARD"], global_regex_flags=0))
    one("deny list within a word", recognizer(deny_list=["war"]))
    one("deny list at the edges", recognizer(deny_list=["Code", "2021"]))
    one("deny list with score", recognizer(deny_list=["ward"], deny_list_score=0.4), return_decision_process=True)
    one("deny list with score 0", recognizer(deny_list=["ward"], deny_list_score=0))
    one("deny list with score 7", recognizer(deny_list=["ward"], deny_list_score=7))
    one("deny list and pattern", recognizer(r"\d+", deny_list=["ward"]))
    one("deny list a string", recognizer(deny_list="a7"))
    one("deny list with a number", recognizer(deny_list=[7]))
    one("deny list a number", recognizer(deny_list=7))
    one("name null", recognizer("AB", name=None), return_decision_process=True)
    one("other language", recognizer("AB", supported_language="es"))
    one("other language, all types", recognizer("AB", supported_language="es"), entities=["PERSON"])
    one("type not asked for", recognizer("AB", entity="OTHERS"), entities=["PERSON"])
    one("more types", {"name": "x", "supported_entities": ["CODE", "OTHERS"], "deny_list": ["ward"]})
    one("no types", {"name": "x", "supported_entities": [], "deny_list": ["ward"]})
    one("both keys for types", {"name": "x", "supported_entities": ["CODE"], "supported_entity": "CODE", "deny_list": ["ward"]})
    one("version and country", recognizer("AB", version="1", country_code="us"))
    one("country a number", recognizer("AB", country_code=5))
    one("country blank", recognizer("AB", country_code=" "))
    for name, r in {"empty": {}, "without type": {"name": "x"}, "empty type": {"supported_entity": ""}, "without patterns": {"supported_entity": "X"},
                    "unknown key": {**recognizer("AB"), "type": "x", "foo": 1}, "a string": "AB", "a number": 5, "null": None, "patterns a string": {**recognizer(), "patterns": "AB"},
                    "patterns an object": {**recognizer(), "patterns": {"a": 1}}, "patterns a number": {**recognizer(), "patterns": 5}, "pattern a string": {**recognizer(), "patterns": ["AB"]}}.items():
        one(f"{name}", r)
    pattern = {"name": "p", "regex": "AB", "score": 0.5}
    for key in pattern:
        one(f"pattern without {key}", {**recognizer(), "patterns": [{k: v for k, v in pattern.items() if k != key}]})
        one(f"pattern with only {key}", {**recognizer(), "patterns": [{key: pattern[key]}]})
    one("pattern with nothing", {**recognizer(), "patterns": [{}]})
    one("pattern with another key", {**recognizer(), "patterns": [{**pattern, "type": 1}]})
    one("pattern with a number as regex", {**recognizer(), "patterns": [{**pattern, "regex": 5}]})
    for value in ["AB", 5, 0, {}, {"a": 1}, [], None]:
        analyze(f"recognizers {json.dumps(value)}", text, ad_hoc_recognizers=value, entities=["PERSON"])

    # Context words.
    weak = recognizer(r"[A-Z]{2}-\d+", 0.2)
    for words in [["code"], ["CARD"], ["card", "code"], ["nothing"], [], ["war"], ["number"], ["num"]]:
        one(f"context {words}", {**weak, "context": words}, return_decision_process=True)
    one("context after the match", {**weak, "context": ["ward"]}, return_decision_process=True)
    one("context of the request", {**weak, "context": ["badge"]}, context=["Badge numbers"], return_decision_process=True)
    one("context of the request without that of a recognizer", weak, context=["badge"], return_decision_process=True)
    one("context and threshold", {**weak, "context": ["card"]}, score_threshold=0.5)
    for score in [0.01, 0.05, 0.3, 0.5, 0.65, 0.7, 1, 1.0]:
        one(f"context and score {score}", {**recognizer(r"CD-\d+", score), "context": ["code"]}, return_decision_process=True)
    one("context a number", {**weak, "context": 5})
    one("context with a number", {**weak, "context": [1]})
    one("request's context a number", {**weak, "context": ["code"]}, context=5)
    one("request's context with a number", {**weak, "context": ["code"]}, context=[5])
    one("context with a colon", {**weak, "context": ["mrn"]}, text="The MRN: AB-1234 is new", return_decision_process=True)
    one("context six words before", {**weak, "context": ["badge"]}, text="Badge red green blue black white AB-1234", return_decision_process=True)
    one("context five words before", {**weak, "context": ["badge"]}, text="Badge red green blue black AB-1234", return_decision_process=True)
    one("context beyond function words", {**weak, "context": ["badge"]}, text="Badge of the red and green and blue and black AB-1234", return_decision_process=True)

    # Regular expressions of Python.
    for regex in [r"(?<=code )[A-Z]{2}-\d+", r"(?<!code )[A-Z]{2}-\d+", r"[A-Z]{2}(?=-99)", r"[A-Z]{2}(?!-99)-\d+", r"(?P<a>[A-Z])[A-Z]-(?P<b>\d)\d*", r"(?P<d>\d)(?P=d)", r"(\d)\1", r"(?i)CODE",
                  r"(?-i:code)", r"(?i:CODE) (?-i:CD)", r"\bcode\b", r"\d{1,2}/\d{1,2}/\d{4}\Z", r"\ACode", r"\d{,3}", r"\d{2,}", r"(?:AB|CD)-\d+", r"[^\W\d_]+", r"[^\W_]+", r"[\W\d]+", r"[\S\n]+", r"[\P{L}\d]+", r"[\w.]+@[\w.]+", r"(?x) A B - \d+ # code",
                  r"[[:digit:]]+", r"[[a]+", r"\p{Lu}+", r"\p{L}+-\p{N}+", r"\P{L}", r"(?>A|AB)-", r"a(?#comment)nd", r"\u0041B", r"\x41B", r"[\]]|AB", r"[]A]B", r"[a-c-e]+", r"$", r"^Code", r"x*", r".", r"(?s).+",
                  r"c(?:ard|ode)(?= (?:number|AB))", r"\$|7", r"[\-+]\d", r"\U00000041B", r"(?<word>ward)", r"(?u)ward", r"(a)|b|(?(1)x|c)"]:
        one(f"regex {regex}", recognizer(regex), return_decision_process=False)
    for flags in [0, 2, 8, 16, 64, 26, 66, 32]:
        one(f"flags {flags}", recognizer("code  AB|ward", global_regex_flags=flags), return_decision_process=True)
    for flags in [None, "i", 1.5]:
        one(f"flags {flags}", recognizer("code", global_regex_flags=flags))
    for regex, why in {"(": "", "(a": "", "[a": "", "[": "", "\\": "", "(?#": "", "*a": "no position", "a**": "status 400", ")": "no position", "a{2,1}": "no position", "[z-a]": "no position",
                       "(?P=x)": "no position", "\\1": "no position", "(?z)a": "status 400", "\\p{Foo}": "status 400", "a++": "not supported", "(?|a|b)": "not supported", "(?R)": "not supported",
                       "(?:a){e<=1}": "not supported", "\\X": "not supported", "(?r)a": "not supported", "\\N{DASH}": "status 400", "[a--b]": "no position", "(?P<1>a)": "status 400"}.items():
        one(f"bad regex {regex}", recognizer(regex), differs=why)


def everything(encrypt):
    random.seed(1)
    for make in (lists, operators, results, conflicts, unicode, bodies, batches, analysis, adhoc):
        make()
    reverse(encrypt)
    names = [(r["path"], r["name"]) for r in ALL]
    assert len(names) == len(set(names)), sorted({n for n in names if names.count(n) > 1})
    return ALL
