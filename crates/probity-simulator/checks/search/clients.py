"""Asks the simulator the cases with the official Python client, and prints what it reads: one JSON line each.

Usage: python clients.py BASE_URL CASES.json
"""

import json
import sys

from tavily import TavilyClient

base, cases_file = sys.argv[1:3]
with open(cases_file, encoding="utf-8") as file:
    cases = json.load(file)

for client_name, key in [("tavily-python", "tvly-test"), ("tavily-python keyless", None)]:
    client = TavilyClient(api_key=key, api_base_url=f"{base}/search-api/tavily")
    for case in cases:
        options = {
            "search_depth": "advanced" if case["advanced"] else "basic",
            "max_results": case["count"],
            "include_usage": True,
        }
        for field, name in [("start_date", "after"), ("end_date", "before")]:
            if name in case:
                options[field] = case[name]
        if "domain" in case:
            options["include_domains"] = [case["domain"]]
            options["exclude_domains"] = [case["domain_excluded"]]
        if "language" in case:
            options["language"] = case["language"]
            options["filter_by_language"] = True
        said = {"client": client_name, "case": case["name"]}
        try:
            answer = client.search(case["query"], **options)
            said["urls"] = [hit["url"] for hit in answer["results"]]
        except Exception as error:  # what the client cannot read is the finding
            said["error"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(said), flush=True)
