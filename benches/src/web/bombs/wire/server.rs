//! A server that sends bombs until nobody listens any more.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use probity_research::error::Code;

/// 512 MiB of zeros in one gzip stream: its head, a block of one MiB, and its end with the sums.
const GZIP_HEAD: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
const GZIP_BLOCK: &[u8] = include_bytes!("../zeros.deflate");
const GZIP_BLOCKS: usize = 512;
const GZIP_END: &[u8] = &[0x03, 0x00, 0x20, 0x83, 0xb8, 0x6d, 0x00, 0x00, 0x00, 0x20];
/// 512 MiB of zeros.
const BROTLI: &[u8] = include_bytes!("../zeros.br");
/// Nobody is kept longer than this, whatever they do.
const SOCKET_MAX: Duration = Duration::from_secs(60);
const DRIP: Duration = Duration::from_millis(200);

/// A bomb, and how a page that is one may be refused.
#[derive(Debug)]
pub(super) struct WireBombKind {
    pub name: &'static str,
    pub codes: &'static [Code],
    send: fn(&mut TcpStream) -> io::Result<()>,
}

const LARGE: &[Code] = &[Code::PageTooLarge];
const ENDED: &[Code] = &[Code::PageUnreachable];
const UNREADABLE: &[Code] = &[Code::PageUnreadable];

pub(super) const KINDS: &[WireBombKind] = &[
    WireBombKind { name: "gzip", codes: LARGE, send: gzip },
    WireBombKind { name: "brotli", codes: LARGE, send: brotli },
    WireBombKind { name: "drip", codes: ENDED, send: drip },
    WireBombKind { name: "header-drip", codes: ENDED, send: header_drip },
    WireBombKind { name: "headers", codes: ENDED, send: headers },
    WireBombKind { name: "header-lines", codes: ENDED, send: header_lines },
    WireBombKind { name: "body", codes: LARGE, send: body },
    WireBombKind { name: "chunks", codes: LARGE, send: chunks },
    WireBombKind { name: "informational", codes: ENDED, send: informational },
    WireBombKind { name: "too-short", codes: ENDED, send: too_short },
    WireBombKind { name: "too-long", codes: LARGE, send: too_long },
    WireBombKind { name: "nested", codes: UNREADABLE, send: nested },
    WireBombKind { name: "nested-lines", codes: UNREADABLE, send: nested_lines },
    WireBombKind { name: "unknown-encoding", codes: UNREADABLE, send: unknown_encoding },
    WireBombKind { name: "trailer", codes: ENDED, send: trailer },
    WireBombKind { name: "chunk-extension", codes: ENDED, send: chunk_extension },
    WireBombKind { name: "silence", codes: ENDED, send: silence },
];

pub(super) struct BombServer {
    pub address: String,
}

impl BombServer {
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                thread::spawn(move || serve(socket));
            }
        });
        Ok(Self { address })
    }
}

/// Whoever hangs up has had enough: that is not an error.
fn serve(mut socket: TcpStream) {
    socket.set_write_timeout(Some(SOCKET_MAX)).ok();
    socket.set_read_timeout(Some(SOCKET_MAX)).ok();
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        match socket.read(&mut buffer) {
            Ok(count) if count > 0 => head.extend_from_slice(buffer.get(..count).unwrap_or_default()),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let wanted = match (path, host.strip_prefix("robots-")) {
        ("robots.txt", Some(rest)) => rest.trim_end_matches(".example"),
        _ => path,
    };
    let kind = KINDS.iter().find(|kind| kind.name == wanted);
    let sent = match kind {
        Some(kind) => (kind.send)(&mut socket),
        None if path == "robots.txt" => {
            socket.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        None => {
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\n<html>fine")
        }
    };
    sent.ok();
}

fn start(socket: &mut TcpStream, headers: &str) -> io::Result<()> {
    socket.write_all(format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{headers}\r\n").as_bytes())
}

fn gzip(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-encoding: gzip\r\nconnection: close\r\n")?;
    socket.write_all(GZIP_HEAD)?;
    (0..GZIP_BLOCKS).try_for_each(|_| socket.write_all(GZIP_BLOCK))?;
    socket.write_all(GZIP_END)
}

fn brotli(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-encoding: br\r\nconnection: close\r\n")?;
    socket.write_all(BROTLI)
}

fn drip(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-length: 1000000\r\n")?;
    forever(socket, b"a", DRIP)
}

fn header_drip(socket: &mut TcpStream) -> io::Result<()> {
    socket.write_all(b"HTTP/1.1 200 OK\r\nx: ")?;
    forever(socket, b"a", DRIP)
}

fn headers(socket: &mut TcpStream) -> io::Result<()> {
    socket.write_all(b"HTTP/1.1 200 OK\r\nx: ")?;
    forever(socket, &[b'a'; 16 * 1024], Duration::ZERO)
}

fn header_lines(socket: &mut TcpStream) -> io::Result<()> {
    socket.write_all(b"HTTP/1.1 200 OK\r\n")?;
    forever(socket, &b"x: y\r\n".repeat(1_000), Duration::ZERO)
}

fn body(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "connection: close\r\n")?;
    forever(socket, &[b'a'; 64 * 1024], Duration::ZERO)
}

fn chunks(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "transfer-encoding: chunked\r\n")?;
    forever(socket, &[b"1000\r\n", &[b'a'; 0x1000][..], b"\r\n"].concat(), Duration::ZERO)
}

fn informational(socket: &mut TcpStream) -> io::Result<()> {
    forever(socket, &b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(200), Duration::ZERO)
}

fn too_short(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-length: 1000000000000\r\n")?;
    socket.write_all(b"<html>that was all")
}

fn too_long(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-length: 1000000000000\r\n")?;
    forever(socket, &[b'a'; 64 * 1024], Duration::ZERO)
}

fn nested(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-encoding: gzip, gzip\r\nconnection: close\r\n")?;
    socket.write_all(BROTLI)
}

fn nested_lines(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-encoding: gzip\r\ncontent-encoding: br\r\nconnection: close\r\n")?;
    socket.write_all(BROTLI)
}

fn unknown_encoding(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "content-encoding: zstd\r\nconnection: close\r\n")?;
    socket.write_all(BROTLI)
}

fn trailer(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "transfer-encoding: chunked\r\ntrailer: x\r\n")?;
    socket.write_all(b"4\r\nbody\r\n0\r\n")?;
    forever(socket, &b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(200), Duration::ZERO)
}

fn chunk_extension(socket: &mut TcpStream) -> io::Result<()> {
    start(socket, "transfer-encoding: chunked\r\n")?;
    socket.write_all(b"4;x=")?;
    forever(socket, &[b'a'; 1024], Duration::ZERO)
}

fn silence(socket: &mut TcpStream) -> io::Result<()> {
    let mut byte = [0];
    socket.read(&mut byte).map(drop)
}

fn forever(socket: &mut TcpStream, piece: &[u8], pause: Duration) -> io::Result<()> {
    loop {
        socket.write_all(piece)?;
        if !pause.is_zero() {
            thread::sleep(pause);
        }
    }
}
