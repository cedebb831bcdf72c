//! Messages to and from Chromium over two pipes: JSON, each ended by a zero byte.
//!
//! A pipe and no port: no other process on the machine can drive this browser.

use std::io;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{ChildStdin, ChildStdout},
};

/// A page of eight megabytes in JSON, with room for escapes. Whatever is longer is no page.
const MESSAGE_BYTES_MAX: usize = 48 * 1024 * 1024;
/// Read at once.
const PIECE_BYTES: usize = 64 * 1024;
/// Ends a message.
const END: u8 = 0;

#[derive(Debug)]
pub struct ChromiumPipe {
    input: ChildStdin,
    output: ChildStdout,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// No end of a message before this place.
    searched: usize,
    piece: Vec<u8>,
}

impl ChromiumPipe {
    pub fn new(input: ChildStdin, output: ChildStdout) -> Self {
        Self {
            input,
            output,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            searched: 0,
            piece: vec![0; PIECE_BYTES],
        }
    }

    /// Queues a message; it is written while `receive` is polled.
    pub fn send(&mut self, message: &Value) {
        self.outgoing.extend_from_slice(message.to_string().as_bytes());
        self.outgoing.push(END);
    }

    /// The next message. Cancel-safe: nothing read or written is lost.
    pub async fn receive(&mut self) -> io::Result<Value> {
        loop {
            if let Some(message) = self.complete()? {
                return Ok(message);
            }
            if self.incoming.len() > MESSAGE_BYTES_MAX {
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a message of Chromium has no end"));
            }
            let Self { input, output, outgoing, piece, .. } = self;
            tokio::select! {
                written = input.write(outgoing), if !outgoing.is_empty() => {
                    let written = written?;
                    outgoing.drain(..written.min(outgoing.len()));
                }
                count = output.read(piece) => {
                    let count = count?;
                    if count == 0 {
                        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "Chromium ended"));
                    }
                    let taken = piece.get(..count).unwrap_or_default();
                    self.incoming.extend_from_slice(taken);
                }
            }
        }
    }

    fn complete(&mut self) -> io::Result<Option<Value>> {
        let unsearched = self.incoming.get(self.searched..).unwrap_or_default();
        let Some(end) = unsearched.iter().position(|byte| *byte == END) else {
            self.searched = self.incoming.len();
            return Ok(None);
        };
        let end = self.searched + end;
        let message = serde_json::from_slice(self.incoming.get(..end).unwrap_or_default());
        self.incoming.drain(..=end);
        self.searched = 0;
        message.map(Some).map_err(io::Error::from)
    }
}
