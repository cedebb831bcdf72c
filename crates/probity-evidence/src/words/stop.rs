//! Words that every sentence has and that say nothing about what it is about.

use std::sync::LazyLock;

use crate::{hash::QuickMap, word_table::WordTable};

const ENGLISH: &str = "a an the and or but if then than that this these those there here of in on at by for from to \
    with into onto over under about after before between during through as is are was were be been being am has have \
    had having do does did doing will would shall should can could may might must i you he she it we they me him her \
    them my your his its our their who whom whose which what when where why how also such so too very just only own \
    same other another more most some any each both all few s t st nd rd th while until because since up down out off \
    again further once 's it's that's he's she's i'm we're you're they're i've we've";
const GERMAN: &str = "der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als dass ob \
    von vom zu zum zur in im ins an am auf aus bei beim mit nach seit über unter vor für durch gegen um ist sind war \
    waren sein wird werden wurde wurden worden hat haben hatte hatten kann können konnte muss soll sollte ich du er \
    sie es wir ihr mich dich sich uns euch ihm ihn ihnen mein dein seine seiner seinen ihre ihrer ihren wie wo was \
    wer welche welcher welches dies diese dieser dieses auch noch nur schon so sehr mehr man";
const FRENCH: &str = "le la les l un une des du de d et ou mais si que qu qui quoi dont où ce cet cette ces c à au aux \
    en dans sur sous par pour avec chez entre vers est sont était étaient être été a ont avait avaient avoir il elle \
    ils elles on je j tu nous vous me m te t se s lui leur leurs son sa ses mon ma mes ton ta tes notre votre y comme \
    plus moins très aussi même tout tous toute toutes";
const SPANISH: &str = "el la de los lo las una unos unas del al y e o u pero que quien cual cuando donde como en con por para \
    sobre entre desde hasta es son era eran fue fueron ser sido está están estaba ha han había haber se le les su sus \
    mi mis tu tus nos este esta estos estas ese esa eso más muy también ya";
const ITALIAN: &str = "il la lo le un una in da su non se i gli uno di del dello della dei degli delle al allo alla ai agli alle dal dallo dalla dai \
    dalle nel nello nella nei nelle sul sulla sui sulle con per tra fra ed che chi cui dove quando è sono era erano \
    essere stato stata stati ha hanno aveva avevano si ci vi suo sua suoi sue questo questa questi queste quello \
    quella anche più come dell all nell sull dall";
const PORTUGUESE: &str = "o a de não se os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas em com \
    por para entre até e ou mas que quem quando onde é são era eram foi foram ser sido está estão tem têm tinha seu \
    sua seus suas este esta esse essa isso mais muito também já";
const DUTCH: &str = "de in niet het een van op te bij met voor naar uit door om tot en of maar dat die dit deze wie wat waar hoe \
    is zijn was waren wordt worden werd werden heeft hebben had hadden hij zij ze we wij je jij ik u hem haar hun ons \
    onze ook er nog al zo dan als";
/// Only to tell the language: its words count as content, as they always did.
const POLISH: &str = "w z na nie się jest są że od przez dla oraz który która które którzy był była było były jak ale lub \
    przy pod nad tym tego tej jego jej ich już także tylko został została zostało zostały będzie czy gdy więc między \
    roku po za";
const RUSSIAN: &str = "и в во на с со к ко у о об от до из за по под над при для через между а но или да же ли бы то \
    что как так это этот эта эти тот та те его ее их он она оно они мы вы я ты мне меня нас вас им ему ей был была \
    было были быть есть который которая которое которые где когда также уже еще";
const CHINESE_JAPANESE: &str = "的 了 和 与 與 及 在 是 也 就 都 而 把 被 或 之 着 著 个 個 は が を に で と も の へ や か ら よ ね な \
    し て た だ す る れ ま さ あ い う え お く け こ り";

/// What is known of a small word; of every other word nothing is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SmallWord {
    /// The Latin-script languages that have it, one bit each.
    pub languages: u8,
    pub is_stop_word: bool,
}

/// All lists together: a word is looked up once, whatever is asked of it.
static SMALL_WORDS: LazyLock<WordTable<SmallWord>> = LazyLock::new(|| {
    let mut found: QuickMap<&'static str, SmallWord> = QuickMap::default();
    for (place, (_, list)) in LANGUAGES.iter().enumerate() {
        for word in list.split_whitespace() {
            found.entry(word).or_default().languages |= 1 << place;
        }
    }
    let lists = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, RUSSIAN, CHINESE_JAPANESE];
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    for word in words.filter(|word| !super::is_negation(word)) {
        found.entry(word).or_default().is_stop_word = true;
    }
    found.into_iter().collect()
});

/// What is known of a folded word.
pub(crate) fn small_word(folded: &str) -> SmallWord {
    SMALL_WORDS.get(folded).copied().unwrap_or_default()
}

/// Small words of a language that a text must have to be in it.
pub(crate) const LIKELY_WORDS_MIN: usize = 2;

/// The Latin-script language whose small words a text has most of; none where it is not clear.
pub(crate) fn likely_language<'w>(words: impl Iterator<Item = &'w str>) -> Option<&'static str> {
    let mut counts = LanguageCounts::default();
    words.for_each(|word| counts.add(languages_of(word)));
    counts.most(LIKELY_WORDS_MIN)
}

/// Whether a folded word is a small one of this language.
pub(crate) fn is_small_in(folded: &str, language: &str) -> bool {
    let bits = languages_of(folded);
    LANGUAGES.iter().enumerate().any(|(place, (name, _))| *name == language && bits >> place & 1 == 1)
}

/// The languages that have a small word, one bit each.
pub(crate) fn languages_of(folded: &str) -> u8 {
    small_word(folded).languages
}

/// The word is a small one of another language than English.
pub(crate) fn is_small_elsewhere(folded: &str) -> bool {
    languages_of(folded) & !1 != 0
}

/// How many small words of each language a text has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LanguageCounts([usize; LANGUAGES.len()]);

impl LanguageCounts {
    pub fn add(&mut self, languages: u8) {
        // Most words are small in no language.
        if languages == 0 {
            return;
        }
        for (place, count) in self.0.iter_mut().enumerate() {
            *count += usize::from(languages >> place & 1);
        }
    }

    /// The language with most of them, at least so many and more than any other.
    pub fn most(&self, least: usize) -> Option<&'static str> {
        let (mut most, mut next, mut language) = (0, 0, None);
        for (count, (name, _)) in self.0.iter().copied().zip(LANGUAGES) {
            if count > most {
                (most, next, language) = (count, most, Some(name));
            } else {
                next = next.max(count);
            }
        }
        language.filter(|_| most >= least && most > next)
    }
}

const LANGUAGES: [(&str, &str); 8] = [
    ("en", ENGLISH),
    ("de", GERMAN),
    ("fr", FRENCH),
    ("es", SPANISH),
    ("it", ITALIAN),
    ("pt", PORTUGUESE),
    ("nl", DUTCH),
    ("pl", POLISH),
];

/// Whether a folded word is one of them. `us` is not: it may be a country.
pub fn is_stop_word(folded: &str) -> bool {
    small_word(folded).is_stop_word
}
