//! A provider that keeps every byte it was sent and always answers the same, for looking at what reaches a model.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

const ANSWER: &str = r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"fine"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15},"modelVersion":"gemini-3.8-flash"}"#;

#[derive(Clone, Default)]
pub struct Wire {
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Wire {
    /// Starts it; it ends with the test's process.
    pub fn start() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let wire = Self::default();
        let bodies = Arc::clone(&wire.bodies);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let bodies = Arc::clone(&bodies);
                thread::spawn(move || serve(connection, &bodies));
            }
        });
        (wire, address)
    }

    /// Everything that was sent, one request after the other.
    pub fn sent(&self) -> String {
        self.bodies.lock().unwrap().join("\n")
    }
}

fn serve(mut connection: TcpStream, bodies: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    bodies.lock().unwrap().push(String::from_utf8(body).unwrap());
    let (kind, answer) = if first.contains(":streamGenerateContent") {
        ("text/event-stream", format!("data: {ANSWER}\r\n\r\n"))
    } else {
        ("application/json", ANSWER.to_owned())
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        answer.len()
    );
    connection.write_all(format!("{head}{answer}").as_bytes()).unwrap();
}
