//! The exam in English, German, French and Spanish.

use super::{
    ExamKind::{
        Attribution, Comparative, Date, Name, Negation, Number, Overstated, TableCell, Unit, WrongSubject,
    },
    ExamLanguage, pattern,
};
use crate::checking::exam::names::Script;

pub const ENGLISH: ExamLanguage = ExamLanguage {
    code: "en",
    script: Script::Latin,
    patterns: &[
        pattern(
            Number,
            &["The reservoir of {a} holds {n} million litres of water when it is full."],
            "When it is full, the reservoir of {a} holds {n} million litres of water.",
            "When it is full, the reservoir of {a} holds {w} million litres of water.",
        ),
        pattern(
            Date,
            &["The tramway in {a} was opened in {y} after six years of work."],
            "After six years of work, the tramway in {a} was opened in {y}.",
            "After six years of work, the tramway in {a} was opened in {x}.",
        ),
        pattern(
            Name,
            &["The museum of {a} was designed by {p}.", "The garden of the museum was laid out by {q}."],
            "It was {p} who designed the museum of {a}.",
            "It was {q} who designed the museum of {a}.",
        ),
        pattern(
            Negation,
            &[
                "The council of {a} did not approve the new harbour, although the builders had asked for it twice.",
            ],
            "Although the builders had asked for it twice, the council of {a} did not approve the new harbour.",
            "The council of {a} did approve the new harbour.",
        ),
        pattern(
            Comparative,
            &["In a test of {n} lamps, those from {a} lasted longer than those from {b}."],
            "The lamps from {a} lasted longer than those from {b} in a test of {n} lamps.",
            "The lamps from {a} lasted shorter than those from {b} in a test of {n} lamps.",
        ),
        pattern(
            Attribution,
            &[
                "The engineer {p} says that the dam of {a} needs a new gate.",
                "The mayor {q} doubts the figures about the dam.",
            ],
            "The dam of {a} needs a new gate, says the engineer {p}.",
            "The dam of {a} needs a new gate, says the mayor {q}.",
        ),
        pattern(
            WrongSubject,
            &[
                "The orchard of {a} yields {n} tonnes of pears a year.",
                "The orchard of {b} yields {m} tonnes of pears a year.",
            ],
            "Each year the orchard of {a} yields {n} tonnes of pears.",
            "Each year the orchard of {b} yields {n} tonnes of pears.",
        ),
        pattern(
            Unit,
            &["The path from {a} to the coast is {n} kilometres long and paved with stone."],
            "The path from {a} to the coast is paved with stone and {n} kilometres long.",
            "The path from {a} to the coast is paved with stone and {n} miles long.",
        ),
        pattern(
            TableCell,
            &[
                "Town: {a}; visitors in {y}: {n}; visitors in {z}: {m}",
                "Town: {b}; visitors in {y}: {k}; visitors in {z}: {l}",
            ],
            "The town of {a} had {n} visitors in {y}.",
            "The town of {a} had {k} visitors in {y}.",
        ),
        pattern(
            Overstated,
            &["Some of the {n} wells in {a} were dry at the end of the summer."],
            "At the end of the summer, some of the {n} wells in {a} were dry.",
            "At the end of the summer, all of the {n} wells in {a} were dry.",
        ),
    ],
    absent: &[
        "A postage stamp shows {a}.",
        "A song about {a} won a prize abroad.",
        "A film crew spent several weeks in {a}.",
        "The name {a} comes from an old word for rain.",
    ],
    beside: &["The region is known for its long winters.", "Many of the older houses are built of wood."],
    about: &["{a} lies in the north of the country.", "Most travellers reach {a} by train."],
    titles: &["{a}", "{a}: history and sights", "Around {a}"],
    headings: &["Overview", "History", "Town and surroundings"],
    space: " ",
};

pub const GERMAN: ExamLanguage = ExamLanguage {
    code: "de",
    script: Script::Latin,
    patterns: &[
        pattern(
            Number,
            &["Der Speicher von {a} fasst {n} Millionen Liter Wasser, wenn er voll ist."],
            "Wenn er voll ist, fasst der Speicher von {a} {n} Millionen Liter Wasser.",
            "Wenn er voll ist, fasst der Speicher von {a} {w} Millionen Liter Wasser.",
        ),
        pattern(
            Date,
            &["Die Straßenbahn in {a} wurde {y} nach sechs Jahren Bauzeit eröffnet."],
            "Nach sechs Jahren Bauzeit wurde {y} die Straßenbahn in {a} eröffnet.",
            "Nach sechs Jahren Bauzeit wurde {x} die Straßenbahn in {a} eröffnet.",
        ),
        pattern(
            Name,
            &["Das Museum von {a} wurde von {p} entworfen.", "Den Garten des Museums legte {q} an."],
            "Entworfen wurde das Museum von {a} von {p}.",
            "Entworfen wurde das Museum von {a} von {q}.",
        ),
        pattern(
            Negation,
            &["Der Rat von {a} hat den neuen Hafen nicht genehmigt, obwohl er zweimal beantragt worden war."],
            "Obwohl er zweimal beantragt worden war, hat der Rat von {a} den neuen Hafen nicht genehmigt.",
            "Der Rat von {a} hat den neuen Hafen genehmigt.",
        ),
        pattern(
            Comparative,
            &["In einem Test mit {n} Lampen brannten die aus {a} länger als die aus {b}."],
            "Die Lampen aus {a} brannten in einem Test mit {n} Lampen länger als die aus {b}.",
            "Die Lampen aus {a} brannten in einem Test mit {n} Lampen kürzer als die aus {b}.",
        ),
        pattern(
            Attribution,
            &[
                "Die Ingenieurin {p} sagt, dass der Damm von {a} ein neues Tor braucht.",
                "Der Bürgermeister {q} bezweifelt die Zahlen zum Damm.",
            ],
            "Laut der Ingenieurin {p} braucht der Damm von {a} ein neues Tor.",
            "Laut dem Bürgermeister {q} braucht der Damm von {a} ein neues Tor.",
        ),
        pattern(
            WrongSubject,
            &[
                "Der Obstgarten von {a} liefert {n} Tonnen Birnen im Jahr.",
                "Der Obstgarten von {b} liefert {m} Tonnen Birnen im Jahr.",
            ],
            "Im Jahr liefert der Obstgarten von {a} {n} Tonnen Birnen.",
            "Im Jahr liefert der Obstgarten von {b} {n} Tonnen Birnen.",
        ),
        pattern(
            Unit,
            &["Der Weg von {a} zur Küste ist {n} Kilometer lang und mit Stein gepflastert."],
            "Der Weg von {a} zur Küste ist mit Stein gepflastert und {n} Kilometer lang.",
            "Der Weg von {a} zur Küste ist mit Stein gepflastert und {n} Meilen lang.",
        ),
        pattern(
            TableCell,
            &[
                "Ort: {a}; Besucher {y}: {n}; Besucher {z}: {m}",
                "Ort: {b}; Besucher {y}: {k}; Besucher {z}: {l}",
            ],
            "Der Ort {a} hatte {y} {n} Besucher.",
            "Der Ort {a} hatte {y} {k} Besucher.",
        ),
        pattern(
            Overstated,
            &["Einige der {n} Brunnen in {a} waren am Ende des Sommers trocken."],
            "Am Ende des Sommers waren einige der {n} Brunnen in {a} trocken.",
            "Am Ende des Sommers waren alle {n} Brunnen in {a} trocken.",
        ),
    ],
    absent: &[
        "Eine Briefmarke zeigt {a}.",
        "Ein Lied über {a} gewann im Ausland einen Preis.",
        "Ein Filmteam verbrachte mehrere Wochen in {a}.",
        "Der Name {a} kommt von einem alten Wort für Regen.",
    ],
    beside: &["Die Gegend ist für ihre langen Winter bekannt.", "Viele der älteren Häuser sind aus Holz."],
    about: &["{a} liegt im Norden des Landes.", "Die meisten Reisenden kommen mit dem Zug nach {a}."],
    titles: &["{a}", "{a}: Geschichte und Sehenswertes", "Rund um {a}"],
    headings: &["Überblick", "Geschichte", "Ort und Umgebung"],
    space: " ",
};

pub const FRENCH: ExamLanguage = ExamLanguage {
    code: "fr",
    script: Script::Latin,
    patterns: &[
        pattern(
            Number,
            &["Le réservoir de {a} contient {n} millions de litres d'eau quand il est plein."],
            "Quand il est plein, le réservoir de {a} contient {n} millions de litres d'eau.",
            "Quand il est plein, le réservoir de {a} contient {w} millions de litres d'eau.",
        ),
        pattern(
            Date,
            &["Le tramway de {a} a été inauguré en {y} après six ans de travaux."],
            "Après six ans de travaux, le tramway de {a} a été inauguré en {y}.",
            "Après six ans de travaux, le tramway de {a} a été inauguré en {x}.",
        ),
        pattern(
            Name,
            &["Le musée de {a} a été conçu par {p}.", "Le jardin du musée a été dessiné par {q}."],
            "C'est par {p} que le musée de {a} a été conçu.",
            "C'est par {q} que le musée de {a} a été conçu.",
        ),
        pattern(
            Negation,
            &[
                "Le conseil de {a} n'a pas approuvé le nouveau port, bien que les bâtisseurs l'aient demandé deux fois.",
            ],
            "Bien que les bâtisseurs l'aient demandé deux fois, le conseil de {a} n'a pas approuvé le nouveau port.",
            "Le conseil de {a} a approuvé le nouveau port.",
        ),
        pattern(
            Comparative,
            &["Dans un essai de {n} lampes, celles de {a} ont duré plus longtemps que celles de {b}."],
            "Les lampes de {a} ont duré plus longtemps que celles de {b} dans un essai de {n} lampes.",
            "Les lampes de {a} ont duré moins longtemps que celles de {b} dans un essai de {n} lampes.",
        ),
        pattern(
            Attribution,
            &[
                "L'ingénieure {p} affirme que le barrage de {a} a besoin d'une nouvelle vanne.",
                "Le maire {q} met en doute les chiffres du barrage.",
            ],
            "Selon l'ingénieure {p}, le barrage de {a} a besoin d'une nouvelle vanne.",
            "Selon le maire {q}, le barrage de {a} a besoin d'une nouvelle vanne.",
        ),
        pattern(
            WrongSubject,
            &[
                "Le verger de {a} donne {n} tonnes de poires par an.",
                "Le verger de {b} donne {m} tonnes de poires par an.",
            ],
            "Par an, le verger de {a} donne {n} tonnes de poires.",
            "Par an, le verger de {b} donne {n} tonnes de poires.",
        ),
        pattern(
            Unit,
            &["Le chemin de {a} à la côte est long de {n} kilomètres et pavé de pierre."],
            "Le chemin de {a} à la côte est pavé de pierre et long de {n} kilomètres.",
            "Le chemin de {a} à la côte est pavé de pierre et long de {n} milles.",
        ),
        pattern(
            TableCell,
            &[
                "Ville : {a} ; visiteurs en {y} : {n} ; visiteurs en {z} : {m}",
                "Ville : {b} ; visiteurs en {y} : {k} ; visiteurs en {z} : {l}",
            ],
            "La ville de {a} a eu {n} visiteurs en {y}.",
            "La ville de {a} a eu {k} visiteurs en {y}.",
        ),
        pattern(
            Overstated,
            &["Certains des {n} puits de {a} étaient à sec à la fin de l'été."],
            "À la fin de l'été, certains des {n} puits de {a} étaient à sec.",
            "À la fin de l'été, tous les {n} puits de {a} étaient à sec.",
        ),
    ],
    absent: &[
        "Un timbre-poste représente {a}.",
        "Une chanson sur {a} a reçu un prix à l'étranger.",
        "Une équipe de tournage a passé plusieurs semaines à {a}.",
        "Le nom {a} vient d'un ancien mot pour la pluie.",
    ],
    beside: &["La région est connue pour ses longs hivers.", "Beaucoup de maisons anciennes sont en bois."],
    about: &["{a} se trouve dans le nord du pays.", "La plupart des voyageurs arrivent à {a} en train."],
    titles: &["{a}", "{a} : histoire et visites", "Autour de {a}"],
    headings: &["Présentation", "Histoire", "Ville et environs"],
    space: " ",
};

pub const SPANISH: ExamLanguage = ExamLanguage {
    code: "es",
    script: Script::Latin,
    patterns: &[
        pattern(
            Number,
            &["El embalse de {a} contiene {n} millones de litros de agua cuando está lleno."],
            "Cuando está lleno, el embalse de {a} contiene {n} millones de litros de agua.",
            "Cuando está lleno, el embalse de {a} contiene {w} millones de litros de agua.",
        ),
        pattern(
            Date,
            &["El tranvía de {a} se inauguró en {y} tras seis años de obras."],
            "Tras seis años de obras, el tranvía de {a} se inauguró en {y}.",
            "Tras seis años de obras, el tranvía de {a} se inauguró en {x}.",
        ),
        pattern(
            Name,
            &["El museo de {a} fue diseñado por {p}.", "El jardín del museo fue trazado por {q}."],
            "Fue diseñado por {p} el museo de {a}.",
            "Fue diseñado por {q} el museo de {a}.",
        ),
        pattern(
            Negation,
            &[
                "El consejo de {a} no aprobó el nuevo puerto, aunque los constructores lo habían pedido dos veces.",
            ],
            "Aunque los constructores lo habían pedido dos veces, el consejo de {a} no aprobó el nuevo puerto.",
            "El consejo de {a} aprobó el nuevo puerto.",
        ),
        pattern(
            Comparative,
            &["En una prueba de {n} lámparas, las de {a} duraron más que las de {b}."],
            "Las lámparas de {a} duraron más que las de {b} en una prueba de {n} lámparas.",
            "Las lámparas de {a} duraron menos que las de {b} en una prueba de {n} lámparas.",
        ),
        pattern(
            Attribution,
            &[
                "La ingeniera {p} afirma que la presa de {a} necesita una compuerta nueva.",
                "El alcalde {q} duda de las cifras de la presa.",
            ],
            "Según la ingeniera {p}, la presa de {a} necesita una compuerta nueva.",
            "Según el alcalde {q}, la presa de {a} necesita una compuerta nueva.",
        ),
        pattern(
            WrongSubject,
            &[
                "El huerto de {a} produce {n} toneladas de peras al año.",
                "El huerto de {b} produce {m} toneladas de peras al año.",
            ],
            "Al año, el huerto de {a} produce {n} toneladas de peras.",
            "Al año, el huerto de {b} produce {n} toneladas de peras.",
        ),
        pattern(
            Unit,
            &["El camino de {a} a la costa mide {n} kilómetros y está cubierto de piedra."],
            "El camino de {a} a la costa está cubierto de piedra y mide {n} kilómetros.",
            "El camino de {a} a la costa está cubierto de piedra y mide {n} millas.",
        ),
        pattern(
            TableCell,
            &[
                "Ciudad: {a}; visitantes en {y}: {n}; visitantes en {z}: {m}",
                "Ciudad: {b}; visitantes en {y}: {k}; visitantes en {z}: {l}",
            ],
            "La ciudad de {a} tuvo {n} visitantes en {y}.",
            "La ciudad de {a} tuvo {k} visitantes en {y}.",
        ),
        pattern(
            Overstated,
            &["Algunos de los {n} pozos de {a} estaban secos al final del verano."],
            "Al final del verano, algunos de los {n} pozos de {a} estaban secos.",
            "Al final del verano, todos los {n} pozos de {a} estaban secos.",
        ),
    ],
    absent: &[
        "Un sello de correos muestra {a}.",
        "Una canción sobre {a} ganó un premio en el extranjero.",
        "Un equipo de rodaje pasó varias semanas en {a}.",
        "El nombre {a} viene de una antigua palabra para la lluvia.",
    ],
    beside: &["La región es conocida por sus largos inviernos.", "Muchas casas antiguas son de madera."],
    about: &["{a} está en el norte del país.", "La mayoría de los viajeros llega a {a} en tren."],
    titles: &["{a}", "{a}: historia y visitas", "Alrededor de {a}"],
    headings: &["Resumen", "Historia", "Ciudad y alrededores"],
    space: " ",
};
