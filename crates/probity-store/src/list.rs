//! Lists of runs, newest change first: index scans, each row checked against its hash.

use probity_research::{
    error::{Code, CodedError},
    id::RunId,
    list::{LIST_MAX, ListFilter},
    principal::Principal,
    shelf::{ShelfPart, Tag},
    status::{RunStatus, RunSummary},
};
use rusqlite::{Connection, Row, named_params, params};

use crate::{
    error::Error,
    row::{self, SqliteRunRow, signed},
    search_text, shelf,
};

/// Shortest leading part of an id that is looked up, in digits.
const PREFIX_DIGITS_MIN: usize = 4;
const ID_DIGITS: usize = 32;
/// Ids named when a leading part fits several.
pub const CANDIDATES_NAMED: usize = 4;

pub fn list(connection: &Connection, filter: &ListFilter) -> Result<Vec<RunSummary>, Error> {
    let wanted = filter.status.as_ref().map_or(RunStatus::ALL.as_slice(), std::slice::from_ref);
    let mut statement = connection.prepare_cached(&list_sql(wanted, filter.part))?;
    let limit = filter.limit.min(LIST_MAX);
    let search = SearchColumns::of(filter);
    let text = filter.text.as_ref().map(|text| text.to_lowercase());
    let mut rows = statement.query(named_params! {
        ":text": text,
        ":engine": filter.engine,
        ":asked_by": filter.asked_by.as_ref().map(Principal::as_str),
        ":after": filter.asked_after.map(|at| at.0),
        ":before": filter.asked_before.map(|at| at.0),
        ":words": search.words,
        ":match": search.matching,
        ":tag": search.tag,
        ":reach": signed(limit.saturating_add(filter.offset) as u64),
        ":limit": signed(limit as u64),
        ":offset": signed(filter.offset as u64),
    })?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read_summary(row)?);
    }
    Ok(found)
}

/// One index scan per status, merged: a second index by time alone would be written on every append.
fn list_sql(wanted: &[RunStatus], part: ShelfPart) -> String {
    let shelf = shelf_sql(part);
    let scans: Vec<String> = wanted
        .iter()
        .map(|status| {
            format!(
                "SELECT * FROM (SELECT number, updated_at FROM research WHERE status = '{}'
                 AND (:text IS NULL OR instr(words, :text) > 0)
                 AND (:engine IS NULL OR engine = :engine)
                 AND (:asked_by IS NULL OR json_extract(summary, '$.asked_by') = :asked_by)
                 AND (:after IS NULL OR asked_at >= :after)
                 AND (:before IS NULL OR asked_at < :before)
                 AND {shelf} AND {SEARCHED}
                 ORDER BY updated_at DESC, number DESC LIMIT :reach)",
                status.as_str()
            )
        })
        .collect();
    let columns = row::columns!();
    format!(
        "WITH page AS MATERIALIZED (SELECT number AS chosen, updated_at AS changed FROM ({}) 
         ORDER BY updated_at DESC, number DESC LIMIT :limit OFFSET :offset)
         SELECT {columns}, summary FROM page CROSS JOIN research ON number = chosen
         ORDER BY changed DESC, chosen DESC",
        scans.join(" UNION ALL ")
    )
}

/// How many runs there are of this status, with this text in their question, these words and this tag, of whomever: every
/// other part of the filter is ignored. For the machine's own user alone.
pub fn total(connection: &Connection, filter: &ListFilter) -> Result<u64, Error> {
    let shelf = shelf_sql(filter.part);
    let mut statement = connection.prepare_cached(&format!(
        "SELECT count(*) FROM research WHERE (:status IS NULL OR status = :status)
         AND (:text IS NULL OR instr(words, :text) > 0) AND {shelf} AND {SEARCHED}",
    ))?;
    let text = filter.text.as_ref().map(|text| text.to_lowercase());
    let search = SearchColumns::of(filter);
    let mut rows = statement.query(named_params! {
        ":status": filter.status.map(RunStatus::as_str),
        ":text": text,
        ":words": search.words,
        ":match": search.matching,
        ":tag": search.tag,
    })?;
    rows.next()?.map_or(Ok(0), |found| row::count(found, 0))
}

/// Words and a tag as the queries take them.
struct SearchColumns<'a> {
    words: Option<String>,
    matching: String,
    tag: Option<&'a str>,
}

impl<'a> SearchColumns<'a> {
    fn of(filter: &'a ListFilter) -> Self {
        let words = filter.words.as_ref();
        Self {
            words: words.map(search_text::word_list),
            // The index refuses an empty search, even one whose answer is not used.
            matching: words.map_or_else(|| "\"a\"".to_owned(), search_text::match_text),
            tag: filter.tag.as_ref().map(Tag::as_str),
        }
    }
}

/// All words in the report's text with its question and title, or all of them in question and title: a run without a
/// report is in no index.
const SEARCHED: &str = "(:words IS NULL
    OR number IN (SELECT rowid FROM search WHERE search MATCH :match)
    OR NOT EXISTS (SELECT 1 FROM json_each(:words) AS word WHERE instr(replace(research.words, 'ß', 'ss'), word.value) = 0
        AND instr(ifnull((SELECT replace(lower(title), 'ß', 'ss') FROM shelf WHERE shelf.number = research.number), ''),
            word.value) = 0))
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM shelf, json_each(shelf.tags) AS tagged
        WHERE shelf.number = research.number AND tagged.value = :tag))";

fn shelf_sql(part: ShelfPart) -> &'static str {
    match part {
        ShelfPart::Kept => shelf::kept!(),
        ShelfPart::Removed => concat!("NOT ", shelf::kept!()),
        ShelfPart::All => "true",
    }
}

/// How many runs have each status; those without any are left out.
pub fn counts(connection: &Connection) -> Result<Vec<(RunStatus, u64)>, Error> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT status, count(*) FROM research WHERE ",
        shelf::kept!(),
        " GROUP BY status"
    ))?;
    let mut rows = statement.query([])?;
    let mut counted = Vec::new();
    while let Some(found) = rows.next()? {
        let text = row::text(found, 0)?;
        let status =
            RunStatus::parse(text).ok_or_else(|| Error::Damaged(format!("`{text}` is not a status")))?;
        counted.push((status, row::count(found, 1)?));
    }
    counted.sort();
    Ok(counted)
}

/// Whether a driver has anything to do.
pub fn has_due(connection: &Connection, engines: Option<&str>) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM research WHERE due = 1 \
         AND (?1 IS NULL OR engine IN (SELECT value FROM json_each(?1))))",
    )?;
    Ok(statement.query_row([engines], |row| row.get(0))?)
}

/// The run that was started last.
pub fn latest(connection: &Connection) -> Result<Option<RunSummary>, Error> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT ",
        row::columns!(),
        ", summary FROM research WHERE ",
        shelf::kept!(),
        " ORDER BY number DESC LIMIT 1"
    ))?;
    let mut rows = statement.query([])?;
    rows.next()?.map(read_summary).transpose()
}

/// Ids that start like this, at most a few more than one.
pub fn find_ids_by_prefix(connection: &Connection, text: &str) -> Result<Vec<RunId>, Error> {
    let sql = concat!(
        "SELECT id FROM research WHERE id BETWEEN ?1 AND ?2 AND ",
        shelf::kept!(),
        " ORDER BY id LIMIT ?3"
    );
    ids_between(connection, text, sql)
}

/// The same among those in the trash.
pub fn find_removed_by_prefix(connection: &Connection, text: &str) -> Result<Vec<RunId>, Error> {
    let sql = concat!(
        "SELECT id FROM research WHERE id BETWEEN ?1 AND ?2 AND NOT ",
        shelf::kept!(),
        " ORDER BY id LIMIT ?3"
    );
    ids_between(connection, text, sql)
}

fn ids_between(connection: &Connection, text: &str, sql: &str) -> Result<Vec<RunId>, Error> {
    let (from, to) = prefix_range(text)?;
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![from, to, signed(CANDIDATES_NAMED as u64)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(RunId::from_bytes(row::bytes(row, 0)?));
    }
    Ok(found)
}

/// The summary of a listed row: both of its hashes are checked.
fn read_summary(row: &Row<'_>) -> Result<RunSummary, Error> {
    let (columns, _) = SqliteRunRow::read(row)?;
    let id = RunId::from_bytes(columns.id);
    parse_summary(row::checked_summary(id, row::text(row, row::SUMMARY)?, &columns.seal)?)
}

pub fn parse_summary(summary: &str) -> Result<RunSummary, Error> {
    serde_json::from_str(summary)
        .map_err(|error| Error::Damaged(format!("a status row is unreadable: {error}")))
}

pub fn prefix_range(text: &str) -> Result<([u8; 16], [u8; 16]), CodedError> {
    let trimmed = text.trim();
    let digits: String = trimmed.strip_prefix(RunId::PREFIX).unwrap_or(trimmed).split('-').collect();
    let fits = (PREFIX_DIGITS_MIN..=ID_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let edge = |fill: char| {
        let full = format!("{digits}{}", fill.to_string().repeat(ID_DIGITS.saturating_sub(digits.len())));
        u128::from_str_radix(&full, 16).ok().filter(|_| fits).map(u128::to_be_bytes)
    };
    edge('0').zip(edge('f')).ok_or_else(|| {
        let shown = probity_research::text::short(trimmed, 60);
        let message =
            format!("`{shown}` is not an id or the first {PREFIX_DIGITS_MIN} or more digits of one");
        CodedError::new(Code::NotFound, &message)
    })
}

/// The one id among those that were found for `text`.
pub fn single_match(found: &[RunId], text: &str) -> Result<RunId, CodedError> {
    let shown = probity_research::text::short(text.trim(), 60);
    match found {
        [only] => Ok(*only),
        [] => Err(CodedError::new(Code::NotFound, &format!("no research id starts with `{shown}`"))),
        several => {
            let names: Vec<String> = several.iter().map(ToString::to_string).collect();
            let message = format!("several research ids start with `{shown}`: {}, …", names.join(", "));
            Err(CodedError::new(Code::NotFound, &message))
        }
    }
}
