//! The words of sentences that may state nothing, in the languages that reports are written in. Phrases are parted by `|`
//! and compared word by word, so marks and capitals do not matter.

use std::sync::LazyLock;

use super::SentenceFrame;
use crate::{
    hash::{QuickMap, QuickSet},
    words::{LetterCase, TextWord, WordKind, is_stop_word, stem, words},
};

/// Draw together, or go on from what was said.
const SUMMARY: &str = "in summary|in conclusion|to summarize|to summarise|to sum up|to conclude|in sum|overall|in short|\
    in brief|tl dr|tldr|in a nutshell|all in all|ultimately|taken together|together|in essence|therefore|thus|hence|in other words|as a result|\
    looking ahead|moving forward|it is important to|it is important to note|it is worth noting|it follows|this suggests|\
    note|please note|disclaimer|zusammenfassend|zusammengenommen|insgesamt|fazit|kurz gesagt|kurzum|alles in allem|\
    mit anderen worten|daraus folgt|das legt nahe|en résumé|en conclusion|en bref|en somme|pris ensemble|dans l'ensemble|\
    autrement dit|en d'autres termes|il en ressort|en resumen|en conclusión|en conjunto|en suma|en otras palabras|\
    in sintesi|in conclusione|in breve|nel complesso|in altre parole|em resumo|em conclusão|em suma|no geral|\
    em outras palavras|в заключение|таким образом|в целом|иными словами|итак|综上|综上所述|总之|总的来说|总体而言|总体来看|\
    综合来看|因此|由此可见|值得注意的是|结论|换句话说|简而言之|まとめると|結論として|要するに|つまり|결론적으로|요약하면|\
    باختصار|في الختام|خلاصة القول";
/// Give an opinion.
const OPINION: &str = "we believe|we think|i believe|i think|in our view|in my view|in our opinion|in my opinion|arguably|\
    unserer ansicht nach|meiner ansicht nach|unserer meinung nach|meiner meinung nach|wir glauben|wir meinen|à notre avis|\
    à mon avis|selon nous|en nuestra opinión|en mi opinión|a nostro avviso|em nossa opinião|на наш взгляд|по нашему мнению|\
    我们认为|我认为|私見では|في رأينا|في رأيي";
/// Speak of the report, or of what its author does next.
const DOCUMENT: &str = "this report|this section|this document|this analysis|this overview|this study examines|\
    this research report|this table|this review|this survey|this chapter|this brief|this summary|this article|this page|\
    this text|this note|this memo|this list|this comparison|this part|in this report|in this section|in this chapter|our report|\
    the present report|the following table|the following list|the following section|the following sections|the table below|\
    the list below|the sections below|the section below|below is|below are|here is|here are|here's|let me|let's|let us|\
    i'll|i will|now let|we will|for the purposes of this|\
    dieser bericht|dieser abschnitt|dieses kapitel|diese übersicht|diese analyse|dieses dokument|diese tabelle|im folgenden|\
    in diesem bericht|in diesem abschnitt|ce rapport|cette section|ce chapitre|ce document|cette analyse|ce tableau|\
    dans ce rapport|dans cette section|este informe|esta sección|este capítulo|este documento|este análisis|esta tabla|\
    en este informe|en esta sección|questo rapporto|questa sezione|questo capitolo|questo documento|este relatório|\
    esta seção|este capítulo|настоящий отчёт|этот отчёт|этот раздел|в этом разделе|本报告|本文|本研究报告|本節|本节|本章|以下|\
    下表|我将|让我|下面|本レポート|本稿|以下の|이 보고서|이 절|يتناول هذا التقرير|هذا التقرير|هذا القسم";
/// Say what ought to be done, in front of a sentence.
const ADVICE: &str = "we recommend|i recommend|our recommendation is|our recommendation|we suggest|we advise|i suggest|\
    wir empfehlen|nous recommandons|recomendamos|si consiglia|raccomandiamo|recomenda se|мы рекомендуем|рекомендуется|\
    我们建议|建议|お勧めします|نوصي";
/// Say it anywhere in a sentence. What must be done may be a law, and is a fact.
const ADVICE_INSIDE: &str = "should|ought to|we must|you must|we need to|you need to|sollte|sollten|devrait|devraient|\
    debería|deberían|dovrebbe|dovrebbero|deveria|deveriam|следует|应该|应当|建议|すべき|べき";
/// Take what follows for granted: a question in form only.
const KNOWN_TO_ALL: &str = "did you know|do you know that|have you heard|who knew|is it not|was it not|is it any wonder|\
    is it a surprise|how could|how dare|wussten sie|wusstest du|wusstet ihr|ist es nicht|war es nicht|saviez vous|\
    savais tu|n'est il pas|n'est ce pas|sabía|sabía usted|sabías|sabían|no es|lo sapevi|lo sapevate|sapevi|sapevate|\
    non è|você sabia|vocês sabiam|não é|знаете ли вы|знали ли вы|разве|разве не|你知道|您知道|你知道吗|您知道吗|难道|難道|\
    ご存じ|知っていますか|هل تعلم|أليس";
/// Ask for the reason of something that is taken for granted.
const WHY: &str = "why|how come|warum|wieso|weshalb|pourquoi|por qué|perché|por que|почему|зачем|为什么|为何|為什麼|なぜ|\
    どうして|왜|لماذا";
/// Make a question of a statement, at its end.
const TAGS: &str = "right|correct|isn't it|wasn't it|aren't they|weren't they|doesn't it|didn't it|didn't they|don't they|\
    hasn't it|haven't they|is it not|nicht wahr|oder|stimmt's|n'est ce pas|non|verdad|cierto|no|vero|né|não é|certo|\
    не так ли|верно|правда|对吧|对不对|是吧|不是吗|ですよね|でしょう|맞죠|أليس كذلك";
/// Join a sentence to the phrase before it.
const COMPLEMENTS: &[&str] = &["that", "dass", "que", "qu", "che", "что"];
/// Begin a clause that states something, or state it themselves.
const ASSERTING: &[&str] = &[
    "that",
    "which",
    "who",
    "whose",
    "whom",
    "because",
    "since",
    "is",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "did",
    "does",
    "said",
    "says",
    "say",
    "found",
    "proved",
    "proven",
    "showed",
    "dass",
    "weil",
    "denn",
    "ist",
    "sind",
    "war",
    "waren",
    "hat",
    "hatte",
    "hatten",
    "wurde",
    "wurden",
    "que",
    "qui",
    "dont",
    "parce",
    "est",
    "sont",
    "était",
    "étaient",
    "ont",
    "quien",
    "porque",
    "fue",
    "fueron",
    "era",
    "ha",
    "han",
    "che",
    "è",
    "sono",
    "hanno",
    "é",
    "são",
    "foi",
    "что",
    "который",
    "которая",
    "которые",
    "потому",
    "أن",
    "الذي",
    "التي",
    "لأن",
];
/// Name a matter without saying how it is.
const ASKING: &[&str] = &[
    "how",
    "why",
    "what",
    "where",
    "when",
    "whether",
    "wie",
    "warum",
    "was",
    "wo",
    "wann",
    "ob",
    "comment",
    "pourquoi",
    "quand",
    "où",
    "cómo",
    "cuándo",
    "dónde",
    "come",
    "quando",
    "dove",
    "como",
    "onde",
    "как",
    "почему",
    "где",
    "когда",
    "كيف",
    "لماذا",
];
/// Stand for what was said before.
const POINTING: &[&str] = &[
    "that", "this", "it", "das", "dies", "es", "cela", "ce", "c", "esto", "eso", "questo", "ciò", "isso",
    "isto", "это",
];
const BEING: &[&str] = &[
    "is", "was", "are", "were", "seems", "looks", "remains", "ist", "war", "est", "était", "es", "fue", "è",
    "era", "é", "foi",
];
/// Say nothing about the world by themselves: the words of reports about reports, small counts, and judgements so general
/// that no page could bear them out.
const GENERAL: &str = "describe cover examine look discuss explain summarise summarize present review compare list \
    outline analyse analyze give contain focus deal explore provide consider address introduce detail show set turn begin \
    go went see read follow draw remain seem appear believe think hope recommend suggest advise note mention ask answer \
    method methodology result finding evidence source data figure table section report chapter part overview summary \
    background context scope aim purpose question topic subject issue matter point fact example statement sentence \
    information limitation assumption definition term conclusion introduction literature approach criterion criteria order \
    step material reader study research investigation comparison analysis analyses survey page text recommendation main key \
    important relevant different various several following below above next previous first second third last short brief \
    general further additional full whole clear unclear mixed consistent good much many well interesting useful helpful \
    notable remarkable promising encouraging worth reasonable sensible careful caution care side year way thing case time \
    view picture opinion one two three four five six seven eight nine ten let will please now here there together other \
    beschreibt behandelt untersucht erläutert fasst zusammen zeigt vergleicht stellt dar gibt überblick methode methoden \
    ergebnis ergebnisse ergebnissen quelle quellen daten bericht abschnitt kapitel thema themen frage fragen wichtig wichtige \
    wichtigsten weitere weiterer weiteren untersuchung untersuchungen forschung gut gutes jahr klar unklar folgende folgenden \
    befund befunde belege gemischt \
    décrit présente examine compare résume explique aperçu méthode méthodes résultat résultats données rapport principaux \
    principales autres étude études recherche recherches bon bonne année clair claire suivants suivantes \
    describe presenta examina compara resume explica método métodos resultado resultados fuente fuentes datos informe \
    sección pregunta preguntas principales importante importantes estudios investigación buen año claro siguientes \
    descrive presenta esamina confronta riassume spiega metodo metodi risultati fonti dati rapporto domande buon anno chiaro \
    seguenti descreve apresenta métodos resultados fontes dados relatório perguntas bom ano \
    описывает рассматривает сравнивает методы результаты источники данные раздел вопросы хороший год следующие";
/// Whom advice is given to, at the beginning of a sentence, where a name looks no different.
const ADDRESSED: &[&str] = &[
    "people",
    "doctors",
    "readers",
    "users",
    "companies",
    "governments",
    "authorities",
    "researchers",
    "policymakers",
    "patients",
    "investors",
    "organisations",
    "organizations",
    "developers",
    "buyers",
    "consumers",
    "teams",
    "everyone",
    "anyone",
    "nobody",
    "whoever",
];
/// The same as `GENERAL` in scripts without spaces.
const GENERAL_DENSE: &str = "介绍|描述|分析|讨论|总结|概述|比较|研究|探讨|说明|方法|结果|来源|数据|资料|报告|部分|章节|问题|主要|\
    重要|以下|内容|背景|情况|进一步|建议|良好|明确|不明确|年度|紹介|説明|分析|比較|方法|結果|資料|報告|部分|問題|主要|重要|内容|\
    背景|情報|研究|述べ|示す|まとめ";

/// A phrase word by word.
type Phrase = Vec<String>;

fn phrases(list: &str) -> impl Iterator<Item = Phrase> {
    list.split('|').map(|phrase| words(phrase).into_iter().map(|word| word.folded).collect())
}

/// Phrases by their first word, the longest first.
struct PhraseTable<T>(QuickMap<String, Vec<(Phrase, T)>>);

impl<T: Copy> PhraseTable<T> {
    fn of(lists: &[(&str, T)]) -> Self {
        let mut table: QuickMap<String, Vec<(Phrase, T)>> = QuickMap::default();
        for (list, meaning) in lists {
            for phrase in phrases(list) {
                if let Some(first) = phrase.first() {
                    table.entry(first.clone()).or_default().push((phrase.clone(), *meaning));
                }
            }
        }
        for known in table.values_mut() {
            known.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
        }
        Self(table)
    }

    /// The longest phrase at the beginning of these words: how many it has, and what it means.
    fn at(&self, words: &[TextWord]) -> Option<(usize, T)> {
        let known = self.0.get(&words.first()?.folded)?;
        let begins = |phrase: &Phrase| {
            phrase.len() <= words.len() && phrase.iter().zip(words).all(|(one, word)| *one == word.folded)
        };
        known.iter().find(|(phrase, _)| begins(phrase)).map(|(phrase, meaning)| (phrase.len(), *meaning))
    }
}

static OPENERS: LazyLock<PhraseTable<SentenceFrame>> = LazyLock::new(|| {
    PhraseTable::of(&[
        (SUMMARY, SentenceFrame::Summary),
        (OPINION, SentenceFrame::Opinion),
        (DOCUMENT, SentenceFrame::Document),
        (ADVICE, SentenceFrame::Advice),
    ])
});
static INSIDE: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of(&[(ADVICE_INSIDE, ())]));
static DENSE: LazyLock<PhraseTable<()>> = LazyLock::new(|| PhraseTable::of(&[(GENERAL_DENSE, ())]));
static QUESTIONS: LazyLock<PhraseTable<QuestionStart>> = LazyLock::new(|| {
    PhraseTable::of(&[(KNOWN_TO_ALL, QuestionStart::KnownToAll), (WHY, QuestionStart::Why)])
});
static TAG_PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(TAGS).collect());
static GENERAL_STEMS: LazyLock<QuickSet<&'static str>> =
    LazyLock::new(|| GENERAL.split_whitespace().map(stem).collect());

/// How a question begins that takes something for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionStart {
    KnownToAll,
    Why,
}

/// How many words the opener has, and what kind of sentence it begins.
pub fn opener(words: &[TextWord]) -> Option<(usize, SentenceFrame)> {
    OPENERS.at(words)
}

pub fn question_start(words: &[TextWord]) -> Option<(usize, QuestionStart)> {
    QUESTIONS.at(words)
}

/// How many words the tag at the end of a question has.
pub fn tag(words: &[TextWord]) -> Option<usize> {
    let ends = |phrase: &&Phrase| {
        phrase.len() < words.len()
            && phrase.iter().rev().zip(words.iter().rev()).all(|(one, word)| *one == word.folded)
    };
    TAG_PHRASES.iter().filter(ends).map(Vec::len).max()
}

/// Whether these words say somewhere what ought to be done, not what ought to have been.
pub fn advises(words: &[TextWord]) -> bool {
    (0..words.len()).any(|from| {
        let rest = words.get(from..).unwrap_or_default();
        let length = INSIDE.at(rest).map(|(length, ())| length);
        length.is_some_and(|length| rest.get(length).is_none_or(|next| next.folded != "have"))
    })
}

pub fn is_complement(word: &TextWord) -> bool {
    COMPLEMENTS.contains(&word.folded.as_str())
}

pub fn asserts(word: &TextWord) -> bool {
    ASSERTING.contains(&word.folded.as_str())
}

pub fn asks(word: &TextWord) -> bool {
    ASKING.contains(&word.folded.as_str())
}

/// Whether the first word of a sentence, or of what stands behind its opener, may be a name.
pub fn may_be_name(first: &TextWord) -> bool {
    first.case != LetterCase::Lower
        && !is_stop_word(&first.folded)
        && !ADDRESSED.contains(&first.folded.as_str())
        && !GENERAL_STEMS.contains(stem(&first.folded))
}

/// "That is …": its subject was named before.
pub fn points_back(words: &[TextWord]) -> bool {
    let mut words = words.iter().map(|word| word.folded.as_str());
    let points = words.next().is_some_and(|first| POINTING.contains(&first));
    points && words.next().is_some_and(|second| BEING.contains(&second))
}

/// How many words at the beginning of these say nothing about the world; none if the first one does.
pub fn general(words: &[TextWord]) -> Option<usize> {
    let first = words.first()?;
    match first.kind {
        WordKind::Plain => GENERAL_STEMS.contains(stem(&first.folded)).then_some(1),
        WordKind::Dense => DENSE.at(words).map(|(length, ())| length),
        WordKind::Number | WordKind::Symbol => None,
    }
}
