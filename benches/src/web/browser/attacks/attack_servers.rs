//! The servers around an attacked browser: a site of the attacker's on the open web, and the canary inside.
#![expect(clippy::disallowed_methods, reason = "servers beside the measured part")]

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UdpSocket},
    runtime::Runtime,
    time::{sleep, timeout},
};

/// The port of the web, where the guard looks at nothing but the address.
const PORT: u16 = 80;
/// The last request of a page is answered so late: whatever it tries has happened by then.
const SLOW: Duration = Duration::from_millis(1500);
const READ_MAX: Duration = Duration::from_millis(500);

type SharedNames = Arc<Mutex<BTreeSet<String>>>;

pub struct AttackServers {
    pub site: SocketAddr,
    pub canary: u16,
    pages: Arc<Mutex<BTreeMap<String, (String, String)>>>,
    /// What reached the canary: paths, or the way where there is no path.
    hits: SharedNames,
    /// Pages whose scripts ran.
    ran: SharedNames,
}

impl AttackServers {
    pub fn start(runtime: &Runtime) -> anyhow::Result<Self> {
        runtime.block_on(Self::started())
    }

    async fn started() -> anyhow::Result<Self> {
        let hits = SharedNames::default();
        // Without the right to port 80 the guard refuses the port before it looks at the address.
        let inside = match TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await {
            Ok(listener) => listener,
            Err(_) => TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await?,
        };
        let canary = inside.local_addr()?.port();
        tokio::spawn(watch(inside, Arc::clone(&hits)));
        if let Ok(other) = TcpListener::bind(("::1", canary)).await {
            tokio::spawn(watch(other, Arc::clone(&hits)));
        }
        if let Ok(socket) = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, canary)).await {
            tokio::spawn(watch_datagrams(socket, Arc::clone(&hits)));
        }
        let (pages, ran) = (Arc::default(), SharedNames::default());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let site = listener.local_addr()?;
        tokio::spawn(serve(listener, Arc::clone(&pages), Arc::clone(&ran)));
        Ok(Self { site, canary, pages, hits, ran })
    }

    /// Addresses that all lead to the canary, each in another spelling or by another name.
    pub fn targets(&self, page: &str) -> Vec<String> {
        let mut hosts =
            ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0"].map(str::to_owned).to_vec();
        // WebRTC knows its peers by the addresses of networks; loopback is none.
        hosts.extend(own_address().map(|address| address.to_string()));
        hosts.push("inside.example".to_owned());
        let port = if self.canary == PORT { String::new() } else { format!(":{}", self.canary) };
        let target = |(number, host): (usize, String)| format!("http://{host}{port}/hit/{page}/{number}");
        hosts.into_iter().enumerate().map(target).collect()
    }

    pub fn put(&self, name: &str, head: String, html: &str) {
        // The slow requests keep the page busy, before and after it counts as loaded; the first tells that scripts run.
        let html = format!(
            "<!doctype html><title>{name}</title><body><p id=told>nothing ran</p>\
             <script>told.textContent='script ran';fetch('/ran/{name}');fetch('/slow')</script>\
             <img src='/slow'>{html}</body>"
        );
        lock(&self.pages).insert(format!("/{name}"), (head, html));
    }

    pub fn hits(&self) -> BTreeSet<String> {
        lock(&self.hits).clone()
    }

    pub fn forget_hits(&self) {
        lock(&self.hits).clear();
        lock(&self.ran).clear();
    }

    pub fn ran(&self, name: &str) -> bool {
        lock(&self.ran).contains(name)
    }
}

/// What the attacker's name servers say.
pub fn addresses(name: &str) -> Vec<IpAddr> {
    match name {
        "inside.example" => vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
        _ => Vec::new(),
    }
}

/// The address of this machine on its network. Choosing a way sends nothing.
fn own_address() -> Option<IpAddr> {
    let socket = std::net::UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), PORT)).ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|address| !address.is_loopback())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn request_line(client: &mut TcpStream) -> String {
    let mut piece = vec![0; 8192];
    let count = timeout(READ_MAX, client.read(&mut piece)).await.ok().and_then(Result::ok).unwrap_or(0);
    let text = String::from_utf8_lossy(piece.get(..count).unwrap_or_default()).into_owned();
    text.lines().next().unwrap_or_default().to_owned()
}

async fn watch(listener: TcpListener, hits: SharedNames) {
    while let Ok((mut client, _)) = listener.accept().await {
        let hits = Arc::clone(&hits);
        tokio::spawn(async move {
            let line = request_line(&mut client).await;
            let path = line.split(' ').nth(1).unwrap_or("a connection without words").to_owned();
            lock(&hits).insert(path);
            client
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ncanary")
                .await
                .ok();
        });
    }
}

async fn watch_datagrams(socket: UdpSocket, hits: SharedNames) {
    let mut piece = [0; 64];
    while socket.recv_from(&mut piece).await.is_ok() {
        lock(&hits).insert("a datagram".to_owned());
    }
}

async fn serve(
    listener: TcpListener,
    pages: Arc<Mutex<BTreeMap<String, (String, String)>>>,
    ran: SharedNames,
) {
    while let Ok((mut client, _)) = listener.accept().await {
        let (pages, ran) = (Arc::clone(&pages), Arc::clone(&ran));
        tokio::spawn(async move {
            let line = request_line(&mut client).await;
            let path = line.split(' ').nth(1).unwrap_or("/").to_owned();
            if let Some(name) = path.strip_prefix("/ran/") {
                lock(&ran).insert(name.to_owned());
            }
            if path == "/slow" {
                sleep(SLOW).await;
            }
            let page = lock(&pages).get(&path).cloned();
            client.write_all(answer(&path, page).as_bytes()).await.ok();
            client.shutdown().await.ok();
        });
    }
}

fn answer(path: &str, page: Option<(String, String)>) -> String {
    if let Some((count, to)) = path.strip_prefix("/hop/").and_then(|rest| rest.split_once('?')) {
        let left = count.parse().unwrap_or(0_u8);
        let next = if left > 1 { format!("/hop/{}?{to}", left - 1) } else { to.to_owned() };
        return format!(
            "HTTP/1.1 302 Found\r\nLocation: {next}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
    }
    let (head, body) = page.unwrap_or_default();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
