//! The local page and the local server among strangers: other programs, other users and other pages of the
//! same browser. Nobody gets in, nobody is sent the secret, nobody keeps the owner waiting; and the owner's
//! own forms work in real browsers.
#![expect(clippy::disallowed_methods, reason = "starts browsers and measures real time")]

mod attacks;
mod browsers;
mod half_open;
mod owner;
mod settings;

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Child,
    time::Duration,
};

use crate::harness::World;

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running `probity ui`, ended with the test.
pub struct Page {
    child: Child,
    /// As it was printed, with the token that works once.
    address: String,
    /// Name and port.
    pub host: String,
    port: u16,
}

impl Page {
    pub fn open(world: &World, arguments: &[&str]) -> Self {
        Self::of(world.start(&[&["ui"], arguments].concat()))
    }

    /// Of a `probity ui` that was started.
    fn of(mut child: Child) -> Self {
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        let port = host.rsplit(':').next().unwrap().parse().unwrap();
        Self { child, address, host, port }
    }

    fn token(&self) -> &str {
        self.address.split_once("/?token=").unwrap().1
    }

    /// Status and everything that came with it.
    fn ask(&self, request: &str) -> (u16, String) {
        ask(self.port, request)
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> (u16, String) {
        self.ask(&head("GET", path, headers, ""))
    }

    /// The cookie of a browser that has logged in.
    pub fn log_in(&self) -> String {
        let (status, answer) = self.get(&format!("/?token={}", self.token()), &[("host", &self.host)]);
        assert_eq!(status, 303, "{answer}");
        let set = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        set.split(';').next().unwrap().to_owned()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn head(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "{method} {path} HTTP/1.1\r\n{lines}connection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn ask(port: u16, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    (answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0), answer)
}

/// The answer of the stranger's server; it keeps every request.
fn stranger(listener: &TcpListener, got: &std::sync::Mutex<Vec<String>>, page: &str) {
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { return };
        stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
        let mut request = vec![0; 64 * 1024];
        let read = stream.read(&mut request).unwrap_or(0);
        let request = String::from_utf8_lossy(&request[..read]).into_owned();
        if request.starts_with("GET /end ") {
            return;
        }
        got.lock().unwrap().push(request);
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{page}",
            page.len()
        );
        stream.write_all(answer.as_bytes()).ok();
    }
}
