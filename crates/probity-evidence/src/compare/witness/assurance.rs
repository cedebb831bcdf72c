//! How sure and how far: words of the claim that leave nothing open and that the page does not have, and what the page
//! has only behind a reservation.

use super::{Scene, bearers::places, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        senses::{Sense, SensePlace},
    },
    hash::QuickSet,
};

/// Share of the claim that the page must have somewhere for a word of the claim to count.
const SAME_TOPIC: f32 = 0.2;
/// Sentences that may have a word as strong as the claim's.
const SENTENCES: usize = 3;
/// Share of the claim that a sentence must have for its reservation to count.
const RESERVED_TOPIC: f32 = 0.3;
/// Tokens behind a reservation that it is about.
const RESERVED_REACH: usize = 4;

/// Words that leave nothing open, and what says the same in other words.
struct StrongWords {
    forms: &'static [&'static str],
    likewise: &'static [&'static str],
}

const CLASSES: &[StrongWords] = &[
    StrongWords {
        forms: &[
            "certain to",
            "sure to",
            "definitely",
            "guaranteed to",
            "auf jeden fall",
            "garantiert",
            "mit sicherheit",
            "à coup sûr",
            "sans aucun doute",
            "con seguridad",
            "con toda seguridad",
            "sin duda",
            "sicuramente",
            "di certo",
            "senza dubbio",
            "com certeza",
            "sem dúvida",
            "na pewno",
            "z pewnością",
            "обязательно",
            "наверняка",
            "несомненно",
            "بالتأكيد",
            "حتما",
            "بلا شك",
            "一定会",
            "必将",
            "已成定局",
            "必ず",
            "確実に",
        ],
        likewise: &["certain", "sicher", "sûr", "segur", "certez", "pewn", "гарант", "确定", "確定"],
    },
    StrongWords {
        forms: &[
            "entirely",
            "completely",
            "totally",
            "wholly",
            "vollständig",
            "komplett",
            "gänzlich",
            "restlos",
            "entièrement",
            "totalement",
            "complètement",
            "intégralement",
            "completamente",
            "enteramente",
            "totalmente",
            "por completo",
            "interamente",
            "del tutto",
            "inteiramente",
            "por inteiro",
            "całkowicie",
            "w całości",
            "doszczętnie",
            "полностью",
            "целиком",
            "بالكامل",
            "كليا",
            "彻底",
            "完全",
            "すっかり",
        ],
        likewise: &[
            "100 %", "100%", "all ", "whole", "ganz", "tout ", "toute", "todo", "toda", "tutto", "tutta",
            "wszystk", "весь", "всё", "вся", "كل", "全部", "全て", "total", "complet", "entier", "enter",
            "inter", "inteir",
        ],
    },
    StrongWords {
        forms: &[
            "exactly",
            "precisely",
            "genau",
            "exakt",
            "exactement",
            "précisément",
            "exactamente",
            "precisamente",
            "esattamente",
            "exatamente",
            "dokładnie",
            "ровно",
            "بالضبط",
            "正好",
            "恰好",
            "ちょうど",
        ],
        likewise: &["exact", "exakt", "precis", "précis", "esatt", "exat", "dokład", "точн"],
    },
    StrongWords {
        forms: &[
            "every year",
            "every day",
            "all year",
            "at all times",
            "jedes jahr",
            "jeden tag",
            "ganzjährig",
            "das ganze jahr",
            "chaque année",
            "toute l'année",
            "toute l’année",
            "tous les ans",
            "cada año",
            "todos los años",
            "todo el año",
            "ogni anno",
            "tutti gli anni",
            "tutto l'anno",
            "tutto l’anno",
            "todos os anos",
            "o ano todo",
            "o ano inteiro",
            "todo ano",
            "co roku",
            "każdego roku",
            "cały rok",
            "каждый год",
            "круглый год",
            "كل عام",
            "كل سنة",
            "طوال العام",
            "طوال السنة",
            "每年",
            "全年",
            "毎年",
            "一年中",
        ],
        likewise: &[
            "daily",
            "annual",
            "yearly",
            "täglich",
            "jährlich",
            "quotidien",
            "annuel",
            "diari",
            "anual",
            "giornalier",
            "quotidian",
            "codzien",
            "roczn",
            "ежедневн",
            "ежегодн",
            "يومي",
            "سنوي",
            "每天",
            "每日",
            "毎日",
            "always",
            "immer",
            "siempre",
            "sempre",
            "zawsze",
            "всегда",
            "دائما",
        ],
    },
    StrongWords {
        forms: &[
            "all ages",
            "any age",
            "every age",
            "jeden alters",
            "alle altersgruppen",
            "tout âge",
            "tous les âges",
            "todas las edades",
            "cualquier edad",
            "tutte le età",
            "ogni età",
            "todas as idades",
            "qualquer idade",
            "w każdym wieku",
            "всех возрастов",
            "любого возраста",
            "جميع الأعمار",
            "كل الأعمار",
            "所有年龄",
            "各年龄",
            "全年齢",
            "あらゆる年齢",
        ],
        likewise: &[],
    },
    StrongWords {
        forms: &[
            "unanimously",
            "einstimmig",
            "à l'unanimité",
            "à l’unanimité",
            "por unanimidad",
            "all'unanimità",
            "all’unanimità",
            "por unanimidade",
            "jednogłośnie",
            "единогласно",
            "unaniem",
            "enhälligt",
            "一致通过",
            "全会一致",
        ],
        likewise: &["unanim", "einstimm", "einhellig", "jednogł", "единогл", "единодуш", "enhällig", "一致"],
    },
];

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    strong_word(scene).into_iter().chain(reserved_word(scene)).collect()
}

fn is_dense(form: &str) -> bool {
    form.chars().any(crate::words::classes::is_dense)
}

/// The letters and digits of a text that stand together. A form that is a word of its own begins with one of them.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|run| !run.is_empty())
}

/// The form as a word of its own; scripts without spaces have none.
fn has_form(text: &str, form: &str) -> Option<usize> {
    let is_dense = is_dense(form);
    let mut places = text.match_indices(form).map(|(at, _)| at);
    places.find(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + form.len()..).and_then(|behind| behind.chars().next());
        let inside = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        is_dense || (!inside(before) && !inside(behind))
    })
}

/// "Entirely destroyed" where the page says "destroyed": the claim goes further than what it rests on.
fn strong_word(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.is_about(SAME_TOPIC))?;
    let claim = scene.claim.text.to_lowercase();
    let own_words: QuickSet<&str> = runs(&claim).collect();
    let near = || {
        let read = scene.sentences.iter().take(SENTENCES);
        read.map(|sentence| sentence.reading.text.to_lowercase())
    };
    for class in CLASSES {
        let may_stand =
            |form: &&&str| runs(form).next().is_none_or(|first| own_words.contains(first)) || is_dense(form);
        let mut forms = class.forms.iter().filter(may_stand);
        let Some((form, at)) = forms.find_map(|form| Some((*form, has_form(&claim, form)?))) else {
            continue;
        };
        // "Exactly 640": the figure is compared by itself. "Not entirely" goes no further than the page.
        let behind = claim.get(at + form.len()..).unwrap_or_default().trim_start();
        let counted = behind.starts_with(|letter: char| letter.is_ascii_digit());
        let as_strong = |text: String| {
            class.forms.iter().any(|form| has_form(&text, form).is_some())
                || class.likewise.iter().any(|part| text.contains(*part))
        };
        if counted || scene.i_have(Sense::Not) || near().any(as_strong) {
            continue;
        }
        let reason = format!("the claim says \"{form}\", the page's sentence does not");
        let whole = (0, scene.claim.text.len());
        return Some(doubt(ComparisonAspect::Scope, whole, Some(best.reading.span()), reason));
    }
    None
}

/// What could be once and what can be is no reservation of what is.
const ABILITIES: &[&str] = &["could", "konnte", "konnten", "мог", "могут", "может", "kan", "kunnen", "peut"];
const CAN: &[&str] =
    &["can", "kann", "konnen", "peuvent", "puede", "pueden", "puo", "possono", "pode", "podem"];

/// "Probably of pneumonia": a word of the claim that the page has only behind a reservation.
fn reserved_word(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let says_can = scene.mine.tokens.iter().any(|token| CAN.contains(&token.plain.as_str()));
    if scene.i_have(Sense::Hedge) || scene.i_have(Sense::Plan) || scene.i_have(Sense::Not) || says_can {
        return None;
    }
    let page = scene.source.page;
    for sentence in scene.sentences.iter().filter(|sentence| sentence.share >= RESERVED_TOPIC) {
        let reading = &sentence.reading;
        let is_hedge = |place: &&SensePlace| place.sense == Sense::Hedge;
        for at in sentence.senses.iter().filter(is_hedge).filter_map(|place| place.token) {
            let Some(hedge) = reading.tokens.get(at) else { continue };
            let shown = page.text().get(hedge.start..hedge.end).unwrap_or_default();
            if shown == "May" || ABILITIES.contains(&hedge.plain.as_str()) {
                continue;
            }
            let behind = reading.tokens.iter().skip(at + 1).take(RESERVED_REACH);
            let mut about = behind.take_while(|token| !token.begins_clause).filter(|token| token.is_content);
            let reserved = about.find(|token| {
                let elsewhere = scene
                    .sentences
                    .iter()
                    .any(|other| other.reading.base != reading.base && other.reading.has(&token.plain));
                scene.mine.has(&token.plain) && !elsewhere && places(page, &token.plain).count() <= 1
            });
            if let Some(token) = reserved {
                let word = page.text().get(token.start..token.end).unwrap_or_default();
                let reason = format!("the page hedges \"{word}\" (\"{shown}\"), the claim does not");
                let whole = (0, scene.claim.text.len());
                return Some(doubt(ComparisonAspect::Hedge, whole, Some(reading.span()), reason));
            }
        }
    }
    None
}
