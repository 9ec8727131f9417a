"""Presidio's two REST services in one process, without a language model.

The REST programs are not part of Presidio's packages. This module answers as they do: it decodes a request with
Flask, calls the packages presidio_analyzer and presidio_anonymizer, and turns their results and exceptions into
responses. The analyzer has a blank spaCy pipeline, whose lemmas are the tokens in lower case, and one recognizer,
Stub, which finds a few fixed names. The Go tests have the same recognizer.
"""

import json
import logging

import spacy
from flask import Flask, Response, jsonify, request
from presidio_analyzer import AnalysisExplanation, AnalyzerEngine, AnalyzerRequest, BatchAnalyzerEngine
from presidio_analyzer import EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine
from presidio_anonymizer.entities import InvalidParamError
from presidio_anonymizer.services.app_entities_convertor import AppEntitiesConvertor as convert
from spacy.language import Language
from werkzeug.exceptions import BadRequest, HTTPException

logging.disable(logging.CRITICAL)

LANGUAGES = ["en", "es"]

# What Stub finds: text, type, score.
NAMES = [("Oda Lund", "PERSON", 0.98), ("Bergen", "LOCATION", 0.9), ("Zoë Ødegård", "PERSON", 0.75), ("4711", "ID", 0.6)]


class Stub(EntityRecognizer):
    """Finds NAMES."""

    def __init__(self, language):
        super().__init__(sorted({t for _, t, _ in NAMES}), name="Stub", supported_language=language)

    def load(self):
        pass

    def analyze(self, text, entities, nlp_artifacts):
        found = []
        for name, kind, score in NAMES:
            at = text.find(name)
            while at >= 0 and kind in entities:
                why = AnalysisExplanation(self.name, score)
                found.append(RecognizerResult(kind, at, at + len(name), score, why))
                at = text.find(name, at + len(name))
        return found


@Language.component("lower")
def lower(doc):
    for token in doc:
        token.lemma_ = token.lower_
    return doc


class Blank(SpacyNlpEngine):
    """A pipeline that only splits texts into tokens."""

    def load(self):
        self.nlp = {}
        for language in LANGUAGES:
            self.nlp[language] = spacy.blank(language)
            self.nlp[language].add_pipe("lower")


def analyzer():
    app = Flask("analyzer")
    registry = RecognizerRegistry([Stub(language) for language in LANGUAGES], supported_languages=LANGUAGES)
    engine = AnalyzerEngine(registry=registry, nlp_engine=Blank(), supported_languages=LANGUAGES)
    batches = BatchAnalyzerEngine(engine)

    @app.get("/health")
    def health():
        return "Presidio Analyzer service is up"

    @app.post("/analyze")
    def analyze():
        try:
            wanted = AnalyzerRequest(request.get_json())
            if not wanted.text:
                raise ValueError("No text provided")
            many = isinstance(wanted.text, list)
            if not wanted.language:
                raise ValueError("No language provided")
            engine.get_supported_entities(wanted.language)
            options = {k: v for k, v in vars(wanted).items() if k not in ("text", "language")}
            texts = wanted.text if many else [wanted.text]
            results = batches.analyze_iterator(texts, language=wanted.language, batch_size=len(texts), **options)
            for result in (r for text in results for r in text):
                del result.recognition_metadata
            body = json.dumps(results if many else results[0], default=lambda r: r.to_dict(), sort_keys=True)
            return Response(body, content_type="application/json")
        except TypeError as e:
            return jsonify(error=f"Failed to parse /analyze request for AnalyzerEngine.analyze(). {e.args[0]}"), 400
        except Exception as e:
            return jsonify(error=e.args[0]), 500

    def listed(what):
        try:
            return jsonify(sorted(what(request.args.get("language"))))
        except Exception as e:
            return jsonify(error=e.args[0]), 500

    app.get("/recognizers")(lambda: listed(lambda language: {r.name for r in engine.get_recognizers(language)}))
    app.add_url_rule("/supportedentities", "entities", lambda: listed(engine.get_supported_entities))
    app.register_error_handler(HTTPException, lambda e: (jsonify(error=e.description), e.code))
    return app


def anonymizer():
    app = Flask("anonymizer")
    engine, reverse = AnonymizerEngine(), DeanonymizeEngine()

    def content():
        read = request.get_json()
        if not read:
            raise BadRequest("Invalid request json")
        return read

    def each(read, field, do):
        """Answers a request whose text is a list, as Presidio's main branch does."""
        texts, lists = read["text"], read.get(field)
        if lists is None:
            lists = [[] for _ in texts]
        if len(lists) != len(texts):
            raise InvalidParamError(
                f"Invalid input, '{field}' must contain one list of results per item in 'text' when 'text' is a list "
                f"({len(texts)} text items, {len(lists)} '{field}' items)"
            )
        results = [do(text, one) for text, one in zip(texts, lists)]
        return Response(json.dumps(results, default=lambda r: r.__dict__), mimetype="application/json")

    @app.get("/health")
    def health():
        return "Presidio Anonymizer service is up"

    @app.post("/anonymize")
    def anonymize():
        read = content()
        operators = convert.operators_config_from_json(read.get("anonymizers"))
        if convert.check_custom_operator(operators):
            raise BadRequest("Custom type anonymizer is not supported")

        def do(text, results):
            return engine.anonymize(text, convert.analyzer_results_from_json(results), operators)

        if isinstance(read.get("text"), list):
            return each(read, "analyzer_results", do)
        return Response(do(read.get("text", ""), read.get("analyzer_results")).to_json(), mimetype="application/json")

    @app.post("/deanonymize")
    def deanonymize():
        read = content()
        operators = convert.operators_config_from_json(read.get("deanonymizers"))

        def do(text, items):
            items = convert.deanonymize_entities_from_json({"anonymizer_results": items})
            return reverse.deanonymize(text, items, operators)

        if isinstance(read.get("text"), list):
            return each(read, "anonymizer_results", do)
        return Response(do(read.get("text", ""), read.get("anonymizer_results")).to_json(), mimetype="application/json")

    app.get("/anonymizers")(lambda: jsonify(engine.get_anonymizers()))
    app.add_url_rule("/deanonymizers", "deanonymizers", lambda: jsonify(reverse.get_deanonymizers()))
    app.register_error_handler(InvalidParamError, lambda e: (jsonify(error=e.err_msg), 422))
    app.register_error_handler(HTTPException, lambda e: (jsonify(error=e.description), e.code))
    app.register_error_handler(Exception, lambda e: (jsonify(error="Internal server error"), 500))
    return app


ANONYMIZER = ("/anonymize", "/anonymizers", "/deanonymize", "/deanonymizers")


def client():
    """Returns a function that sends one request and returns status, type and body of the response."""
    services = {False: analyzer().test_client(), True: anonymizer().test_client()}

    def send(method, path, body=None, content_type="application/json"):
        service = services[path.split("?")[0] in ANONYMIZER]
        response = service.open(path, method=method, data=body, content_type=content_type if body is not None else None)
        return response.status_code, response.content_type, response.get_data(as_text=True)

    return send
