"""Finds PHI with the patterns of Presidio (without a trained model), for scripts/box:

    go run ./scripts/box --write texts
    python -m venv venv && venv/bin/pip install presidio-analyzer==2.2.366
    venv/bin/python scripts/peers/presidio/spans.py texts found [--threshold 0.4] [--language en]
    go run ./scripts/box --spans found

The predefined recognizers of the language run on a blank spaCy pipeline, whose lemmas are the words in lower case, so that
words of the context raise the scores of patterns as usual. Recognizers that need a trained model find nothing.
"""

import argparse
import json
import pathlib

import spacy
import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from spacy.language import Language

# The types of i2b2 2014 to which entities of Presidio correspond. All others become IDNUM.
TYPES = {
    "DATE_TIME": "DATE", "EMAIL_ADDRESS": "EMAIL", "IP_ADDRESS": "IPADDR", "LOCATION": "CITY", "MEDICAL_LICENSE": "LICENSE",
    "PERSON": "PATIENT", "PHONE_NUMBER": "PHONE", "UK_NHS": "MEDICALRECORD", "URL": "URL", "US_DRIVER_LICENSE": "LICENSE", "US_SSN": "SSN",
}


@Language.component("lower_case_lemmas")
def lower_case_lemmas(doc):
    for token in doc:
        token.lemma_ = token.text.lower()
    return doc


class Blank(SpacyNlpEngine):
    """A pipeline that only splits text into words."""

    def __init__(self, language):
        super().__init__(models=[{"lang_code": language, "model_name": "blank"}])
        pipeline = spacy.blank(language)
        pipeline.add_pipe("lower_case_lemmas")
        self.nlp = {language: pipeline}


def main():
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())  # the list in the package, not the one on the web
    parser = argparse.ArgumentParser()
    parser.add_argument("texts", type=pathlib.Path)
    parser.add_argument("found", type=pathlib.Path)
    parser.add_argument("--threshold", type=float, default=0.0, help="least score of a span")
    parser.add_argument("--language", default="en")
    args = parser.parse_args()
    registry = RecognizerRegistry(supported_languages=[args.language])
    registry.load_predefined_recognizers(languages=[args.language])
    analyzer = AnalyzerEngine(registry=registry, nlp_engine=Blank(args.language), supported_languages=[args.language],
                              default_score_threshold=args.threshold)
    args.found.mkdir(parents=True, exist_ok=True)
    for path in sorted(args.texts.glob("*.jsonl")):
        with open(path, encoding="utf-8") as lines, open(args.found / path.name, "w", encoding="utf-8") as out:
            for line in lines:
                text = json.loads(line)
                spans = [{"start": r.start, "end": r.end, "type": TYPES.get(r.entity_type, "IDNUM"), "score": r.score}
                         for r in analyzer.analyze(text["text"], language=args.language)]
                spans.sort(key=lambda s: (s["start"], -s["end"], s["type"]))
                print(json.dumps({"id": text["id"], "text": text["text"], "spans": spans}, ensure_ascii=False), file=out)


if __name__ == "__main__":
    main()
