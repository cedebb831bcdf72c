"""A collector for the tests: takes OTLP over HTTP, decodes it with the published definitions, tells what it got.

Prints its port. `GET /received` answers with everything so far as JSON.
"""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

KINDS = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}
received = []


def plain(value):
    """The one value that an AnyValue holds."""
    name = value.WhichOneof("value")
    return getattr(value, name) if name and name not in ("array_value", "kvlist_value") else MessageToDict(value)


def attributes(pairs):
    return {pair.key: plain(pair.value) for pair in pairs}


def flat(path, message):
    groups = message.resource_spans if path == "/v1/traces" else message.resource_logs
    for group in groups:
        resource = attributes(group.resource.attributes)
        scopes = group.scope_spans if path == "/v1/traces" else group.scope_logs
        for scope in scopes:
            for item in scope.spans if path == "/v1/traces" else scope.log_records:
                told = {"resource": resource, "attributes": attributes(item.attributes),
                        "trace": item.trace_id.hex(), "span": item.span_id.hex()}
                if path == "/v1/traces":
                    told |= {"is": "span", "name": item.name, "kind": item.kind, "parent": item.parent_span_id.hex(),
                             "status": item.status.code, "events": [event.name for event in item.events]}
                else:
                    told |= {"is": "log", "body": plain(item.body), "severity": item.severity_text}
                yield told


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message = KINDS[self.path]()
        message.ParseFromString(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        received.extend(told | {"headers": headers} for told in flat(self.path, message))
        self.answer(b"")

    def do_GET(self):
        self.answer(json.dumps(received).encode())

    def answer(self, body):
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_address[1], flush=True)
server.serve_forever()
