//! What each run counts for, and the money gate: whether one more fits, decided inside the write transaction.
//!
//! The rules are `probity_research::spending`; here they meet SQL. Amounts are written with the events they
//! follow from, so that a sum over an index is enough.

use probity_research::{
    cost::MicroUsd,
    error::Code,
    event::Event,
    id::RunId,
    ports::JournalEntry,
    spending::{self, RepeatRule, SpendingGate},
    status::{RunStatus, RunSummary},
    time::Moment,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    error::Error,
    row::{self, signed},
};

/// Numbers of runs begin at 1: this one leaves none out.
const NO_RUN: i64 = 0;
/// Runs of one day that are looked at for when its limit has room again; no machine has more.
const ENDED_MAX: u32 = 10_000;

/// Writes what the run counts for after this entry.
pub fn write(connection: &Connection, number: i64, entry: &JournalEntry) -> Result<(), Error> {
    let summary = &entry.summary;
    let (amount, open) = (signed(spending::charge(summary).0), !summary.status.is_final());
    if let Event::Asked { query, plan } = &entry.event {
        let key = spending::start_key(query, plan).0;
        connection
            .prepare_cached(
                "INSERT INTO charge (number, asked_at, amount, open, start) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![number, summary.asked_at.0, amount, open, key])?;
        return Ok(());
    }
    connection
        .prepare_cached(
            "UPDATE charge SET amount = ?2, open = ?3 WHERE number = ?1 AND (amount <> ?2 OR open <> ?3)",
        )?
        .execute(params![number, amount, open])?;
    Ok(())
}

/// Whether this entry passes: an error, an equal run that is running or uncertain, or nothing against it. `number` is that
/// of its run, if it has one.
pub fn check(
    connection: &Connection,
    number: Option<i64>,
    entry: &JournalEntry,
    gate: SpendingGate,
) -> Result<Option<RunId>, Error> {
    if let (Event::Asked { query, plan }, RepeatRule::ReturnRunning) = (&entry.event, gate.repeat)
        && let Some(equal) = open_or_unknown_equal(connection, &spending::start_key(query, plan).0)?
    {
        return Ok(Some(equal));
    }
    let wanted = spending::charge(&entry.summary);
    // What costs nothing is never refused for money that others spent.
    if let Some(limit) = gate.per_day
        && wanted > MicroUsd(0)
    {
        let spent = charged(connection, entry.at, number)?;
        if !spending::fits(spent, wanted, limit) {
            let ended = ended(connection, entry.at, number)?;
            let end = spending::day_limit_end(spent, wanted, limit, ended);
            let asked_by = entry.summary.asked_by.as_ref();
            let paid = counted(connection, entry.at, number)?.min(spent);
            return Err(spending::day_limit_reached(spent, paid, wanted, limit, end, asked_by).into());
        }
    }
    Ok(None)
}

/// What the runs of the last 24 hours, and all that are running, count for; one of them may be left out.
pub fn charged(connection: &Connection, now: Moment, but: Option<i64>) -> Result<MicroUsd, Error> {
    // Two sums, each over an index that has everything it needs. `total` does not overflow.
    let mut statement = connection.prepare_cached(
        "SELECT (SELECT total(amount) FROM charge WHERE asked_at >= ?1 AND number <> ?2)
              + (SELECT total(amount) FROM charge WHERE open = 1 AND asked_at < ?1 AND number <> ?2)",
    )?;
    let since = spending::day_before(now).0;
    let sum: f64 = statement.query_row(params![since, but.unwrap_or(NO_RUN)], |row| row.get(0))?;
    // Rounded up: a sum too large to be exact is not taken for less than it is.
    Ok(MicroUsd(sum.ceil() as u64))
}

/// How much of what those count for is known to be paid. Reads every summary of the day: only where one is refused.
fn counted(connection: &Connection, now: Moment, but: Option<i64>) -> Result<MicroUsd, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT total(min(amount, ifnull(json_extract(summary, '$.cost.micro_usd'), 0)))
         FROM charge JOIN research USING (number)
         WHERE (charge.asked_at >= ?1 OR charge.open = 1) AND number <> ?2",
    )?;
    let since = spending::day_before(now).0;
    let sum: f64 = statement.query_row(params![since, but.unwrap_or(NO_RUN)], |row| row.get(0))?;
    Ok(MicroUsd(sum.floor() as u64))
}

/// What the runs of the last 24 hours that have ended count for, oldest first.
fn ended(connection: &Connection, now: Moment, but: Option<i64>) -> Result<Vec<(Moment, MicroUsd)>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT asked_at, amount FROM charge WHERE asked_at >= ?1 AND number <> ?2 AND open = 0
         ORDER BY asked_at LIMIT ?3",
    )?;
    let since = spending::day_before(now).0;
    let rows = statement.query_map(params![since, but.unwrap_or(NO_RUN), ENDED_MAX], |row| {
        let amount: i64 = row.get(1)?;
        Ok((Moment(row.get(0)?), MicroUsd(u64::try_from(amount).unwrap_or(0))))
    })?;
    rows.map(|row| row.map_err(Error::from)).collect()
}

/// What a run of a database that is set aside counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostCharge {
    number: i64,
    asked_at: Moment,
    amount: MicroUsd,
    open: bool,
}

/// What counts for the day in a database that is set aside, if these rows and their indices agree.
pub fn of_lost(connection: &Connection, now: Moment) -> Result<Vec<LostCharge>, Error> {
    let found: String = connection.query_row("PRAGMA integrity_check(charge)", [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(found));
    }
    let mut statement = connection
        .prepare("SELECT number, asked_at, amount, open FROM charge WHERE asked_at >= ?1 OR open = 1")?;
    let rows = statement.query_map([spending::day_before(now).0], |row| {
        let amount: i64 = row.get(2)?;
        Ok(LostCharge {
            number: row.get(0)?,
            asked_at: Moment(row.get(1)?),
            amount: MicroUsd(u64::try_from(amount).unwrap_or(0)),
            open: row.get(3)?,
        })
    })?;
    rows.map(|row| row.map_err(Error::from)).collect()
}

/// Adds what this copy of that database does not count yet; the sum of it.
pub fn carry_over(connection: &Connection, lost: &[LostCharge], now: Moment) -> Result<MicroUsd, Error> {
    let mut sum = MicroUsd(0);
    for charge in lost {
        let known: Option<i64> = connection
            .prepare_cached("SELECT amount FROM charge WHERE number = ?1 AND asked_at = ?2")?
            .query_row(params![charge.number, charge.asked_at.0], |row| row.get(0))
            .optional()?;
        let known = MicroUsd(known.and_then(|amount| u64::try_from(amount).ok()).unwrap_or(0));
        let missing = charge.amount.minus(known);
        // One that was running may be billed now.
        add_lost(connection, if charge.open { now } else { charge.asked_at }, missing)?;
        sum = sum.plus(missing);
    }
    Ok(sum)
}

/// Money that counts for the day without a run that is known here: under numbers that no run has.
pub fn add_lost(connection: &Connection, at: Moment, amount: MicroUsd) -> Result<(), Error> {
    if amount > MicroUsd(0) {
        connection
            .prepare_cached(
                "INSERT INTO charge (number, asked_at, amount, open)
                 SELECT min(ifnull(min(number), 0), 0) - 1, ?1, ?2, 0 FROM charge",
            )?
            .execute(params![at.0, signed(amount.0)])?;
    }
    Ok(())
}

/// Goes on counting what a run cost, without saying which run it was.
pub fn make_nameless(connection: &Connection, number: i64) -> Result<(), Error> {
    let charge: Option<(i64, i64)> = connection
        .prepare_cached("SELECT asked_at, amount FROM charge WHERE number = ?1")?
        .query_row([number], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    connection.prepare_cached("DELETE FROM charge WHERE number = ?1")?.execute([number])?;
    let Some((asked_at, amount)) = charge else { return Ok(()) };
    add_lost(connection, Moment(asked_at), MicroUsd(u64::try_from(amount).unwrap_or(0)))
}

/// Whether the row of this run says what its status says.
pub fn check_row(connection: &Connection, number: i64, summary: &RunSummary) -> Result<(), Error> {
    let mut statement = connection.prepare_cached("SELECT amount, open FROM charge WHERE number = ?1")?;
    let found: Option<(i64, bool)> =
        statement.query_row([number], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let expected = (signed(spending::charge(summary).0), !summary.status.is_final());
    match found {
        Some(found) if found == expected => Ok(()),
        _ => Err(Error::Damaged(format!("what {} counts for does not follow from its status", summary.id))),
    }
}

/// An equal run that is running, or of which nobody knows whether it was billed: starting it again by itself might pay
/// for it twice.
fn open_or_unknown_equal(connection: &Connection, key: &[u8; 32]) -> Result<Option<RunId>, Error> {
    let found = |row: &rusqlite::Row<'_>| Ok(RunId::from_bytes(row::bytes(row, 0)?));
    let mut running = connection.prepare_cached(
        "SELECT id FROM charge JOIN research USING (number) WHERE open = 1 AND start = ?1 LIMIT 1",
    )?;
    if let Some(row) = running.query([key])?.next()? {
        return found(row).map(Some);
    }
    // By the index over states: there are never many of these.
    let mut uncertain = connection.prepare_cached(
        "SELECT id FROM research JOIN charge USING (number)
         WHERE (status = ?1 OR status = ?2 AND json_extract(summary, '$.problem.code') = ?3) AND start = ?4 LIMIT 1",
    )?;
    let [unknown, cancelled] = [RunStatus::Unknown, RunStatus::Cancelled].map(RunStatus::as_str);
    let mut rows = uncertain.query(params![unknown, cancelled, Code::CreateUncertain.as_str(), key])?;
    rows.next()?.map(found).transpose()
}
