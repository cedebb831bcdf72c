//! Pages in the real Chromium that try to reach this machine in every way a page has: none gets through the browser
//! that Probity renders with; the same pages in a bare Chromium do.
#![expect(clippy::disallowed_methods, reason = "servers, and a bare Chromium, beside the measured part")]

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use probity_testing::figure_size::sized;
use probity_types::{error::CodedError, time::Moment};
use probity_web::{
    browser::{self, Browser, RenderLimits, RenderedPage, ResourcePolicy},
    fetch::{AddressGuard, NameResolver, ReachRules},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UdpSocket},
    time::{sleep, timeout},
};

/// The port of the web, where the guard looks at nothing but the address.
const PORT: u16 = 80;
/// The last request of a page is answered so late: whatever it tries has happened by then.
const SLOW: Duration = Duration::from_millis(1500);
const READ_MAX: Duration = Duration::from_millis(500);

type SharedNames = Arc<Mutex<BTreeSet<String>>>;
/// Where the attacker's pages are.
const SITE: &str = "attacker.example";
/// A bare Chromium gets so long for a page.
const BARE_MS: u64 = 3000;

/// One page of the attacker's.
struct AttackerPage {
    name: String,
    attempts: usize,
}

/// The question of the fetcher's figure of refused addresses, put to pages that ask by themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_in_the_real_chromium_reaches_this_machine() {
    let Ok(program) = browser::find(None, "/usr/local/bin:/usr/bin:/bin".as_ref()) else {
        eprintln!("figure: browser.attacks skipped: Chromium is not installed here");
        return;
    };
    let is_full = sized(false, true);
    let world = AttackServers::start().await;
    let folder = tempfile::tempdir().unwrap();
    let ways = ways();
    let pages = write_pages(&world, &ways, is_full);
    let limits = RenderLimits { loads: ResourcePolicy::Everything, ..RenderLimits::default() };
    let guarded = Browser::new(program.clone(), folder.path(), Arc::new(guard(world.site)));

    let quiet = visit(&guarded, &world, &limits, &pages).await;
    let hits = world.hits();
    let reached = hits.len() + file_texts(&guarded, &world, &limits).await;
    world.forget_hits();
    // Quick: the page with most ways on it and the one of datagrams are control enough.
    let controls = if is_full { &pages[..] } else { &pages[pages.len() - 2..] };
    let bare = bare_hits(&program, folder.path(), &world, controls);

    let attempts: usize = pages.iter().map(|page| page.attempts).sum();
    let left_out = ways.iter().filter(|way| way.room == AttackPageNeed::PagePerTarget).count() / 2;
    let way = |hit: &String| Some(hit.strip_prefix("/hit/")?.split('/').next()?.to_owned());
    let bare_ways: BTreeSet<String> = bare.iter().filter_map(way).collect();
    let datagrams = if bare.contains("a datagram") { " and by datagrams" } else { "" };
    let silence = match &quiet[..] {
        [] => "every page's script ran".to_owned(),
        pages => format!("scripts did not run on {}", pages.join(", ")),
    };
    eprintln!("figure: browser.attacks {reached} of {attempts}");
    eprintln!(
        "figure: browser.attacks.note {} ways in {} pages at {} spellings of this machine on port {}, and files by \
         file:; {silence}; control: in a bare Chromium they reach the canary {} times, by {} ways{datagrams}",
        if is_full { ways.len() } else { ways.len() - left_out },
        pages.len(),
        world.targets("").len(),
        world.canary,
        bare.len(),
        bare_ways.len()
    );
    assert!(reached == 0 && quiet.is_empty() && !bare.is_empty(), "{hits:?}, quiet: {quiet:?}");
}

/// Renders every page, two at a time; returns those whose script did not run.
async fn visit(
    guarded: &Browser<AddressGuard>,
    world: &AttackServers,
    limits: &RenderLimits,
    pages: &[AttackerPage],
) -> Vec<String> {
    for two in pages.chunks(2) {
        let shown = |page: Option<&AttackerPage>| {
            let url = page.map(|page| address(&page.name));
            async move { Some(guarded.render(&url?, limits, Moment(0)).await) }
        };
        let both = tokio::join!(shown(two.first()), shown(two.get(1)));
        for (page, shown) in two.iter().zip([both.0, both.1].into_iter().flatten()) {
            eprintln!("{}: {}", page.name, told(&shown));
        }
    }
    pages.iter().filter(|page| !world.ran(&page.name)).map(|page| page.name.clone()).collect()
}

/// Full: each way on a page of its own. Quick: all that can share one do.
fn write_pages(world: &AttackServers, ways: &[BrowserAttack], is_full: bool) -> Vec<AttackerPage> {
    let mut pages = Vec::new();
    let mut alone = |way: &BrowserAttack, name: String, targets: &[String]| {
        world.put(&name, way.head(targets), &way.html(targets));
        pages.push(AttackerPage { name, attempts: targets.len() });
    };
    let of = |room: AttackPageNeed| ways.iter().filter(move |way| way.room == room);
    for way in of(AttackPageNeed::PagePerTarget).step_by(if is_full { 1 } else { 2 }) {
        let targets = world.targets(way.name);
        for (number, target) in
            targets.iter().enumerate().step_by(targets.len() - 1).take(if is_full { 2 } else { 1 })
        {
            alone(way, format!("{}-{number}", way.name), std::slice::from_ref(target));
        }
    }
    of(AttackPageNeed::Page).for_each(|way| alone(way, way.name.to_owned(), &world.targets(way.name)));
    match is_full {
        true => of(AttackPageNeed::Shared)
            .for_each(|way| alone(way, way.name.to_owned(), &world.targets(way.name))),
        false => {
            let ways: Vec<&BrowserAttack> = of(AttackPageNeed::Shared).collect();
            let html: String = ways.iter().map(|way| way.html(&world.targets(way.name))).collect();
            world.put("together", String::new(), &html);
            pages.push(AttackerPage {
                name: "together".to_owned(),
                attempts: ways.len() * world.targets("").len(),
            });
        }
    }
    pages
}

/// Pages that show what is in a file of this machine.
async fn file_texts(browser: &Browser<AddressGuard>, world: &AttackServers, limits: &RenderLimits) -> usize {
    world.put("files", String::new(), FILES);
    let shown = browser.render(&address("files"), limits, Moment(0)).await;
    eprintln!("files: {}", told(&shown));
    let text = shown.map(|shown| String::from_utf8_lossy(&shown.html).into_owned()).unwrap_or_default();
    usize::from(text.contains("root:"))
}

/// The same pages in a Chromium that nobody guards, two at a time.
fn bare_hits(
    program: &Path,
    folder: &Path,
    world: &AttackServers,
    pages: &[AttackerPage],
) -> BTreeSet<String> {
    let names = format!("MAP {SITE}:80 127.0.0.1:{},MAP inside.example 127.0.0.1", world.site.port());
    for two in pages.chunks(2) {
        let open = |page: &AttackerPage| {
            let mut command = Command::new("timeout");
            command
                .arg(format!("{}", BARE_MS * 5 / 1000))
                .arg(program)
                .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
                .arg(format!("--timeout={BARE_MS}"))
                .arg(format!("--host-resolver-rules={names}"))
                .arg(format!("--user-data-dir={}", folder.join(format!("bare-{}", page.name)).display()))
                .arg(address(&page.name))
                .env("HOME", folder);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let opened: Vec<_> = two.iter().map(open).collect();
        for mut child in opened {
            child.wait().unwrap();
        }
    }
    world.hits()
}

fn guard(site: SocketAddr) -> AddressGuard {
    let reach = ReachRules::parse([format!("{SITE}:80={site}")]).unwrap();
    let lookup = NameResolver::from_fn(|name| Box::pin(async move { Ok(addresses(&name)) }));
    AddressGuard::new(lookup, reach, Vec::new())
}

fn address(name: &str) -> String {
    format!("http://{SITE}/{name}")
}

fn told(shown: &Result<RenderedPage, CodedError>) -> String {
    match shown {
        Ok(shown) => format!("{} requests, {} refused", shown.requests, shown.refused),
        Err(problem) => format!("{}: {problem}", problem.code),
    }
}

/// One way to make a browser ask for an address.
struct BrowserAttack {
    name: &'static str,
    html: &'static str,
    /// A line of the answer's head.
    head: Option<&'static str>,
    room: AttackPageNeed,
}

/// What a way needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttackPageNeed {
    /// Shares a page with others.
    Shared,
    /// A page with nothing else on it that takes the browser's time.
    Page,
    /// A page for each target: it leads the page itself away.
    PagePerTarget,
}

fn ways() -> Vec<BrowserAttack> {
    let lines = include_str!("browser_attacks/ways.tsv").lines().filter(|line| !line.starts_with('#'));
    let way = |line: &'static str| {
        let fields: Vec<&str> = line.splitn(3, '\t').collect();
        let [need, name, text] = fields[..] else { panic!("not three fields: {line}") };
        let (html, head, room) = match need {
            "shared" => (text, None, AttackPageNeed::Shared),
            "page" => (text, None, AttackPageNeed::Page),
            "target" => (text, None, AttackPageNeed::PagePerTarget),
            "head" => ("<img src='{T}'>", Some(text), AttackPageNeed::PagePerTarget),
            other => panic!("no way needs `{other}`"),
        };
        BrowserAttack { name, html, head, room }
    };
    lines.map(way).collect()
}

impl BrowserAttack {
    fn filled(text: &str, target: &str, number: usize) -> String {
        let host = target.strip_prefix("http://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        // Spelled out: WebRTC has another port of its own.
        let port = host.rsplit(':').next().is_some_and(|last| last.parse::<u16>().is_ok());
        let host = if port { host.to_owned() } else { format!("{host}:80") };
        text.replace("{T}", target)
            .replace("{W}", &target.replacen("http", "ws", 1))
            .replace("{H}", &host)
            .replace("{N}", &number.to_string())
    }

    /// A page leads away once; every target has a page of its own there.
    fn html(&self, targets: &[String]) -> String {
        targets.iter().enumerate().map(|(number, target)| Self::filled(self.html, target, number)).collect()
    }

    fn head(&self, targets: &[String]) -> String {
        let line = |target: &String| self.head.map(|head| Self::filled(head, target, 0) + "\r\n");
        targets.iter().filter_map(line).collect()
    }
}

/// Ways to files of this machine; what they bring must not be on the page.
const FILES: &str = "<iframe src='file:///etc/passwd'></iframe><object data='file:///etc/passwd'></object>\
    <script>const say=t=>document.body.append('got:'+t);\
    fetch('file:///etc/passwd').then(r=>r.text()).then(say).catch(()=>0);\
    {let x=new XMLHttpRequest();x.open('GET','file:///etc/passwd');x.onload=()=>say(x.responseText);try{x.send()}catch(e){}}\
    window.open('file:///etc/passwd');\
    {let f=document.createElement('iframe');f.src='view-source:file:///etc/passwd';document.body.append(f)}\
    setTimeout(()=>{location='file:///etc/passwd'},100)</script>";

/// The servers around an attacked browser: a site of the attacker's on the open web, and the canary inside.
struct AttackServers {
    site: SocketAddr,
    canary: u16,
    pages: Arc<Mutex<BTreeMap<String, (String, String)>>>,
    /// What reached the canary: paths, or the way where there is no path.
    hits: SharedNames,
    /// Pages whose scripts ran.
    ran: SharedNames,
}

impl AttackServers {
    async fn start() -> Self {
        let hits = SharedNames::default();
        // Without the right to port 80 the guard refuses the port before it looks at the address.
        let inside = match TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await {
            Ok(listener) => listener,
            Err(_) => TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await.unwrap(),
        };
        let canary = inside.local_addr().unwrap().port();
        tokio::spawn(watch(inside, Arc::clone(&hits)));
        if let Ok(other) = TcpListener::bind(("::1", canary)).await {
            tokio::spawn(watch(other, Arc::clone(&hits)));
        }
        if let Ok(socket) = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, canary)).await {
            tokio::spawn(watch_datagrams(socket, Arc::clone(&hits)));
        }
        let (pages, ran) = (Arc::default(), SharedNames::default());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let site = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, Arc::clone(&pages), Arc::clone(&ran)));
        Self { site, canary, pages, hits, ran }
    }

    /// Addresses that all lead to the canary, each in another spelling or by another name.
    fn targets(&self, page: &str) -> Vec<String> {
        let mut hosts =
            ["127.0.0.1", "localhost", "[::1]", "2130706433", "0.0.0.0"].map(str::to_owned).to_vec();
        // WebRTC knows its peers by the addresses of networks; loopback is none.
        hosts.extend(own_address().map(|address| address.to_string()));
        hosts.push("inside.example".to_owned());
        let port = if self.canary == PORT { String::new() } else { format!(":{}", self.canary) };
        let target = |(number, host): (usize, String)| format!("http://{host}{port}/hit/{page}/{number}");
        hosts.into_iter().enumerate().map(target).collect()
    }

    fn put(&self, name: &str, head: String, html: &str) {
        // The slow requests keep the page busy, before and after it counts as loaded; the first tells that scripts run.
        let html = format!(
            "<!doctype html><title>{name}</title><body><p id=told>nothing ran</p>\
             <script>told.textContent='script ran';fetch('/ran/{name}');fetch('/slow')</script>\
             <img src='/slow'>{html}</body>"
        );
        lock(&self.pages).insert(format!("/{name}"), (head, html));
    }

    fn hits(&self) -> BTreeSet<String> {
        lock(&self.hits).clone()
    }

    fn forget_hits(&self) {
        lock(&self.hits).clear();
        lock(&self.ran).clear();
    }

    fn ran(&self, name: &str) -> bool {
        lock(&self.ran).contains(name)
    }
}

/// What the attacker's name servers say.
fn addresses(name: &str) -> Vec<IpAddr> {
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
    mutex.lock().unwrap()
}

async fn request_line(client: &mut TcpStream) -> String {
    let mut piece = vec![0; 8192];
    let count = timeout(READ_MAX, client.read(&mut piece)).await.ok().and_then(Result::ok).unwrap_or(0);
    let text = String::from_utf8_lossy(&piece[..count]).into_owned();
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
