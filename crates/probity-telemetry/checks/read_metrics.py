"""Reads the text of /metrics from stdin with the parser of the Prometheus client and prints it as JSON."""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {}
for family in text_string_to_metric_families(sys.stdin.read()):
    # The parser takes `_total` off the names of counters.
    samples = [{"name": s.name, "labels": s.labels, "value": s.value} for s in family.samples]
    families[family.name] = {"type": family.type, "help": family.documentation, "samples": samples}
print(json.dumps(families))
