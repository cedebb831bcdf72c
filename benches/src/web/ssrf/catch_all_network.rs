//! A network of its own in which every address of IPv4 and IPv6 is this machine. One public site is served there;
//! a connection to any other address is a hit. Name server included.

use std::{
    collections::HashMap,
    io::{Read as _, Write as _},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use anyhow::bail;
use probity_web::fetch::NameResolver;

use super::attack_list::{AttackList, AttackName};

/// Where the open web is in here.
pub(super) const PUBLIC: [&str; 2] = ["93.184.215.14", "2606:4700::1"];
/// A service of the user's own that was written down as reached.
pub(super) const REACHED: &str = "127.0.0.1:8081";
/// Watched: the web's ports, a proxy's, and one more. The last is where the reached service listens.
const PORTS: [u16; 5] = [80, 443, 3128, 8080, 8081];

#[derive(Clone)]
pub(super) struct CatchAllNetwork {
    hits: Arc<Mutex<Vec<SocketAddr>>>,
    names: Arc<Mutex<HashMap<String, (usize, AttackName)>>>,
    /// What `/go/STATUS/NUMBER` redirects to.
    locations: Arc<Vec<String>>,
}

impl CatchAllNetwork {
    /// Turns the whole of this process's network into the cage. Only for a process that has one of its own.
    pub(super) fn close(list: &AttackList, locations: Vec<String>) -> anyhow::Result<Self> {
        for arguments in [
            &["link", "set", "lo", "up"][..],
            &["route", "add", "local", "0.0.0.0/0", "dev", "lo"],
            &["-6", "route", "add", "local", "::/0", "dev", "lo"],
        ] {
            if !crate::rig::command("ip").args(arguments).status()?.success() {
                bail!("`ip {}` failed", arguments.join(" "));
            }
        }
        let mut names: HashMap<String, (usize, AttackName)> = HashMap::new();
        for name in list.names.iter().chain(&list.rebinds).chain(&list.hops) {
            names.insert(name.name.clone(), (0, name.clone()));
        }
        let cage =
            Self { hits: Arc::default(), names: Arc::new(Mutex::new(names)), locations: Arc::new(locations) };
        for port in PORTS {
            // One socket for both families: IPv4 arrives as mapped.
            let listener = TcpListener::bind(("::", port))?;
            let cage = cage.clone();
            thread::spawn(move || {
                for socket in listener.incoming().flatten() {
                    let cage = cage.clone();
                    thread::spawn(move || cage.serve(socket));
                }
            });
        }
        Ok(cage)
    }

    /// Connections to anything but the public site and the reached service, so far.
    pub(super) fn hits(&self) -> Vec<SocketAddr> {
        // What was connected to is accepted within moments.
        thread::sleep(Duration::from_millis(3));
        self.hits.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn lookup(&self) -> NameResolver {
        let cage = self.clone();
        NameResolver::from_fn(move |name| {
            let answer = cage.resolve(&name);
            Box::pin(async move { answer })
        })
    }

    /// What the name server says this time.
    pub(super) fn resolve(&self, name: &str) -> std::io::Result<Vec<IpAddr>> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
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
    pub(super) fn forget(&self) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.values_mut().for_each(|(asked, _)| *asked = 0);
    }

    fn serve(&self, mut socket: TcpStream) {
        let Ok(local) = socket.local_addr() else { return };
        let local = SocketAddr::new(local.ip().to_canonical(), local.port());
        let public = PUBLIC.contains(&local.ip().to_string().as_str()) && matches!(local.port(), 80 | 443);
        if !public && local.to_string() != REACHED {
            self.hits.lock().unwrap_or_else(PoisonError::into_inner).push(local);
        }
        socket.set_read_timeout(Some(Duration::from_secs(2))).ok();
        let mut head = Vec::new();
        let mut buffer = [0; 2048];
        while !head.windows(4).any(|window| window == b"\r\n\r\n") {
            match socket.read(&mut buffer) {
                Ok(count) if count > 0 => head.extend_from_slice(buffer.get(..count).unwrap_or_default()),
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
