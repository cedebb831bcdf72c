//! Leases as SQL: which process drives which run, inside the writer's transaction.

use probity_research::{
    id::{Fence, OwnerId, RunId},
    plan::EngineName,
    ports::LeaseClaim,
    time::Moment,
};
use rusqlite::{Connection, params};

use crate::{
    error::Error,
    row::{self, Hash, LeaseColumns, SqliteRunRow, signed},
    writer::WriteContext,
};

/// Leases taken in one call: a process that comes back to thousands of due runs claims them in batches.
pub const CLAIMS_MAX: usize = 256;

/// A run that was just asked for belongs to the process that asked: another one would leave it half way when its own
/// work is done. After this time anybody may take it.
const ASKER_TIME_MS: i64 = 2_000;

/// Names of engines as the queries take them: a JSON list.
pub fn engine_list(engines: &[EngineName]) -> String {
    let names: Vec<String> = engines.iter().map(|engine| format!("\"{}\"", engine.as_str())).collect();
    format!("[{}]", names.join(","))
}

/// The leases as read without a lock.
#[derive(Debug, Default)]
pub struct LeaseOverview {
    pub owners: Vec<(OwnerId, Option<i64>)>,
    pub is_unclaimed: bool,
}

/// All owners that have a row or a lease, and whether a run waits to be claimed.
pub fn overview(connection: &Connection, engines: Option<&str>) -> Result<LeaseOverview, Error> {
    let mut owners = Vec::new();
    let mut statement = connection.prepare_cached("SELECT owner, beats FROM owner")?;
    let mut rows = statement.query([])?;
    while let Some(found) = rows.next()? {
        owners.push((OwnerId::from_bytes(row::bytes(found, 0)?), Some(found.get(1)?)));
    }
    // One index seek per distinct owner; `SELECT DISTINCT` would read the whole index.
    let mut next = connection
        .prepare_cached("SELECT owner FROM research WHERE due = 1 AND owner > ?1 ORDER BY owner LIMIT 1")?;
    let mut after: Vec<u8> = Vec::new();
    while let Some(bytes) = row::optional(next.query_row(params![after], |row| row.get::<_, [u8; 16]>(0)))? {
        let owner = OwnerId::from_bytes(bytes);
        if !owners.iter().any(|(known, _)| *known == owner) {
            owners.push((owner, None));
        }
        after = bytes.to_vec();
    }
    let unclaimed = connection
        .prepare_cached(
            "SELECT 1 FROM research WHERE due = 1 AND owner IS NULL AND called = 0 \
             AND (?1 IS NULL OR engine IN (SELECT value FROM json_each(?1))) LIMIT 1",
        )?
        .exists(params![engines])?;
    Ok(LeaseOverview { owners, is_unclaimed: unclaimed })
}

/// The process that has the lease of this run.
pub fn owner_of_run(connection: &Connection, id: RunId) -> Result<Option<OwnerId>, Error> {
    let found = row::optional(
        connection
            .prepare_cached("SELECT owner FROM research WHERE id = ?1")?
            .query_row(params![id.to_bytes()], |row| row.get::<_, Option<[u8; 16]>>(0)),
    )?;
    Ok(found.flatten().map(OwnerId::from_bytes))
}

/// Renews the leases of one process: all of them hang on its heartbeat.
pub fn beat(change: &mut WriteContext<'_>, owner: OwnerId, now: Moment) -> Result<(), Error> {
    change
        .connection
        .prepare_cached(
            "INSERT INTO owner (owner, beats, beat_at, pid) VALUES (?1, 1, ?2, ?3)
             ON CONFLICT (owner) DO UPDATE SET beats = beats + 1, beat_at = excluded.beat_at",
        )?
        .execute(params![owner.to_bytes(), now.0, std::process::id()])?;
    change.other_changed();
    Ok(())
}

/// The process that wants runs to drive.
#[derive(Debug)]
pub struct Claimant {
    pub owner: OwnerId,
    /// Leaves out runs that this process cannot drive.
    pub engines: Option<String>,
    /// Runs that this process asked for.
    pub asked: Vec<RunId>,
    pub now: Moment,
}

/// Claims up to `room` runs without an owner, the longest waiting first.
pub fn claim_runs(
    change: &mut WriteContext<'_>,
    claimant: &Claimant,
    room: usize,
) -> Result<Vec<LeaseClaim>, Error> {
    let sql = concat!(
        "SELECT ",
        row::columns!(),
        " FROM research WHERE due = 1 AND owner IS NULL AND called = 0 \
         AND (?2 IS NULL OR engine IN (SELECT value FROM json_each(?2))) \
         AND (sequence > 1 OR abs(asked_at - ?3) > ?4 OR hex(id) IN (SELECT value FROM json_each(?5))) \
         ORDER BY number LIMIT ?1"
    );
    let room = signed(room.min(CLAIMS_MAX) as u64);
    let Claimant { owner, engines, asked, now } = claimant;
    let asked: Vec<String> =
        asked.iter().map(|id| format!("\"{:032X}\"", u128::from_be_bytes(id.to_bytes()))).collect();
    let asked = format!("[{}]", asked.join(","));
    let held = |fence: Fence| LeaseColumns { owner: Some(*owner), fence: Fence(fence.0 + 1), called: false };
    let parameters = params![room, engines, now.0, ASKER_TIME_MS, asked];
    let changed = set_lease_columns(change, sql, parameters, held)?;
    Ok(changed.into_iter().map(|(id, lease)| LeaseClaim { id, fence: lease.fence }).collect())
}

/// Frees the leases of an owner and deletes the owner, unless it sent a heartbeat since it was found dead.
pub fn free_owner(change: &mut WriteContext<'_>, owner: OwnerId, beats: Option<i64>) -> Result<(), Error> {
    let found = row::optional(
        change
            .connection
            .prepare_cached("SELECT beats FROM owner WHERE owner = ?1")?
            .query_row(params![owner.to_bytes()], |row| row.get::<_, i64>(0)),
    )?;
    if beats.is_some_and(|judged| judged != found.unwrap_or(0)) {
        return Ok(());
    }
    let sql = concat!("SELECT ", row::columns!(), " FROM research WHERE due = 1 AND owner = ?1");
    set_lease_columns(change, sql, params![owner.to_bytes()], |fence| LeaseColumns {
        owner: None,
        fence,
        called: false,
    })?;
    let removed = change
        .connection
        .prepare_cached("DELETE FROM owner WHERE owner = ?1")?
        .execute(params![owner.to_bytes()])?;
    if removed > 0 {
        change.other_changed();
    }
    Ok(())
}

/// Releases one lease; a lease that was lost already is not touched.
pub fn release(change: &mut WriteContext<'_>, owner: OwnerId, claim: LeaseClaim) -> Result<(), Error> {
    let sql =
        concat!("SELECT ", row::columns!(), " FROM research WHERE id = ?1 AND owner = ?2 AND fence = ?3");
    let parameters = params![claim.id.to_bytes(), owner.to_bytes(), signed(claim.fence.0)];
    set_lease_columns(change, sql, parameters, |fence| LeaseColumns { owner: None, fence, called: false })?;
    Ok(())
}

const CALLED: &str =
    concat!("SELECT ", row::columns!(), " FROM research WHERE due = 1 AND owner = ?1 AND called = 1");

pub fn is_called(connection: &Connection, owner: OwnerId) -> Result<bool, Error> {
    Ok(connection.prepare_cached(CALLED)?.exists(params![owner.to_bytes()])?)
}

/// Runs of this owner that a client appended to since the last call.
pub fn take_calls(change: &mut WriteContext<'_>, owner: OwnerId) -> Result<Vec<RunId>, Error> {
    let held = |fence: Fence| LeaseColumns { owner: Some(owner), fence, called: false };
    let changed = set_lease_columns(change, CALLED, params![owner.to_bytes()], held)?;
    Ok(changed.into_iter().map(|(id, _)| id).collect())
}

/// Gives every selected row a new owner, with its hash.
fn set_lease_columns(
    change: &mut WriteContext<'_>,
    select: &str,
    parameters: impl rusqlite::Params,
    holder: impl Fn(Fence) -> LeaseColumns,
) -> Result<Vec<(RunId, LeaseColumns)>, Error> {
    let mut planned: Vec<(i64, RunId, LeaseColumns, Hash, Hash)> = Vec::new();
    {
        let mut statement = change.connection.prepare_cached(select)?;
        let mut rows = statement.query(parameters)?;
        while let Some(found) = rows.next()? {
            let (columns, old) = SqliteRunRow::read(found)?;
            let lease = holder(columns.head(old)?.fence);
            planned.push((
                columns.number,
                RunId::from_bytes(columns.id),
                lease,
                old,
                columns.hash_with(lease),
            ));
        }
    }
    let mut update = change.connection.prepare_cached(
        "UPDATE research SET owner = ?2, fence = ?3, called = ?4, hash = ?5 WHERE number = ?1",
    )?;
    let mut changed = Vec::with_capacity(planned.len());
    for (number, id, lease, old, new) in planned {
        let owner = lease.owner.map(OwnerId::to_bytes);
        update.execute(params![number, owner, signed(lease.fence.0), lease.called, new])?;
        change.row_replaced(&old, &new);
        changed.push((id, lease));
    }
    Ok(changed)
}
