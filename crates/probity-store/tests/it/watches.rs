//! Watched reports survive a restart, are bounded, and two processes never do the same one.

use std::time::Duration;

use probity_research::{
    Code,
    time::Moment,
    watch::{WATCHES_MAX, Watch, WatchOutcome},
};

use crate::world::{World, id};

const WEEK: Duration = Duration::from_secs(7 * 86_400);

fn watch(number: u128) -> Watch {
    Watch::new(id(number), "how did revenue develop?", WEEK, Moment(number as i64))
}

#[tokio::test]
async fn what_is_watched_is_there_after_a_restart_in_its_order() {
    let world = World::new();
    let store = world.open(1);
    for number in [3, 1, 2] {
        store.add_watch(watch(number)).await.unwrap();
    }
    drop(store);
    let store = world.open(2);
    assert_eq!(store.watches().unwrap(), [watch(1), watch(2), watch(3)]);
    assert!(store.remove_watch(id(2)).await.unwrap());
    assert!(!store.remove_watch(id(2)).await.unwrap());
    assert_eq!(store.watches().unwrap(), [watch(1), watch(3)]);
}

#[tokio::test]
async fn one_of_two_takes_a_check_and_what_was_removed_stays_removed() {
    let world = World::new();
    let (one, other) = (world.open(1), world.open(2));
    let first = watch(1);
    one.add_watch(first.clone()).await.unwrap();
    let claimed = first.claimed(Moment(5));
    assert!(one.replace_watch(first.clone(), claimed.clone()).await.unwrap());
    assert!(!other.replace_watch(first.clone(), claimed.clone()).await.unwrap());
    let after = first.after(Moment(6), Some(id(9)), WatchOutcome::Unchanged);
    assert!(other.remove_watch(first.id).await.unwrap());
    assert!(!one.replace_watch(claimed, after).await.unwrap());
    assert_eq!(one.watches().unwrap(), []);
}

#[tokio::test]
async fn there_is_a_limit_and_a_damaged_row_is_never_shown() {
    let world = World::new();
    let store = world.open(1);
    for number in 0..WATCHES_MAX as u128 {
        store.add_watch(watch(number)).await.unwrap();
    }
    assert_eq!(store.add_watch(watch(1_000)).await.unwrap_err().code, Code::InvalidArguments);
    store.add_watch(watch(0)).await.unwrap();
    drop(store);
    let database = rusqlite::Connection::open(world.database()).unwrap();
    database.execute("UPDATE watch SET watch = replace(watch, 'revenue', 'profit')", []).unwrap();
    drop(database);
    assert_eq!(world.open(2).watches().unwrap_err().code, Code::StoreCorrupt);
}

#[tokio::test]
async fn the_feed_is_replaced_as_a_whole() {
    let world = World::new();
    let store = world.open(1);
    assert_eq!(store.watch_feed().unwrap(), None);
    store.write_watch_feed(b"{\"items\":[1,2]}").unwrap();
    let path = store.write_watch_feed(b"{}").unwrap();
    assert_eq!(store.watch_feed().unwrap().as_deref(), Some(&b"{}"[..]));
    assert_eq!(path, world.directory().join("watch-feed.json"));
}
