use probity_research::{error::Code, time::Moment};

use super::{SignatureError, SignatureHeaders, WebhookSecret, sign, verify};

/// The example of the standard's own libraries.
const EXAMPLE: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NOW: Moment = Moment(1_790_000_000_999);
const BODY: &[u8] = br#"{"test": 2432232314}"#;

fn secret() -> WebhookSecret {
    WebhookSecret::parse(EXAMPLE).unwrap()
}

fn headers() -> SignatureHeaders {
    sign(&[secret()], "msg_1", NOW, BODY)
}

#[track_caller]
fn check(headers: &SignatureHeaders, body: &[u8], expected: Result<(), SignatureError>) {
    assert_eq!(verify(&[secret()], headers, body, NOW), expected, "{headers:?}");
}

#[test]
fn the_standards_example_has_the_standards_signature() {
    let signed = sign(&[secret()], "msg_p5jXN8AQM9LWM0D4loKWxJek", Moment(1_614_265_330_000), BODY);
    assert_eq!(signed.timestamp, "1614265330");
    assert_eq!(signed.signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn what_was_signed_verifies_and_anything_else_does_not() {
    check(&headers(), BODY, Ok(()));
    check(&headers(), br#"{"test": 2432232315}"#, Err(SignatureError::Unsigned));
    check(&headers(), b"", Err(SignatureError::Unsigned));
    check(&SignatureHeaders { id: "msg_2".to_owned(), ..headers() }, BODY, Err(SignatureError::Unsigned));
    check(
        &SignatureHeaders { timestamp: "1790000001".to_owned(), ..headers() },
        BODY,
        Err(SignatureError::Unsigned),
    );
    for wrong in ["", "v1", "v1,", "v1,AAAA", "v2,", "garbage garbage"] {
        check(
            &SignatureHeaders { signature: wrong.to_owned(), ..headers() },
            BODY,
            Err(SignatureError::Unsigned),
        );
    }
    let other_version = headers().signature.replace("v1,", "v1a,");
    check(&SignatureHeaders { signature: other_version, ..headers() }, BODY, Err(SignatureError::Unsigned));
    let second = format!("v1,AAAA v1a,BBBB {}", headers().signature);
    check(&SignatureHeaders { signature: second, ..headers() }, BODY, Ok(()));
    let too_many = format!("{}{}", "v1,AAAA ".repeat(8), headers().signature);
    check(&SignatureHeaders { signature: too_many, ..headers() }, BODY, Err(SignatureError::Unsigned));
    assert_eq!(verify(&[], &headers(), BODY, NOW), Err(SignatureError::Unsigned));
}

#[test]
fn a_message_is_believed_for_five_minutes_either_way() {
    let at = |seconds: i64| sign(&[secret()], "msg_1", NOW.plus_ms(seconds * 1000), BODY);
    check(&at(-300), BODY, Ok(()));
    check(&at(300), BODY, Ok(()));
    check(&at(-301), BODY, Err(SignatureError::TooOld));
    check(&at(301), BODY, Err(SignatureError::TooNew));
    for wrong in ["", "now", "-1", "+1790000000", "1790000000.5", " 1790000000", "99999999999999999999"] {
        let headers = SignatureHeaders { timestamp: wrong.to_owned(), ..headers() };
        check(&headers, BODY, Err(SignatureError::HeaderUnreadable));
    }
    for wrong in ["", "a b", "a\nb", &"x".repeat(257)] {
        check(
            &SignatureHeaders { id: wrong.to_owned(), ..headers() },
            BODY,
            Err(SignatureError::HeaderUnreadable),
        );
    }
}

#[test]
fn while_a_secret_is_replaced_both_are_good() {
    let (old, new, stranger) = (secret(), WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap());
    let both = sign(&[new.clone(), old.clone()], "msg_1", NOW, BODY);
    assert_eq!(both.signature.split(' ').count(), 2);
    for known in [&old, &new] {
        assert_eq!(verify(std::slice::from_ref(known), &both, BODY, NOW), Ok(()));
    }
    assert_eq!(verify(std::slice::from_ref(&stranger), &both, BODY, NOW), Err(SignatureError::Unsigned));
    let by_old = sign(std::slice::from_ref(&old), "msg_1", NOW, BODY);
    assert_eq!(verify(&[new, stranger, old], &by_old, BODY, NOW), Ok(()));
}

#[test]
fn the_secrets_of_a_webhook_are_the_newest_two() {
    let made: Vec<WebhookSecret> = (0..3).map(|_| WebhookSecret::make().unwrap()).collect();
    let texts =
        |secrets: &[WebhookSecret]| secrets.iter().map(|it| it.expose().to_owned()).collect::<Vec<_>>();
    let read = WebhookSecret::parse_all(&WebhookSecret::write_all(&made)).unwrap();
    assert_eq!(texts(&read), texts(&made[..2]));
    assert!(WebhookSecret::parse_all("whsec_canary!").is_err());
    assert!(WebhookSecret::parse_all("").unwrap().is_empty());
}

#[test]
fn secrets_are_read_strictly_and_never_shown() {
    let made = WebhookSecret::make().unwrap();
    assert_eq!(WebhookSecret::parse(made.expose()).unwrap().expose(), made.expose());
    assert_eq!(format!("{made:?}"), "Secret(hidden)");
    // Without the prefix, and without the padding.
    let bare = made.expose().trim_start_matches("whsec_").trim_end_matches('=');
    assert_eq!(WebhookSecret::parse(bare).unwrap().expose(), made.expose());
    for wrong in ["", "whsec_", "whsec_AAAA", "whsec_canary!", &"A".repeat(200)] {
        let problem = WebhookSecret::parse(wrong).err().unwrap();
        assert_eq!(problem.code, Code::Settings);
        assert!(!problem.message.contains("canary"));
    }
}

#[test]
fn the_headers_are_found_by_name() {
    let signed = headers();
    let found = SignatureHeaders::read(|name| {
        signed.named().into_iter().find(|(known, _)| *known == name).map(|it| it.1)
    });
    assert_eq!(found, Ok(signed.clone()));
    let without = |missing: &'static str| {
        let named = signed.named();
        SignatureHeaders::read(|name| {
            named.into_iter().find(|it| it.0 == name && name != missing).map(|it| it.1)
        })
    };
    for missing in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        assert_eq!(without(missing), Err(SignatureError::HeaderMissing));
    }
}
