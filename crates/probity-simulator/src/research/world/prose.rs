//! Sentences of pages that hold no fact, in three languages, and the HTML of pages that need their own.

use crate::research::fact::{FactLanguage, FactTuple};

const FILLER: [[&str; 3]; 6] = [
    [
        "Readers who come to the matter for the first time should know that the method has not changed for decades.",
        "Wer sich zum ersten Mal mit der Sache befasst, sollte wissen, dass sich das Verfahren seit Jahrzehnten nicht geändert hat.",
        "初次接触此事的读者应当知道，方法几十年来没有改变。",
    ],
    [
        "The instruments were checked by two inspectors, and their notes are kept in the archive next to the library.",
        "Zwei Prüfer haben die Geräte abgenommen, ihre Notizen liegen im Archiv neben der Bibliothek.",
        "两名检查员核对了仪器，他们的笔记保存在图书馆旁边的档案室。",
    ],
    [
        "Visitors often ask why the old lighthouse was moved, and the answer has little to do with ships.",
        "Besucher fragen oft, warum der alte Leuchtturm versetzt wurde, und die Antwort hat wenig mit Schiffen zu tun.",
        "游客常问旧灯塔为何迁移，答案与船只关系不大。",
    ],
    [
        "Weather, habit and the calendar of the markets explain most of what is seen from one month to the next.",
        "Wetter, Gewohnheit und der Kalender der Märkte erklären das meiste, was von Monat zu Monat zu sehen ist.",
        "天气、习惯和集市的日历解释了逐月变化的大部分。",
    ],
    [
        "Several people who worked on it have since retired, which makes later questions hard to settle.",
        "Mehrere Beteiligte sind inzwischen im Ruhestand, was spätere Fragen schwer zu klären macht.",
        "参与其中的几位同事已经退休，后来的问题难以查清。",
    ],
    [
        "Nothing in these pages should be read as advice, and the authors welcome corrections by letter.",
        "Nichts auf diesen Seiten ist als Rat zu verstehen; Berichtigungen nehmen die Verfasser gern brieflich entgegen.",
        "这些内容不应视为建议，作者欢迎来信更正。",
    ],
];
const LEAD: [&str; 3] = [
    "A fuller record is kept by {n}.",
    "Eine vollständigere Aufzeichnung führt {n}.",
    "更完整的记录由 {n} 保存。",
];
const RELATED: [&str; 3] = ["A neighbouring subject is {n}.", "Ein Nachbarthema: {n}.", "相邻的主题是{n}。"];
const TITLE: [&str; 3] = ["{f}: {e} on the {t} coast", "{f}: {e} an der {t} Küste", "{f}： {e} 与 {t} 海岸"];
const NAMED: [&str; 3] = ["{e}: papers", "{e}: Mitteilungen", "{e} ：通报"];
const REVISED: [&str; 3] = [
    "The earlier figure was revised after an audit.",
    "Die frühere Angabe wurde nach einer Prüfung korrigiert.",
    "审计后先前的数字已修订。",
];
const SCOPE: [&str; 3] = [
    "This figure counts the outer berths as well.",
    "Diese Zahl zählt auch die äußeren Plätze.",
    "该数字还计入外侧泊位。",
];

pub(super) fn filler(language: FactLanguage, place: usize) -> &'static str {
    FILLER.get(place % FILLER.len()).map_or("", |forms| language.of(forms))
}

pub(super) fn lead(language: FactLanguage, name: &str) -> String {
    language.of(&LEAD).replace("{n}", name)
}

pub(super) fn related(language: FactLanguage, facet: &str) -> String {
    language.of(&RELATED).replace("{n}", facet)
}

pub(super) fn revised(language: FactLanguage) -> &'static str {
    language.of(&REVISED)
}

pub(super) fn scope(language: FactLanguage) -> &'static str {
    language.of(&SCOPE)
}

pub(super) fn title(language: FactLanguage, facet: &str, entities: &str, topic: &str) -> String {
    let form = language.of(&TITLE).replace("{f}", facet).replace("{e}", entities).replace("{t}", topic);
    let mut letters = form.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

pub(super) fn named_title(language: FactLanguage, name: &str) -> String {
    language.of(&NAMED).replace("{e}", name)
}

/// A table as HTML and as the text that a search engine indexes. Rows are facts of one name, in the order of columns.
pub(super) fn table(language: FactLanguage, rows: &[Vec<FactTuple>]) -> (String, String) {
    let head: Vec<String> = rows.first().into_iter().flatten().map(|cell| cell.column(language)).collect();
    let line = |cells: &[String], tag: &str| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{}</tr>\n", cells.concat())
    };
    let head = [vec!["Name".to_owned()], head].concat();
    let mut html = line(&head, "th");
    let mut text = head.join(" | ");
    for row in rows {
        let name = row.first().map(|cell| cell.entity.clone()).unwrap_or_default();
        let cells = [vec![name], row.iter().map(|cell| cell.value(language)).collect()].concat();
        html.push_str(&line(&cells, "td"));
        text.push('\n');
        text.push_str(&cells.join(" | "));
    }
    (format!("<table>\n{html}</table>\n"), text)
}
