#!/usr/bin/env python3
"""Asks a running "lethe serve" for predictions as INCEpTION does, and reads the answers with DKPro cassis.

    pip install dkpro-cassis
    scripts/clients/inception.py http://127.0.0.1:8080 en

It fails if an answer cannot be read, if a prediction is not where the text of its span is, or if anything else of a
document has changed.
"""

import json
import sys
import urllib.error
import urllib.request

from cassis import Cas, TypeSystem, load_cas_from_xmi

from texts import NOTES

LAYER = "custom.PHI"
SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."


def type_system():
    ts = TypeSystem()
    for name in ("Sentence", "Token"):
        ts.create_type(SEGMENT + name)
    phi = ts.create_type(LAYER)
    for feature, kind in (("value", "String"), ("inception_internal_predicted", "Boolean"),
                          ("value_score", "Double"), ("value_score_explanation", "String")):
        ts.create_feature(phi, feature, "uima.cas." + kind)
    return ts


def document(ts, text):
    """A document with a token for each run of letters between blanks, and one annotation of a user."""
    cas = Cas(typesystem=ts)
    cas.sofa_string, cas.sofa_mime = text, "text/plain"
    token = ts.get_type(SEGMENT + "Token")
    start = None
    for i, c in enumerate(text + " "):
        if c.isspace() and start is not None:
            cas.add(token(begin=start, end=i))
            start = None
        elif not c.isspace() and start is None:
            start = i
    cas.add(ts.get_type(SEGMENT + "Sentence")(begin=0, end=len(text)))
    if text:
        cas.add(ts.get_type(LAYER)(begin=0, end=1, value="a user's", inception_internal_predicted=False))
    return cas


def predict(url, ts, xmi, mode):
    body = {"metadata": {"layer": LAYER, "feature": "value", "projectId": 1, "anchoringMode": mode, "crossSentence": True,
                         "range": {"begin": 0, "end": 0}},
            "document": {"xmi": xmi, "documentId": 1, "userId": "anna"}, "typeSystem": ts.to_xml()}
    request = urllib.request.Request(url + "/predict", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["document"]


def features(cas):
    return [(a.type.name, a.begin, a.end, a.value if a.type.name == LAYER else None) for a in cas.select_all_annotations()
            if a.type.name != LAYER or not a.inception_internal_predicted]


def main():
    url = f"{sys.argv[1].rstrip('/')}/inception/{sys.argv[2]}"
    total = 0
    for name, text in NOTES.items():
        ts = type_system()
        before = document(ts, text)
        tokens = [t.get_covered_text() for t in before.select(SEGMENT + "Token")]
        for mode in ("characters", "tokens", "singleToken"):
            after = load_cas_from_xmi(predict(url, ts, before.to_xmi(), mode), typesystem=ts)
            assert after.sofa_string == text, f"{name}: the text has changed"
            assert features(after) == features(before), f"{name}: another annotation has changed"
            found = [a for a in after.select(LAYER) if a.inception_internal_predicted]
            for a in found:
                covered = a.get_covered_text()
                assert covered == covered.strip() and covered, f"{name}: {covered!r}"
                assert 0 < a.value_score <= 1 and a.value_score_explanation.startswith(sys.argv[2])
                if mode == "singleToken":
                    assert covered in tokens, f"{name}: {covered!r} is not a token"
            total += len(found)
            shown = ", ".join(f"{a.value} {a.get_covered_text()!r} {a.value_score:.2f}" for a in found)
            print(f"{name:14} {mode:12} {shown}")
            assert found or name in ("nothing", "empty"), f"{name}: nothing was found"
    try:
        urllib.request.urlopen(urllib.request.Request(url + "/train", b"{}"))
        raise AssertionError("training was accepted")
    except urllib.error.HTTPError as e:
        print(f"train: {e.code} {e.read().decode()}")
    print(f"{total} predictions, all where they should be")


main()
