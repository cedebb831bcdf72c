//! Webhooks beside Python's standardwebhooks: each side verifies what the other signs and refuses what was changed.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::{Duration, UNIX_EPOCH},
};

use anyhow::Context;
use probity_research::time::Moment;
use probity_server::webhooks::{SignatureHeaders, WebhookSecret, sign, verify};
use serde_json::{Value, json};

use crate::rig;

/// Past what both sides tolerate.
const TOO_FAR: Duration = Duration::from_secs(360);
const BODY: &str = r#"{"type":"research.completed","data":{"id":"res_1","words":"Grüße, 世界"}}"#;
const CHANGED: &str = r#"{"type":"research.failed","data":{"id":"res_1","words":"Grüße, 世界"}}"#;

/// How many cases there were, and those in which the sides disagree with what is right.
#[derive(Debug, Default)]
pub struct WebhookCases {
    pub count: usize,
    pub wrong: Vec<String>,
}

impl WebhookCases {
    fn add(&mut self, name: &str, right: bool) {
        self.count += 1;
        if !right {
            self.wrong.push(name.to_owned());
        }
    }
}

struct PythonWebhookPeer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PythonWebhookPeer {
    fn ask(&mut self, question: &Value) -> anyhow::Result<Value> {
        writeln!(self.input, "{question}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the other library says {line:?}"))
    }

    fn verifies(
        &mut self,
        secret: &WebhookSecret,
        headers: &SignatureHeaders,
        body: &str,
    ) -> anyhow::Result<bool> {
        let named: Value = headers.named().into_iter().map(|(name, text)| (name, text.to_owned())).collect();
        let asked = json!({"do": "verify", "secret": secret.expose(), "headers": named, "body": body});
        Ok(self.ask(&asked)?.get("verified").and_then(Value::as_bool).unwrap_or(false))
    }

    fn signs(&mut self, secret: &WebhookSecret, at: Moment) -> anyhow::Result<SignatureHeaders> {
        let timestamp = at.0 / 1000;
        let asked = json!({"do": "sign", "secret": secret.expose(), "id": "msg_1", "timestamp": timestamp, "body": BODY});
        let signature =
            self.ask(&asked)?.get("signature").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(SignatureHeaders { id: "msg_1".to_owned(), timestamp: timestamp.to_string(), signature })
    }
}

impl Drop for PythonWebhookPeer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Nothing where the other library is not installed.
pub fn compare() -> anyhow::Result<Option<WebhookCases>> {
    let root = rig::repository();
    let python = root.join(".tools/venv/bin/python");
    let has = rig::command(&python).args(["-c", "import standardwebhooks"]).stderr(Stdio::null()).status();
    if !has.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let mut process = rig::command(&python)
        .arg(root.join("crates/probity-conformance/webhooks/driver.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let input = process.stdin.take().context("no stdin")?;
    let output = BufReader::new(process.stdout.take().context("no stdout")?);
    let mut other = PythonWebhookPeer { process, input, output };
    let mut cases = WebhookCases::default();
    ours_to_them(&mut other, &mut cases)?;
    theirs_to_us(&mut other, &mut cases)?;
    Ok(Some(cases))
}

fn secret() -> anyhow::Result<WebhookSecret> {
    WebhookSecret::make().map_err(|problem| anyhow::anyhow!("{}", problem.message))
}

fn now() -> anyhow::Result<Moment> {
    let since_1970 = rig::wall_clock().duration_since(UNIX_EPOCH)?;
    Ok(Moment(i64::try_from(since_1970.as_millis())?))
}

fn shifted(at: Moment, by: i64) -> Moment {
    Moment(at.0 + by * i64::try_from(TOO_FAR.as_millis()).unwrap_or(i64::MAX))
}

fn ours_to_them(other: &mut PythonWebhookPeer, cases: &mut WebhookCases) -> anyhow::Result<()> {
    let (old, new, stranger, at) = (secret()?, secret()?, secret()?, now()?);
    let signed = sign(&[new.clone(), old.clone()], "msg_1", at, BODY.as_bytes());
    cases.add("they verify the new secret", other.verifies(&new, &signed, BODY)?);
    cases.add("they verify the old secret", other.verifies(&old, &signed, BODY)?);
    cases.add("they refuse a stranger's secret", !other.verifies(&stranger, &signed, BODY)?);
    cases.add("they refuse a changed body", !other.verifies(&new, &signed, CHANGED)?);
    for by in [-1, 1] {
        let signed = sign(std::slice::from_ref(&new), "msg_1", shifted(at, by), BODY.as_bytes());
        cases.add("they refuse another time", !other.verifies(&new, &signed, BODY)?);
    }
    Ok(())
}

fn theirs_to_us(other: &mut PythonWebhookPeer, cases: &mut WebhookCases) -> anyhow::Result<()> {
    let (old, new, stranger, at) = (secret()?, secret()?, secret()?, now()?);
    let signed = other.signs(&new, at)?;
    let verified = |secrets: &[&WebhookSecret], headers: &SignatureHeaders, body: &str| {
        let secrets: Vec<WebhookSecret> = secrets.iter().map(|secret| (*secret).clone()).collect();
        verify(&secrets, headers, body.as_bytes(), at).is_ok()
    };
    cases.add("we verify", verified(&[&new], &signed, BODY));
    cases.add("we verify while secrets are replaced", verified(&[&old, &new], &signed, BODY));
    cases.add("we refuse a stranger's secret", !verified(&[&stranger], &signed, BODY));
    cases.add("we refuse a changed body", !verified(&[&new], &signed, CHANGED));
    for by in [-1, 1] {
        let signed = other.signs(&new, shifted(at, by))?;
        cases.add("we refuse another time", !verified(&[&new], &signed, BODY));
    }
    Ok(())
}
