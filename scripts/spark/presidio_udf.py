"""Presidio's patterns, without a trained model, as a function for executors. The pipeline is that of scripts/peers/presidio."""

import functools

import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry

from spans import Blank


@functools.cache
def analyzer():
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"])
    return AnalyzerEngine(registry=registry, nlp_engine=Blank("en"), supported_languages=["en"])


def clean(text):
    """Returns the text with the types of what was found instead of it."""
    found = sorted(analyzer().analyze(text, language="en"), key=lambda r: (r.start, -r.end))
    parts, at = [], 0
    for r in found:
        if r.start >= at:
            parts += [text[at:r.start], f"<{r.entity_type}>"]
            at = r.end
    return "".join(parts) + text[at:]
