//! Stands between a client and the simulator and keeps every byte that the client sent.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// More than any connection here sends; what comes after is passed on and not kept.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
const PIECE_BYTES: usize = 64 * 1024;

#[derive(Clone)]
pub struct RecordingRelay {
    pub base_url: String,
    /// One entry for each connection.
    sent: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl RecordingRelay {
    /// Starts it before the server at `base_url`; its threads end with their connections and the program.
    pub fn start(base_url: &str) -> anyhow::Result<Self> {
        let target = base_url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let relay = Self { base_url: format!("http://{}", listener.local_addr()?), sent: Arc::default() };
        let sent = Arc::clone(&relay.sent);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (sent, target) = (Arc::clone(&sent), target.clone());
                thread::spawn(move || pass_on(&client, &target, &sent));
            }
        });
        Ok(relay)
    }

    /// Everything that was sent so far, one connection after the other.
    pub fn sent(&self) -> Vec<u8> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).join(&b'\n')
    }
}

/// Both directions until either side has enough. An error is a side that left.
fn pass_on(client: &TcpStream, target: &str, sent: &Mutex<Vec<Vec<u8>>>) -> Option<()> {
    let server = TcpStream::connect(target).ok()?;
    let (mut answers, mut back) = (server.try_clone().ok()?, client.try_clone().ok()?);
    let answering = thread::spawn(move || {
        std::io::copy(&mut answers, &mut back).ok();
        back.shutdown(Shutdown::Both).ok();
    });
    let place = {
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push(Vec::new());
        sent.len() - 1
    };
    let (mut client, mut server) = (client, &server);
    let mut piece = vec![0; PIECE_BYTES];
    while let Ok(count @ 1..) = client.read(&mut piece) {
        let taken = piece.get(..count).unwrap_or_default();
        keep(sent, place, taken);
        if server.write_all(taken).is_err() {
            break;
        }
    }
    server.shutdown(Shutdown::Both).ok();
    answering.join().ok()
}

fn keep(sent: &Mutex<Vec<Vec<u8>>>, place: usize, taken: &[u8]) {
    let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(connection) = sent.get_mut(place).filter(|kept| kept.len() < KEPT_BYTES_MAX) {
        connection.extend_from_slice(taken);
    }
}
