//! Units and scales: what is beside a number, in the languages of the reports.

/// What a number counts, with the factor that brings it to the measure's own size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    pub measure: Measure,
    pub factor: f64,
}

/// Units of one measure can be converted into each other; different measures never agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// No unit that we know: a bare count.
    Count,
    Percent,
    PercentagePoint,
    Dollar,
    Euro,
    Pound,
    Yen,
    Yuan,
    Rouble,
    Rupee,
    Franc,
    /// Metres.
    Length,
    /// Square metres.
    Area,
    /// Litres.
    Volume,
    /// Grams.
    Mass,
    /// Seconds.
    Time,
    Celsius,
    Fahrenheit,
    /// Bytes.
    Data,
    /// Metres per second.
    Speed,
    /// Watts.
    Power,
    /// Joules.
    Energy,
    /// Hertz.
    Frequency,
}

impl Measure {
    /// Money: one becomes another at a rate that changes.
    pub fn is_currency(self) -> bool {
        matches!(
            self,
            Self::Dollar
                | Self::Euro
                | Self::Pound
                | Self::Yen
                | Self::Yuan
                | Self::Rouble
                | Self::Rupee
                | Self::Franc
        )
    }
}

impl Unit {
    pub const COUNT: Self = Self { measure: Measure::Count, factor: 1.0 };

    const fn of(measure: Measure, factor: f64) -> Self {
        Self { measure, factor }
    }
}

/// A currency or other sign that comes before its number.
pub fn sign_before(text: &str) -> Option<Unit> {
    Some(Unit::of(
        match text {
            "$" | "US$" | "usd" => Measure::Dollar,
            "€" | "eur" => Measure::Euro,
            "£" | "gbp" => Measure::Pound,
            "¥" | "￥" | "jpy" => Measure::Yen,
            "cny" | "rmb" => Measure::Yuan,
            "₽" | "rub" => Measure::Rouble,
            "₹" | "inr" => Measure::Rupee,
            "chf" => Measure::Franc,
            _ => return None,
        },
        1.0,
    ))
}

/// The unit a sign or a folded word after a number names.
pub fn unit(word: &str) -> Option<Unit> {
    use Measure::*;
    let (measure, factor) = match word {
        "%"
        | "％"
        | "percent"
        | "pct"
        | "prozent"
        | "porciento"
        | "процент"
        | "процента"
        | "процентов"
        | "パーセント"
        | "٪"
        | "بالمئة"
        | "بالمائة"
        | "procent"
        | "percento"
        | "퍼센트"
        | "प्रतिशत" => (Percent, 1.0),
        // A tenth, as Japanese and Chinese count shares.
        "割" | "成" => (Percent, 10.0),
        "prozentpunkt" | "prozentpunkte" | "prozentpunkten" | "pp" => (PercentagePoint, 1.0),
        "$" | "usd" | "dollar" | "dollars" | "dolar" | "dolares" | "доллар" | "доллара" | "долларов"
        | "ドル" | "دولار" | "달러" | "dolarow" | "dolara" | "dollari" => (Dollar, 1.0),
        "€" | "eur" | "euro" | "euros" | "евро" | "ユーロ" | "يورو" | "유로" => (Euro, 1.0),
        "£" | "gbp" => (Pound, 1.0),
        "¥" | "yen" | "円" => (Yen, 1.0),
        "yuan" | "元" | "rmb" | "cny" => (Yuan, 1.0),
        "₽" | "руб" | "рубль" | "рубля" | "рублей" => (Rouble, 1.0),
        "rupees" | "₹" => (Rupee, 1.0),
        "nm" | "nanometer" | "nanometers" | "nanometres" => (Length, 1e-9),
        "µm" | "μm" | "micrometers" | "micrometres" => (Length, 1e-6),
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" | "毫米" | "мм" => {
            (Length, 1e-3)
        }
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" | "zentimeter" | "centimetros"
        | "厘米" | "см" => (Length, 1e-2),
        "m" | "meter" | "meters" | "metre" | "metres" | "metern" | "metros" | "米" | "メートル" | "м"
        | "метров" | "метра" | "метры" | "metri" | "metrow" | "متر" | "مترا" | "أمتار" => {
            (Length, 1.0)
        }
        "km"
        | "kilometer"
        | "kilometers"
        | "kilometre"
        | "kilometres"
        | "kilometern"
        | "kilometros"
        | "公里"
        | "千米"
        | "キロ"
        | "キロメートル"
        | "كيلومتر"
        | "كيلومترا"
        | "킬로미터"
        | "chilometri"
        | "quilometros"
        | "км"
        | "километров"
        | "километра"
        | "километры"
        | "kilometrow"
        | "كيلومترات" => (Length, 1e3),
        "mi" | "mile" | "miles" | "meilen" | "millas" | "マイル" => (Length, 1609.344),
        "ft" | "foot" | "feet" => (Length, 0.3048),
        "inch" | "inches" | "zoll" | "pouces" | "pulgadas" | "インチ" => (Length, 0.0254),
        "yd" | "yard" | "yards" => (Length, 0.9144),
        "hectare" | "hectares" | "hektar" | "hektare" | "hectareas" | "ettari" | "hektarow" | "гектаров"
        | "га" | "公顷" | "ヘクタール" | "헥타르" | "هكتار" | "ha" => (Area, 1e4),
        "acre" | "acres" => (Area, 4046.856),
        "km²"
        | "km2"
        | "quadratkilometer"
        | "quadratkilometern"
        | "平方公里"
        | "平方キロメートル"
        | "平方キロ" => (Area, 1e6),
        "m²" | "m2" | "quadratmeter" | "quadratmetern" | "平方米" | "平方メートル" => (Area, 1.0),
        "l" | "liter" | "liters" | "litre" | "litres" | "litern" | "litros" | "升" | "リットル" | "л" => {
            (Volume, 1.0)
        }
        "m³" | "m3" | "kubikmeter" | "kubikmetern" | "立方米" | "立方メートル" => (Volume, 1e3),
        "km³" | "km3" | "kubikkilometer" | "立方公里" => (Volume, 1e12),
        "hm³" | "hm3" => (Volume, 1e9),
        "dm³" | "dm3" => (Volume, 1.0),
        "cm³" | "cm3" => (Volume, 1e-3),
        "ml" | "milliliters" | "millilitres" => (Volume, 1e-3),
        "gallon" | "gallons" => (Volume, 3.785),
        "barrel" | "barrels" => (Volume, 158.987),
        "mg" | "milligram" | "milligrams" | "мг" => (Mass, 1e-3),
        "µg" | "μg" | "mcg" => (Mass, 1e-6),
        "g" | "gram" | "grams" | "gramm" | "grammes" | "gramos" | "克" | "グラム" => (Mass, 1.0),
        "kg"
        | "kilogram"
        | "kilograms"
        | "kilogramm"
        | "kilogrammes"
        | "kilogramos"
        | "kilos"
        | "公斤"
        | "千克"
        | "кг"
        | "quilos"
        | "quilogramas"
        | "chilogrammi"
        | "kilogramow"
        | "килограммов"
        | "كيلوغراما"
        | "كيلوغرام" => (Mass, 1e3),
        "tonne" | "tonnes" | "tonnen" | "toneladas" | "吨" | "トン" | "тонн" | "тонны" | "tons" | "ton"
        | "tonnellate" | "طن" | "톤" => (Mass, 1e6),
        "lb" | "lbs" => (Mass, 453.592),
        "ms" | "millisecond" | "milliseconds" | "millisekunden" | "millisecondes" | "milisegundos"
        | "毫秒" | "ミリ秒" | "мс" => (Time, 1e-3),
        "µs" | "μs" | "microsecond" | "microseconds" | "mikrosekunden" | "microsegundos" | "微秒" => {
            (Time, 1e-6)
        }
        "ns" | "nanosecond" | "nanoseconds" | "nanosekunden" | "纳秒" => (Time, 1e-9),
        "s" | "sec" | "secs" | "second" | "seconds" | "sekunde" | "sekunden" | "seconde" | "secondes"
        | "segundo" | "segundos" | "秒" | "секунд" | "секунды" => (Time, 1.0),
        "min" | "mins" | "minute" | "minutes" | "minuten" | "minuto" | "minutos" | "分钟" | "分間"
        | "минут" | "минуты" => (Time, 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" | "stunde" | "stunden" | "heure" | "heures" | "hora"
        | "horas" | "小时" | "小時" | "時間" | "час" | "часа" | "часов" => (Time, 3600.0),
        "day" | "days" | "tag" | "tage" | "tagen" | "jour" | "jours" | "dia" | "dias" | "天" | "日間"
        | "день" | "дня" | "дней" => (Time, 86_400.0),
        "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" | "周"
        | "週間" | "недель" | "недели" => (Time, 604_800.0),
        "month" | "months" | "monat" | "monate" | "monaten" | "mois" | "mes" | "meses" | "个月" | "か月"
        | "ヶ月" | "месяцев" | "месяца" => (Time, 2_629_800.0),
        "year" | "years" | "jahr" | "jahre" | "jahren" | "an" | "ans" | "annees" | "ano" | "anos" | "лет"
        | "года" | "年間" | "anni" | "lata" | "lat" | "سنوات" | "أعوام" => {
            (Time, 31_557_600.0)
        }
        "decade" | "decades" | "jahrzehnte" | "decennies" | "decadas" => (Time, 315_576_000.0),
        "°c" | "celsius" | "摄氏度" => (Celsius, 1.0),
        "°f" | "fahrenheit" => (Fahrenheit, 1.0),
        "b" | "byte" | "bytes" | "octets" | "字节" | "バイト" | "байт" => (Data, 1.0),
        "kb" | "kib" | "kilobyte" | "kilobytes" | "ko" | "kilooctet" | "kilooctets" | "キロバイト" => {
            (Data, 1e3)
        }
        "mb" | "mib" | "megabyte" | "megabytes" | "mo" | "megaoctet" | "megaoctets" | "メガバイト" => {
            (Data, 1e6)
        }
        "gb" | "gib" | "gigabyte" | "gigabytes" | "gigaoctet" | "gigaoctets" | "ギガバイト" => {
            (Data, 1e9)
        }
        "tb" | "tib" | "terabyte" | "terabytes" => (Data, 1e12),
        "bit" | "bits" | "位" | "ビット" | "бит" => (Data, 0.125),
        "km/h" | "kmh" | "kph" => (Speed, 0.277_778),
        "mph" => (Speed, 0.447_04),
        "m/s" => (Speed, 1.0),
        "w" | "watt" | "watts" => (Power, 1.0),
        "kw" | "kilowatt" | "kilowatts" => (Power, 1e3),
        "mw" | "megawatt" | "megawatts" => (Power, 1e6),
        "gw" | "gigawatt" | "gigawatts" => (Power, 1e9),
        "wh" => (Energy, 3600.0),
        "kwh" => (Energy, 3.6e6),
        "mwh" => (Energy, 3.6e9),
        "gwh" => (Energy, 3.6e12),
        "twh" => (Energy, 3.6e15),
        "hz" | "hertz" => (Frequency, 1.0),
        "khz" => (Frequency, 1e3),
        "mhz" => (Frequency, 1e6),
        "ghz" => (Frequency, 1e9),
        _ => return None,
    };
    Some(Unit::of(measure, factor))
}

/// Words that multiply the number before them.
pub fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "hundred" | "hundert" | "cents" | "百" | "cientos" | "백" => 1e2,
        "thousand" | "thousands" | "k" | "tausend" | "tsd" | "mille" | "mil" | "тыс" | "тысяча"
        | "тысячи" | "тысяч" | "千" | "천" | "ألف" | "الف" | "آلاف" | "tys" | "bin" | "duizend" | "mila" => {
            1e3
        }
        "万" | "萬" | "만" => 1e4,
        "lakh" => 1e5,
        "million" | "millions" | "mn" | "mio" | "millionen" | "millon" | "millones" | "млн" | "миллион"
        | "миллиона" | "миллионов" | "мільйонів" | "مليون" | "ملايين" | "milione" | "milioni" | "milhao"
        | "milhoes" | "miljoen" | "milyon" | "milion" | "miliony" | "milionow" | "mln" => 1e6,
        "crore" => 1e7,
        "亿" | "億" | "억" => 1e8,
        "billion"
        | "billions"
        | "bn"
        | "mrd"
        | "milliarde"
        | "milliarden"
        | "milliard"
        | "milliards"
        | "млрд"
        | "миллиард"
        | "миллиарда"
        | "миллиардов"
        | "مليار"
        | "مليارات"
        | "miliardo"
        | "miliardi"
        | "bilhao"
        | "bilhoes"
        | "miljard"
        | "milyar"
        | "miliard"
        | "miliardow"
        | "mld" => 1e9,
        "trillion" | "trillions" | "tn" | "billionen" | "billones" | "兆" | "조" | "трлн" | "تريليون"
        | "trilhoes" => 1e12,
        _ => return None,
    })
}

/// Single letters that scale only right after the digits or after a currency: `$5m`, `10k`.
pub fn scale_letter(word: &str) -> Option<f64> {
    Some(match word {
        "k" => 1e3,
        "m" => 1e6,
        "b" => 1e9,
        _ => return None,
    })
}
