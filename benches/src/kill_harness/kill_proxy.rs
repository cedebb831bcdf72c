//! A wire between the program and the outside world that says when to kill: at the Nth request, before it is passed
//! on, after it was answered and before the answer arrives, or some milliseconds after that.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::Duration,
};

use anyhow::Context as _;

/// Bytes passed on at once; a request's head always begins a piece, because clients wait for answers.
const PIECE_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillMoment {
    /// The world never hears of the request.
    BeforeSending,
    /// The world has done its work, and nobody hears of it.
    AnswerLost,
    /// So many milliseconds after the answer arrived: before, while or after it is written down.
    AfterAnswer(u64),
}

/// Where to kill. Requests count from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKillPoint {
    pub request: usize,
    pub moment: KillMoment,
    /// At the first request with these words instead, whichever number it has.
    pub words: Option<&'static str>,
}

pub struct KillProxy {
    pub address: SocketAddr,
    state: Arc<KillProxyState>,
    fallen: Receiver<()>,
}

struct KillProxyState {
    target: SocketAddr,
    requests: AtomicUsize,
    /// How often it was armed: what was meant for one process must not fall on the next.
    turn: AtomicUsize,
    armed: Mutex<Option<RequestKillPoint>>,
    falls: SyncSender<()>,
}

impl KillProxy {
    /// Passes on to `target`, such as `127.0.0.1:80`. Its threads end with the connections and with this process.
    pub fn before(target: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("listening")?;
        let address = listener.local_addr()?;
        let (falls, fallen) = sync_channel(1);
        let state = Arc::new(KillProxyState {
            target: target.parse().with_context(|| format!("the address {target}"))?,
            requests: AtomicUsize::new(0),
            turn: AtomicUsize::new(0),
            armed: Mutex::new(None),
            falls,
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                thread::spawn(move || state.serve(client));
            }
        });
        Ok(Self { address, state, fallen })
    }

    /// Counts anew, and says when; nothing never does.
    pub fn arm(&self, cut: Option<RequestKillPoint>) {
        *self.state.armed.lock().unwrap_or_else(PoisonError::into_inner) = cut;
        self.state.requests.store(0, Ordering::SeqCst);
        self.state.turn.fetch_add(1, Ordering::SeqCst);
        // What fell for the one before is over.
        self.fallen.try_recv().ok();
    }

    /// Whether it is time to kill.
    pub fn is_kill_due(&self) -> bool {
        self.fallen.try_recv().is_ok()
    }

    pub fn requests(&self) -> usize {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl KillProxyState {
    fn signal_kill(&self, turn: usize) {
        if turn != self.turn.load(Ordering::SeqCst) {
            return;
        }
        match self.falls.try_send(()) {
            // It has fallen already.
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }

    /// The moment at which to kill, if this is the request.
    fn count(&self) -> Option<KillMoment> {
        let number = self.requests.fetch_add(1, Ordering::SeqCst) + 1;
        let armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        armed.filter(|cut| cut.words.is_none() && cut.request == number).map(|cut| cut.moment)
    }

    /// The same where words say which request it is; they may stand in its head or in what follows it.
    fn moment_of_words(&self, bytes: &[u8]) -> Option<KillMoment> {
        let armed = *self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        let words = armed?.words?.as_bytes();
        let is_there = bytes.windows(words.len().max(1)).any(|piece| piece == words);
        armed.filter(|_| is_there).map(|cut| cut.moment)
    }

    fn serve(self: Arc<Self>, mut client: TcpStream) {
        let Ok(mut server) = TcpStream::connect(self.target) else { return };
        let (Ok(mut from_server), Ok(to_client)) = (server.try_clone(), client.try_clone()) else { return };
        for socket in [&client, &server] {
            socket.set_nodelay(true).ok();
        }
        let cut = Arc::new(Mutex::new(None));
        let (state, wanted) = (Arc::clone(&self), Arc::clone(&cut));
        let back = thread::spawn(move || state.answers(&mut from_server, to_client, &wanted));
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(length @ 1..) = client.read(&mut piece) {
            let bytes = piece.get(..length).unwrap_or_default();
            let begins = [b"GET ".as_slice(), b"POST "].iter().any(|word| bytes.starts_with(word));
            let by_number = if begins { self.count() } else { None };
            let moment = by_number.or_else(|| self.moment_of_words(bytes));
            if moment == Some(KillMoment::BeforeSending) {
                self.signal_kill(self.turn.load(Ordering::SeqCst));
                // Held until the client is dead.
                while client.read(&mut piece).is_ok_and(|length| length > 0) {}
                break;
            }
            if begins || moment.is_some() {
                *cut.lock().unwrap_or_else(PoisonError::into_inner) = moment;
            }
            if server.write_all(bytes).is_err() {
                break;
            }
        }
        server.shutdown(Shutdown::Both).ok();
        back.join().ok();
    }

    fn answers(
        self: Arc<Self>,
        server: &mut TcpStream,
        mut client: TcpStream,
        cut: &Mutex<Option<KillMoment>>,
    ) {
        let mut piece = vec![0; PIECE_BYTES];
        while let Ok(length @ 1..) = server.read(&mut piece) {
            let moment = cut.lock().unwrap_or_else(PoisonError::into_inner).take();
            let turn = self.turn.load(Ordering::SeqCst);
            if moment == Some(KillMoment::AnswerLost) {
                self.signal_kill(turn);
                return;
            }
            if client.write_all(piece.get(..length).unwrap_or_default()).is_err() {
                break;
            }
            if let Some(KillMoment::AfterAnswer(milliseconds)) = moment {
                let state = Arc::clone(&self);
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(milliseconds));
                    state.signal_kill(turn);
                });
            }
        }
        client.shutdown(Shutdown::Both).ok();
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::{TcpListener, TcpStream},
        thread,
        time::Duration,
    };

    use super::{KillMoment, KillProxy, RequestKillPoint};
    use crate::rig;

    /// A server that answers every request with `ok`, and counts them.
    fn world() -> (String, std::sync::mpsc::Receiver<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (heard, told) = std::sync::mpsc::sync_channel(10);
        thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let heard = heard.clone();
                thread::spawn(move || {
                    let mut piece = [0; 100];
                    while client.read(&mut piece).is_ok_and(|length| length > 0) {
                        heard.send(()).unwrap();
                        client.write_all(b"ok").unwrap();
                    }
                });
            }
        });
        (address, told)
    }

    fn waits(condition: impl Fn() -> bool) -> bool {
        let until = rig::now() + Duration::from_secs(5);
        while rig::now() < until {
            if condition() {
                return true;
            }
            thread::sleep(Duration::from_millis(2));
        }
        false
    }

    #[track_caller]
    fn check(moment: KillMoment, words: Option<&'static str>, heard: usize, answered: bool) {
        let (address, told) = world();
        let guillotine = KillProxy::before(&address).unwrap();
        guillotine.arm(Some(RequestKillPoint { request: 2, moment, words }));
        let mut client = TcpStream::connect(guillotine.address).unwrap();
        let mut piece = [0; 10];
        client.write_all(b"GET / one").unwrap();
        assert_eq!(client.read(&mut piece).unwrap(), 2);
        assert!(!guillotine.is_kill_due());
        client.write_all(b"POST / two").unwrap();
        assert!(waits(|| guillotine.is_kill_due()), "{moment:?} did not fall");
        client.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        assert_eq!(client.read(&mut piece).is_ok_and(|length| length == 2), answered, "{moment:?}");
        assert_eq!(told.try_iter().count(), heard, "{moment:?}");
        assert_eq!(guillotine.requests(), 2);
    }

    #[test]
    fn it_falls_at_its_moment() {
        for words in [None, Some("/ two")] {
            check(KillMoment::BeforeSending, words, 1, false);
            check(KillMoment::AnswerLost, words, 2, false);
            check(KillMoment::AfterAnswer(1), words, 2, true);
        }
    }
}
