"""Presidio's analyzer over HTTP with its own recognizers of patterns, and without a language model, for a comparison of speed.

The REST program is not part of Presidio's package. Start it with a process per core:

    pip install presidio-analyzer==2.2.366 flask gunicorn
    gunicorn --chdir scripts/load --workers 2 --bind 127.0.0.1:5003 presidio:app
"""

import json
import logging

from flask import Flask, Response, request
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpEngineProvider

logging.disable(logging.CRITICAL)

nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "no_op", "models": [{"lang_code": "en", "model_name": "no_op"}]}).create_engine()
registry = RecognizerRegistry(supported_languages=["en"])
registry.load_predefined_recognizers(languages=["en"], nlp_engine=nlp)
engine = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])

app = Flask("analyzer")


@app.get("/health")
def health():
    return "up"


@app.post("/analyze")
def analyze():
    wanted = AnalyzerRequest(request.get_json())
    results = engine.analyze(text=wanted.text, language=wanted.language)
    for result in results:
        del result.recognition_metadata
    return Response(json.dumps(results, default=lambda r: r.to_dict(), sort_keys=True), content_type="application/json")
