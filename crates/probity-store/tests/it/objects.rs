//! Large bytes in a shared directory and in a real S3 server: what was put comes back, what is wrong is refused.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use probity_research::{error::Code, id::Digest, time::Moment};
use probity_store::{
    Clocks, ObjectStorage,
    objects::{OBJECT_BYTES_MAX, ObjectKeys},
};

use crate::object_server::{BUCKET, KEY_ID, KEY_SECRET, ObjectServer};

/// As large as a long scanned document.
const LARGE_BYTES: usize = 20 * 1024 * 1024;
/// Three tries against a port where nobody listens, with their pauses, on a busy machine.
const AWAY_MAX: Duration = Duration::from_secs(20);

fn digest(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// The machine's own clock: a server refuses signatures of another day.
fn clocks() -> Clocks {
    let since_1970 = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Clocks {
        wall: Arc::new(move || Moment(i64::try_from(since_1970().as_millis()).unwrap())),
        monotonic: Arc::new(since_1970),
    }
}

fn opened(place: &str, secret: &str) -> ObjectStorage {
    let keys = ObjectKeys::new(KEY_ID, secret, None).unwrap();
    ObjectStorage::parse(place, Some(keys), clocks()).unwrap()
}

/// Bytes that do not pack.
fn large() -> Vec<u8> {
    let mut bytes = vec![0; LARGE_BYTES];
    blake3::Hasher::new().update(b"large").finalize_xof().fill(&mut bytes);
    bytes
}

async fn comes_back(objects: &ObjectStorage, bytes: &[u8]) {
    let name = digest(bytes);
    objects.put(name, bytes.to_vec()).await.unwrap();
    assert!(objects.get(name).await.unwrap().as_deref() == Some(bytes), "{} bytes", bytes.len());
}

/// What every place must do.
async fn keeps(objects: &ObjectStorage) {
    assert_eq!(objects.get(digest(b"never put")).await.unwrap(), None);
    for bytes in [&b""[..], b"x", &[0, 255, 13, 10], &large()] {
        comes_back(objects, bytes).await;
        // The same again changes nothing.
        comes_back(objects, bytes).await;
    }
    objects.check().await.unwrap();
    let too_large = vec![0; OBJECT_BYTES_MAX + 1];
    let refused = objects.put(digest(b"whatever"), too_large).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreFailed);
    // Bytes under a wrong name are never handed out.
    objects.put(digest(b"other"), b"wrong".to_vec()).await.unwrap();
    assert_eq!(objects.get(digest(b"other")).await.unwrap_err().code, Code::StoreCorrupt);
}

#[tokio::test]
async fn a_shared_directory_keeps_what_was_put() {
    let root = tempfile::tempdir().unwrap();
    let place = format!("dir:{}", root.path().join("objects").display());
    let objects = ObjectStorage::parse(&place, None, clocks()).unwrap();
    keeps(&objects).await;
    // Many writers of the same bytes, as from many machines: one whole file, nothing left over.
    let bytes = large();
    let puts = (0..8).map(|_| {
        let (objects, bytes) = (objects.clone(), bytes.clone());
        tokio::spawn(async move { objects.put(digest(b"shared"), bytes).await })
    });
    for put in puts.collect::<Vec<_>>() {
        put.await.unwrap().unwrap();
    }
    assert_eq!(fs::read_dir(root.path().join("objects/unfinished")).unwrap().count(), 0);
}

#[tokio::test]
async fn without_object_storage_large_bytes_are_refused() {
    let refused = ObjectStorage::None.put(digest(b"x"), b"x".to_vec()).await.unwrap_err();
    assert_eq!(refused.code, Code::Settings);
    ObjectStorage::None.check().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_s3_server_keeps_what_was_put() {
    let Some(mut server) = ObjectServer::start() else { return };
    let place = server.place(BUCKET);
    let objects = opened(&place, KEY_SECRET);
    keeps(&objects).await;

    let wrong = opened(&place, "another-secret");
    for refused in [wrong.put(digest(b"x"), b"x".to_vec()).await.err(), wrong.get(digest(b"x")).await.err()] {
        let refused = refused.unwrap();
        assert_eq!((refused.code, refused.http_status), (Code::StoreFailed, Some(403)));
        assert!(refused.message.contains("SignatureDoesNotMatch"), "{}", refused.message);
        assert!(!refused.message.contains("secret"), "{}", refused.message);
    }
    let nowhere = opened(&server.place("nowhere"), KEY_SECRET);
    // Not `None`: a wrong bucket must not look like lost objects.
    assert!(nowhere.get(digest(b"x")).await.unwrap_err().message.contains("NoSuchBucket"));
    assert_eq!(nowhere.put(digest(b"x"), b"x".to_vec()).await.unwrap_err().http_status, Some(404));

    comes_back(&objects, b"before the crash").await;
    server.crash();
    let began = Instant::now();
    let away = objects.get(digest(b"before the crash")).await.unwrap_err();
    assert_eq!(away.code, Code::StoreFailed, "{}", away.message);
    assert!(began.elapsed() < AWAY_MAX, "{:?}", began.elapsed());
    server.launch();
    let found = eventually(&objects, digest(b"before the crash")).await;
    assert_eq!(found.as_deref(), Some(&b"before the crash"[..]));
    comes_back(&objects, b"after the crash").await;
}

/// A server that has just come back answers before it has found its own parts.
async fn eventually(objects: &ObjectStorage, name: Digest) -> Option<Vec<u8>> {
    let began = Instant::now();
    loop {
        match objects.get(name).await {
            Ok(Some(bytes)) => return Some(bytes),
            other if began.elapsed() > Duration::from_secs(30) => panic!("{other:?}"),
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Answers every request with this status and counts them. Only the number of tries is learnt from it.
fn counting(status: &'static str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let place = format!("s3:http://{}/{BUCKET}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while head.read_line(&mut line).unwrap_or(0) > 2 {
                line.clear();
            }
            counted.fetch_add(1, Ordering::SeqCst);
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (place, count)
}

#[tokio::test]
async fn a_refusal_is_final_and_an_overload_is_tried_three_times() {
    for (status, tries) in
        [("403 Forbidden", 1), ("400 Bad Request", 1), ("307 Elsewhere", 1), ("503 Slow Down", 3)]
    {
        let (place, count) = counting(status);
        let failed = opened(&place, KEY_SECRET).get(digest(b"x")).await.unwrap_err();
        assert_eq!(failed.code, Code::StoreFailed);
        assert_eq!(count.load(Ordering::SeqCst), tries, "{status}");
    }
}
