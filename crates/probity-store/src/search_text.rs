//! Text as the index of words takes it, and words as it is asked for them: both go through the same folding.

use probity_research::shelf::SearchWords;
use rusqlite::{Connection, params};

use crate::error::Error;

/// Chinese and Japanese are written without spaces: each of their letters is a word of its own, and a word of several is a
/// phrase. `ß` is `ss`, as it is in capitals.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'ß' | 'ẞ' => folded.push_str("ss"),
            letter if stands_alone(letter) => {
                folded.push(' ');
                folded.push(letter);
                folded.push(' ');
            }
            letter => folded.push(letter),
        }
    }
    folded
}

/// Kana, half-width kana and Han.
fn stands_alone(letter: char) -> bool {
    matches!(
        letter,
        '\u{3005}'..='\u{3007}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// The words as the full-text index takes them: all of them, each the beginning of a word. Quoted, so that none of them
/// is an operator.
pub fn match_text(words: &SearchWords) -> String {
    let quoted: Vec<String> =
        words.as_slice().iter().map(|word| format!("\"{}\"*", folded(word).trim())).collect();
    quoted.join(" ")
}

/// The words as a JSON list, for a look into questions and titles, where any part of a word is found.
pub fn word_list(words: &SearchWords) -> String {
    let quoted: Vec<String> =
        words.as_slice().iter().map(|word| format!("\"{}\"", word.replace('ß', "ss"))).collect();
    format!("[{}]", quoted.join(","))
}

/// Folds what was indexed before texts were folded.
pub fn fold_index(connection: &Connection) -> Result<(), Error> {
    let mut statement = connection.prepare("SELECT rowid FROM search")?;
    let numbers: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for number in numbers {
        let texts: [String; 3] = connection
            .prepare_cached("SELECT question, title, report FROM search WHERE rowid = ?1")?
            .query_row([number], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
        let [question, title, report] = texts.map(|text| folded(&text));
        connection
            .prepare_cached("UPDATE search SET question = ?2, title = ?3, report = ?4 WHERE rowid = ?1")?
            .execute(params![number, question, title, report])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use probity_research::shelf::SearchWords;

    use super::{fold_index, folded, match_text, word_list};
    use crate::connection;

    #[test]
    fn what_was_indexed_before_is_folded() {
        let database = connection::in_memory().unwrap();
        database
            .execute_batch(
                "CREATE VIRTUAL TABLE search USING fts5(question, title, report);
                 INSERT INTO search (rowid, question, title, report) VALUES (3, 'Straße?', '', '資料');",
            )
            .unwrap();
        fold_index(&database).unwrap();
        let sql = "SELECT rowid FROM search WHERE search MATCH ?1";
        let found: i64 = database.query_row(sql, ["\"料\"* \"strasse\"*"], |row| row.get(0)).unwrap();
        assert_eq!(found, 3);
    }

    #[test]
    fn letters_without_spaces_between_them_are_words_of_their_own() {
        assert_eq!(folded("日本 bridge"), " 日  本  bridge");
        assert_eq!(folded("Straße"), "Strasse");
        assert_eq!(match_text(&SearchWords::parse("資料 Straße").unwrap()), "\"資  料\"* \"strasse\"*");
        assert_eq!(word_list(&SearchWords::parse("資料 Straße").unwrap()), "[\"資料\",\"strasse\"]");
    }
}
