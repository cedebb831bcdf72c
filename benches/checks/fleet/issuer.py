"""An issuer of tokens on loopback, made with authlib: prints one line of JSON with its address and tokens that
should open something, and tokens that must not; then serves its keys until it is killed."""
import base64
import http.server
import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")
from authlib.jose import JsonWebKey, jwt

audience = sys.argv[1]
keys = {
    "rsa": (JsonWebKey.generate_key("RSA", 2048, {"kid": "rsa-1", "use": "sig"}, is_private=True), "RS256"),
    "ec": (JsonWebKey.generate_key("EC", "P-256", {"kid": "ec-1", "use": "sig"}, is_private=True), "ES256"),
    "ed": (JsonWebKey.generate_key("OKP", "Ed25519", {"kid": "ed-1", "use": "sig"}, is_private=True), "EdDSA"),
}
# The right key under a name that the issuer does not publish: authlib writes a key's own name into the header.
unnamed = JsonWebKey.import_key(keys["rsa"][0].as_pem(is_private=True), {"kid": "nobody"})
stranger = JsonWebKey.generate_key("RSA", 2048, {"kid": "rsa-1"}, is_private=True)


class Keys(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"keys": [key.as_dict() for key, _ in keys.values()]}).encode()
        if self.path.startswith("/.well-known/"):
            body = json.dumps({"issuer": url, "jwks_uri": url + "/jwks.json"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys)
url = f"http://127.0.0.1:{server.server_port}"


def claims(**changed):
    now = int(time.time())
    usual = {"iss": url, "aud": audience, "sub": "someone", "tenant": "two", "iat": now, "nbf": now - 5,
             "exp": now + 3600, "scope": "research:read research:start research:cancel"}
    usual.update(changed)
    return {name: value for name, value in usual.items() if value is not None}


def signed(which="rsa", key=None, **changed):
    own, usual = keys[which]
    return jwt.encode({"alg": usual}, claims(**changed), key or own).decode()


def by_public_key():
    """HS256 with the public key as its secret: the oldest confusion there is."""
    secret = keys["rsa"][0].as_pem(is_private=False)
    import hashlib
    import hmac

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    head = part(json.dumps({"alg": "HS256", "kid": "rsa-1"}).encode())
    body = part(json.dumps(claims(tenant="one")).encode())
    return b".".join([head, body, part(hmac.new(secret, head + b"." + body, hashlib.sha256).digest())]).decode()


now = int(time.time())
tokens = {
    "good-two": signed(),
    "no-scope": signed(scope="something:else"),
    "expired": signed(tenant="one", exp=now - 3600),
    "not-yet": signed(tenant="one", nbf=now + 3600),
    "wrong-audience": signed(tenant="one", aud="https://elsewhere.example/"),
    "no-audience": signed(tenant="one", aud=None),
    "wrong-issuer": signed(tenant="one", iss="https://elsewhere.example/"),
    "unknown-key": signed(tenant="one", key=unnamed),
    "foreign-signature": signed(tenant="one", key=stranger),
    "signed-by-public-key": by_public_key(),
    "no-end": signed(tenant="one", exp=None),
}
accepted = {"rsa": signed("rsa"), "ec": signed("ec"), "ed": signed("ed")}
print(json.dumps({"url": url, "tokens": tokens, "accepted": accepted}), flush=True)
server.serve_forever()
