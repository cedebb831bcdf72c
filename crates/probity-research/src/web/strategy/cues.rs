//! The words that decide: English, German, French, Spanish; small letters, without accents.
//!
//! A star stands for any ending. A missing word costs a search that was not needed, never an answer: every
//! table that leads to no search at all is paired with a check that the text is really there.

/// What people say without asking anything.
#[rustfmt::skip]
pub(super) const SMALL_TALK: &[&str] = &[
    "hi", "hello", "hey", "hi there", "hello there", "good morning", "good evening", "good afternoon", "good night",
    "thanks", "thank you", "thank you very much", "thanks a lot", "how are you", "how are you doing", "bye", "goodbye",
    "ok", "okay", "yes", "no", "please", "great", "test", "ping",
    "hallo", "guten morgen", "guten tag", "guten abend", "danke", "vielen dank", "danke schon", "wie geht es dir",
    "wie geht s", "wie geht es ihnen", "tschuss", "moin", "servus", "ja", "nein", "bitte",
    "bonjour", "salut", "bonsoir", "merci", "merci beaucoup", "ca va", "comment ca va", "comment allez vous", "au revoir",
    "oui", "non",
    "hola", "buenos dias", "buenas tardes", "buenas noches", "gracias", "muchas gracias", "como estas", "que tal",
    "adios", "si",
];

/// What may stand in front of a request.
#[rustfmt::skip]
pub(super) const POLITE: &[&str] = &[
    "please", "can you", "could you", "would you", "hey", "hi", "hello", "i need you to", "help me", "help me to",
    "bitte", "kannst du", "konntest du", "konnen sie", "konnten sie", "mir", "hilf mir",
    "s il te plait", "s il vous plait", "peux tu", "pouvez vous", "pourrais tu", "pourriez vous",
    "por favor", "puedes", "podrias", "puede", "podria",
];

/// With these, numbers are a sum.
#[rustfmt::skip]
pub(super) const OPERATORS: &[&str] = &[
    "plus", "minus", "times", "over", "divided", "multiplied", "percent", "%", "squared", "cubed", "mod", "modulo",
    "mal", "geteilt", "prozent", "hoch", "quadrat",
    "fois", "moins", "divise", "multiplie", "pour", "cent",
    "mas", "menos", "dividido", "entre", "multiplicado", "ciento",
];
pub(super) const ROOTS: &[&str] = &["root", "sqrt", "wurzel", "racine", "raiz", "factorial", "fakultat"];
/// All other words that a sum may have.
#[rustfmt::skip]
pub(super) const SUM_WORDS: &[&str] = &[
    "plus", "minus", "times", "over", "divided", "multiplied", "percent", "%", "squared", "cubed", "mod", "modulo",
    "mal", "geteilt", "prozent", "hoch", "quadrat", "fois", "moins", "divise", "multiplie", "pour", "cent", "mas",
    "menos", "dividido", "entre", "multiplicado", "ciento",
    "root", "sqrt", "wurzel", "racine", "raiz", "factorial", "fakultat", "square", "cube", "carree", "cuadrada",
    "what", "is", "s", "calculate", "compute", "how", "much", "the", "of", "by", "to", "power", "x", "equals", "and",
    "was", "ist", "ergibt", "wie", "viel", "berechne", "rechne", "von", "durch", "die", "aus", "sind",
    "combien", "font", "fait", "calcule", "par", "de", "du", "la", "le", "egale",
    "cuanto", "es", "son", "calcula", "por", "el",
];

/// Length, mass, volume, temperature, time, data, speed. No currencies.
#[rustfmt::skip]
pub(super) const UNITS: &[&str] = &[
    "mm", "cm", "m", "km", "ft", "inch", "inches", "foot", "feet", "yard", "yards", "mile", "miles", "meter", "meters",
    "metre", "metres", "kilometer", "kilometers", "kilometre", "kilometres", "centimeter", "centimeters", "centimetre",
    "centimetres", "millimeter", "millimeters", "metern", "meile", "meilen", "zoll", "fuss", "fus", "pied", "pieds",
    "pouce", "pouces", "mille", "milles", "metro", "metros", "kilometro", "kilometros", "milla", "millas", "pie",
    "pies", "pulgada", "pulgadas", "centimetro", "centimetros",
    "mg", "g", "kg", "lb", "lbs", "oz", "gram", "grams", "kilogram", "kilograms", "kilo", "kilos", "pound", "pounds",
    "ounce", "ounces", "ton", "tons", "tonne", "tonnes", "gramm", "kilogramm", "pfund", "unze", "unzen", "gramme",
    "grammes", "kilogramme", "kilogrammes", "livre", "livres", "onces", "gramo", "gramos", "kilogramo", "kilogramos",
    "libra", "libras", "onzas",
    "ml", "cl", "l", "liter", "liters", "litre", "litres", "gallon", "gallons", "litern", "litro", "litros", "galones",
    "°c", "°f", "celsius", "fahrenheit", "kelvin", "grad", "degrees", "degres", "grados",
    "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "sekunden", "minuten",
    "stunden", "stunde", "tage", "secondes", "heures", "heure", "jours", "segundos", "minutos", "horas", "hora", "dias",
    "byte", "bytes", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "mph", "kph", "kmh", "knots",
];
#[rustfmt::skip]
pub(super) const CONVERSION_WORDS: &[&str] = &[
    "convert", "how", "many", "much", "what", "is", "are", "there", "in", "to", "into", "a", "an", "one", "as", "of",
    "please", "wie", "viel", "viele", "ist", "sind", "rechne", "um", "nach", "ein", "eine", "einem", "einer", "hat",
    "combien", "de", "il", "y", "dans", "en", "un", "une", "font", "fait", "convertis", "convertir", "sont",
    "cuantos", "cuantas", "cuanto", "hay", "son", "es", "una", "convierte", "a",
];

/// Requests that a text alone answers, if it is there.
#[rustfmt::skip]
pub(super) const TEXT_WORK: &[&str] = &[
    "rewrite", "rephrase", "paraphrase", "reword", "translate", "proofread", "shorten", "simplify", "polish",
    "correct the", "correct this", "correct my", "fix the grammar", "fix the spelling", "fix grammar", "make this",
    "make it", "make the following", "improve this", "improve the wording", "format this", "format the following",
    "ubersetze", "formuliere", "umformuliere", "korrigiere", "kurze", "schreibe diesen", "schreibe den", "verbessere",
    "traduis", "traduisez", "reformule", "reformulez", "corrige", "corrigez", "raccourcis", "simplifie", "reecris",
    "traduce", "traducir", "reformula", "reescribe", "corregir", "acorta", "simplifica", "parafrasea",
];
/// The same, where a few words are a topic and no text.
#[rustfmt::skip]
pub(super) const SUMMARISE: &[&str] = &[
    "summarise", "summarize", "sum up", "give me a summary", "tl dr", "list the key points", "extract",
    "fasse", "fass", "zusammenfassung", "resume", "resumez", "resumer", "resumir", "haz un resumen",
];

/// Changes to code, if code is named.
#[rustfmt::skip]
pub(super) const EDITS: &[&str] = &[
    "rename", "refactor", "reformat", "indent", "inline", "extract", "remove", "delete", "move", "comment", "uncomment",
    "add a comment", "add comments", "add a doc comment", "add a docstring", "add a test", "add a unit test",
    "add a log", "add a field", "add a parameter", "sort the imports",
    "benenne", "entferne", "losche", "verschiebe", "formatiere", "refaktoriere", "kommentiere",
    "renomme", "supprime", "deplace", "refactorise", "ajoute un commentaire",
    "renombra", "elimina", "borra", "mueve", "refactoriza", "anade un comentario",
];
#[rustfmt::skip]
pub(super) const CODE_NOUNS: &[&str] = &[
    "function", "functions", "method", "variable", "variables", "class", "struct", "module", "file", "code", "import",
    "imports", "parameter", "constant", "script", "loop",
    "funktion", "methode", "klasse", "datei", "modul", "konstante", "skript",
    "fonction", "classe", "fichier", "constante", "funcion", "metodo", "clase", "archivo", "codigo",
];

/// Point at what came with the request.
#[rustfmt::skip]
pub(super) const DEMONSTRATIVES: &[&str] = &[
    "this", "these", "that", "following", "my", "our", "above", "below",
    "dieser", "diese", "dieses", "diesen", "diesem", "folgenden", "folgende", "mein", "meine", "meinen", "unser",
    "ce", "cet", "cette", "ces", "suivant", "mon", "ma", "mes", "notre",
    "este", "esta", "estos", "estas", "siguiente", "mi", "mis", "nuestro",
];
pub(super) const ARTICLES: &[&str] =
    &["the", "der", "die", "das", "dem", "den", "des", "im", "le", "la", "du", "el", "al", "del"];
/// What came with it, even after a mere article.
#[rustfmt::skip]
pub(super) const TEXT_NOUNS: &[&str] = &[
    "text", "context", "snippet", "passage", "excerpt", "kontext", "textes", "texts", "textausschnitt", "texte",
    "contexte", "extrait", "texto", "contexto", "fragmento",
];
#[rustfmt::skip]
pub(super) const GIVEN_NOUNS: &[&str] = &[
    "text", "context", "snippet", "passage", "excerpt", "kontext", "texte", "contexte", "extrait", "texto", "contexto",
    "fragmento", "email", "mail", "letter", "paragraph", "sentence", "essay", "poem", "draft", "message", "document",
    "function", "code", "method", "class", "struct", "script", "file", "query", "list", "table",
    "brief", "absatz", "satz", "aufsatz", "gedicht", "entwurf", "nachricht", "dokument", "funktion", "methode", "klasse",
    "skript", "datei", "abschnitt",
    "lettre", "paragraphe", "phrase", "poeme", "brouillon", "fonction", "methode", "classe", "fichier",
    "correo", "carta", "parrafo", "frase", "ensayo", "poema", "borrador", "mensaje", "documento", "funcion", "codigo",
    "clase", "archivo",
];

/// Ask for the state of today, whatever else is said.
#[rustfmt::skip]
pub(super) const NOW: &[&str] = &[
    "latest", "newest", "current", "currently", "today", "tonight", "tomorrow", "yesterday", "now", "nowadays",
    "recent", "recently", "up to date", "this week", "this month", "this year", "last week", "last month", "last year",
    "breaking", "as of", "newly", "upcoming", "next election",
    "aktuell*", "neueste*", "neuste*", "derzeit*", "momentan*", "heute", "heutige*", "morgen", "gestern", "jetzt",
    "kurzlich", "diese woche", "dieses jahr", "letzte woche", "letztes jahr",
    "dernier*", "derniere*", "actuel*", "aujourd hui", "demain", "hier", "maintenant", "recent*", "recemment",
    "cette semaine", "cette annee",
    "ultimo*", "ultima*", "actual", "actuales", "actualmente", "hoy", "manana", "ayer", "ahora", "reciente*",
    "esta semana", "este ano", "proxim*",
];

/// Name things that change: versions, dates, prices, news, laws, people in office.
#[rustfmt::skip]
pub(super) const CHANGING: &[&str] = &[
    "version", "versions", "release", "released", "releases", "changelog", "deprecated", "end of life", "roadmap",
    "price", "prices", "cost of", "pricing", "how much does", "exchange rate", "stock", "share price", "inflation",
    "interest rate", "salary", "rent", "usd", "eur", "gbp", "dollar", "dollars", "euro", "euros",
    "news", "weather", "forecast", "score", "schedule", "won the", "standings", "population",
    "law", "laws", "legal", "illegal", "legislation", "regulation", "regulations", "tax", "taxes", "visa", "gdpr",
    "president", "prime minister", "minister", "chancellor", "mayor", "governor", "senator", "ceo", "king", "queen",
    "pope", "election", "elections", "who is the", "release date", "vulnerability", "vulnerabilities", "cve",
    "version*", "veroffentlicht*", "preis*", "kostet", "kosten", "wechselkurs*", "aktie*", "zins*", "miete*",
    "nachrichten", "wetter*", "gesetz*", "recht", "legal*", "steuer*", "verordnung*", "bundeskanzler*", "kanzler*",
    "prasident*", "minister*", "burgermeister*", "wahl", "wahlen", "mindestlohn*", "einwohner*", "wer ist",
    "prix", "coute", "coutent", "tarif*", "taux", "bourse", "actualite*", "meteo", "loi", "lois", "impot*", "legislation",
    "reglement*", "president*", "premier ministre", "maire", "election*", "sortie", "qui est", "smic",
    "precio*", "cuesta", "cuestan", "bolsa", "noticia*", "clima", "ley", "leyes", "impuesto*", "presidente*", "ministro*",
    "alcalde*", "eleccion*", "lanzamiento", "quien es", "salario minimo",
];

/// Something went wrong: others who met the problem wrote about it somewhere.
#[rustfmt::skip]
pub(super) const FAILURE: &[&str] = &[
    "error", "errors", "exception", "panicked", "panics", "traceback", "stack trace", "segfault", "segmentation fault",
    "crash*", "fails", "failed", "failing", "does not work", "doesn t work", "not working", "hangs", "deadlock",
    "fehler", "fehlermeldung", "absturz", "sturzt", "funktioniert nicht", "schlagt fehl",
    "erreur*", "plante", "ne fonctionne pas", "echoue", "excepcion", "no funciona", "falla",
];

/// Ask for one thing, if they begin a short question.
#[rustfmt::skip]
pub(super) const FACT_BEGINNINGS: &[&str] = &[
    "who", "when", "where", "which", "what is", "what s", "what was", "what year", "what does", "what time", "how many",
    "how much", "how old", "how tall", "how far", "how long", "how high", "how big", "how fast", "how to", "how do i",
    "how can i", "is", "are", "was", "did", "does", "can", "in which", "convert", "define", "set", "install", "enable",
    "disable", "turn on", "turn off", "find the", "latest",
    "wer", "wann", "wo", "woher", "welcher", "welches", "welchem", "welchen", "in welchem", "in welcher", "was ist",
    "was kostet", "wie viel", "wie viele", "wieviel", "wie hoch", "wie alt", "wie gros", "wie lang", "wie lange",
    "wie weit", "wie heist", "wie schnell", "ist", "hat", "wie kann ich",
    "qui", "quand", "ou", "quel", "quelle", "combien", "qu est ce que", "c est quoi", "est ce que", "en quelle",
    "quien", "quienes", "cuando", "donde", "cual", "cuanto", "cuanta", "cuantos", "cuantas", "que es", "en que",
];

/// Ask for more than one thing to be put together.
#[rustfmt::skip]
pub(super) const BROAD: &[&str] = &[
    "compare", "comparing", "comparison", "versus", "vs", "pros and cons", "advantages", "disadvantages", "trade offs",
    "tradeoffs", "overview", "survey", "landscape", "state of the art", "alternatives", "best practices", "evaluate",
    "should we", "should i", "which is better", "strategy for", "impact of", "effects of", "causes of", "history of",
    "differences between", "similarities", "market",
    "vergleich*", "gegenuber", "vor und nachteile", "vorteile", "nachteile", "uberblick", "ubersicht", "stand der technik",
    "alternativen", "auswirkung*", "ursachen", "unterschied*", "sollten wir", "soll ich", "geschichte der",
    "compar*", "avantages", "inconvenients", "apercu", "panorama", "etat de l art", "effets", "differences", "faut il",
    "ventajas", "desventajas", "frente a", "resumen de", "alternativas", "efectos", "causas", "diferencias", "deberiamos",
];

/// Ask for everything there is.
#[rustfmt::skip]
pub(super) const THOROUGH: &[&str] = &[
    "comprehensive*", "exhaustive*", "in depth", "thorough*", "deep dive", "deep research", "systematic review",
    "literature review", "meta analysis", "detailed report", "full report",
    "umfassend*", "ausfuhrlich*", "grundlich*", "tiefgehend*", "literaturubersicht", "systematische ubersicht",
    "exhausti*", "approfondi*", "revue de litterature", "revue systematique", "rapport detaille",
    "exhaustiv*", "a fondo", "en profundidad", "revision sistematica", "informe detallado",
];

/// Ask for little.
#[rustfmt::skip]
pub(super) const BRIEF: &[&str] = &[
    "briefly", "quick answer", "quickly", "in one sentence", "in a sentence", "in short", "in a nutshell",
    "kurz gesagt", "in einem satz", "ganz kurz", "en bref", "en une phrase", "brievement", "brevemente",
    "en una frase", "en pocas palabras",
];
