//! What stands in the wrong place: offices, doers, figures, compared things, and statements without their condition. Each
//! rule speaks up in more than one language and is silent on true claims of the same kind.

use super::{check, doubts};
use crate::compare::ComparisonAspect::*;

/// No doubt says this.
#[track_caller]
fn never(claim: &str, page: &str, words: &str) {
    let found = doubts(claim, page);
    assert!(!found.iter().any(|(_, reason)| reason.contains(words)), "{claim}: {found:#?}");
}

#[test]
fn an_office_is_held_by_whoever_the_page_names_beside_it() {
    let club = "The club has 90 members. Its chair, Ida Ronk, opened the meeting. Treasurer Max Lund read the accounts.";
    check("Ida Ronk is the treasurer of the club.", club, Attribution);
    never("Max Lund is the treasurer of the club.", club, "\"treasurer\" of");
    never("Ida Ronk is the chair of the club.", club, "\"chair\" of");
    let town = "Kämmerer Otto Weiss legte den Haushalt vor. Der Architekt Karl Brandt zeigte die Pläne.";
    check("Karl Brandt ist der Kämmerer der Stadt.", town, Attribution);
    never("Otto Weiss ist der Kämmerer der Stadt.", town, "\"Kämmerer\" of");
    let museo = "La bibliotecaria, Chiara Neri, lascia in marzo. La presidente della fondazione, Livia Sarti, ringrazia.";
    check("Chiara Neri è la presidente della fondazione.", museo, Attribution);
    never("Livia Sarti è la presidente della fondazione.", museo, "\"presidente\" of");
    let tools = "Der Terra Max ist das leichteste Gerät. Der Norda Plus hält am längsten.";
    check("Der Norda Plus ist das leichteste Gerät.", tools, Attribution);
    never("Der Terra Max ist das leichteste Gerät.", tools, "\"leichteste\" of");
    // The sentence goes on from one that names her.
    never(
        "Mara Koll is the treasurer of the society.",
        "Mara Koll joined the society in 1990. She is its treasurer. Its deputy treasurer, Jon Vik, joined later.",
        "\"treasurer\" of",
    );
}

#[test]
fn a_condition_of_the_page_is_missed_in_the_claim() {
    let hall = "The hall will be built in Velm in 2030, provided that the county pays half.";
    check("The hall will be built in Velm.", hall, Hedge);
    never("The hall will be built in Velm if the county pays half.", hall, "under a condition");
    let halle = "Die Halle wird 2030 gebaut, sofern der Kreis die Hälfte zahlt.";
    check("Die Halle wird 2030 gebaut.", halle, Hedge);
    never("Die Halle wird gebaut, wenn der Kreis die Hälfte zahlt.", halle, "under a condition");
    check(
        "La biblioteca abrirá los domingos en mayo.",
        "La biblioteca abrirá los domingos en mayo, siempre que haya personal.",
        Hedge,
    );
    never(
        "The ferry sails in winter.",
        "The ferry sails in winter, even if the lake is frozen near the shore.",
        "under a condition",
    );
}

#[test]
fn a_figure_keeps_its_place_between_the_same_words() {
    let boats = "The club has bought four boats this year, with a trailer for each.";
    check("The club has bought six boats this year.", boats, Number);
    never("The club has bought four boats this year.", boats, "in the place of");
    let costs = "The town pays two thirds of the costs of the bridge, the county one third.";
    check("The town pays one third of the costs of the bridge.", costs, Number);
    never("The town pays two thirds of the costs of the bridge.", costs, "in the place of");
    let works = "The firm employs 640 people worldwide, 210 of them in Pell.";
    never("The firm employs 210 people in Pell.", works, "in the place of");
    check(
        "El club ha comprado seis barcos este año.",
        "El club ha comprado cuatro barcos este año, con un remolque para cada uno.",
        Number,
    );
}

#[test]
fn a_share_belongs_to_whoever_stands_beside_it() {
    let bridge = "The bridge was paid half by the county, a third by the state.";
    check("The state paid half of the bridge.", bridge, Number);
    never("The county paid half of the bridge.", bridge, "in the place of");
    let pont = "Le pont a été payé pour moitié par la région, pour un tiers par l'État.";
    check("L'État a payé la moitié du pont.", pont, Number);
    never("La région a payé la moitié du pont.", pont, "in the place of");
}

#[test]
fn somebody_is_called_the_same_in_every_language() {
    let museo = "La presidente della fondazione, Livia Sarti, ha annunciato una mostra. Il biglietto per il museo costa \
        nove euro e vale per tutto il giorno.";
    check("The director of the museum is Livia Sarti.", museo, Attribution);
    never("The president of the foundation is Livia Sarti.", museo, "beside the name");
    let velm = "Bürgermeisterin Karla Wind eröffnete die Sitzung.";
    // In the page's own language the name itself is already another.
    check("Die Richterin Karla Wind eröffnete die Sitzung.", velm, Name);
    never("Die Bürgermeisterin Karla Wind eröffnete die Sitzung.", velm, "beside the name");
}

#[test]
fn nobody_voted_against_only_where_the_page_says_so() {
    check("The plan was adopted unanimously.", "The plan was adopted by 13 votes to 5.", Scope);
    check("Der Plan wurde einstimmig angenommen.", "Der Plan wurde mit 13 zu 5 Stimmen angenommen.", Scope);
    never("The plan was adopted unanimously.", "The vote on the plan was unanimous.", "\"unanimously\"");
    never("Der Plan wurde einstimmig angenommen.", "Der Plan wurde einstimmig angenommen.", "\"einstimmig\"");
}

#[test]
fn compared_things_keep_their_sides() {
    let sleep = "Sleep was longer in runners than in cyclists.";
    check("Cyclists slept longer than runners.", sleep, Comparison);
    never("Runners slept longer than cyclists.", sleep, "the other way round");
    never("Cyclists slept shorter than runners.", sleep, "the other way round");
    let schlaf = "Der Schlaf war bei Läufern länger als bei Radfahrern.";
    check("Radfahrer schliefen länger als Läufer.", schlaf, Comparison);
    never("Läufer schliefen länger als Radfahrer.", schlaf, "the other way round");
}

#[test]
fn the_parts_of_two_statements_stay_together() {
    let ferry = "The ferry runs on batteries in the harbour; at sea it switches to diesel engines.";
    check("The ferry runs on diesel in the harbour and on batteries at sea.", ferry, Scope);
    never("In the harbour the ferry runs on batteries, and at sea on diesel.", ferry, "together otherwise");
    let strom = "Die Fähre fährt im Hafen mit Strom, auf See mit Diesel.";
    check("Die Fähre fährt im Hafen mit Diesel und auf See mit Strom.", strom, Scope);
    never("Die Fähre fährt auf See mit Diesel und im Hafen mit Strom.", strom, "together otherwise");
}

#[test]
fn figures_keep_their_order_in_another_language() {
    let page = "Das Werk in Pell beschäftigt 620 Menschen, darunter 40 Ingenieure. Die Halle wurde 2019 gebaut und ist \
        für Besucher nicht geöffnet.";
    check("The works employ 40 people, among them 620 engineers.", page, Scope);
    never("The works employ 620 people, among them 40 engineers.", page, "in the other order");
    never("Of the 40 engineers in the works of 620 people, none left.", page, "in the other order");
}

#[test]
fn whoever_did_it_stands_beside_the_deed() {
    let hall = "The mayor wore her chain. A band played for an hour. A pupil of the school opened the hall.";
    check("The hall was opened by the mayor.", hall, Attribution);
    never("The hall was opened by a pupil of the school.", hall, "does not have");
    never(
        "The hall was opened by the mayor.",
        "The mayor wore her chain. She opened the hall.",
        "does not have",
    );
    let ruban = "Le préfet arriva tard. La fanfare joua longtemps. Une élève a coupé le ruban.";
    check("Le ruban a été coupé par le préfet.", ruban, Attribution);
    never("Le ruban a été coupé par une élève.", ruban, "does not have");
}

#[test]
fn what_is_said_beside_one_name_is_not_said_of_another() {
    let town = "Pell lies by a lake. Mayor Jon Vik praised the new library as a gift. The teacher Ida Ronk moved in May.";
    check("Ida Ronk praised the new library as a gift.", town, Attribution);
    never("Jon Vik praised the new library as a gift.", town, "elsewhere");
    let stadt = "Die Stadt liegt am See. Der Abgeordnete Otto Weiss lobte den Entwurf der neuen Brücke. Die Lehrerin Klara \
        Brandt zog im Mai nach Pell.";
    check("Klara Brandt lobte den Entwurf der neuen Brücke.", stadt, Attribution);
    never("Otto Weiss lobte den Entwurf der neuen Brücke.", stadt, "elsewhere");
    // A pronoun stands for whoever was named before.
    never(
        "Ida Ronk designed the long bridge of Pell.",
        "Pell lies by a lake. Ida Ronk came to the town in May. With Max Lund she designed the long bridge.",
        "elsewhere",
    );
}

#[test]
fn before_and_after_go_with_the_years() {
    let island = "The island became a nature reserve in 1959. Visitors need a permit from the Tell Trust, which bought the \
        lighthouse in 1957.";
    check(
        "The island became a nature reserve before the Tell Trust bought the lighthouse.",
        island,
        Comparison,
    );
    never(
        "The island became a nature reserve after the Tell Trust bought the lighthouse.",
        island,
        "claim: \"after\"",
    );
    let halle = "Die Halle brannte 1950 ab. Der Turm wurde 1962 gebaut.";
    check("Der Turm wurde gebaut, bevor die Halle brannte.", halle, Comparison);
    never("Der Turm wurde gebaut, nachdem die Halle brannte.", halle, "claim: \"nachdem\"");
}
