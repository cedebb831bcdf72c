"""An OAuth issuer made with another library (Authlib): mints tokens of every kind, good and bad, and serves its keys.

Prints one line of JSON: the issuer's address and the tokens by name. Serves until its standard input closes.
Takes the audience as its argument.
"""

import base64
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from authlib.jose import JsonWebKey, JsonWebToken

audience = sys.argv[1]
keys = {
    "RS256": JsonWebKey.generate_key("RSA", 2048, {"kid": "rsa", "use": "sig"}, is_private=True),
    "ES256": JsonWebKey.generate_key("EC", "P-256", {"kid": "ec", "use": "sig"}, is_private=True),
    "EdDSA": JsonWebKey.generate_key("OKP", "Ed25519", {"kid": "ed", "use": "sig"}, is_private=True),
}
stranger = JsonWebKey.generate_key("RSA", 2048, {"kid": "rsa"}, is_private=True)
large = JsonWebKey.generate_key("EC", "P-384", {"kid": "ec384", "use": "sig"}, is_private=True)
# Authlib writes the key's own name into the header, whatever the caller asks for: the same key under another name.
renamed = JsonWebKey.import_key({**keys["RS256"].as_dict(is_private=True), "kid": "other"})
jwt = JsonWebToken(["RS256", "RS512", "PS256", "ES256", "ES384", "EdDSA", "HS256", "none"])
documents = {}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        body = documents.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b"" if body is None else body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
issuer = f"http://127.0.0.1:{server.server_port}"
documents["/.well-known/oauth-authorization-server"] = json.dumps(
    {"issuer": issuer, "jwks_uri": f"{issuer}/jwks", "response_types_supported": ["code"]}
).encode()
published = [key.as_dict(is_private=False) for key in [*keys.values(), large]]
documents["/jwks"] = json.dumps({"keys": published}).encode()

now = int(time.time())
claims = {
    "iss": issuer,
    "aud": audience,
    "sub": "248289761001",
    "tenant": "anna",
    "scope": "openid research:read research:start",
    "iat": now,
    "nbf": now,
    "exp": now + 3600,
}


def mint(algorithm, key, **changed):
    wanted = {name: value for name, value in {**claims, **changed}.items() if value is not None}
    return jwt.encode({"alg": algorithm, "typ": "at+jwt", "kid": key.kid}, wanted, key).decode()


def unsigned():
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return f"{part({'alg': 'none', 'typ': 'JWT'})}.{part(claims)}."


def by_the_public_key():
    # Authlib itself refuses a public key as a shared secret, so the signature is made by hand.
    import hashlib
    import hmac

    part = lambda value: base64.urlsafe_b64encode(value).rstrip(b"=").decode()
    head = part(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "rsa"}).encode())
    body = f"{head}.{part(json.dumps(claims).encode())}"
    secret = keys["RS256"].as_pem(is_private=False)
    return f"{body}.{part(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


rsa = keys["RS256"]
good = {name: mint(name, key) for name, key in keys.items()}
good["several audiences"] = mint("RS256", rsa, aud=["https://other.example", audience])
good["a minute late"] = mint("ES256", keys["ES256"], exp=now - 30)
bad = {
    "expired": mint("RS256", rsa, exp=now - 120),
    "not yet valid": mint("RS256", rsa, nbf=now + 120),
    "wrong audience": mint("RS256", rsa, aud="https://other.example"),
    "wrong issuer": mint("RS256", rsa, iss="https://other.example"),
    "no expiry": mint("RS256", rsa, exp=None),
    "no audience": mint("RS256", rsa, aud=None),
    "stranger": mint("RS256", stranger),
    "unknown kid": mint("RS256", renamed),
    "RS512": mint("RS512", rsa),
    "PS256": mint("PS256", rsa),
    "ES384": mint("ES384", large),
    "none": unsigned(),
    "HS256 by the public key": by_the_public_key(),
}
# Valid, but of another tenant, or without a scope that opens anything.
strangers = {
    "another tenant": mint("RS256", rsa, tenant="ben"),
    "no scope": mint("RS256", rsa, scope="something:else"),
}
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"issuer": issuer, "now": now, "good": good, "bad": bad, "strangers": strangers}), flush=True)
sys.stdin.read()
