//! Everything that a run sends is kept: each byte through a proxy, each request to the chat model. The way to the
//! model can answer for the writer: one that cites every note that carries a claim, and one that cites all there are.
//! The simulated model cites one note per sentence. For the second engine the same writers answer for each section.
#![expect(clippy::disallowed_methods, reason = "a proxy is a task for each connection")]

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use probity_models::{
    HttpTransport, Transport,
    transport::{HttpRequest, HttpResponse, ResponseBody, ResponseHeaders, TransportError},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::leak_detector::ModelPrompt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptedWriter {
    /// The simulated model itself.
    Model,
    /// States the claim with these words in it, and cites every note that has them.
    Gathers(String),
    /// States it and cites every note there is, whatever it says.
    Lies(String),
}

pub struct RecordingTransport {
    network: HttpTransport,
    writer: ScriptedWriter,
    said: Arc<Mutex<Vec<ModelPrompt>>>,
}

impl RecordingTransport {
    pub fn new(network: HttpTransport, writer: ScriptedWriter) -> (Self, Arc<Mutex<Vec<ModelPrompt>>>) {
        let said = Arc::new(Mutex::new(Vec::new()));
        (Self { network, writer, said: Arc::clone(&said) }, said)
    }

    /// The answer of a writer of ours, where one is wanted.
    fn own_answer(&self, prompt: &ModelPrompt) -> Option<Value> {
        let (claim, all) = match &self.writer {
            ScriptedWriter::Model => return None,
            ScriptedWriter::Gathers(claim) => (claim, false),
            ScriptedWriter::Lies(claim) => (claim, true),
        };
        let stated = format!("The bridge is {claim} metres long.");
        match prompt.kind.as_str() {
            "write" => {
                let notes: Vec<u64> = notes(&prompt.text)
                    .into_iter()
                    .filter(|(_, text)| all || text.contains(claim))
                    .map(|(note, _)| note)
                    .collect();
                let sentence = json!({"text": stated, "notes": notes});
                Some(
                    json!({"title": "The bridge", "sections": [{"heading": "Length", "sentences": [sentence]}], "unanswered": []}),
                )
            }
            "section" => {
                let quotes: Vec<&str> = quotes(&prompt.text)
                    .into_iter()
                    .filter(|(_, text)| all || text.contains(claim))
                    .map(|(quote, _)| quote)
                    .collect();
                let sentence = json!({"text": stated, "kind": "fact", "quotes": quotes});
                let blocks = json!([{"kind": "paragraph", "sentences": [sentence]}]);
                (!quotes.is_empty()).then(|| json!({"blocks": blocks, "thin": []}))
            }
            _ => None,
        }
    }
}

/// Notes of a prompt, `[3] site (date), on: question` and the quotations behind it.
fn notes(prompt: &str) -> Vec<(u64, &str)> {
    let inside = prompt.split_once("<notes>").map_or("", |(_, behind)| behind);
    let inside = inside.split_once("</notes>").map_or(inside, |(before, _)| before);
    let begins = |line: &str| -> Option<u64> { line.strip_prefix('[')?.split_once(']')?.0.parse().ok() };
    let mut found: Vec<(u64, &str)> = Vec::new();
    for part in inside.split("\n\n") {
        if let Some(number) = begins(part.trim()) {
            found.push((number, part));
        }
    }
    found
}

/// Quotations of a section's prompt: `[Q3] site (date; role; …):`, and its lines set in behind it.
fn quotes(prompt: &str) -> Vec<(&str, String)> {
    let inside = prompt.split_once("<quotes>").map_or("", |(_, behind)| behind);
    let inside = inside.split_once("</quotes>").map_or(inside, |(before, _)| before);
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in inside.lines() {
        let head = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        if let Some((id, _)) = head.filter(|(id, _)| id.starts_with('Q')) {
            found.push((id, String::new()));
        } else if let Some((_, text)) = found.last_mut() {
            text.push_str(line);
        }
    }
    found
}

fn prompt_of(request: &HttpRequest) -> ModelPrompt {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let kind = body.pointer("/response_format/json_schema/name").and_then(Value::as_str).unwrap_or("unknown");
    let messages = body.get("messages").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = messages.filter_map(|message| message.get("content")?.as_str()).collect();
    let offers_tools = ["tools", "functions", "tool_choice"].iter().any(|name| body.get(*name).is_some());
    ModelPrompt { kind: kind.to_owned(), text: texts.join("\n"), offers_tools }
}

impl Transport for RecordingTransport {
    type Body = RecordingBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<RecordingBody>, TransportError> {
        let prompt = prompt_of(&request);
        let own = self.own_answer(&prompt);
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(prompt);
        if let Some(answer) = own {
            let message = json!({"role": "assistant", "content": answer.to_string()});
            let body = json!({
                "model": "writer",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            });
            let headers = ResponseHeaders {
                content_type: Some("application/json".to_owned()),
                ..ResponseHeaders::default()
            };
            return Ok(HttpResponse {
                status: 200,
                headers,
                body: RecordingBody::Own(Some(body.to_string().into())),
            });
        }
        let HttpResponse { status, headers, body } = self.network.send(request).await?;
        Ok(HttpResponse { status, headers, body: RecordingBody::Real(Box::new(body)) })
    }
}

pub enum RecordingBody {
    Real(Box<<HttpTransport as Transport>::Body>),
    Own(Option<Bytes>),
}

impl ResponseBody for RecordingBody {
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        match self {
            Self::Real(body) => body.chunk().await,
            Self::Own(bytes) => Ok(bytes.take()),
        }
    }
}

/// Kept of one research; far more than it sends.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Ends with its last connection when dropped.
pub struct RecordingProxy {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<u8>>>,
    listening: JoinHandle<()>,
}

impl RecordingProxy {
    /// Passes on to `target`.
    pub async fn start(target: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, target, Arc::clone(&kept)));
            }
        });
        Ok(Self { address, heard, listening })
    }

    pub fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for RecordingProxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn pass_on(client: TcpStream, target: SocketAddr, kept: Arc<Mutex<Vec<u8>>>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = from_client.read(&mut piece).await {
            let bytes = piece.get(..length).unwrap_or_default();
            {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() < BYTES_MAX {
                    kept.extend_from_slice(bytes);
                }
            }
            if to_server.write_all(bytes).await.is_err() {
                break;
            }
        }
        // The other side may have left first.
        to_server.shutdown().await.ok();
    };
    let back = async {
        tokio::io::copy(&mut from_server, &mut to_client).await.ok();
        to_client.shutdown().await.ok();
    };
    tokio::join!(there, back);
}

/// A door of this machine at which nobody may knock.
pub struct ForbiddenPort {
    listener: std::net::TcpListener,
}

impl ForbiddenPort {
    pub fn open() -> anyhow::Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener })
    }

    pub fn address(&self) -> anyhow::Result<String> {
        Ok(self.listener.local_addr()?.to_string())
    }

    /// Connections since it was opened or asked last.
    pub fn connection_count(&self) -> usize {
        std::iter::from_fn(|| self.listener.accept().ok()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{notes, quotes};

    #[test]
    fn quotations_of_a_section_are_found_by_their_ids() {
        let prompt = "x\n<quotes>\n[Q1] a.example (no date; finding; origin 1; for F1):\n  one\n  [Q9] two\n[Q4] b.example (no date; finding; origin 2; for F1):\n  three\n</quotes>";
        let found = quotes(prompt);
        assert_eq!(found, [("Q1", "  one  [Q9] two".to_owned()), ("Q4", "  three".to_owned())]);
    }

    #[test]
    fn notes_are_found_by_their_numbers() {
        let prompt = "x\n<notes>\n[0] a.example (no date), on: how\n“one”\n\n[4] b.example (no date), on: how\n“two”\n“three”\n</notes>";
        let found = notes(prompt);
        assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 4]);
        assert!(found.last().unwrap().1.contains("three"));
    }
}
