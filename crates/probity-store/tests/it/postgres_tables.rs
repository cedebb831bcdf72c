//! The tables of the fleet's store: made once, also by many at once, and refused where they are not ours.

use probity_research::Code;
use probity_store::postgres::{Postgres, STEPS};

use crate::postgres_server;

#[tokio::test]
async fn tables_are_made_once_also_by_many_at_once() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.empty().await;
    let refused = Postgres::connect(database.settings(1)).await.unwrap_err();
    assert_eq!(refused.code, Code::Settings);
    assert!(refused.message.contains("probity fleet migrate"), "{}", refused.message);
    let mut migrating = Vec::new();
    for number in 0..4 {
        let store = Postgres::connect_unchecked(database.settings(number + 1)).await.unwrap();
        migrating.push(tokio::spawn(async move { store.migrate().await.unwrap().performed.len() }));
    }
    let mut performed = 0;
    for migrated in migrating {
        performed += migrated.await.unwrap();
    }
    assert_eq!(performed, STEPS.len());
    let store = database.open(9).await;
    assert_eq!(store.migrate().await.unwrap().performed, Vec::<String>::new());
    let months =
        server.sql(&database.name, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass");
    assert_eq!(months, "4", "three months and the default");
    let lies = server.sql(
        &database.name,
        "WITH added AS (INSERT INTO event SELECT 1, 1, now() + interval '32 days', 1, 0, 0, '', ''
                        RETURNING tableoid::regclass::text AS lies, asked_at)
         SELECT lies = to_char(asked_at, '\"event_\"YYYY_MM') FROM added",
    );
    assert_eq!(lies, "t", "the next month is there already");
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_refused_only_when_it_matters() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    server.sql(&database.name, "INSERT INTO schema_step (name, adds) VALUES ('something more', true)");
    database.open(1).await;
    server.sql(&database.name, "INSERT INTO schema_step (name, adds) VALUES ('something else', false)");
    let refused = Postgres::connect(database.settings(2)).await.unwrap_err();
    assert_eq!(refused.code, Code::StoreNewer);
    assert!(refused.message.contains("something else"), "{}", refused.message);
}
