//! Findings without a verb: headings ("Halvard bankrupt after fraud") and entries of a list of sources ("Halvard, closed
//! since 2022") that say how something ended, which no sentence of the text says.
//!
//! Closed lists. A heading that only names a subject, a year or a part of the text states nothing; nor does one whose
//! finding the text has in other words, because that sentence is checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::{
    BlockKind, ReportPiece, ReportPieceKind, SplitReport, SplitSentence, blocks::MarkdownBlock,
    has_statement_length, kind, verbs,
};
use crate::{
    hash::QuickSet,
    names,
    words::{LetterCase, TextWord, WordKind, is_stop_word, words},
};

/// One row for each way in which something can end; a form that ends in `*` stands for every word that begins so. What
/// stands behind the bar is looked for in scripts without spaces.
const FINDINGS: &[&str] = &[
    "loss losses lost lose loses verlust* verlor* verloren perte pertes perdu* perdida perdidas perdio perdita perdite perda \
     perdas perso verlies verliezen verloor straty stracil* потер* утрат* forlust* forlora* | 损失 全损 損失 全損",
    "bankrupt* insolven* bankrott* pleite* faillite* quiebra* bancarrota* fallimento* fallit* falencia* faillissement* \
     failliet* bankruct* upadlos* банкрот* разорен* | 破产 倒闭 倒産 破綻",
    "collaps* zusammenbruch* einsturz* eingesturzt* effondre* derrumb* colaps* crollo* crollat* instort* ingestort* zawal* крах* \
     обруш* rasade kollaps* | 坍塌 崩塌 崩壊 倒壊",
    "scandal* skandal* escandalo* schandaal* скандал* | 丑闻 不祥事 スキャンダル",
    "fraud* betrug* betrog* betruger* fraude* estafa* frode* truffa oszust* мошенн* bedrageri* corrupt* korrupt* corrup* коррупц* \
     bribe* bribery bestech* | 欺诈 诈骗 贪污 詐欺 汚職",
    "death deaths dead died dying killed kills killing fatal* deadly lethal mortal* tod tote toten toter starb starben \
     sterben gestorben todlich* getotet* mort morts morte mortes mortel* mourir mourut* deces muerte muertes muerto muertos \
     murio murieron morti morto mortos morreu morreram dood doden stierf* gestorven smierc* zabit* zginel* zmarl* смерт* погиб* умер* \
     dod doda dodlig* dodsfall* | 死亡 身亡 死者 死去",
    "disaster* catastroph* katastroph* catastrof* desastre* disastro* katastrof* катастроф* | 灾难 惨剧 災害 惨事",
    "failure failures failed fails fail scheiter* gescheitert* versag* echec echou* fracas* fallim* fracass* mislukk* porazk* провал* \
     misslyck* | 失败 失敗",
    "closure closures closed shut shutdown schliess* geschlossen* fermeture* cierre* cerrad* \
     chiusur* chius* encerrament* fech* sluiting* gesloten zamkn* zamyk* закры* nedlagg* nedlagd* stangning* | 关闭 停业 閉鎖 閉店",
    "resign* rucktritt* demission* dimision* dimission* demissao ontslag* dymisj* отставк* avgang* | 辞职 辞任",
    "jail* jailed prison imprison* inhaftiert* gefangnis* emprison* prison encarcel* incarcer* gevangen* uwiezion* тюрьм* fangel* | 入狱 监禁 投獄",
    "unsafe unsicher* dangere* inseguro insegura insicur* onveilig* niebezpieczn* небезопасн* osaker* osakert | 不安全 危险 危険",
    "deny denied denies denial dementi* bestreit* bestritt* desment* desmint* smentit* ontken* zaprzecz* опроверг* fornek* | 否认 否認",
    "arrest* verhaft* festnahm* detenid* detencion* arrestat* detid* aresztow* арест* | 逮捕 被捕",
    "guilty convict* verurteil* schuldig* coupable* condamn* culpable* condenad* colpevol* condannat* veroordeel* skazan* осужд* виновн* \
     domd domda | 有罪 定罪",
    "victory victories triumph* won wins winner* winning sieg siegte gewann* gewonnen victoire* gagn* victoria* gano ganaron \
     vittori* vinto vinse vitori* venceu overwinning* won zwyciest* wygra* побед* seger segrar vann | 胜利 获胜 勝利 優勝",
    "defeat* niederlage* defaite* derrota* sconfitt* nederlaag* porazk* поражен* nederlag* | 战败 敗北",
    "wreck* sunk sank sinking shipwreck* gesunken sank untergang* naufrag* affond* gezonken zaton* затон* утонул* forlis* sjonk | 沉没 沈没",
    "explosion* exploded explodiert* explosion* esplosion* explosao explosie* eksploz* wybuch* взрыв* | 爆炸 爆発",
    "murder* mord morde ermordet* meurtre* asesinat* omicid* assassin* moord* morderst* убийств* mordet | 谋杀 殺人",
    "burned burnt destroyed destruction abgebrannt zerstor* incendi* detrui* destrui* distrutt* verwoest* zniszcz* разруш* forstor* | 烧毁 焼失 全焼",
];

/// How something stands, right behind its name in a list of sources.
const STATES: &str = "bankrupt insolvent dead defunct closed dissolved convicted banned burned burnt destroyed sunk fined \
    bankrott pleite insolvent tot geschlossen aufgelost verurteilt verboten zerstort abgebrannt failli faillie mort morte ferme \
    fermee dissous dissoute condamne condamnee detruit detruite quebrado quebrada muerto muerta cerrado cerrada disuelto disuelta \
    condenado condenada destruido destruida fallito fallita morto morta chiuso chiusa sciolto sciolta condannato condannata \
    distrutto distrutta falido falida fechado fechada dissolvido dissolvida failliet gesloten opgeheven veroordeeld verwoest \
    zamkniety zamknieta skazany skazana zniszczony zniszczona банкрот закрыт закрыта закрыто распущен распущена осужден осуждена \
    stangd nedlagd domd forstord";
/// Join two things of which neither is said: "profit and loss".
const JOINTS: &[&str] =
    &["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "lub", "и", "или", "och", "eller"];
/// Behind a number they make an amount of it.
const AMOUNTS: &[&str] = &[
    "percent",
    "prozent",
    "procent",
    "процентов",
    "million",
    "millions",
    "billion",
    "billions",
    "millionen",
    "milliarden",
    "milliards",
    "millones",
    "milioni",
    "miliardi",
    "milhoes",
    "miljoen",
    "miljard",
    "milionow",
    "миллионов",
    "миллиардов",
    "miljoner",
    "miljarder",
    "euro",
    "euros",
    "dollars",
    "pounds",
];
const YEAR_DIGITS: usize = 4;
/// Words of an entry behind the name in which it says how that stands.
const STATE_WORDS_MAX: usize = 8;

/// Makes claims of the headings that have a verb of another language than English, or that state a finding or an amount
/// which the text below does not have. Returns their places.
pub fn count_headings(split: &mut SplitReport, blocks: &[MarkdownBlock]) -> Vec<usize> {
    let is_own = |sentence: &&SplitSentence| {
        sentence.kind == BlockKind::Heading
            && blocks.get(sentence.block).is_some_and(|block| !block.is_notice)
    };
    let places = split.sentences.iter().filter(is_own).flat_map(|sentence| sentence.claims.clone());
    let has_verb = |place: &usize| {
        split.pieces.get(*place).is_some_and(|piece| {
            piece.kind == ReportPieceKind::Structure && verbs::heading_states(&piece.words)
        })
    };
    let (mut stated, without): (Vec<usize>, Vec<usize>) = places.partition(has_verb);
    let headings: Vec<HeadingFinding> =
        without.into_iter().filter_map(|place| HeadingFinding::of(place, split.pieces.get(place)?)).collect();
    if !headings.is_empty() {
        let body = BodyWords::of(split);
        let news = headings.iter().filter(|heading| heading.is_news(&body));
        stated.extend(news.map(|heading| heading.place));
    }
    for place in &stated {
        if let Some(piece) = split.pieces.get_mut(*place) {
            piece.kind = ReportPieceKind::Fact;
            piece.has_number = kind::has_number(&piece.words);
            piece.load_bearing = true;
        }
    }
    stated
}

/// Whether the words before an address go on behind a name with how that stands: "Halvard, closed since 2022".
pub fn names_state(head: &str) -> bool {
    let Some((name, behind)) = head.split_once([',', ';', '–', '—']) else { return false };
    let (name, behind) = (words(name), words(behind));
    let is_named = name.iter().any(|word| word.case != LetterCase::Lower);
    let first = behind.first().filter(|first| first.case == LetterCase::Lower);
    let is_state = first.is_some_and(|first| {
        let plain = names::plain_token(&first.folded);
        STATES.split_whitespace().any(|state| state == plain)
    });
    is_named && is_state && behind.len() <= STATE_WORDS_MAX
}

/// Every finding that a text has, as places in the list of them.
pub fn findings(text: &str) -> BTreeSet<usize> {
    let plain = |word: &TextWord| (word.kind == WordKind::Plain).then(|| names::plain_token(&word.folded));
    let of_words =
        words(text).iter().filter_map(plain).filter_map(|plain| finding(&plain)).collect::<Vec<_>>();
    dense_findings(text).chain(of_words).collect()
}

/// What a heading says without a verb.
struct HeadingFinding {
    place: usize,
    /// Places in `FINDINGS`.
    findings: Vec<usize>,
    /// Amounts, as they are written.
    amounts: Vec<String>,
    /// Words with a capital, without those that are findings.
    capitals: Vec<String>,
    /// A name or a year stands beside the finding by itself.
    is_named: bool,
}

impl HeadingFinding {
    /// None for a heading that has neither a finding nor an amount.
    fn of(place: usize, piece: &ReportPiece) -> Option<Self> {
        let text = piece.words.trim();
        let is_open = text.ends_with(['?', '？', ':', '：']) || !has_statement_length(text);
        if piece.kind != ReportPieceKind::Structure || is_open {
            return None;
        }
        let words = words(text);
        let mut findings: Vec<usize> = dense_findings(text).collect();
        let mut capitals: Vec<String> = Vec::new();
        for (at, word) in words.iter().enumerate().filter(|(_, word)| word.kind == WordKind::Plain) {
            let plain = names::plain_token(&word.folded);
            let found = finding(&plain).filter(|_| !is_joined(&words, at));
            findings.extend(found);
            if found.is_none() && word.case != LetterCase::Lower && !is_stop_word(&word.folded) {
                capitals.push(plain);
            }
        }
        let amounts: Vec<String> = amounts(text, &words);
        if findings.is_empty() && amounts.is_empty() {
            return None;
        }
        // The number of a chapter is no year.
        let is_year = |word: &TextWord| word.kind == WordKind::Number && word.folded.len() == YEAR_DIGITS;
        let has_year = words.iter().any(is_year);
        let is_named = has_year || (names_by_capitals(&words) && kind::has_name(text));
        Some(Self { place, findings, amounts, capitals, is_named })
    }

    /// The text below says neither of it, though it is said of somebody or of a time.
    fn is_news(&self, body: &BodyWords) -> bool {
        let is_known = |name: &String| body.capitals.contains(name);
        let is_named = self.is_named || self.capitals.iter().any(is_known);
        let finds = self.findings.iter().any(|finding| !body.findings.contains(finding));
        let counts = self.amounts.iter().any(|amount| !body.numbers.contains(amount));
        is_named && finds || counts
    }
}

/// A form of `FINDINGS`.
struct FindingForm {
    row: usize,
    text: &'static str,
    /// It stands for every word that begins so.
    is_front: bool,
}

/// The forms by their first letter: every word of a text is looked up.
static FORMS: LazyLock<BTreeMap<char, Vec<FindingForm>>> = LazyLock::new(|| {
    let mut found: BTreeMap<char, Vec<FindingForm>> = BTreeMap::new();
    for (row, forms) in FINDINGS.iter().enumerate() {
        for form in forms.split('|').next().unwrap_or_default().split_whitespace() {
            let text = form.trim_end_matches('*');
            let known = FindingForm { row, text, is_front: text.len() < form.len() };
            if let Some(first) = text.chars().next() {
                found.entry(first).or_default().push(known);
            }
        }
    }
    found
});

/// The row of a word in `FINDINGS`.
fn finding(plain: &str) -> Option<usize> {
    let alike = FORMS.get(&plain.chars().next()?)?;
    let is_form = |known: &&FindingForm| match known.is_front {
        true => plain.starts_with(known.text),
        false => plain == known.text,
    };
    alike.iter().find(is_form).map(|known| known.row)
}

fn dense_findings(text: &str) -> impl Iterator<Item = usize> {
    let has = move |row: &str| {
        let parts = row.split('|').nth(1).unwrap_or_default();
        !text.is_ascii() && parts.split_whitespace().any(|part| text.contains(part))
    };
    FINDINGS.iter().enumerate().filter(move |(_, row)| has(row)).map(|(place, _)| place)
}

/// A conjunction stands beside it: two things are named.
fn is_joined(words: &[TextWord], at: usize) -> bool {
    let joins = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at));
        word.is_some_and(|word| JOINTS.contains(&word.folded.as_str()))
    };
    joins(at.checked_sub(1)) || joins(Some(at + 1))
}

/// Whether capitals tell names from other words: not in German, and not where most words of a heading have one.
fn names_by_capitals(words: &[TextWord]) -> bool {
    let telling = words.iter().skip(1).filter(|word| word.kind == WordKind::Plain);
    let telling = telling.filter(|word| !is_stop_word(&word.folded));
    let (mut all, mut capital) = (0_usize, 0_usize);
    for word in telling {
        all += 1;
        capital += usize::from(word.case != LetterCase::Lower);
    }
    !names::is_german(words) && 2 * capital <= all.max(2)
}

/// Numbers that a scale, a currency or a percent sign makes an amount.
fn amounts(text: &str, words: &[TextWord]) -> Vec<String> {
    let is_amount = |at: usize, word: &TextWord| {
        let behind = text.get(word.end..).unwrap_or_default().trim_start();
        let before = text.get(..word.start).unwrap_or_default().trim_end();
        let word_at =
            |at: usize| words.get(at).map(|word| names::plain_token(&word.folded)).unwrap_or_default();
        let next = word_at(at + 1);
        let in_hundred = matches!(next.as_str(), "per" | "pour" | "por")
            && matches!(word_at(at + 2).as_str(), "cent" | "ciento" | "cento");
        behind.starts_with(['%', '€', '$', '£', '亿', '億', '万'])
            || before.ends_with(['€', '$', '£', '¥'])
            || AMOUNTS.contains(&next.as_str())
            || in_hundred
    };
    let numbers = words.iter().enumerate().filter(|(_, word)| word.kind == WordKind::Number);
    numbers.filter(|(at, word)| is_amount(*at, word)).map(|(_, word)| word.folded.clone()).collect()
}

/// What the sentences of a text have.
struct BodyWords {
    findings: BTreeSet<usize>,
    numbers: QuickSet<String>,
    /// Words with a capital inside a sentence.
    capitals: QuickSet<String>,
}

impl BodyWords {
    fn of(split: &SplitReport) -> Self {
        let mut body =
            Self { findings: BTreeSet::new(), numbers: QuickSet::default(), capitals: QuickSet::default() };
        for piece in split.pieces.iter().filter(|piece| piece.kind != ReportPieceKind::Structure) {
            body.findings.extend(dense_findings(&piece.words));
            let said = words(&piece.words);
            for (at, word) in said.iter().enumerate() {
                match word.kind {
                    WordKind::Number => {
                        body.numbers.insert(word.folded.clone());
                    }
                    WordKind::Plain => {
                        let plain = names::plain_token(&word.folded);
                        body.findings.extend(finding(&plain));
                        // The first word of a sentence has a capital anyway; before another one it is a name's.
                        let next = said.get(at + 1).is_some_and(|next| next.case != LetterCase::Lower);
                        if word.case != LetterCase::Lower && (at > 0 || next) {
                            body.capitals.insert(plain);
                        }
                    }
                    WordKind::Dense | WordKind::Symbol => {}
                }
            }
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::names_state;
    use crate::split::{ReportPieceKind, split};

    /// Whether the heading of a text is a claim.
    fn counts(heading: &str, body: &str) -> bool {
        let found = split(&format!("# {heading}\n\n{body} [1](http://a.example/x)."), &[], &[]);
        found.pieces.first().is_some_and(|piece| piece.kind == ReportPieceKind::Fact)
    }

    const OPENED: &str = "Dorrin Works opened a second hall in Pell in 2019";

    #[test]
    fn a_finding_without_a_verb_is_a_claim_if_the_text_does_not_have_it() {
        for heading in [
            "Dorrin Works insolvent after fraud",
            "Bankruptcy of the Dorrin Works in 2021",
            "Forty dead at the Dorrin Works",
            "Pell shaken: 400 million euros for the hall",
        ] {
            assert!(counts(heading, OPENED), "{heading}");
        }
        assert!(counts("Einsturz der Halle in Pell 2021", "Das Werk in Pell bekam 2019 eine zweite Halle"));
        assert!(counts("Faillite de Dorrin en 2021", "La société Dorrin a ouvert un atelier à Pell en 2019"));
        assert!(counts("多林公司破产", "多林公司在2019年开设了第二个车间"));
    }

    #[test]
    fn titles_and_headings_of_parts_are_none() {
        for heading in [
            "Background",
            "Costs in 2023",
            "Results and limits",
            "Profit and loss in 2019",
            "The second hall of the Dorrin Works",
            "Dorrin Works in Pell: a short note",
            "What is known of the bankruptcy?",
            "Outlook for 2025",
            "Phase 2 of the Pell Project",
        ] {
            assert!(!counts(heading, OPENED), "{heading}");
        }
        let fell = "The Dorrin Bridge collapsed in 1950 and forty people died";
        assert!(!counts("Collapse of the Dorrin Bridge in 1950", fell));
        assert!(!counts("Deaths at the Dorrin Bridge", fell));
        assert!(!counts(
            "Kosten und Nutzen der Halle in Pell",
            "Das Werk in Pell bekam 2019 eine zweite Halle"
        ));
        assert!(!counts("400 million euros for Pell", "Pell received 400 million euros in 2019"));
    }

    #[test]
    fn an_entry_may_say_how_its_name_stands() {
        for head in ["Dorrin Works, bankrupt since 2021", "Werft Dorrin, geschlossen seit 2020"] {
            assert!(names_state(head), "{head}");
        }
        for head in [
            "Dorrin Works, press release of 3 May 2019",
            "Dorrin Works, accessed 4 May 2020",
            "Velten, M., The closed hall, Pell 1931",
            "City of Pell, annual report, 2020",
            "Dorrin Works",
        ] {
            assert!(!names_state(head), "{head}");
        }
        let text =
            "It opened in 1931 [1].\n\nSources\n\n[1] Dorrin Works, bankrupt since 2021: http://a.example/x";
        let found = split(text, &[], &[]);
        assert!(found.pieces.iter().any(|piece| {
            piece.kind == ReportPieceKind::Fact && piece.words.contains("bankrupt") && !piece.cites.is_empty()
        }));
    }
}
