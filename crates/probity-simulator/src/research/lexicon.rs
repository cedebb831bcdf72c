//! The words of the invented worlds in three languages. Whoever reads English, German and Chinese knows them: the model
//! may, too. Names are invented per world and are not here.

/// A measured quantity; its facet is the part of the subject it belongs to.
pub(super) struct Quantity {
    /// The facet in English, German and Chinese.
    pub(super) facet: [&'static str; 3],
    pub(super) base: [&'static str; 3],
    pub(super) unit: [&'static str; 3],
}

const fn quantity(facet: [&'static str; 3], base: [&'static str; 3], unit: [&'static str; 3]) -> Quantity {
    Quantity { facet, base, unit }
}

pub(super) const QUANTITIES: [Quantity; 12] = [
    quantity(
        ["tariffs", "Tarife", "费率"],
        ["tariff", "tarif", "费率"],
        ["dollars per tonne", "Dollar je Tonne", "美元每吨"],
    ),
    quantity(
        ["throughputs", "Umschlag", "吞吐量"],
        ["throughput", "umschlag", "吞吐量"],
        ["kilotonnes", "Kilotonnen", "千吨"],
    ),
    quantity(["depths", "Tiefen", "深度"], ["depth", "tiefe", "深度"], ["metres", "Meter", "米"]),
    quantity(
        ["headcounts", "Belegschaft", "人数"],
        ["headcount", "belegschaft", "人数"],
        ["workers", "Beschäftigte", "名工人"],
    ),
    quantity(
        ["emissions", "Emissionen", "排放量"],
        ["emission", "emission", "排放量"],
        ["tonnes of carbon", "Tonnen Kohlenstoff", "吨碳"],
    ),
    quantity(["outages", "Ausfälle", "停机"], ["outage", "ausfall", "停机"], ["hours", "Stunden", "小时"]),
    quantity(
        ["outlays", "Ausgaben", "支出"],
        ["outlay", "ausgabe", "支出"],
        ["million crowns", "Millionen Kronen", "百万克朗"],
    ),
    quantity(["yields", "Erträge", "产率"], ["yield", "ertrag", "产率"], ["percent", "Prozent", "个百分点"]),
    quantity(
        ["stockpiles", "Vorräte", "库存"],
        ["stockpile", "vorrat", "库存"],
        ["containers", "Container", "个集装箱"],
    ),
    quantity(["transits", "Laufzeiten", "运程"], ["transit", "laufzeit", "运程"], ["days", "Tage", "天"]),
    quantity(
        ["intakes", "Zuflüsse", "取水量"],
        ["intake", "zufluss", "取水量"],
        ["litres per second", "Liter je Sekunde", "升每秒"],
    ),
    quantity(
        ["vibrations", "Schwingungen", "振动"],
        ["vibration", "schwingung", "振动"],
        ["decibels", "Dezibel", "分贝"],
    ),
];

/// What a quantity is measured of: an English word, the first half of a German compound, Chinese characters.
pub(super) const QUALIFIERS: [[&str; 3]; 30] = [
    ["harbour", "Hafen", "港口"],
    ["winter", "Winter", "冬季"],
    ["night", "Nacht", "夜间"],
    ["export", "Export", "出口"],
    ["import", "Import", "进口"],
    ["bulk", "Schüttgut", "散货"],
    ["pilot", "Lotsen", "引航"],
    ["reserve", "Reserve", "备用"],
    ["base", "Grund", "基础"],
    ["peak", "Spitzen", "峰值"],
    ["rail", "Bahn", "铁路"],
    ["ferry", "Fähr", "渡轮"],
    ["grain", "Getreide", "粮食"],
    ["timber", "Holz", "木材"],
    ["ore", "Erz", "矿石"],
    ["coastal", "Küsten", "沿海"],
    ["inland", "Binnen", "内陆"],
    ["summer", "Sommer", "夏季"],
    ["spring", "Frühjahrs", "春季"],
    ["autumn", "Herbst", "秋季"],
    ["cargo", "Fracht", "货运"],
    ["guest", "Gast", "访客"],
    ["repair", "Reparatur", "维修"],
    ["crane", "Kran", "起重"],
    ["lock", "Schleusen", "船闸"],
    ["buffer", "Puffer", "缓冲"],
    ["tank", "Tank", "储罐"],
    ["test", "Prüf", "测试"],
    ["deck", "Deck", "甲板"],
    ["gate", "Tor", "闸门"],
];

/// The second word of every invented name, the same in all languages.
pub(super) const PLACE_KINDS: [&str; 6] = ["Dock", "Basin", "Quay", "Wharf", "Terminal", "Pier"];
pub(super) const BODY_KINDS: [&str; 6] =
    ["Trust", "Institute", "Bureau", "Council", "Society", "Observatory"];
pub(super) const ONSETS: [&str; 16] = [
    "Vel", "Kes", "Bren", "Tor", "Ald", "Mar", "Sker", "Dun", "Hol", "Fen", "Gris", "Lor", "Ost", "Pel",
    "Rud", "Wend",
];
pub(super) const MIDDLES: [&str; 8] = ["a", "i", "o", "an", "er", "il", "or", "um"];
pub(super) const ENDS: [&str; 12] =
    ["dal", "mora", "trin", "holt", "vik", "gard", "sund", "lund", "beck", "ness", "wick", "stad"];

/// A sentence with one of these says what is not, or not yet, or only perhaps so.
pub(super) const DECOY_WORDS: [&str; 9] =
    ["if the ", "would have", "expected to", "no truth", "Wäre ", "erwartet", "Gerücht", "假如", "传闻"];
/// A wish, a rumour and a forecast with `{a}`, `{e}`, `{v}`, `{u}`, by language.
pub(super) const DECOYS: [[&str; 3]; 3] = [
    [
        "It would have been a {a} of {v} {u} at {e}, had the plan not failed.",
        "Wäre der Plan gelungen, stünden als {a} von {e} {v} {u} zu Buche.",
        "假如计划成功， {e} 的{a}会是 {v} {u}。",
    ],
    [
        "There is no truth in the story that {e} had a {a} of {v} {u}.",
        "Das Gerücht nennt als {a} von {e} {v} {u}.",
        "传闻 {e} 的{a}为 {v} {u}。",
    ],
    [
        "{e} is expected to reach a {a} of {v} {u} some day.",
        "Als {a} von {e} werden eines Tages {v} {u} erwartet.",
        "假如天气好， {e} 的{a}可达 {v} {u}。",
    ],
];

/// `{a}` attribute, `{e}` entity, `{v}` value, `{u}` unit, `{p}` year: six wordings a language.
pub(super) const WORDINGS: [[&str; 6]; 3] = [
    [
        "In {p}, the {a} of {e} was {v} {u}.",
        "{e} reported a {a} of {v} {u} for {p}.",
        "The {a} at {e} stood at {v} {u} in {p}.",
        "At {v} {u}, the {a} of {e} was the talk of {p}.",
        "For {p} the books of {e} show a {a} of {v} {u}.",
        "{e}: {a} {v} {u} ({p}).",
    ],
    [
        "Im Jahr {p} wurden für {e} als {a} {v} {u} gemessen.",
        "{e} meldete für {p} als {a} {v} {u}.",
        "Als {a} von {e} gelten für {p} {v} {u}.",
        "Mit {v} {u} wurde {p} der Wert für {a} von {e} angegeben.",
        "In den Büchern von {e} stehen für {p} als {a} {v} {u}.",
        "{e}: {a} {v} {u} ({p}).",
    ],
    [
        "{p} 年， {e} 的{a}为 {v} {u}。",
        "{e} 报告 {p} 年{a}为 {v} {u}。",
        "{e} 在 {p} 年的{a}达到 {v} {u}。",
        "以 {v} {u}计， {e} 的{a}是 {p} 年的记录。",
        "{e} 的账册显示， {p} 年{a}为 {v} {u}。",
        "{e} ：{a} {v} {u}（{p} 年）。",
    ],
];
/// Without a year.
pub(super) const CURRENT: [&str; 3] = [
    "The {a} of {e} is currently {v} {u}.",
    "Als {a} von {e} gelten derzeit {v} {u}.",
    "目前 {e} 的{a}为 {v} {u}。",
];
/// Two values of one thing.
pub(super) const DISAGREE: [&str; 3] = [
    "Sources disagree on the {a} of {e} in {p}: {v} {u} stands against {w} {u}.",
    "Die Quellen widersprechen sich für {p} bei {a} von {e}: {v} {u} stehen gegen {w} {u}.",
    "关于 {p} 年 {e} 的{a}，来源不一致： {v} {u}与 {w} {u}。",
];
/// One of two values is known to be the valid one.
pub(super) const SETTLED: [&str; 3] = [
    "The {a} of {e} in {p} was first given as {w} {u} and later revised to {v} {u}.",
    "Als {a} von {e} galten für {p} zuerst {w} {u}, später korrigiert auf {v} {u}.",
    "{p} 年 {e} 的{a}起初为 {w} {u}，后来修订为 {v} {u}。",
];
/// Two values that count different things.
pub(super) const SCOPED: [&str; 3] = [
    "The {a} of {e} in {p} was {v} {u}, whereas {w} {u} also counts the outer berths.",
    "Als {a} von {e} gelten für {p} {v} {u}, während {w} {u} auch die äußeren Plätze zählen.",
    "{p} 年 {e} 的{a}为 {v} {u}，而 {w} {u}还计入外侧泊位。",
];
/// What the page of a scope says of its own figure; a writer repeats it.
pub const SCOPE_WORDS: [&str; 3] = ["outer berths", "äußeren Plätze", "外侧泊位"];
/// What the later page says of the earlier figure.
pub const REVISED_WORDS: [&str; 3] = ["revised", "korrigiert", "修订"];

/// Two things of one kind, compared: `{e}` is ahead of `{f}`.
pub(super) const COMPARED: [&str; 3] = [
    "the {a} of {e} was higher than that of {f} in {p}.",
    "lag {p} bei {a} der Wert von {e} höher als der von {f}.",
    "{p} 年 {e} 的{a}高于 {f} 。",
];
pub(super) const TOGETHER: [&str; 3] = ["Taken together, ", "Zusammengenommen ", "综合来看， "];
pub(super) const MISSING: [&str; 3] = [
    "No source was found for the {a} of {e}.",
    "Für {a} von {e} wurde keine Quelle gefunden.",
    "没有找到 {e} 的{a}的来源。",
];

/// Words that mark a sentence as showing two sides.
pub const CONFLICT_WORDS: [&str; 12] = [
    "disagree",
    "against",
    "whereas",
    "revised",
    "widersprechen",
    "stehen gegen",
    "während",
    "korrigiert",
    "不一致",
    "修订",
    "而 ",
    "contradict",
];
/// Words that mark a sentence as a conclusion of the writer's.
pub const INFERENCE_WORDS: [&str; 7] =
    ["taken together", "this suggests", "it follows", "zusammengenommen", "daraus folgt", "综合来看", "由此"];
pub const HIGHER_WORDS: [&str; 3] = ["higher than", "höher als", "高于"];
pub const LOWER_WORDS: [&str; 3] = ["lower than", "niedriger als", "低于"];
/// Words that say that something was not found.
pub const GAP_WORDS: [&str; 10] = [
    "no source",
    "not found",
    "not answered",
    "unanswered",
    "could not be found",
    "no figure",
    "keine quelle",
    "nicht gefunden",
    "没有找到",
    "未找到",
];

/// The language whose units a text uses most.
pub fn main_language(text: &str) -> usize {
    let uses = |language: usize| -> usize {
        QUANTITIES
            .iter()
            .filter_map(|quantity| quantity.unit.get(language))
            .map(|unit| text.matches(unit).count())
            .sum()
    };
    (0..3).rev().max_by_key(|language| uses(*language)).unwrap_or_default()
}

/// The name of a facet, by the language's place (English, German, Chinese).
pub fn facet_name(facet: usize, language: usize) -> &'static str {
    QUANTITIES.get(facet).and_then(|quantity| quantity.facet.get(language)).copied().unwrap_or_default()
}
