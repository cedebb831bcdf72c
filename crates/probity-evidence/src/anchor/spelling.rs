//! When two words are the same word to a careful reader.

use std::{collections::HashSet, sync::LazyLock};

use crate::words::{self, WordKind, without_marks};

/// Letters from which one edit counts as a typo.
const LETTERS_FOR_ONE: usize = 3;
/// Letters from which two are.
const LETTERS_FOR_TWO: usize = 7;
/// Words longer than this are not compared letter by letter.
const LETTERS_MAX: usize = 40;

/// Small words that carry meaning: a quotation without them says something else.
const WEIGHTY: &str = "over under about after before between during through into onto up down out off more most less \
    least some any each both all few only own same other another again further once until because since while if \
    than may might must can could should would shall will i you he she we they me him her them my your his its our \
    their who whom whose when where why how or but über unter vor nach seit gegen wenn als aber oder mehr kann können \
    konnte muss soll sollte wird werden ich du er sie wir ihr nur schon noch sous mais si ou plus moins très il elle \
    ils elles je tu nous vous tout tous toute toutes avec entre vers chez sobre pero desde hasta más muy o il si più \
    até mas mais maar meer dan tot но или если до после между над под он она они мы вы я ты уже еще 被 把 或 都";

/// Words that count: one edit turns one number into another.
const NUMBER_WORDS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds \
    thousand thousands million millions billion billions trillion trillions dozen half third quarter first second \
    fourth fifth sixth seventh eighth ninth tenth fiftieth sixtieth january february march april may june july \
    august september october november december monday tuesday wednesday thursday friday saturday sunday north south \
    east west zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend millionen milliarden million \
    milliarde deux trois quatre cinq sept huit neuf dix onze douze cent mille millions milliards dos tres cuatro \
    cinco seis siete ocho nueve diez cien mil millones due tre quattro cinque sette otto nove dieci cento mila \
    miljoen miljard миллион миллиард тысяч миллионов миллиардов";

/// Common words that one edit turns into another; an author who writes one of them means it.
const KNOWN: &str = "act add age ago aid aim air arm art ask ate bad bag ban bar bat bay bed bee beg bet bid big bit \
    bow box boy bug bus buy car cat cow cry cup dam day dig dog dot dry due ear eat egg ego end era eye fan far fat fed \
    fee few fit fix fly fog fun fur gap gas get got gun guy ham hat hit hot hub ice ill ink jam jar jaw jet job joy key \
    kid lab law lay led leg let lid lie lip log lot low mad man map mat men met mix mob mud net new nut oak oil old pan \
    pat pay pen pet pie pig pin pit pop pot put ran rat raw ray red rid rim rip rob rod row rub run sad sat saw say sea \
    see set sex sin sit ski sky son spy sue sum sun tap tax tea ten tie tip toe ton top toy try tub use van vet via vow \
    war wax way web wet win wit won yes yet zoo able also away back bank base bear beat been best bill bind body bold book born boss both burn \
    bury call came card care case cash cast cell city cold come cool cost coup cure cut date dead deal debt deed deep \
    died does done door down draw drop drug dry dead duty earn ease east easy edge else even ever evil face fact fail \
    fair fall farm fast fate fear feed feel feet fell felt file fill film find fine fire firm fish fled flee flow food \
    foot form foul four free from fuel full fund gain game gave gift give goal goes gold gone good grew grow had hail \
    half hall hand hang hard harm hate have head heal hear heat held help here hero hide high hike hire hold hole home \
    hope host hour huge hunt hurt idea into iron item join jump just keep kept kill kind king knew know lack lady laid \
    lake land last late lead left lend less lied life lift like line link list live load loan lock long look lord lose \
    loss lost love luck made mail main make male many mark mass mean meet mile mind mine miss mode more most move much \
    must name near neck need news next nice none noon nose note once only open oral over paid pain pair park part pass \
    past path peak peer pick plan play plot poor port post pull pure push quit race rail rain rare rate read real rear \
    rely rent rest rice rich ride ring rise risk road rock role roll roof room root rose rule rush safe said sale salt \
    same sand save seal seat seek seem seen self sell send sent shed ship shoe shop shot show shut sick side sign sink \
    site size skin slow snow soft soil sold sole some song soon sort soul stay stem step stop such suit sure take tale \
    talk tall tank tape task team tear tell tend term test text than that them then they thin this thus tide tied till \
    time tiny told tone took tool tour town tree trip true tube tune turn type unit upon used user vary vast very vice \
    view vote wage wait wake walk wall want ward warm warn wash wave weak wear week well went were west what when whom \
    wide wife wild will wind wine wing wipe wire wise wish with wood word wore work worn yard year zone hired fired \
    tired raised raise praise praised moved loved lived liked named gamed billed killed filled pulled pushed passed \
    paused caused closed loosed losing closing rising raising racing facing making taking baking woman women moral \
    amoral legal regal loyal royal light right might night fight sight eight weight height freight former farmer \
    latter letter later water waste taste haste paste state stage start smart small smell spell spill still steel \
    steal stole store story stony sport short shore share shape shame shave slave brave grave grove prove proven \
    driven drive drove trade grade grace trace track truck trick brick bride pride price prize prime crime crisis \
    class glass grass gross cross crown brown blown grown drown sound round found bound pound wound mound hound would \
    could should world word sword there where these those three threw through though thought taught caught bought \
    brought fought sought tough rough cough trust crust thrust adopt adapt affect effect accept except expect aspect \
    desert dessert device devise advice advise personal personnel principal principle causal casual marital martial \
    united untied sacred scared signed singed trail trial quiet quite angel angle board broad bored county country \
    statue statute state status prosecute persecute prescribe proscribe perspective prospective eligible illegible \
    immigrant emigrant immigrate emigrate allusion illusion elicit illicit import export include exclude internal \
    external interior exterior increase decrease ascend descend inhale exhale maximum minimum maximise minimise \
    employer employee employers employees leaser lessee mother father brother sister sooner later earlier";

fn list(text: &'static str) -> HashSet<&'static str> {
    text.split_whitespace().collect()
}

static HEAVY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| list(WEIGHTY));
static COUNTING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| list(NUMBER_WORDS));
static WRITTEN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| list(KNOWN));

/// Whether a word may be left out or put in.
pub fn is_light(folded: &str) -> bool {
    words::is_stop_word(folded) && !HEAVY.contains(folded) && !words::is_negation(folded)
}

/// Whether a word must be the same, whatever its case: numbers, their signs, negations.
pub fn is_hard(folded: &str, kind: WordKind) -> bool {
    matches!(kind, WordKind::Number | WordKind::Symbol)
        || words::is_negation(folded)
        || COUNTING.contains(folded)
}

/// Whether the number that begins here is below zero: a minus sign that joins nothing.
pub fn is_negative(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end_matches(['$', '€', '£']);
    let Some(rest) = before.strip_suffix(['-', '−', '–']) else { return false };
    rest.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '['))
}

pub fn is_article(folded: &str) -> bool {
    matches!(folded, "the" | "a" | "an")
}

/// Whether two different words are one that lost its accents.
pub fn same_without_marks(quoted: &str, page: &str) -> bool {
    without_marks(quoted) == without_marks(page)
}

/// Whether a quoted word is a typo for this word of the page. Neither is hard.
pub fn is_slip(quoted: &str, page: &str) -> bool {
    let both_light = is_light(quoted) && is_light(page);
    // What is left of an article, or of a small word that lost its other letter, is no other word.
    let article = is_article(page) || (quoted.len() == 1 && is_light(page));
    if !both_light && !article && (words::is_stop_word(quoted) || is_written(quoted)) {
        return false;
    }
    let one: Vec<char> = quoted.chars().collect();
    let other: Vec<char> = page.chars().collect();
    let shorter = one.len().min(other.len());
    let longer = one.len().max(other.len());
    if longer > LETTERS_MAX || longer - shorter > 2 {
        return false;
    }
    let slips = distance(&one, &other);
    // A prefix is not a typo: typical and atypical.
    let prefixed = one.first() == Some(&'a') && quoted.ends_with(page)
        || other.first() == Some(&'a') && page.ends_with(quoted);
    match slips {
        0 => true,
        1 if words::is_stop_word(page) => true,
        1 => longer >= LETTERS_FOR_ONE && !prefixed,
        // Nor is another one, or another beginning: legal and illegal, increase and decrease.
        2 => longer >= LETTERS_FOR_TWO && one.iter().take(2).eq(other.iter().take(2)),
        _ => false,
    }
}

/// Whether this is one of the common words, or a form of one.
fn is_written(quoted: &str) -> bool {
    let forms = ["s", "es", "ed", "d", "ing"].iter().filter_map(|ending| quoted.strip_suffix(ending));
    WRITTEN.contains(quoted) || forms.into_iter().any(|form| WRITTEN.contains(form))
}

/// Letters to change, put in, take out, or exchange with their neighbour.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX - 1);
    for (line, letter) in one.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, against) in other.iter().enumerate() {
            let change = at(&last, column) + usize::from(letter != against);
            let gap = at(&last, column + 1).min(at(&row, column)) + 1;
            let crossed = line > 0
                && column > 0
                && one.get(line - 1) == Some(against)
                && other.get(column - 1) == Some(letter);
            let swap = if crossed { at(&before_last, column - 1) + 1 } else { usize::MAX };
            row.push(change.min(gap).min(swap));
        }
        before_last = std::mem::replace(&mut last, row);
    }
    at(&last, other.len())
}
