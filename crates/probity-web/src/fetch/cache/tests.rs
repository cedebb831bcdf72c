use std::{fs, time::Duration};

use bytes::Bytes;
use probity_types::{time::Moment, web::MediaKind};
use tempfile::TempDir;
use url::Url;

use super::{CachedPage, FILES_MAX, PageCache, SWEEP_AFTER_FILES, UNFINISHED_MAX, system_time};

const NOW: Moment = Moment(1_790_000_000_000);

fn stored(bytes: &'static [u8]) -> CachedPage {
    CachedPage {
        etag: Some("\"one\"".to_owned()),
        last_modified: None,
        headers: vec![("content-type".to_owned(), "text/html".to_owned())],
        media: MediaKind::Html,
        bytes: Bytes::from_static(bytes),
    }
}

fn page(number: usize) -> Url {
    Url::parse(&format!("https://example.com/{number}")).unwrap()
}

fn files(folder: &TempDir) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn a_page_is_found_again_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    PageCache::new(folder.path().to_owned()).store(&page(1), stored(b"<p>one"), NOW).await;
    let other = PageCache::new(folder.path().to_owned());
    assert_eq!(other.find(&page(1), NOW).await, Some(stored(b"<p>one")));
    assert_eq!(other.find(&page(2), NOW).await, None);
    #[cfg(unix)]
    for path in files(&folder) {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn damage_anywhere_means_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PageCache::new(folder.path().to_owned());
    cache.store(&page(1), stored(b"<p>one"), NOW).await;
    let path = files(&folder).pop().unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(cache.find(&page(1), NOW).await, None, "cut at {length}");
    }
    let body = whole.len() - 1;
    for place in [0, 5, body] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(cache.find(&page(1), NOW).await, None, "flipped at {place}");
    }
    // Another address's file under this name does not pass for it.
    cache.store(&page(2), stored(b"<p>two"), NOW).await;
    let other = files(&folder).into_iter().find(|other| *other != path).unwrap();
    fs::copy(other, &path).unwrap();
    assert_eq!(cache.find(&page(1), NOW).await, None);
    // And a new page heals the place.
    cache.store(&page(1), stored(b"<p>new"), NOW).await;
    assert_eq!(cache.find(&page(1), NOW).await, Some(stored(b"<p>new")));
}

#[tokio::test]
async fn the_oldest_make_room() {
    let folder = tempfile::tempdir().unwrap();
    let cache = PageCache::new(folder.path().to_owned());
    for number in 0..FILES_MAX {
        fs::write(folder.path().join(format!("{number:064x}")), b"old").unwrap();
    }
    let abandoned = folder.path().join("a.1-1.tmp");
    let fresh = folder.path().join("b.1-2.tmp");
    fs::write(&abandoned, b"half").unwrap();
    fs::write(&fresh, b"half").unwrap();
    let long_ago = system_time(NOW) - UNFINISHED_MAX - Duration::from_secs(1);
    for path in files(&folder) {
        let age = if path == fresh { system_time(NOW) } else { long_ago };
        fs::File::options().append(true).open(path).unwrap().set_modified(age).unwrap();
    }
    for number in 0..=SWEEP_AFTER_FILES {
        cache.store(&page(number), stored(b"<p>kept"), NOW).await;
    }
    assert!(files(&folder).len() <= FILES_MAX);
    assert!(!abandoned.exists() && fresh.exists());
    for number in 0..=SWEEP_AFTER_FILES {
        assert!(cache.find(&page(number), NOW).await.is_some(), "{number}");
    }
}

#[tokio::test]
async fn many_writers_of_one_page_leave_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let caches = [PageCache::new(folder.path().to_owned()), PageCache::new(folder.path().to_owned())];
    let mut writers = tokio::task::JoinSet::new();
    for round in 0..40 {
        let cache = caches[round % 2].clone();
        let body: &'static [u8] = if round % 3 == 0 { b"<p>a" } else { b"<p>longer than a" };
        writers.spawn(async move { cache.store(&page(1), stored(body), NOW).await });
    }
    writers.join_all().await;
    let found = caches[0].find(&page(1), NOW).await.unwrap();
    assert!([&b"<p>a"[..], b"<p>longer than a"].contains(&&found.bytes[..]));
    assert_eq!(files(&folder).len(), 1);
}
