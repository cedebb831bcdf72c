//! Nobody talks the fetcher into an address that is not the open web: every attack of the list, as a page, behind a
//! redirect, as an API call and as a webhook, in a network where every address there is answers and is watched. Then
//! the same with a plain client, as the control.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "a process with a network of its own, and a plain client")]

use std::{
    collections::HashMap,
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use probity_types::{
    error::{Code, CodedError},
    time::Moment,
};
use probity_web::fetch::{
    ApiRequest, FetchLimits, Fetcher, FetcherSettings, NameResolver, ReachRules, WebhookPost,
};

/// The public site, whose pages redirect.
const SITE: &str = "http://public.example";
const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

/// What a proxy of the environment would be: a canary, too.
const PROXY: &str = "http://127.0.0.1:3128";
const ATTACKS_MIN: usize = 103;
const BEGINS: &str = "the raid begins";
/// Where the open web is in here.
const PUBLIC: [&str; 2] = ["93.184.215.14", "2606:4700::1"];
/// A service of the user's own that was written down as reached.
const REACHED: &str = "127.0.0.1:8081";
/// Watched: the web's ports, a proxy's, and one more. The last is where the reached service listens.
const PORTS: [u16; 5] = [80, 443, 3128, 8080, 8081];

/// What the raid brought.
#[derive(Debug, Default)]
struct SsrfOutcome {
    attacks: usize,
    /// Connections to canaries while the guarded fetcher was attacked, with the attack.
    hits: Vec<String>,
    /// Attacks that ended in something else than a refusal.
    not_refused: Vec<String>,
    controls: usize,
    /// Ordinary fetches that did not work.
    controls_failed: Vec<String>,
    /// Attacks that reach a canary when a plain client makes them.
    plain_hits: usize,
    plain_attacks: usize,
    /// Whether a plain client follows the proxy of the environment.
    plain_follows_proxy: bool,
}

/// Starts the raid in a network of its own, where this machine gives one away.
#[test]
fn no_attack_reaches_an_address_that_is_not_the_open_web() {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net"]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "ssrf::raid", "--ignored", "--nocapture"]);
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env(variable, PROXY);
    }
    let ended = command.env_remove("NO_PROXY").env_remove("no_proxy").output();
    let told = ended.as_ref().map_or_else(ToString::to_string, |ended| {
        format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr))
    });
    if !told.contains(BEGINS) {
        let why = told.lines().last().unwrap_or("no answer");
        eprintln!("figure: ssrf skipped: a network of its own is not to be had: {why}");
        return;
    }
    eprint!("{told}");
    assert!(ended.unwrap().status.success());
}

#[test]
#[ignore = "started by a test in a network of its own"]
fn raid() {
    let list = AttackList::load();
    // What a header line can carry; the rest cannot be said by a server.
    let sayable = |text: &&String| !text.contains(['\r', '\n', '\0']);
    let locations: Vec<String> =
        list.locations.iter().chain(list.urls.iter().filter(sayable)).cloned().collect();
    let cage = CatchAllNetwork::close(&list, locations.clone());
    eprintln!("{BEGINS}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runtime.block_on(async {
        let mut raid = SsrfAttackRun { fetcher: fetcher(&cage), cage, outcome: SsrfOutcome::default() };
        raid.controls().await;
        raid.addresses(&list).await;
        raid.names(&list).await;
        raid.redirects(&list, locations.len()).await;
        raid.rebinds(&list).await;
        raid.controls().await;
        raid.plain(&list, locations.len()).await;
        raid.outcome
    });
    let SsrfOutcome {
        attacks, hits, not_refused, controls, controls_failed, plain_hits, plain_attacks, ..
    } = &outcome;
    eprintln!(
        "figure: ssrf {} hits in {attacks} attacks, {} not refused by name; {} of {controls} ordinary fetches work; a \
         plain client hits with {plain_hits} of {plain_attacks} and follows the environment's proxy: {}",
        hits.len(),
        not_refused.len(),
        controls - controls_failed.len(),
        outcome.plain_follows_proxy,
    );
    let seen = plain_hits * 2 > *plain_attacks && outcome.plain_follows_proxy && controls_failed.is_empty();
    assert!(hits.is_empty() && not_refused.is_empty() && seen && *attacks >= ATTACKS_MIN, "{outcome:#?}");
}

fn fetcher(cage: &CatchAllNetwork) -> Fetcher {
    let mut settings = FetcherSettings::new(|| Moment(1_790_000_000_000));
    settings.lookup = cage.lookup();
    settings.reach =
        ReachRules::parse([format!("wiki.corp:8081={REACHED}"), format!("hook.corp:80={REACHED}")]).unwrap();
    settings.limits = FetchLimits {
        pause: Duration::ZERO,
        connect: Duration::from_secs(2),
        first_byte: Duration::from_secs(2),
        total: Duration::from_secs(5),
        ..FetchLimits::default()
    };
    Fetcher::new(settings).unwrap()
}

struct SsrfAttackRun {
    fetcher: Fetcher,
    cage: CatchAllNetwork,
    outcome: SsrfOutcome,
}

impl SsrfAttackRun {
    /// One attack: refused by name, and nobody was connected to.
    fn judge(&mut self, what: &str, result: Result<(), CodedError>) {
        self.outcome.attacks += 1;
        match result {
            Err(problem) if problem.code == Code::AddressRefused => {}
            Err(problem) => self.outcome.not_refused.push(format!("{what}: {}: {problem}", problem.code)),
            Ok(()) => self.outcome.not_refused.push(format!("{what}: fetched")),
        }
        self.count(what);
    }

    fn count(&mut self, what: &str) {
        let known = self.outcome.hits.len();
        let new: Vec<SocketAddr> = self.cage.hits().into_iter().skip(known).collect();
        self.outcome.hits.extend(new.iter().map(|address| format!("{what} hit {address}")));
    }

    async fn page(&self, url: &str) -> Result<(), CodedError> {
        Box::pin(self.fetcher.page(url)).await.map(drop)
    }

    async fn call(&self, url: &str) -> Result<(), CodedError> {
        Box::pin(self.fetcher.call(ApiRequest::get(url))).await.map(drop).map_err(CodedError::from)
    }

    async fn deliver(&self, url: &str) -> Result<(), CodedError> {
        let delivery = WebhookPost {
            url: url.to_owned(),
            headers: Vec::new(),
            content_type: "application/json".to_owned(),
            body: "{}".into(),
        };
        Box::pin(self.fetcher.deliver(delivery)).await.map(drop).map_err(CodedError::from)
    }

    /// As a page, as a call and as a webhook.
    async fn three(&mut self, url: &str) {
        let secure = url.replacen("http:", "https:", 1);
        let result = self.page(url).await;
        self.judge(&format!("page {url:?}"), result);
        let result = self.call(url).await;
        self.judge(&format!("call {url:?}"), result);
        let result = self.deliver(&secure).await;
        self.judge(&format!("webhook {secure:?}"), result);
    }

    async fn addresses(&mut self, list: &AttackList) {
        for url in &list.urls {
            self.three(url).await;
        }
    }

    async fn names(&mut self, list: &AttackList) {
        for name in &list.names {
            self.three(&format!("http://{}/", name.name)).await;
        }
    }

    /// Behind redirects of every kind, also those of a robots.txt.
    async fn redirects(&mut self, list: &AttackList, locations: usize) {
        for number in 0..locations {
            let every = if number < list.locations.len() { &STATUSES[..] } else { &[302][..] };
            for status in every {
                let result = self.page(&format!("{SITE}/go/{status}/{number}")).await;
                self.judge_location(&format!("redirect {status} to {number}"), result);
            }
            let result = self.page(&format!("http://robots-{number}.public.example/page")).await;
            self.judge_location(&format!("robots.txt redirects to {number}"), result);
        }
        let refresh = self.page(&format!("{SITE}/refresh")).await;
        self.outcome.attacks += 1;
        if let Err(problem) = refresh {
            self.outcome.controls_failed.push(format!("refresh: {problem}"));
        }
        self.count("refresh");
    }

    /// A relative reading of a location may stay on the public site, which is no harm: then only hits count.
    fn judge_location(&mut self, what: &str, result: Result<(), CodedError>) {
        match result {
            Ok(()) => {
                self.outcome.attacks += 1;
                self.count(what);
            }
            refused => self.judge(what, refused),
        }
    }

    /// Harmless when checked, harmful when connected; harmless at the first hop, harmful at the next.
    async fn rebinds(&mut self, list: &AttackList) {
        for name in &list.rebinds {
            self.cage.forget();
            let checked = self.fetcher.guard().resolve(&name.name, 80).await;
            if let Err(problem) = checked {
                self.outcome.controls_failed.push(format!("{} was harmless at first: {problem}", name.name));
            }
            let result = self.page(&format!("http://{}/page", name.name)).await;
            self.judge(&format!("{} after a check", name.name), result);
            self.cage.forget();
            let result = self.call(&format!("http://{}/page", name.name)).await;
            if let Err(problem) = result {
                self.outcome.controls_failed.push(format!("{} at first: {problem}", name.name));
            }
            let result = self.call(&format!("http://{}/page", name.name)).await;
            self.judge(&format!("{} at the second call", name.name), result);
        }
        for name in list.rebinds.iter().chain(&list.hops) {
            // robots.txt takes the first answer, the page the next, its redirect the one after.
            self.cage.forget();
            let fresh = fetcher(&self.cage);
            let result = Box::pin(fresh.page(&format!("http://{}/self", name.name))).await.map(drop);
            self.judge(&format!("{} between hops", name.name), result);
        }
    }

    /// Ordinary fetches, so that "refused" does not come from refusing everything.
    async fn controls(&mut self) {
        for url in [
            "http://public.example/page",
            "http://www.public.example/home",
            "http://93.184.215.14/page",
            "http://1572394766/page",
            "http://[2606:4700::1]/page",
            "http://wiki.corp:8081/page",
        ] {
            let result = self.page(url).await;
            self.control(url, result);
        }
        let result = self.call("http://public.example/api").await;
        self.control("call", result);
        let result = self.deliver("http://hook.corp/in").await;
        self.control("webhook", result);
    }

    fn control(&mut self, what: &str, result: Result<(), CodedError>) {
        self.outcome.controls += 1;
        if let Err(problem) = result {
            self.outcome.controls_failed.push(format!("{what}: {}: {problem}", problem.code));
        }
        self.count(what);
    }

    /// The same attacks with a client that guards nothing.
    async fn plain(&mut self, list: &AttackList, locations: usize) {
        let resolver = Arc::new(PlainResolver(self.cage.clone()));
        let builder = || reqwest::Client::builder().timeout(Duration::from_secs(2));
        let client = builder().no_proxy().dns_resolver(resolver).build().unwrap();
        let direct = list.urls.iter().cloned();
        let names = list.names.iter().map(|name| format!("http://{}/", name.name));
        let behind = (0..locations).map(|number| format!("{SITE}/go/302/{number}"));
        for url in direct.chain(names).chain(behind) {
            let known = self.cage.hits().len();
            // Whether it answers does not matter, only whom it reached.
            client.get(&url).send().await.ok();
            self.outcome.plain_attacks += 1;
            self.outcome.plain_hits += usize::from(self.cage.hits().len() > known);
        }
        let known = self.cage.hits().len();
        builder().build().unwrap().get("http://public.example/page").send().await.ok();
        self.outcome.plain_follows_proxy = self.cage.hits().iter().skip(known).any(|hit| hit.port() == 3128);
    }
}

struct PlainResolver(CatchAllNetwork);

impl reqwest::dns::Resolve for PlainResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let answer = self.0.resolve(name.as_str());
        Box::pin(async move {
            let addresses = answer?.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(addresses) as reqwest::dns::Addrs)
        })
    }
}

/// The list of attacks, as the crate keeps it.
#[derive(Debug, Default)]
struct AttackList {
    urls: Vec<String>,
    locations: Vec<String>,
    /// Names that must be refused whenever they are asked for.
    names: Vec<AttackName>,
    /// Names whose first answer is harmless.
    rebinds: Vec<AttackName>,
    /// Names whose first two answers are harmless: for the robots.txt and for the page that redirects to itself.
    hops: Vec<AttackName>,
}

#[derive(Debug, Clone)]
struct AttackName {
    name: String,
    /// Successive answers; the last one repeats.
    answers: Vec<Vec<std::net::IpAddr>>,
}

impl AttackList {
    fn load() -> Self {
        let text = include_str!("../../data/ssrf.tsv");
        let mut list = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<String> = line.split('\t').map(plain).collect();
            match fields.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["url", url] => list.urls.push((*url).to_owned()),
                ["location", location] => list.locations.push((*location).to_owned()),
                ["dns", name, answers] => list.names.push(AttackName::parse(name, answers)),
                ["rebind", name, answers] => list.rebinds.push(AttackName::parse(name, answers)),
                ["hop", name, answers] => list.hops.push(AttackName::parse(name, answers)),
                _ => panic!("a line of the list cannot be read: {line}"),
            }
        }
        list
    }
}

impl AttackName {
    fn parse(name: &str, answers: &str) -> Self {
        let answer = |text: &str| text.split(',').map(|address| address.parse().unwrap()).collect();
        Self { name: name.to_owned(), answers: answers.split(';').map(answer).collect() }
    }
}

/// A field with its escapes resolved.
fn plain(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        text.push(match escaped {
            Some('t') => '\t',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('0') => '\0',
            Some(other) => other,
            None => character,
        });
    }
    text
}

/// A network of its own in which every address of IPv4 and IPv6 is this machine. One public site is served there; a
/// connection to any other address is a hit. Name server included.
#[derive(Clone)]
struct CatchAllNetwork {
    hits: Arc<Mutex<Vec<SocketAddr>>>,
    names: Arc<Mutex<HashMap<String, (usize, AttackName)>>>,
    /// What `/go/STATUS/NUMBER` redirects to.
    locations: Arc<Vec<String>>,
}

impl CatchAllNetwork {
    /// Turns the whole of this process's network into the cage. Only for a process that has one of its own.
    fn close(list: &AttackList, locations: Vec<String>) -> Self {
        for arguments in [
            &["link", "set", "lo", "up"][..],
            &["route", "add", "local", "0.0.0.0/0", "dev", "lo"],
            &["-6", "route", "add", "local", "::/0", "dev", "lo"],
        ] {
            assert!(Command::new("ip").args(arguments).status().unwrap().success(), "ip {arguments:?}");
        }
        let mut names: HashMap<String, (usize, AttackName)> = HashMap::new();
        for name in list.names.iter().chain(&list.rebinds).chain(&list.hops) {
            names.insert(name.name.clone(), (0, name.clone()));
        }
        let cage =
            Self { hits: Arc::default(), names: Arc::new(Mutex::new(names)), locations: Arc::new(locations) };
        for port in PORTS {
            // One socket for both families: IPv4 arrives as mapped.
            let listener = TcpListener::bind(("::", port)).unwrap();
            let cage = cage.clone();
            thread::spawn(move || {
                for socket in listener.incoming().flatten() {
                    let cage = cage.clone();
                    thread::spawn(move || cage.serve(socket));
                }
            });
        }
        cage
    }

    /// Connections to anything but the public site and the reached service, so far.
    fn hits(&self) -> Vec<SocketAddr> {
        // What was connected to is accepted within moments.
        thread::sleep(Duration::from_millis(3));
        self.hits.lock().unwrap().clone()
    }

    fn lookup(&self) -> NameResolver {
        let cage = self.clone();
        NameResolver::from_fn(move |name| {
            let answer = cage.resolve(&name);
            Box::pin(async move { answer })
        })
    }

    /// What the name server says this time.
    fn resolve(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let mut names = self.names.lock().unwrap();
        if let Some((asked, known)) = names.get_mut(&name) {
            let answer = known.answers.get(*asked).or_else(|| known.answers.last()).cloned();
            *asked += 1;
            return Ok(answer.unwrap_or_default());
        }
        if name.ends_with("public.example") {
            return Ok(PUBLIC.iter().flat_map(|text| text.parse()).collect());
        }
        Err(std::io::Error::other("no such name"))
    }

    /// Names answer from the beginning again.
    fn forget(&self) {
        let mut names = self.names.lock().unwrap();
        names.values_mut().for_each(|(asked, _)| *asked = 0);
    }

    fn serve(&self, mut socket: TcpStream) {
        let Ok(local) = socket.local_addr() else { return };
        let local = SocketAddr::new(local.ip().to_canonical(), local.port());
        let public = PUBLIC.contains(&local.ip().to_string().as_str()) && matches!(local.port(), 80 | 443);
        if !public && local.to_string() != REACHED {
            self.hits.lock().unwrap().push(local);
        }
        socket.set_read_timeout(Some(Duration::from_secs(2))).ok();
        let mut head = Vec::new();
        let mut buffer = [0; 2048];
        while !head.windows(4).any(|window| window == b"\r\n\r\n") {
            match socket.read(&mut buffer) {
                Ok(count) if count > 0 => head.extend_from_slice(&buffer[..count]),
                _ => return,
            }
        }
        let answer = self.answer(&String::from_utf8_lossy(&head));
        socket.write_all(&answer).ok();
    }

    fn answer(&self, head: &str) -> Vec<u8> {
        let path = head.split(' ').nth(1).unwrap_or_default();
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        let ok = "200 OK\r\ncontent-type: text/html";
        let (status, extra, body) = match path {
            // A site whose robots.txt leads inwards; its name says where.
            "/robots.txt" if host.starts_with("robots-") => {
                let number = host.trim_start_matches("robots-").split('.').next().unwrap_or_default();
                ("302 Found", self.location(number), "")
            }
            "/robots.txt" => ("404 Not Found", String::new(), ""),
            "/refresh" => (
                ok,
                "refresh: 0; url=http://127.0.0.1/\r\n".to_owned(),
                "<html><meta http-equiv=refresh content='0;url=http://127.0.0.1/'><img src=http://127.0.0.1/>",
            ),
            "/home" => ("301 Moved", "location: //www.public.example/page\r\n".to_owned(), ""),
            "/self" => ("302 Found", "location: /inner\r\n".to_owned(), ""),
            _ => match path.strip_prefix("/go/").and_then(|rest| rest.split_once('/')) {
                // A relative reading of a location ends at an ordinary page.
                Some((status, number)) if !self.location(number).is_empty() => {
                    let status = match status {
                        "301" => "301 Moved",
                        "303" => "303 See",
                        "307" => "307 Temporary",
                        "308" => "308 Permanent",
                        _ => "302 Found",
                    };
                    (status, self.location(number), "")
                }
                _ => (ok, String::new(), "<html><p>a page of the open web"),
            },
        };
        let length = body.len();
        format!("HTTP/1.1 {status}\r\n{extra}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
            .into_bytes()
    }

    fn location(&self, number: &str) -> String {
        let location = number.parse().ok().and_then(|number: usize| self.locations.get(number));
        location.map(|location| format!("location: {location}\r\n")).unwrap_or_default()
    }
}
