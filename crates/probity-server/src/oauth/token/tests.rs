//! Whole tokens: Wycheproof's, and faults of form under correct signatures of every algorithm.

use std::collections::BTreeMap;

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256,
        RsaKeyPair,
    },
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use probity_research::time::Moment;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::key::{parse_set, select_key},
    IssuerKey, UnverifiedToken,
};

const NOW: Moment = Moment(1_800_000_000_000);

fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What `judge` says of a token and the key that it names, of an issuer that has this one key.
fn judged(jwk: &Value, token: &str, judge: impl Fn(&UnverifiedToken<'_>, &IssuerKey) -> bool) -> bool {
    let keys = parse_set(json!({ "keys": [jwk] }).to_string().as_bytes()).unwrap();
    UnverifiedToken::parse(token).is_some_and(|token| {
        select_key(&keys, token.key_id.as_deref(), token.algorithm).is_some_and(|key| judge(&token, key))
    })
}

#[derive(Deserialize)]
struct VectorGroup {
    key: Value,
    #[serde(default)]
    valid: BTreeMap<u32, String>,
    #[serde(default)]
    invalid: BTreeMap<u32, String>,
}

/// Their payloads are no claims, so that the signature decides alone.
#[test]
fn tokens_of_wycheproof() {
    let text = include_str!("../../../tests/fixtures/wycheproof/json_web_signature.json");
    let groups: Vec<VectorGroup> = serde_json::from_str(text).unwrap();
    let mut counts = (0, 0);
    for VectorGroup { key, valid, invalid } in &groups {
        let is_signed = |token: &str| {
            judged(key, token, |token, key| key.verifies_signature(token.signed.as_bytes(), &token.signature))
        };
        for (id, token) in valid {
            assert!(is_signed(token), "valid vector {id}: {token}");
        }
        for (id, token) in invalid {
            assert!(!is_signed(token), "invalid vector {id}: {token}");
        }
        counts = (counts.0 + valid.len(), counts.1 + invalid.len());
    }
    assert_eq!(counts, (10, 266));
}

type Sign = dyn Fn(&[u8]) -> Vec<u8>;

struct Signer {
    algorithm: &'static str,
    jwk: Value,
    sign: Box<Sign>,
}

fn signers() -> [Signer; 3] {
    let rsa = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let ec = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let ed = Ed25519KeyPair::generate().unwrap();
    // DER of a key of 2048 bits: the modulus has 256 bytes from the ninth, the exponent is the last three.
    let der = rsa.public_key().as_ref();
    let (x, y) = ec.public_key().as_ref()[1..].split_at(32);
    let rsa_jwk = json!({ "kty": "RSA", "n": encoded(&der[9..265]), "e": encoded(&der[267..]) });
    let ec_jwk = json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) });
    let ed_jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(ed.public_key()) });
    let rsa_sign = move |message: &[u8]| {
        let mut signature = vec![0; rsa.public_modulus_len()];
        rsa.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
        signature
    };
    let ec_sign = move |message: &[u8]| ec.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec();
    let ed_sign = move |message: &[u8]| ed.sign(message).as_ref().to_vec();
    [
        Signer { algorithm: "RS256", jwk: rsa_jwk, sign: Box::new(rsa_sign) },
        Signer { algorithm: "ES256", jwk: ec_jwk, sign: Box::new(ec_sign) },
        Signer { algorithm: "EdDSA", jwk: ed_jwk, sign: Box::new(ed_sign) },
    ]
}

impl Signer {
    fn accepts(&self, token: &str) -> bool {
        judged(&self.jwk, token, |token, key| {
            token.verified_claims(key).is_some_and(|claims| claims.are_valid("issuer", "audience", NOW))
        })
    }

    /// Signs exactly these two parts.
    fn signed(&self, header: &str, claims: &str) -> String {
        let body = format!("{header}.{claims}");
        format!("{body}.{}", encoded((self.sign)(body.as_bytes())))
    }
}

/// Spaces at its end bring the text to a length whose last base64 character has bits to spare.
fn part(value: &Value) -> String {
    let mut text = value.to_string();
    while text.len() % 3 != 1 {
        text.push(' ');
    }
    encoded(text)
}

fn claims() -> Value {
    let now = NOW.0 / 1_000;
    json!({ "iss": "issuer", "aud": "audience", "exp": now + 600, "nbf": now, "iat": now })
}

#[test]
fn each_part_has_one_spelling() {
    let stray_bits = |part: &str| {
        let (start, last) = part.split_at(part.len() - 1);
        format!("{start}{}", char::from(last.as_bytes()[0] + 1))
    };
    let spoils: [&dyn Fn(&str) -> String; 6] = [
        &|part| format!("{part}=="),
        &|part| format!(" {part}"),
        &|part| format!("{part}\n"),
        &|part| format!("{part}."),
        &|_| String::new(),
        &stray_bits,
    ];
    for signer in signers() {
        let (header, claims) = (part(&json!({ "alg": signer.algorithm })), part(&claims()));
        let good = signer.signed(&header, &claims);
        assert!(signer.accepts(&good), "{good}");
        let (body, signature) = good.rsplit_once('.').unwrap();
        for spoil in spoils {
            for bad in [
                signer.signed(&spoil(&header), &claims),
                signer.signed(&header, &spoil(&claims)),
                format!("{body}.{}", spoil(signature)),
            ] {
                assert!(!signer.accepts(&bad), "{bad}");
            }
        }
        let flattened = json!({ "protected": header, "payload": claims, "signature": signature });
        for bad in [body, header.as_str(), "", "..", flattened.to_string().as_str()] {
            assert!(!signer.accepts(bad), "{bad}");
        }
    }
}

#[test]
fn the_key_decides_the_algorithm() {
    for signer in signers() {
        for named in ["RS256", "ES256", "EdDSA", "PS256", "HS256", "RS512", "none", ""] {
            let token = signer.signed(&part(&json!({ "alg": named })), &part(&claims()));
            assert_eq!(signer.accepts(&token), named == signer.algorithm, "{named} by {}", signer.algorithm);
        }
    }
}

#[test]
fn claims_of_the_wrong_type_are_refused() {
    let [_, _, signer] = signers();
    let header = part(&json!({ "alg": signer.algorithm }));
    for (name, value) in [
        ("iss", json!(["issuer"])),
        ("aud", json!(7)),
        ("aud", json!({ "audience": true })),
        ("exp", json!("2099-01-01")),
        ("exp", json!(null)),
        ("nbf", json!("never")),
        ("iat", json!([0])),
        ("sub", json!(1)),
        ("scope", json!(["all"])),
    ] {
        let mut claims = claims();
        claims[name] = value;
        assert!(!signer.accepts(&signer.signed(&header, &part(&claims))), "{claims}");
    }
}
