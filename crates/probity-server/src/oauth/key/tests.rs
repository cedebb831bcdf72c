//! Wycheproof's signatures, each asked of its key as an issuer would publish it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use wycheproof::{TestResult, ecdsa, eddsa, rsa_pkcs1_verify as rsa};

use super::{COORDINATE_BYTES, IssuerKey, parse_set};

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn issuer_key(jwk: &Value) -> Option<IssuerKey> {
    parse_set(json!({ "keys": [jwk] }).to_string().as_bytes()).unwrap().pop()
}

/// *Acceptable* vectors (a missing NULL) must be refused too: RFC 7518 knows one encoding.
#[track_caller]
fn check(jwk: &Value, id: usize, result: TestResult, message: &[u8], signature: &[u8]) {
    let key = issuer_key(jwk).expect("a key of a kind that is accepted");
    assert_eq!(key.verifies_signature(message, signature), result == TestResult::Valid, "vector {id}: {jwk}");
}

#[test]
fn rsa_signatures() {
    let mut count = 0;
    for name in [
        rsa::TestName::Rsa2048Sha256,
        rsa::TestName::Rsa3072Sha256,
        rsa::TestName::Rsa4096Sha256,
        rsa::TestName::Rsa8192Sha256,
    ] {
        for group in rsa::TestSet::load(name).unwrap().test_groups {
            // The vectors write a sign byte first, which keys of an issuer do not have.
            let number = |bytes: &[u8]| encoded(bytes.strip_prefix(&[0]).unwrap_or(bytes));
            let jwk = json!({ "kty": "RSA", "n": number(&group.key.n), "e": number(&group.key.e) });
            for test in &group.tests {
                check(&jwk, test.tc_id, test.result, &test.msg, &test.sig);
                count += 1;
            }
        }
    }
    assert_eq!(count, 1_034);
}

#[test]
fn p256_signatures() {
    let mut count = 0;
    for group in ecdsa::TestSet::load(ecdsa::TestName::EcdsaSecp256r1Sha256P1363).unwrap().test_groups {
        let (x, y) = group.key.key[1..].split_at(COORDINATE_BYTES);
        let jwk = json!({ "kty": "EC", "crv": "P-256", "x": encoded(x), "y": encoded(y) });
        for test in &group.tests {
            check(&jwk, test.tc_id, test.result, &test.msg, &test.sig);
            count += 1;
        }
    }
    assert_eq!(count, 262);
}

#[test]
fn ed25519_signatures() {
    let mut count = 0;
    for group in eddsa::TestSet::load(eddsa::TestName::Ed25519).unwrap().test_groups {
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(&group.key.pk) });
        for test in &group.tests {
            check(&jwk, test.tc_id, test.result, &test.msg, &test.sig);
            count += 1;
        }
    }
    assert_eq!(count, 151);
}

#[test]
fn a_key_that_may_not_verify_is_left_out() {
    let is_taken = |name: &str, value: Value| {
        let mut jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": encoded(&[1; COORDINATE_BYTES]) });
        jwk[name] = value;
        issuer_key(&jwk).is_some()
    };
    assert!(is_taken("use", json!("sig")));
    assert!(is_taken("key_ops", json!(["verify"])));
    assert!(is_taken("key_ops", json!(["sign", "verify"])));
    assert!(!is_taken("use", json!("enc")));
    for refused in [json!([]), json!(["sign"]), json!(["encrypt", "wrapKey"]), json!("verify"), json!([1])] {
        assert!(!is_taken("key_ops", refused.clone()), "{refused}");
    }
}
