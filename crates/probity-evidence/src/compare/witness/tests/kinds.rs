//! Kinds of wrong claims, each in more than one language.

use super::{check, doubts};
use crate::compare::ComparisonAspect::{self, *};

#[track_caller]
fn lacks(claim: &str, page: &str, unwanted: ComparisonAspect) {
    let found = doubts(claim, page);
    assert!(!found.iter().any(|(aspect, _)| *aspect == unwanted), "{claim}: {found:#?}");
}

#[test]
fn a_day_keeps_its_own_year() {
    let page = "The council passed the rule on 9 June 2021. It took effect on 1 March 2022.";
    check("The rule took effect on 1 March 2021.", page, Date);
    lacks("The rule took effect on 1 March 2022.", page, Date);
    check(
        "Das Gesetz gilt seit dem 1. März 2021.",
        "Der Rat beschloss es am 9. Juni 2021. In Kraft trat das Gesetz am 1. März 2022.",
        Date,
    );
}

#[test]
fn a_figure_keeps_its_own_unit() {
    check(
        "O armazém guarda 4.300 quilos de milho.",
        "O armazém da cooperativa guarda 4.300 toneladas de milho.",
        Unit,
    );
    let page = "Длина тоннеля составляет 4760 метров, ширина составляет 9 метров.";
    check("The tunnel is 4,760 kilometres long.", page, Unit);
    lacks("The tunnel is 4,760 metres long.", page, Unit);
}

#[test]
fn a_short_claim_needs_more_than_its_subject() {
    let page = "The castle of Velm was built of red stone. Visitors reach the tower by a bridge.";
    check("The castle houses a falconry academy.", page, Coverage);
    lacks("The castle was built of red stone.", page, Coverage);
    check(
        "Muzeum ma kawiarnię na tarasie.",
        "Muzeum w Lipnie otwarto w 1998 roku. Zbiory obejmują obrazy i monety.",
        Coverage,
    );
}

#[test]
fn each_subject_goes_its_own_way() {
    let page = "Rents fell in 2022 because of higher land taxes.";
    check("Rents climbed in 2022 on the back of cheaper land.", page, Polarity);
    lacks("Rents fell in 2022.", page, Polarity);
    check("A despesa diminuiu em 2022.", "Apesar da crise, a despesa subiu 5% em 2022.", Polarity);
    check("Der Verband lehnt das Vorhaben ab.", "Der Verband begrüßte das Vorhaben im Mai.", Polarity);
    check("今年公司的产量高于去年。", "公司的产量为三万吨，低于去年的四万吨，原因是成本增加。", Polarity);
    check(
        "Mara was the eldest of four sisters.",
        "Born in Lowen as the youngest of four sisters, Mara went to sea.",
        Polarity,
    );
}

#[test]
fn comparisons_are_read_from_since_and_from_figures_by_place() {
    let page = "Prices reached 9 crowns this spring, the highest since 1974.";
    check("Prices in 1974 were lower than those of this spring.", page, Comparison);
    check(
        "La consommation était plus forte au nord qu'au sud.",
        "La consommation atteignait 12 % dans les villages du nord, contre 31 % dans ceux du sud.",
        Comparison,
    );
}

#[test]
fn words_that_leave_nothing_open_are_the_claims_own() {
    check(
        "Le marché a été entièrement détruit par la crue.",
        "La crue de mars a détruit le marché couvert.",
        Scope,
    );
    check(
        "Die Linie fährt ab Mai auf jeden Fall bis Velm.",
        "Die Linie soll ab Mai bis Velm fahren, sofern das Geld reicht.",
        Scope,
    );
    lacks(
        "The market was completely destroyed.",
        "The flood completely destroyed the market in March.",
        Scope,
    );
}

#[test]
fn reservations_are_noticed_where_the_wording_moved() {
    check(
        "Le maire a vendu le terrain communal.",
        "Le maire aurait vendu le terrain communal en juin.",
        Hedge,
    );
    check(
        "W dawnej szkole powstanie hotel.",
        "Dawna szkoła prawdopodobnie zostanie przebudowana na hotel.",
        Hedge,
    );
    check(
        "Typhoid killed the painter Ilse Marn.",
        "Ilse Marn was a painter of Velm. She died in May, probably of typhoid.",
        Hedge,
    );
}

#[test]
fn a_deed_belongs_to_whoever_the_page_names_beside_it() {
    check(
        "The maps of the valley were engraved by Otto Lenz.",
        "The valley was surveyed for years, and its maps were engraved by Clara Voss. Otto Lenz printed postcards.",
        Attribution,
    );
    check(
        "تأسست المدرسة على يد الأمير كريم حداد.",
        "تأسست المدرسة عام 1920 على يد الأمير سالم راشد. وصف الخبير كريم حداد المدرسة.",
        Attribution,
    );
    check(
        "The façade of the hall was sculpted by Jeanne Morel.",
        "La façade de la salle a été sculptée par Hortense Galle. L'architecte Jeanne Morel vit dans la ville.",
        Attribution,
    );
}

#[test]
fn a_place_belongs_to_its_own_verb() {
    let page = "Lucien Arne, né le 3 mai 1840 à Sauvel et mort le 9 juin 1911 à Belcourt, est un graveur.";
    check("Lucien Arne est né à Belcourt.", page, Attribution);
    lacks("Lucien Arne est né à Sauvel.", page, Attribution);
    let fair = "The fair filled Harbour Hall with visitors. Tickets cost nine crowns. Next spring's fair will be held in Westport.";
    check("Next spring's fair returns to Harbour Hall.", fair, Attribution);
    lacks("Next spring's fair will be held in Westport.", fair, Attribution);
}

#[test]
fn what_belongs_to_a_name_is_not_the_name() {
    let page = "Velm has a harbour. Tickets cost nine crowns. Mayor Lotte Arden opened the dam.";
    lacks("The mayor of Velm opened the dam.", page, Attribution);
    lacks("The mayor opened the dam in Velm.", page, Attribution);
}

#[test]
fn who_is_beaten_has_not_won() {
    let page = "The Velm Otters beat Ashford Town 2-1 in the final of the Silver Plate.";
    check("Ashford Town won the Silver Plate.", page, Attribution);
    check("Ashford Town gewann das Endspiel mit 2:1.", page, Attribution);
    lacks("The Velm Otters won the Silver Plate.", page, Attribution);
}

#[test]
fn each_statement_of_a_sentence_has_its_own_speaker() {
    let page = "Chief executive Mara Koll said that sales had never been better, while finance director Jon Velt warned of thin margins.";
    check("Jon Velt stated that sales had never been better.", page, Attribution);
    lacks("Mara Koll stated that sales had never been better.", page, Attribution);
    check(
        "Die Kammer führt den Anstieg auf das Hafengelände zurück.",
        "Bürgermeisterin Karla Wind führt den Anstieg auf das neue Hafengelände zurück; die Kammer sieht dagegen die Konjunktur als Grund.",
        Attribution,
    );
    check(
        "قال كريم حداد إن المدرسة ستفتح في عام 2025.",
        "قالت المديرة هدى منصور إن المدرسة الجديدة ستفتح في عام 2025. لكن الخبير كريم حداد يشك في ذلك.",
        Attribution,
    );
    check(
        "林海认为公司的库存偏高。",
        "董事长林海表示今年开新店。分析师周明认为，公司的库存偏高。",
        Attribution,
    );
}

#[test]
fn another_modifier_is_another_thing() {
    let page =
        "Three guests in the brick cabin complained about the noise at night. The wooden cabin was empty.";
    check("Three guests in the wooden cabin complained about the noise at night.", page, Scope);
    lacks("Three guests in the brick cabin complained about the noise at night.", page, Scope);
}

#[test]
fn exceptions_and_restrictions_speak_against_the_rest() {
    check("Am Montag ist das Museum geöffnet.", "Das Museum ist täglich außer Montag geöffnet.", Polarity);
    check(
        "Sala wystaw jest dostępna w niedziele.",
        "Sala wystaw jest czynna codziennie oprócz niedziel.",
        Polarity,
    );
    check(
        "Der Zuwachs kommt vor allem aus Spenden.",
        "Der Zuwachs stammt ausschließlich aus Gebühren; die Spenden gingen zurück.",
        Scope,
    );
}

#[test]
fn a_denied_word_needs_no_second_word_in_common() {
    check(
        "La récolte dépendait du vent.",
        "La récolte de Velm a baissé. Elle n'était pas liée au vent, mais au gel.",
        Polarity,
    );
    lacks(
        "La récolte ne dépendait pas du vent.",
        "La récolte de Velm a baissé. Elle n'était pas liée au vent, mais au gel.",
        Polarity,
    );
}

#[test]
fn a_row_of_a_table_needs_no_translation() {
    let page = "Die Stadt hat drei Bezirke, und die Zahl der Kitas ist in den Bezirken nicht gleich.\n\n\
        Bezirk | Einwohner | Kitas\nArvik | 8.400 | 12\nBolden | 9.100 | 19\nCarst | 5.200 | 7";
    check("The Arvik district has 19 nurseries.", page, Scope);
    lacks("The Bolden district has 19 nurseries.", page, Scope);
}

#[test]
fn a_page_that_denies_it_in_small_words_is_noticed() {
    check(
        "En el taller se aceptan cheques.",
        "El taller de la plaza abre por la tarde. No se aceptan cheques.",
        Polarity,
    );
    check(
        "Le village dispose d'une piscine.",
        "Le maire du village a regretté l'absence d'une piscine.",
        Polarity,
    );
    check(
        "The firm came to Velm for the subsidies.",
        "The owner of the firm was clear. \"The firm did not come here for the subsidies,\" she said.",
        Polarity,
    );
    lacks("A sala fica junto ao porto de Velm.", "A sala fica no porto de Velm.", Polarity);
}

#[test]
fn only_so_many_is_no_denial_in_japanese() {
    lacks("松屋の客室は12室である。", "松屋の客室は12室しかない。", Polarity);
}
