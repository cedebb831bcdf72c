//! The lines of a client as messages, and an answer to each line that is none.
//!
//! Keeps no more of a line than `LINE_BYTES_MAX`. The library would drop longer lines and those that are not JSON without
//! a word, and a client whose request it was would wait for ever.

use rmcp::{
    ErrorData, RoleServer,
    model::{JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::{Value, error::Category};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use super::LINE_BYTES_MAX;

/// Some clients begin with it; JSON allows to pass it over.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// Bytes of a name or an id in a line that is too long. Clients count or use UUIDs.
const TOKEN_BYTES_MAX: usize = 256;

/// A line that is no message.
#[derive(Debug, PartialEq, Eq)]
pub enum BadLine {
    /// With the id of the request that it was, where that could be seen.
    TooLong(Option<RequestId>),
    NotJson,
    /// JSON, but nothing that a client sends.
    NotMessage,
}

impl BadLine {
    /// MCP leaves the id out where it is not known.
    pub fn answer(self) -> TxJsonRpcMessage<RoleServer> {
        let (problem, id) = match self {
            Self::TooLong(id) => {
                let message = format!("the message is longer than {LINE_BYTES_MAX} bytes and was not read");
                (ErrorData::invalid_request(message, None), id)
            }
            Self::NotJson => {
                (ErrorData::parse_error("the line is not JSON, or is nested too deeply", None), None)
            }
            Self::NotMessage => (ErrorData::invalid_request("Invalid request", None), None),
        };
        JsonRpcMessage::error(problem, id)
    }
}

/// Reads one message per line.
pub struct MessageReader<R> {
    reader: BufReader<R>,
    /// As far as it has come.
    line: Vec<u8>,
    /// What was seen of a line that is too long, while the rest of it passes.
    too_long: Option<IdFinder>,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new(), too_long: None }
    }

    /// The next message and its length; none when the client has closed its side. What was read stays in `self` when
    /// this future is dropped.
    pub async fn next_message(&mut self) -> Option<Result<(RxJsonRpcMessage<RoleServer>, usize), BadLine>> {
        loop {
            if !self.read_line().await {
                return None;
            }
            if let Some(finder) = self.too_long.take() {
                tracing::warn!(bytes_max = LINE_BYTES_MAX, "refused a message that is too long");
                return Some(Err(BadLine::TooLong(finder.request_id())));
            }
            let bytes = self.line.len();
            let parsed = parse(&self.line);
            self.line.clear();
            if let Some(parsed) = parsed {
                return Some(parsed.map(|message| (message, bytes)));
            }
        }
    }

    /// Whether a line was read to its end. An unfinished last one is no message.
    async fn read_line(&mut self) -> bool {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    tracing::error!(%error, "the client cannot be read");
                    return false;
                }
            };
            if available.is_empty() {
                return false;
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let read = available.get(..end.map_or(available.len(), |end| end + 1)).unwrap_or_default();
            let count = read.len();
            if let Some(finder) = &mut self.too_long {
                finder.read(read);
            } else if self.line.len() + count > LINE_BYTES_MAX {
                let mut finder = IdFinder::default();
                finder.read(&std::mem::take(&mut self.line));
                finder.read(read);
                self.too_long = Some(finder);
            } else {
                self.line.extend_from_slice(read);
            }
            self.reader.consume(count);
            if end.is_some() {
                return true;
            }
        }
    }
}

/// None for what nobody answers: an empty line, and a notification that cannot be read.
fn parse(line: &[u8]) -> Option<Result<RxJsonRpcMessage<RoleServer>, BadLine>> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return None;
    }
    let problem = match serde_json::from_slice(line) {
        Ok(message) => return Some(Ok(message)),
        Err(problem) => problem,
    };
    tracing::debug!(%problem, "a line of the client is no message");
    match problem.classify() {
        Category::Syntax | Category::Eof => Some(Err(BadLine::NotJson)),
        Category::Data | Category::Io => (!is_notification(line)).then_some(Err(BadLine::NotMessage)),
    }
}

fn is_notification(line: &[u8]) -> bool {
    let message: Value = serde_json::from_slice(line).unwrap_or_default();
    message.get("method").is_some_and(Value::is_string) && message.get("id").is_none()
}

/// Finds the id of a message that is not kept, wherever in it the id is.
#[derive(Debug, Default)]
struct IdFinder {
    /// One inside the outermost object.
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// The name before the last colon of the outermost object, as written.
    name: Vec<u8>,
    /// What was read of a name, or of a value that is no object and no list.
    token: Vec<u8>,
    id: Option<RequestId>,
    has_method: bool,
}

impl IdFinder {
    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.byte(*byte);
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_field();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => self.name = std::mem::take(&mut self.token),
            b',' if self.depth == 1 => self.end_field(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < TOKEN_BYTES_MAX {
            self.token.push(byte);
        }
    }

    fn end_field(&mut self) {
        let (name, value) = (std::mem::take(&mut self.name), std::mem::take(&mut self.token));
        match name.as_slice() {
            b"\"id\"" => self.id = serde_json::from_slice(&value).ok(),
            b"\"method\"" => self.has_method = true,
            _ => {}
        }
    }

    /// Answers have ids too, but those are ids of this server's requests: an error with one of them would be taken for
    /// the answer to another request of the client.
    fn request_id(self) -> Option<RequestId> {
        self.id.filter(|_| self.has_method)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;
    use serde_json::{Value, json};

    use super::{BadLine, IdFinder, LINE_BYTES_MAX, MessageReader, parse};

    #[track_caller]
    fn check_id(line: &str, expected: Value) {
        // Pieces may end anywhere.
        for length in [1, 7, line.len()] {
            let mut finder = IdFinder::default();
            line.as_bytes().chunks(length).for_each(|piece| finder.read(piece));
            assert_eq!(json!(finder.request_id()), expected, "{line}");
        }
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_is() {
        check_id(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8}}"#, json!(7));
        check_id(
            r#" { "method" : "m" , "params":{"a":["]","}",{"id":1}],"b\\\"":"\",\"id\":2"}, "id" : "x-1" }"#,
            json!("x-1"),
        );
        check_id(r#"{"method":"m","id":7"#, Value::Null);
        check_id(r#"{"method":"m","params":{"id":8}}"#, Value::Null);
        check_id(r#"{"id":7,"result":{"method":"m"}}"#, Value::Null);
        check_id(r#"[{"method":"m","id":7}]"#, Value::Null);
        check_id(r#"{"method":"m","id":[7]}"#, Value::Null);
        check_id(&format!(r#"{{"method":"m","id":"{}"}}"#, "x".repeat(1_000)), Value::Null);
        check_id(&format!(r#"{{"{}":1,"method":"m","id":3}}"#, "x".repeat(1_000)), json!(3));
        check_id(&"[".repeat(1_000), Value::Null);
        check_id("]}]}\"", Value::Null);
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        let problem = |line: &str| parse(line.as_bytes()).map(Result::err);
        assert_eq!(problem("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"), Some(None));
        assert_eq!(problem(" \r\n"), None);
        assert_eq!(problem("this is not JSON\n"), Some(Some(BadLine::NotJson)));
        assert_eq!(problem(&"[".repeat(200_000)), Some(Some(BadLine::NotJson)));
        assert_eq!(problem("{\"jsonrpc\":\"2.0\",\"id\":[]}\n"), Some(Some(BadLine::NotMessage)));
        assert_eq!(parse(b"{\"a\":\"\xff\"}\n").unwrap().unwrap_err(), BadLine::NotJson);
    }

    #[tokio::test]
    async fn a_line_of_any_length_is_refused_by_its_id_and_the_next_is_read() {
        let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let long = format!(
            r#"{{"jsonrpc":"2.0","method":"ping","params":{{"x":"{}"}},"id":1}}"#,
            "x".repeat(2 * LINE_BYTES_MAX)
        );
        let input = format!("{long}\n{ping}\n{long}\n{ping}");
        let mut reader = MessageReader::new(input.as_bytes());
        let id = BadLine::TooLong(Some(RequestId::Number(1)));
        assert_eq!(reader.next_message().await.unwrap().unwrap_err(), id);
        assert_eq!(reader.next_message().await.unwrap().unwrap().1, ping.len() + 1);
        assert!(reader.line.capacity() < LINE_BYTES_MAX);
        assert_eq!(reader.next_message().await.unwrap().unwrap_err(), id);
        assert!(reader.next_message().await.is_none(), "a line without an end is no message");
    }
}
