//! One request out, one answer in, over a pipe or a socket, without looking inside: for timings.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{ChildStdin, ChildStdout, Stdio},
    time::Duration,
};

use anyhow::Context as _;
use serde_json::Value;

use crate::{
    mcp::session::{self, ProtocolEra},
    rig::{self, ProcessGroup},
};

/// No answer here takes longer, even on a busy machine.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// A server on a pipe of its own.
pub struct StdioConnection {
    pub group: ProcessGroup,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl StdioConnection {
    pub fn start(program: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut command = rig::command(program);
        command.args(arguments).env_clear().envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group = ProcessGroup::spawn_talking(&mut command)?;
        let stdin = group.child.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(group.child.stdout.take().context("no stdout")?);
        Ok(Self { group, stdin, stdout })
    }

    /// Sends one line and reads one.
    pub fn ask(&mut self, request: &str, answer: &mut String) -> anyhow::Result<()> {
        self.stdin.write_all(request.as_bytes())?;
        self.stdin.write_all(b"\n")?;
        answer.clear();
        let read = self.stdout.read_line(answer)?;
        anyhow::ensure!(read > 0, "the server closed its stdout");
        Ok(())
    }
}

/// A request of the new era as a line: it carries everything in itself.
pub fn request(id: usize, method: &str, params: Value) -> String {
    session::request(ProtocolEra::EachRequest, id as u64, method, params).to_string()
}

/// A connection that is kept, and how requests on it are headed.
pub struct SocketConnection {
    stream: BufReader<TcpStream>,
    head: String,
}

impl SocketConnection {
    /// `tool` is named in the headers as the new era asks for.
    pub fn open(address: &str, token: Option<&str>, tool: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {}\r\n\
             mcp-method: tools/call\r\nmcp-name: {tool}\r\n{token}",
            ProtocolEra::EachRequest.version()
        );
        Ok(Self { stream: BufReader::new(stream), head })
    }

    pub fn ask(&mut self, request: &str, answer: &mut String) -> anyhow::Result<()> {
        let whole = format!("{}content-length: {}\r\n\r\n{request}", self.head, request.len());
        self.stream.get_mut().write_all(whole.as_bytes())?;
        let (mut length, mut status, mut line) = (None, String::new(), String::new());
        self.stream.read_line(&mut status)?;
        while line != "\r\n" {
            line.clear();
            anyhow::ensure!(self.stream.read_line(&mut line)? > 0, "the server closed the connection");
            if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse::<usize>().ok();
            }
        }
        answer.clear();
        match length {
            Some(length) => {
                let mut body = vec![0; length];
                self.stream.read_exact(&mut body)?;
                answer.push_str(&String::from_utf8_lossy(&body));
            }
            None => self.chunks(answer)?,
        }
        anyhow::ensure!(status.contains(" 200 "), "{} {answer}", status.trim());
        Ok(())
    }

    fn chunks(&mut self, answer: &mut String) -> anyhow::Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).context("the size of a chunk")?;
            let mut body = vec![0; size + 2];
            self.stream.read_exact(&mut body)?;
            if size == 0 {
                return Ok(());
            }
            body.truncate(size);
            answer.push_str(&String::from_utf8_lossy(&body));
        }
    }
}
