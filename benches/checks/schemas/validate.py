"""Holds JSON documents, one per line of stdin, against a schema file: prints one line per document, empty if it fits."""

import json
import sys

from jsonschema import Draft202012Validator

schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for line in sys.stdin:
    error = next(iter(validator.iter_errors(json.loads(line))), None)
    print("" if error is None else f"{error.json_path}: {error.message[:200]}")
