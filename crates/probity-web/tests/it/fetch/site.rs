//! A small web server that answers with bytes as they are given, and a fetcher that reaches it.

use std::{
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use probity_types::time::Moment;
use probity_web::fetch::{FetchLimits, Fetcher, FetcherSettings, NameResolver, ReachRules};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};

pub const NOW: Moment = Moment(1_790_000_000_000);

/// What was asked: the request's head.
pub type RequestLog = Arc<Mutex<Vec<String>>>;

pub struct Site {
    pub address: SocketAddr,
    pub asked: RequestLog,
    task: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site {
    /// One request per connection; `answer` gets the path and the whole head.
    pub async fn start(answer: impl Fn(&str, &str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = RequestLog::default();
        let (known, answer) = (Arc::clone(&asked), Arc::new(answer));
        let mut served = tokio::task::JoinSet::new();
        let mut accepting = tokio::task::JoinSet::new();
        accepting.spawn(async move {
            loop {
                let Ok((mut socket, _)) = listener.accept().await else { return };
                let (known, answer) = (Arc::clone(&known), Arc::clone(&answer));
                served.spawn(async move {
                    let head = read_request(&mut socket).await;
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    known.lock().unwrap().push(head.clone());
                    socket.write_all(&answer(&path, &head)).await.ok();
                    socket.shutdown().await.ok();
                });
            }
        });
        let mut site = JoinGuard(accepting);
        let task = spawn_on(async move {
            site.0.join_next().await;
        });
        Self { address, asked, task }
    }

    /// Every name leads here, on port 80.
    pub fn settings(&self) -> FetcherSettings {
        let mut settings = FetcherSettings::new(|| NOW);
        settings.reach = ReachRules::parse([format!("*:80={}", self.address)]).unwrap();
        settings.lookup =
            NameResolver::from_fn(|_| Box::pin(async { Err(std::io::Error::other("no names here")) }));
        settings.limits = FetchLimits { pause: Duration::ZERO, ..FetchLimits::default() };
        settings
    }

    pub fn fetcher(&self) -> Fetcher {
        Fetcher::new(self.settings()).unwrap()
    }

    pub fn caching(&self, folder: PathBuf) -> Fetcher {
        Fetcher::new(FetcherSettings { cache: Some(folder), ..self.settings() }).unwrap()
    }

    pub fn paths(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|head| head.split(' ').nth(1).unwrap_or_default().to_owned()).collect()
    }
}

struct JoinGuard(tokio::task::JoinSet<()>);

#[expect(clippy::disallowed_methods, reason = "a server of a test lives as long as the test")]
fn spawn_on(work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    tokio::spawn(work)
}

/// The head, and as much of the body as its length says.
async fn read_request(socket: &mut tokio::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
            if body.len() >= length.parse().unwrap() {
                return text;
            }
        }
        match socket.read(&mut buffer).await {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return text,
        }
    }
}

pub fn answer(status: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    [head.as_bytes(), body].concat()
}

pub fn html(body: &str) -> Vec<u8> {
    answer("200 OK", &[("content-type", "text/html; charset=utf-8")], body.as_bytes())
}

pub fn missing() -> Vec<u8> {
    answer("404 Not Found", &[], b"")
}
