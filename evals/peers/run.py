#!/usr/bin/env python3
"""What other tools' rules say without a model. JSON lines in: claim, page. JSON lines out: peer, place, supported.

hyperresearch: `core/citecheck.py::triage_pairs`, its mechanical auto-pass, given the whole page as the note's claim
(generous: it normally sees only extracted claims). groundguard: `route_claim` of its tier 2 with the cited page and
nine others of the run as sources; its "skip the model" branch counts as a pass. Fuzzy: `partial_ratio` >= 90.
"""
import json
import sqlite3
import sys
from unittest import mock

# Pages of a run that groundguard sees, the cited one among them.
SOURCES = 10


def say(peer, place, supported):
    print(json.dumps({"peer": peer, "place": place, "supported": bool(supported)}))


def hyperresearch(items):
    from hyperresearch.core import citecheck

    base = sqlite3.connect(":memory:")
    base.row_factory = sqlite3.Row
    base.execute("CREATE TABLE claims (note_id TEXT, claim TEXT, quoted_support TEXT, numbers TEXT)")
    base.executemany("INSERT INTO claims VALUES (?, ?, '', '')", [(str(place), item["page"]) for place, item in enumerate(items)])
    base.execute("CREATE INDEX by_note ON claims (note_id)")
    pairs = [
        {"sentence": item["claim"], "note_id": str(place), "numbers": citecheck._NUMBER_RE.findall(item["claim"])}
        for place, item in enumerate(items)
    ]
    for place, pair in enumerate(citecheck.triage_pairs(pairs, base)["pairs"]):
        say("hyperresearch 0.12.0", place, pair["verdict"] == "supported-mechanical")


def groundguard(items):
    # Its model client is imported everywhere and called nowhere in tier 2: left out of the installation.
    sys.modules.setdefault("litellm", mock.MagicMock())
    from groundguard.loaders.chunker import chunk_sources
    from groundguard.models.internal import RoutingDecision, VerificationContext
    from groundguard.models.result import Source
    from groundguard.tiers.tier2_semantic import route_claim

    for place, item in enumerate(items):
        others = [items[(place + 1 + 37 * step) % len(items)]["page"] for step in range(SOURCES - 1)]
        sources = [Source(content=text, source_id=str(number)) for number, text in enumerate([item["page"], *others])]
        context = VerificationContext(claim=item["claim"], original_sources=sources)
        routed = route_claim(context, chunk_sources(context))
        say("groundguard 0.1.7, 10 sources", place, routed.decision == RoutingDecision.SKIP_LLM_HIGH_CONFIDENCE)


def fuzzy(items):
    from rapidfuzz import fuzz

    for place, item in enumerate(items):
        say("rapidfuzz partial_ratio >= 90", place, fuzz.partial_ratio(item["claim"], item["page"]) >= 90)


def main():
    items = [json.loads(line) for line in sys.stdin if line.strip()]
    for peer in (hyperresearch, groundguard, fuzzy):
        try:
            peer(items)
        except ImportError as missing:
            print(f"{peer.__name__} left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
