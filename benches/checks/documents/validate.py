"""Validates the .sarif and .xml files of a folder against the published schemas; one JSON line per file."""

import json
import pathlib
import sys

import jsonschema
from lxml import etree

ERRORS_MAX = 5


def main(schemas: pathlib.Path, folder: pathlib.Path) -> None:
    schema = json.loads((schemas / "sarif-2.1.0.json").read_text())
    sarif = jsonschema.validators.validator_for(schema)(schema)
    junit = etree.XMLSchema(etree.parse(schemas / "junit-10.xsd"))
    for path in sorted(folder.iterdir()):
        if path.suffix == ".sarif":
            try:
                errors = [error.message for error in sarif.iter_errors(json.loads(path.read_text()))]
            except ValueError as error:
                errors = [str(error)]
        elif path.suffix == ".xml":
            try:
                junit.validate(etree.fromstring(path.read_bytes()))
                errors = [str(error) for error in junit.error_log]
            except etree.XMLSyntaxError as error:
                errors = [str(error)]
        else:
            continue
        print(json.dumps({"file": path.name, "errors": errors[:ERRORS_MAX]}))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
