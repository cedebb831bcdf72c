use std::{net::SocketAddr, sync::Arc};

use probity_types::error::{Code, CodedError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use url::Url;

use super::{BrowserProxy, ConnectionPolicy, USER, head::base64};

/// Lets `open.test` through to one address; everything else is refused.
struct OneAddressPolicy(SocketAddr);

impl ConnectionPolicy for OneAddressPolicy {
    fn parse(&self, url: &str) -> Result<Url, CodedError> {
        Url::parse(url).map_err(|_| CodedError::new(Code::AddressRefused, "not an address"))
    }

    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, CodedError> {
        match url.host_str() {
            Some("open.test") => Ok(vec![self.0]),
            _ => Err(CodedError::new(Code::AddressRefused, "inside")),
        }
    }
}

/// A server that keeps what it was asked and answers once.
async fn server(answer: &'static str) -> (SocketAddr, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a server beside the test")]
    let asked = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut piece = vec![0; 4096];
        let count = client.read(&mut piece).await.unwrap();
        client.write_all(answer.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        String::from_utf8_lossy(&piece[..count]).into_owned()
    });
    (address, asked)
}

async fn ask(proxy: &BrowserProxy, request: &str) -> String {
    let mut socket = TcpStream::connect(("127.0.0.1", proxy.port())).await.unwrap();
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.ok();
    String::from_utf8_lossy(&answer).into_owned()
}

fn password(word: &str) -> String {
    format!("Proxy-Authorization: Basic {}\r\n", base64(format!("{USER}:{word}").as_bytes()))
}

async fn proxy(address: SocketAddr, bytes: u64) -> BrowserProxy {
    BrowserProxy::open(Arc::new(OneAddressPolicy(address)), "word".to_owned(), bytes).await.unwrap()
}

#[tokio::test]
async fn a_page_comes_through_and_the_password_does_not() {
    let (address, asked) =
        server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello").await;
    let proxy = proxy(address, 10_000).await;
    let request = format!("GET http://open.test/a HTTP/1.1\r\nHost: open.test\r\n{}\r\n", password("word"));
    let answer = ask(&proxy, &request).await;
    assert_eq!(answer, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
    assert_eq!(asked.await.unwrap(), "GET /a HTTP/1.1\r\nHost: open.test\r\nConnection: close\r\n\r\n");
    assert_eq!((proxy.refusals(), proxy.reached_address("http://open.test/b")), (0, Some(address)));
}

#[tokio::test]
async fn a_stranger_on_the_machine_gets_nothing() {
    let (address, asked) = server("HTTP/1.1 200 OK\r\n\r\n").await;
    let proxy = proxy(address, 10_000).await;
    for word in [String::new(), password("other")] {
        for line in ["GET http://open.test/ HTTP/1.1", "CONNECT open.test:443 HTTP/1.1"] {
            let answer = ask(&proxy, &format!("{line}\r\n{word}\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 407 "), "{answer}");
        }
    }
    assert!(!asked.is_finished());
    assert_eq!(proxy.reached_address("http://open.test/"), None);
}

#[tokio::test]
async fn what_the_guard_refuses_is_counted_and_not_connected() {
    let (address, asked) = server("HTTP/1.1 200 OK\r\n\r\n").await;
    let proxy = proxy(address, 10_000).await;
    for line in ["GET http://inside.test/ HTTP/1.1", "CONNECT inside.test:443 HTTP/1.1"] {
        let answer = ask(&proxy, &format!("{line}\r\n{}\r\n", password("word"))).await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    assert!(!asked.is_finished());
    assert_eq!((proxy.refusals(), proxy.was_refused("https://inside.test/x")), (2, true));
}

#[tokio::test]
async fn a_page_that_loads_too_much_is_cut_off() {
    let long =
        "HTTP/1.1 200 OK\r\n\r\n0123456789012345678901234567890123456789012345678901234567890123456789";
    let (address, _asked) = server(long).await;
    let proxy = proxy(address, 80).await;
    let request = format!("GET http://open.test/ HTTP/1.1\r\nHost: open.test\r\n{}\r\n", password("word"));
    let answer = ask(&proxy, &request).await;
    assert!(!answer.contains("789\r\n") && answer.len() < 80, "{answer}");
    assert_eq!(proxy.bytes_left(), 0);
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways() {
    let (address, asked) = server("pong").await;
    let proxy = proxy(address, 10_000).await;
    let answer =
        ask(&proxy, &format!("CONNECT open.test:443 HTTP/1.1\r\n{}\r\nping", password("word"))).await;
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\npong");
    assert_eq!(asked.await.unwrap(), "ping");
}
