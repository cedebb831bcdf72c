//! Lines that only name: what follows, the unit of figures, who wrote the text, where it is from. Closed lists, because a
//! few words without a verb may well state something: "Forty dead."

use std::sync::LazyLock;

use super::phrases;
use crate::{
    hash::QuickSet,
    words::{LetterCase, TextWord, WordKind, is_negation, is_stop_word, words},
};

/// A label says no more.
const LABEL_WORDS_MAX: usize = 3;
/// Nor does a line about who wrote a text, or where it is from.
const ORIGIN_WORDS_MAX: usize = 14;

/// Name a part of a text, or what its figures are in.
const LABELS: &str = "caveat caveats funding bottom line method methods methodology result results finding findings side \
    effect effects limit limits limitation limitations scope cost costs price prices history safety background outlook risk \
    risks benefit benefits summary conclusion conclusions introduction overview note notes remark remarks disclaimer source \
    sources reference references evidence data definition definitions discussion recommendation recommendations takeaway \
    takeaways key point points context timeline dosage availability performance advantages disadvantages pros cons question \
    questions answer details example examples uncertainty uncertainties gap gaps next step steps verdict warning figures \
    figure values value amounts amount currency euro euros dollar dollars pound pounds percent million millions thousand \
    thousands tonnes tons kilometres \
    einschränkung einschränkungen hinweis hinweise anmerkung anmerkungen fazit ergebnis ergebnisse methode methoden kosten \
    preis preise finanzierung nebenwirkung nebenwirkungen hintergrund ausblick risiken grenzen quelle quellen zusammenfassung \
    einleitung überblick kurzfassung angaben wichtig \
    noter remarque remarques résultat résultats méthode méthodes financement limites réserve réserves prix coûts effets \
    secondaires contexte risques conclusion résumé sources avertissement \
    nota notas aviso advertencia limitaciones financiación resultado resultados método métodos precio precios costes efectos \
    secundarios contexto riesgos conclusión resumen fuentes \
    avvertenza limiti finanziamento risultato risultati metodo metodi prezzi costi effetti collaterali contesto rischi \
    conclusione conclusioni fonti limitações financiamento preços custos efeitos colaterais riscos conclusão resumo fontes \
    примечание примечания оговорка итог итоги результат результаты метод методы финансирование ограничения цены вывод выводы \
    источники beperkingen financiering resultaten opmerking bronnen uwaga wyniki źródła";
/// A label in a script without spaces is one of these as a whole.
const DENSE_LABELS: &[&str] = &[
    "注意",
    "备注",
    "結論",
    "结论",
    "方法",
    "结果",
    "結果",
    "局限",
    "局限性",
    "资金",
    "背景",
    "副作用",
    "説明",
    "概要",
    "要約",
];
/// Small words with which a label compares or counts, and so states something.
const COMPARING: &[&str] = &[
    "more", "most", "less", "few", "some", "any", "only", "mehr", "nur", "plus", "más", "più", "mais", "muy",
    "sehr",
];
/// Say that a text was made, in front of its maker.
const MADE: &[&str] = &[
    "prepared",
    "compiled",
    "written",
    "edited",
    "researched",
    "updated",
    "published",
    "erstellt",
    "verfasst",
    "zusammengestellt",
    "rédigé",
    "préparé",
    "elaborado",
    "preparado",
    "redactado",
    "redatto",
    "preparato",
    "подготовлено",
    "составлено",
];
const BY: &[&str] = &["by", "von", "vom", "par", "por", "da", "dal", "on", "am", "le"];
/// Whom a text may be by without a name.
const MAKERS: &str = "research desk team staff editor editors editorial department office analyst analysts group unit author \
    authors redaktion recherche abteilung équipe rédaction service equipo redacción redazione отдел редакция january february \
    march april may june july august september october november december januar februar märz mai juni juli oktober dezember \
    janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio \
    julio agosto septiembre octubre noviembre diciembre";
/// What a text takes from its sources.
const TAKEN: &str = "figures numbers data quotations quotes prices facts information statements values angaben zahlen daten \
    zitate chiffres données citations cifras datos citas cifre dati";
/// How, and from where.
const FROM: &str = "taken drawn come comes sourced quoted based press release releases page pages source sources report \
    reports register website websites official annual cited linked company company's agency agency's office office's \
    statistics statistical publication publications stammen entnommen quelle quellen pressemitteilung bericht seite seiten \
    unternehmens proviennent tirés tirées communiqué presse entreprise sources rapport proceden provienen comunicado prensa \
    empresa fuentes informe provengono tratti comunicato stampa azienda fonti";
/// In front of the number of a table or a picture.
const CAPTIONS: &[&str] = &[
    "table",
    "figure",
    "fig",
    "chart",
    "exhibit",
    "tabelle",
    "abbildung",
    "abb",
    "tableau",
    "tabla",
    "figura",
    "gráfico",
    "tabella",
    "grafico",
    "tabela",
    "таблица",
    "рисунок",
    "рис",
    "tabel",
    "figuur",
];

struct Lists {
    labels: QuickSet<&'static str>,
    makers: QuickSet<&'static str>,
    taken: QuickSet<&'static str>,
    from: QuickSet<&'static str>,
    dense: Vec<Vec<String>>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let set = |list: &'static str| list.split_whitespace().collect::<QuickSet<&'static str>>();
    let folded = |label: &&str| words(label).into_iter().map(|word| word.folded).collect::<Vec<String>>();
    Lists {
        labels: set(LABELS),
        makers: set(MAKERS),
        taken: set(TAKEN),
        from: set(FROM),
        dense: DENSE_LABELS.iter().map(folded).collect(),
    }
});

/// Whether a sentence only names something of its own text.
pub fn names_only(words: &[TextWord]) -> bool {
    words.len() <= ORIGIN_WORDS_MAX
        && !words.iter().any(|word| is_negation(&word.folded))
        && (is_label(words) || is_byline(words) || is_origin(words))
}

/// Where the words of a caption begin.
pub fn caption(words: &[TextWord]) -> Option<usize> {
    let is_caption = CAPTIONS.contains(&words.first()?.folded.as_str());
    (is_caption && words.get(1)?.kind == WordKind::Number && words.len() > 2).then_some(2)
}

fn is_label(words: &[TextWord]) -> bool {
    let telling: Vec<&TextWord> = words.iter().filter(|word| !is_stop_word(&word.folded)).collect();
    let is_known = telling.iter().all(|word| LISTS.labels.contains(word.folded.as_str()));
    let is_dense = || LISTS.dense.iter().any(|label| label.iter().eq(words.iter().map(|word| &word.folded)));
    let compares = |word: &TextWord| COMPARING.contains(&word.folded.as_str());
    !words.iter().any(|word| phrases::asserts(word) || compares(word))
        && ((1..=LABEL_WORDS_MAX).contains(&telling.len()) && is_known || is_dense())
}

/// "Prepared by the research desk, 3 May 2023."
fn is_byline(words: &[TextWord]) -> bool {
    let begins = |place: usize, list: &[&str]| {
        words.get(place).is_some_and(|word| list.contains(&word.folded.as_str()))
    };
    let is_maker = |word: &TextWord| {
        word.kind == WordKind::Number
            || word.case != LetterCase::Lower
            || is_stop_word(&word.folded)
            || LISTS.makers.contains(word.folded.as_str())
    };
    let rest = words.get(2..).unwrap_or_default();
    begins(0, MADE)
        && begins(1, BY)
        && !rest.is_empty()
        && rest.iter().all(is_maker)
        && !rest.iter().any(phrases::asserts)
}

/// "All figures are taken from the company's press release."
fn is_origin(words: &[TextWord]) -> bool {
    let mut telling =
        words.iter().filter(|word| !is_stop_word(&word.folded)).map(|word| word.folded.as_str());
    let Some(first) = telling.next() else { return false };
    let rest: Vec<&str> = telling.collect();
    LISTS.taken.contains(first) && rest.len() > 1 && rest.iter().all(|word| LISTS.from.contains(*word))
}
