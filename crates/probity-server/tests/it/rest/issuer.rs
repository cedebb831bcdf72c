//! An issuer of tokens in memory: honest ones, and every dishonest kind.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use aws_lc_rs::{
    hmac,
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use probity_research::{Code, CodedError};
use probity_server::{
    backend::BackendFuture,
    oauth::{IssuerClient, IssuerSettings},
};
use serde_json::{Value, json};

use super::memory_fleet::NOW;

pub const ISSUER: &str = "https://issuer.example/team";
pub const AUDIENCE: &str = "https://probity.example";

pub struct Issuer {
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
    /// Not published.
    stranger: Ed25519KeyPair,
    pub asked: Arc<AtomicU32>,
}

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Issuer {
    pub fn new() -> Self {
        let ec = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let (ed, stranger) = (Ed25519KeyPair::generate().unwrap(), Ed25519KeyPair::generate().unwrap());
        Self { ed, ec, stranger, asked: Arc::default() }
    }

    pub fn trusted() -> IssuerSettings {
        IssuerSettings { issuer: ISSUER.to_owned(), audience: AUDIENCE.to_owned(), tenant_claim: None }
    }

    /// What its documents say, for the door to fetch.
    pub fn documents(&self) -> MemoryIssuerClient {
        let point = self.ec.public_key().as_ref();
        let keys = json!({ "keys": [
            { "kty": "OKP", "crv": "Ed25519", "kid": "ed", "use": "sig", "x": encoded(self.ed.public_key().as_ref()) },
            { "kty": "EC", "crv": "P-256", "kid": "ec", "alg": "ES256", "x": encoded(&point[1..33]), "y": encoded(&point[33..]) },
            { "kty": "oct", "kid": "shared", "k": encoded("a secret that everybody can read") },
            { "kty": "RSA", "kid": "for-encryption", "use": "enc", "n": "AQAB", "e": "AQAB" },
        ]});
        MemoryIssuerClient { keys, asked: Arc::clone(&self.asked) }
    }

    pub fn claims(tenant: &str, scope: &str) -> Value {
        let now = NOW.0 / 1_000;
        json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": format!("user of {tenant}"), "tenant": tenant,
            "scope": scope, "iat": now - 10, "exp": now + 600 })
    }

    pub fn signed(&self, claims: &Value) -> String {
        self.with_header(&json!({ "alg": "EdDSA", "kid": "ed", "typ": "at+jwt" }), claims)
    }

    /// With the Ed25519 key, whatever the header claims.
    pub fn with_header(&self, header: &Value, claims: &Value) -> String {
        let body = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        format!("{body}.{}", encoded(self.ed.sign(body.as_bytes())))
    }

    pub fn on_the_curve(&self, claims: &Value) -> String {
        let header = json!({ "alg": "ES256", "kid": "ec", "typ": "JWT" });
        let body = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let signature = self.ec.sign(&SystemRandom::new(), body.as_bytes()).unwrap();
        format!("{body}.{}", encoded(signature))
    }

    fn by_a_stranger(&self, header: &Value, claims: &Value) -> String {
        let body = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        format!("{body}.{}", encoded(self.stranger.sign(body.as_bytes())))
    }

    fn shared_secret(&self, kid: &str, secret: &[u8], claims: &Value) -> String {
        let header = json!({ "alg": "HS256", "kid": kid });
        let body = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), body.as_bytes());
        format!("{body}.{}", encoded(tag))
    }

    /// Tokens that must open nothing, each with its fault.
    pub fn bad_tokens(&self, tenant: &str) -> Vec<(&'static str, String)> {
        let all = "research:read research:start research:cancel research:admin";
        let good = Self::claims(tenant, all);
        let now = NOW.0 / 1_000;
        let with = |name: &str, value: Value| {
            let mut claims = good.clone();
            claims[name] = value;
            self.signed(&claims)
        };
        let without = |name: &str| {
            let mut claims = good.clone();
            claims.as_object_mut().unwrap().remove(name);
            self.signed(&claims)
        };
        let none = |header: Value| format!("{}.{}.", encoded(header.to_string()), encoded(good.to_string()));
        let whole = self.signed(&good);
        let (head, signature) = whole.rsplit_once('.').unwrap();
        let (head, _) = head.split_once('.').unwrap();
        let other = encoded(Self::claims("ben", all).to_string());
        vec![
            ("expired", with("exp", json!(now - 61))),
            ("expired long ago", with("exp", json!(0))),
            ("never expires", without("exp")),
            ("expires in words", with("exp", json!("2099-01-01"))),
            ("expires at no time", with("exp", json!(1e300))),
            ("not yet valid", with("nbf", json!(now + 61))),
            ("from the future", with("iat", json!(now + 3_600))),
            ("wrong audience", with("aud", json!("https://other.example"))),
            ("audience with a slash", with("aud", json!(format!("{AUDIENCE}/")))),
            ("wrong audiences", with("aud", json!(["https://a.example", "https://b.example"]))),
            ("no audience", without("aud")),
            ("wrong issuer", with("iss", json!("https://evil.example"))),
            ("issuer with a slash", with("iss", json!(format!("{ISSUER}/")))),
            ("no issuer", without("iss")),
            ("algorithm none", none(json!({ "alg": "none" }))),
            ("algorithm None", none(json!({ "alg": "None", "kid": "ed" }))),
            ("algorithm none with the signature", {
                let claims = encoded(good.to_string());
                format!("{}.{claims}.{signature}", encoded(json!({ "alg": "none", "kid": "ed" }).to_string()))
            }),
            ("HS256 by the public key", self.shared_secret("ed", self.ed.public_key().as_ref(), &good)),
            ("HS256 by the public key as text", {
                self.shared_secret("ed", encoded(self.ed.public_key().as_ref()).as_bytes(), &good)
            }),
            ("HS256 by the published secret", {
                self.shared_secret("shared", b"a secret that everybody can read", &good)
            }),
            ("another algorithm's name", self.with_header(&json!({ "alg": "ES256", "kid": "ed" }), &good)),
            (
                "RS256 for a key that is not RSA",
                self.with_header(&json!({ "alg": "RS256", "kid": "ed" }), &good),
            ),
            ("unknown kid", self.with_header(&json!({ "alg": "EdDSA", "kid": "other" }), &good)),
            ("a stranger's key", self.by_a_stranger(&json!({ "alg": "EdDSA", "kid": "ed" }), &good)),
            (
                "a stranger's key under a new name",
                self.by_a_stranger(&json!({ "alg": "EdDSA", "kid": "mine" }), &good),
            ),
            ("its own key in the header", {
                let x = encoded(self.stranger.public_key().as_ref());
                let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "mine", "x": x });
                self.by_a_stranger(&json!({ "alg": "EdDSA", "kid": "mine", "jwk": key }), &good)
            }),
            (
                "critical header",
                self.with_header(&json!({ "alg": "EdDSA", "kid": "ed", "crit": ["b64"] }), &good),
            ),
            ("made for something else", {
                self.with_header(&json!({ "alg": "EdDSA", "kid": "ed", "typ": "logout+jwt" }), &good)
            }),
            ("claims of another", format!("{head}.{other}.{signature}")),
            ("no signature", format!("{head}.{}.", encoded(good.to_string()))),
            ("two parts", format!("{head}.{}", encoded(good.to_string()))),
            ("four parts", format!("{whole}.{signature}")),
            ("no base64", "a!.b!.c!".to_owned()),
            ("a tenant that is no name", with("tenant", json!("../anna"))),
            ("a tenant that is no text", with("tenant", json!(["anna"]))),
            ("a tenant like a subject's", with("tenant", json!("sub-0000000000000000000000000000"))),
            ("a suspended tenant", with("tenant", json!("gone"))),
        ]
    }
}

/// The door to this issuer.
pub struct MemoryIssuerClient {
    keys: Value,
    asked: Arc<AtomicU32>,
}

impl IssuerClient for MemoryIssuerClient {
    fn fetch<'a>(&'a self, url: &'a str, _: usize) -> BackendFuture<'a, Vec<u8>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let described = json!({ "issuer": ISSUER, "jwks_uri": "https://issuer.example/keys" });
        let answer = match url {
            "https://issuer.example/team/.well-known/openid-configuration" => Ok(described.to_string()),
            "https://issuer.example/keys" => Ok(self.keys.to_string()),
            _ => Err(CodedError::new(Code::NotFound, "404")),
        };
        Box::pin(std::future::ready(answer.map(String::into_bytes)))
    }
}
