//! Two people on one server: everything that takes an id, in both eras. What belongs to the one must look to
//! the other like something that never was.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{figure::Figure, rig};

use super::{
    HttpMatrixTally,
    http_server::{HttpEra, HttpServerResponse, HttpServerTestBed, SESSION, bearer, request},
};

/// An id that nobody was ever given.
const NEVER: &str = "res_00000000000000000000000000000000";
/// How long a stranger listens for news of a research that changes meanwhile.
const LISTEN: Duration = Duration::from_secs(4);
/// Long enough to be found running, and to change while somebody listens.
const SLOW: &str = "[[slow duration_ms=60000]] what anna is waiting for";
const SOON: &str = "[[completed duration_ms=300]] what anna knows";

/// Researches that one person has finished before the other looks.
const FINISHED: usize = 6;

/// Someone with a token, in one era.
struct TokenHolder<'a> {
    served: &'a HttpServerTestBed,
    era: HttpEra,
    token: &'a str,
    session: Option<String>,
}

impl<'a> TokenHolder<'a> {
    fn new(served: &'a HttpServerTestBed, era: HttpEra, token: &'a str) -> anyhow::Result<Self> {
        let session = match era {
            HttpEra::Modern => None,
            HttpEra::Legacy => Some(served.session(token)?),
        };
        Ok(Self { served, era, token, session })
    }

    fn call(&self, method: &str, params: Value) -> anyhow::Result<HttpServerResponse> {
        self.served.call(self.era, self.token, self.session.as_deref(), method, params)
    }

    fn tool(&self, name: &str, arguments: Value) -> anyhow::Result<HttpServerResponse> {
        self.call("tools/call", json!({"name": name, "arguments": arguments}))
    }
}

pub fn measure(served: &HttpServerTestBed) -> anyhow::Result<Figure> {
    let (anna, ben) = (served.token("anna")?, served.token("ben")?);
    let mut count = HttpMatrixTally::default();
    // What a stranger sees before there is anything to see.
    let mut before = Vec::new();
    for era in [HttpEra::Modern, HttpEra::Legacy] {
        before.push(general(&TokenHolder::new(served, era, &ben)?)?);
    }
    let starter = TokenHolder::new(served, HttpEra::Legacy, &anna)?;
    // Estimates follow finished researches from five on: somebody else's must not count.
    let mut done = String::new();
    for _ in 0..FINISHED {
        done = started(&starter, SOON)?;
        wait_until_done(&starter, &done)?;
    }
    for (era, before) in [HttpEra::Modern, HttpEra::Legacy].into_iter().zip(before) {
        let running = started(&starter, SLOW)?;
        let (own, stranger) = (TokenHolder::new(served, era, &anna)?, TokenHolder::new(served, era, &ben)?);
        for (id, stage) in [(&done, RunStage::Done), (&running, RunStage::Running)] {
            probe(&mut count, &own, &stranger, id, stage)?;
        }
        listening(&mut count, &own, &stranger, &running)?;
        if let Some(session) = &own.session {
            stolen_session(&mut count, &stranger, session)?;
        }
        for ((what, then), (_, now)) in before.into_iter().zip(general(&stranger)?) {
            let holds = then == now && !now.contains(&done) && !now.contains(&running);
            count.refused(holds, || format!("{era:?} {what} changed: {now}"));
        }
        // After all that, it still runs: nobody but its owner can end it.
        let status = own.tool("check_research_status", json!({"task_id": running}))?;
        count.works(status.body.contains("running_async"), || format!("{era:?} {}", status.body));
        let cancelled = own.tool("cancel_research", json!({"task_id": running}))?;
        count.works(cancelled.body.contains("cancel"), || format!("{era:?} {}", cancelled.body));
    }
    Ok(count.figure("Requests that told one person anything of another's research, both eras"))
}

/// Every request that takes an id. The owner's answer must differ from the one for an id that never was; the
/// stranger's must not.
fn probe(
    count: &mut HttpMatrixTally,
    own: &TokenHolder<'_>,
    stranger: &TokenHolder<'_>,
    id: &str,
    stage: RunStage,
) -> anyhow::Result<()> {
    for ((what, method, params, control), (_, _, never, _)) in
        requests(own.era, id).into_iter().zip(requests(own.era, NEVER))
    {
        let theirs = stranger.call(method, params.clone())?;
        let nothing = stranger.call(method, never)?;
        let same = theirs.without(id) == nothing.without(NEVER);
        count.refused(same, || {
            format!("{:?} {what}: {} / {}", own.era, theirs.without(id), nothing.without(NEVER))
        });
        if control == OwnerControl::Reads || (control == OwnerControl::ReadsReport && stage == RunStage::Done)
        {
            let mine = own.call(method, params)?;
            let told = mine.status == 200 && mine.without(id) != nothing.without(NEVER);
            count.works(told, || format!("{:?} {what}: {}", own.era, mine.without(id)));
        }
    }
    Ok(())
}

/// Whether the owner may try it too, without changing what the next request sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerControl {
    Reads,
    /// There is something to read once it is finished.
    ReadsReport,
    Changes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunStage {
    Done,
    Running,
}

fn requests(era: HttpEra, id: &str) -> Vec<(String, &'static str, Value, OwnerControl)> {
    let mut all = Vec::new();
    let tools = [
        ("check_research_status", json!({"task_id": id}), OwnerControl::Reads),
        ("get_research_results", json!({"task_id": id}), OwnerControl::Reads),
        ("save_research_to_markdown", json!({"task_id": id}), OwnerControl::Reads),
        ("cancel_research", json!({"task_id": id}), OwnerControl::Changes),
        ("follow_up_research", json!({"task_id": id, "question": "and then?"}), OwnerControl::Changes),
    ];
    for (tool, arguments, control) in tools {
        all.push((tool.to_owned(), "tools/call", json!({"name": tool, "arguments": arguments}), control));
    }
    for part in ["report", "report/at-0", "sources", "evidence", "rounds/1"] {
        let uri = format!("research://{id}/{part}");
        let control = if part == "report" || part == "sources" {
            OwnerControl::ReadsReport
        } else {
            OwnerControl::Changes
        };
        all.push((format!("read {part}"), "resources/read", json!({"uri": uri}), control));
    }
    let prompt = json!({"name": "verify_report", "arguments": {"task_id": id}});
    all.push(("prompt".to_owned(), "prompts/get", prompt, OwnerControl::Reads));
    let typed = id.get(..12).unwrap_or(id);
    for (name, reference, argument) in [
        ("complete resource", json!({"type": "ref/resource", "uri": "research://{id}/report"}), "id"),
        ("complete prompt", json!({"type": "ref/prompt", "name": "verify_report"}), "task_id"),
    ] {
        let params = json!({"ref": reference, "argument": {"name": argument, "value": typed}});
        all.push((name.to_owned(), "completion/complete", params, OwnerControl::Reads));
    }
    match era {
        HttpEra::Modern => {
            all.push(("tasks/get".to_owned(), "tasks/get", json!({"taskId": id}), OwnerControl::Reads));
            let update = json!({"taskId": id, "inputResponses": {}});
            all.push(("tasks/update".to_owned(), "tasks/update", update, OwnerControl::Changes));
            all.push((
                "tasks/cancel".to_owned(),
                "tasks/cancel",
                json!({"taskId": id}),
                OwnerControl::Changes,
            ));
        }
        HttpEra::Legacy => {
            let uri = format!("research://{id}/report");
            all.push((
                "subscribe".to_owned(),
                "resources/subscribe",
                json!({"uri": uri}),
                OwnerControl::Reads,
            ));
        }
    }
    all
}

/// Requests without an id, whose answers must not change when somebody else works.
fn general(person: &TokenHolder<'_>) -> anyhow::Result<Vec<(String, String)>> {
    let mut seen = Vec::new();
    for (what, method, params) in [
        ("list_research", "tools/call", json!({"name": "list_research", "arguments": {}})),
        (
            "estimate_research_cost",
            "tools/call",
            json!({"name": "estimate_research_cost", "arguments": {"query": "what anna knows"}}),
        ),
        ("tools/list", "tools/list", json!({})),
        ("resources/list", "resources/list", json!({})),
        ("resources/templates/list", "resources/templates/list", json!({})),
        ("prompts/list", "prompts/list", json!({})),
    ] {
        seen.push((what.to_owned(), person.call(method, params)?.message().to_string()));
    }
    Ok(seen)
}

/// A stranger subscribes to a research that changes meanwhile, and must hear nothing; its owner does.
fn listening(
    count: &mut HttpMatrixTally,
    own: &TokenHolder<'_>,
    stranger: &TokenHolder<'_>,
    id: &str,
) -> anyhow::Result<()> {
    let uri = format!("research://{id}/report");
    let heard = |person: &TokenHolder<'_>| -> anyhow::Result<String> {
        let mut stream = match person.era {
            HttpEra::Modern => {
                let params = json!({"notifications": {"resourceSubscriptions": [uri]}});
                let mut stream = person.served.connect()?;
                stream.write_all(&request(
                    &person.served.host,
                    person.era,
                    person.token,
                    None,
                    "subscriptions/listen",
                    params,
                ))?;
                stream
            }
            HttpEra::Legacy => {
                let stream = standing_stream(person)?;
                person.call("resources/subscribe", json!({"uri": uri}))?;
                stream
            }
        };
        read_for(&mut stream, LISTEN)
    };
    let theirs = heard(stranger)?;
    count.refused(!theirs.contains("resources/updated"), || format!("{:?} heard {theirs}", own.era));
    let mine = heard(own)?;
    count.works(mine.contains("resources/updated"), || format!("{:?} listening: {mine}", own.era));
    Ok(())
}

fn standing_stream(person: &TokenHolder<'_>) -> anyhow::Result<TcpStream> {
    let mut stream = person.served.connect()?;
    let session = person.session.as_deref().context("no session")?;
    write!(
        stream,
        "GET /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nauthorization: {}\r\n{SESSION}: {session}\r\n\r\n",
        person.served.host,
        bearer(person.token)
    )?;
    Ok(stream)
}

fn read_for(stream: &mut TcpStream, limit: Duration) -> anyhow::Result<String> {
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    let (began, mut bytes) = (rig::now(), Vec::new());
    while began.elapsed() < limit {
        let mut chunk = [0_u8; 4096];
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => bytes.extend_from_slice(chunk.get(..read).unwrap_or_default()),
            Err(_) => {}
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The session of someone else, used in every way a session is used.
fn stolen_session(count: &mut HttpMatrixTally, thief: &TokenHolder<'_>, session: &str) -> anyhow::Result<()> {
    let never = "00000000-0000-4000-8000-000000000000";
    let call = |session: &str| {
        let list = json!({"name": "list_research", "arguments": {}});
        thief.served.call(HttpEra::Legacy, thief.token, Some(session), "tools/call", list)
    };
    let plain = |method: &str, session: &str| {
        let text = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\nconnection: close\r\nauthorization: {}\r\n{SESSION}: {session}\r\n\r\n",
            thief.served.host,
            bearer(thief.token)
        );
        thief.served.send(text.as_bytes())
    };
    let pairs = [
        ("call", call(session)?, call(never)?),
        ("stream", plain("GET", session)?, plain("GET", never)?),
        ("end", plain("DELETE", session)?, plain("DELETE", never)?),
    ];
    for (what, stolen, invented) in pairs {
        let holds = stolen.without(session) == invented.without(never);
        count.refused(holds, || format!("session {what}: {}", stolen.without(session)));
    }
    Ok(())
}

fn started(person: &TokenHolder<'_>, question: &str) -> anyhow::Result<String> {
    let answer =
        person.tool("start_deep_research", json!({"query": question, "enable_notifications": false}))?;
    let message = answer.message();
    let id = message.pointer("/result/structuredContent/task_id").and_then(Value::as_str);
    id.map(str::to_owned).with_context(|| format!("nothing was started: {}", answer.body))
}

fn wait_until_done(person: &TokenHolder<'_>, id: &str) -> anyhow::Result<()> {
    let answer = person.tool("check_research_status", json!({"task_id": id, "wait_seconds": 30}))?;
    anyhow::ensure!(answer.body.contains("completed"), "it did not finish: {}", answer.body);
    Ok(())
}
