"""Judges manifests of Kubernetes by the published schemas, strictly: an unknown field is a mistake."""
import sys

import kubernetes_validate
import yaml

VERSION = sys.argv[1]
seen = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for document in yaml.safe_load_all(file):
            kind = f"{document['apiVersion']}/{document['kind']} {document['metadata']['name']}"
            try:
                kubernetes_validate.validate(document, VERSION, strict=True)
            except Exception as error:  # whatever it is, it names the file
                sys.exit(f"{path}: {kind}: {error}")
            seen += 1
print(seen)
