//! Webhooks beside another language's library: what we sign it verifies, what it signs we verify, and both refuse
//! the same things. Needs Python with `standardwebhooks`; says so and passes where it is not installed.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the other library; that one reads the machine's clock"
)]

use std::{
    cell::Cell,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    slice,
    time::{SystemTime, UNIX_EPOCH},
};

use probity_research::{RunId, status::RunStatus, time::Moment};
use probity_server::webhooks::{
    SignatureError, SignatureHeaders, WebhookMessage, WebhookSecret, sign, verify,
};
use serde_json::{Value, json};

/// Seconds past what both sides tolerate.
const TOO_FAR: i64 = 6 * 60;

struct PythonWebhooks {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Questions so far.
    asked: usize,
}

impl PythonWebhooks {
    fn start() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let python = root.join(".tools/venv/bin/python");
        let has = |python: &Path| Command::new(python).args(["-c", "import standardwebhooks"]).output();
        if !has(&python).is_ok_and(|done| done.status.success()) {
            println!("skipped: no `standardwebhooks` at {}; `.ci/install` brings it", python.display());
            return None;
        }
        let mut process = Command::new(&python)
            .arg(root.join("crates/probity-conformance/webhooks/driver.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Some(Self { process, input, output: BufReader::new(output), asked: 0 })
    }

    fn ask(&mut self, question: &Value) -> Value {
        self.asked += 1;
        writeln!(self.input, "{question}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn verifies(&mut self, secret: &WebhookSecret, headers: &SignatureHeaders, body: &str) -> bool {
        let named: Value = headers.named().into_iter().map(|(name, text)| (name, text.to_owned())).collect();
        let question = json!({"do": "verify", "secret": secret.expose(), "headers": named, "body": body});
        self.ask(&question)["verified"].as_bool().unwrap()
    }

    fn signs(&mut self, secrets: &[&WebhookSecret], id: &str, at: Moment, body: &str) -> SignatureHeaders {
        let timestamp = at.0 / 1000;
        let signatures: Vec<String> = secrets
            .iter()
            .map(|secret| {
                let question = json!({"do": "sign", "secret": secret.expose(), "id": id, "timestamp": timestamp, "body": body});
                self.ask(&question)["signature"].as_str().unwrap().to_owned()
            })
            .collect();
        SignatureHeaders {
            id: id.to_owned(),
            timestamp: timestamp.to_string(),
            signature: signatures.join(" "),
        }
    }
}

impl Drop for PythonWebhooks {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn now() -> Moment {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Moment(i64::try_from(since_1970.as_millis()).unwrap())
}

fn body() -> String {
    let message = WebhookMessage {
        id: "dlv_1".to_owned(),
        research: RunId::from_random(7),
        status: RunStatus::Completed,
        asked_at: now(),
        rested_at: now(),
    };
    String::from_utf8(message.body().unwrap()).unwrap()
}

#[test]
fn webhooks_are_verified_both_ways() {
    let Some(mut other) = PythonWebhooks::start() else {
        eprintln!("figure: fleet.webhooks skipped: standardwebhooks is not installed");
        return;
    };
    the_other_library_verifies_what_we_sign(&mut other);
    let ours = other.asked;
    let theirs = we_verify_what_the_other_library_signs(&mut other);
    eprintln!("figure: fleet.webhooks {0} of {0} cases", ours + theirs);
}

fn the_other_library_verifies_what_we_sign(other: &mut PythonWebhooks) {
    let (old, new, stranger) =
        (WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap());
    let body = body();
    for text in [body.as_str(), r#"{"name":"Grüße, 世界"}"#, "{}", "[1, 2]\n"] {
        let signed = sign(slice::from_ref(&new), "dlv_1", now(), text.as_bytes());
        assert!(other.verifies(&new, &signed, text), "{text}");
    }

    let both = sign(&[new.clone(), old.clone()], "dlv_1", now(), body.as_bytes());
    assert!(other.verifies(&old, &both, &body));
    assert!(other.verifies(&new, &both, &body));
    assert!(!other.verifies(&stranger, &both, &body));

    assert!(!other.verifies(&new, &both, &body.replace("completed", "failed")));
    assert!(!other.verifies(&new, &SignatureHeaders { id: "dlv_2".to_owned(), ..both }, &body));
    for seconds in [-TOO_FAR, TOO_FAR] {
        let signed = sign(slice::from_ref(&new), "dlv_1", now().plus_ms(seconds * 1000), body.as_bytes());
        assert!(!other.verifies(&new, &signed, &body), "{seconds}");
    }
}

/// How many signatures we judged.
fn we_verify_what_the_other_library_signs(other: &mut PythonWebhooks) -> usize {
    let judged = Cell::new(0);
    let (old, new, stranger) =
        (WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap(), WebhookSecret::make().unwrap());
    let at = now();
    let body = r#"{"type":"interaction.completed","version":"v1","data":{"id":"v1_Grüße"}}"#;
    let verified = |secrets: &[&WebhookSecret], headers: &SignatureHeaders, body: &str| {
        let secrets: Vec<WebhookSecret> = secrets.iter().map(|secret| (*secret).clone()).collect();
        judged.set(judged.get() + 1);
        verify(&secrets, headers, body.as_bytes(), at)
    };

    let signed = other.signs(&[&new], "msg_1", at, body);
    assert_eq!(verified(&[&new], &signed, body), Ok(()));
    // We have replaced the secret, the sender has not yet; then the other way round.
    assert_eq!(verified(&[&old, &new], &signed, body), Ok(()));
    let both = other.signs(&[&new, &old], "msg_1", at, body);
    assert_eq!(verified(&[&old], &both, body), Ok(()));
    assert_eq!(verified(&[&stranger], &both, body), Err(SignatureError::Unsigned));

    assert_eq!(
        verified(&[&new], &signed, &body.replace("completed", "failed")),
        Err(SignatureError::Unsigned)
    );
    let renamed = SignatureHeaders { id: "msg_2".to_owned(), ..signed };
    assert_eq!(verified(&[&new], &renamed, body), Err(SignatureError::Unsigned));
    let early = other.signs(&[&new], "msg_1", at.plus_ms(-TOO_FAR * 1000), body);
    assert_eq!(verified(&[&new], &early, body), Err(SignatureError::TooOld));
    let late = other.signs(&[&new], "msg_1", at.plus_ms(TOO_FAR * 1000), body);
    assert_eq!(verified(&[&new], &late, body), Err(SignatureError::TooNew));
    judged.get()
}
