use super::*;

#[track_caller]
fn numbers(text: &str) -> Vec<(f64, Measure)> {
    values(text).numbers.iter().map(|number| (number.value, number.unit.measure)).collect()
}

#[track_caller]
fn dates(text: &str) -> Vec<(Option<i32>, Option<u8>, Option<u8>)> {
    values(text).dates.iter().map(|date| (date.year, date.month, date.day)).collect()
}

#[track_caller]
fn agrees(claim: &str, page: &str) -> bool {
    let (claim, page) = (values(claim), values(page));
    claim.numbers.iter().all(|mine| page.numbers.iter().any(|theirs| mine.agrees(theirs)))
        && claim.dates.iter().all(|mine| page.dates.iter().any(|theirs| mine.agrees(theirs)))
        && (claim.numbers.len() + claim.dates.len()) > 0
}

#[test]
fn scales_of_many_languages_mean_the_same_number() {
    for text in [
        "1.2 million",
        "1,200,000",
        "1,2 Mio.",
        "1,2 millions",
        "1,2 millones",
        "1,2 млн",
        "120万",
        "1.200.000",
        "1 200 000",
    ] {
        assert_eq!(numbers(text).first().map(|number| number.0), Some(1_200_000.0), "{text}");
    }
    assert_eq!(numbers("3 Mrd. Euro"), [(3e9, Measure::Euro)]);
    assert_eq!(numbers("$5bn"), [(5e9, Measure::Dollar)]);
    assert_eq!(numbers("2 mil millones de euros").first().map(|number| number.0), Some(2e9));
    assert_eq!(numbers("1億円"), [(1e8, Measure::Yen)]);
}

#[test]
fn units_are_read_in_many_languages() {
    for (text, measure) in [
        ("12 %", Measure::Percent),
        ("12 per cent", Measure::Percent),
        ("12 Prozent", Measure::Percent),
        ("12 pour cent", Measure::Percent),
        ("12 por ciento", Measure::Percent),
        ("12 percentage points", Measure::PercentagePoint),
        ("12 Prozentpunkte", Measure::PercentagePoint),
        ("12 公里", Measure::Length),
        ("12キロメートル", Measure::Length),
        ("12 км", Measure::Length),
        ("12 heures", Measure::Time),
        ("12小时", Measure::Time),
        ("12-year", Measure::Time),
        ("90 km/h", Measure::Speed),
        ("12美元", Measure::Dollar),
        ("US$12", Measure::Dollar),
    ] {
        assert_eq!(numbers(text).first().map(|number| number.1), Some(measure), "{text}");
    }
}

#[test]
fn numbers_are_read_as_words() {
    for (text, value) in [
        ("twenty-three", 23.0),
        ("dreiundzwanzig", 23.0),
        ("vingt-trois", 23.0),
        ("treinta y dos", 32.0),
        ("a dozen", 12.0),
        ("two hundred", 200.0),
        ("三百五十人", 350.0),
        ("二十三", 23.0),
        ("five million", 5e6),
    ] {
        assert_eq!(numbers(text).first().map(|number| number.0), Some(value), "{text}");
    }
}

#[test]
fn rounding_agrees_in_one_direction() {
    assert!(agrees("about 12 %", "11.8 %"));
    assert!(agrees("1.2 million people", "1,204,000 people"));
    assert!(agrees("12.5 %", "12.5 percent"));
    assert!(agrees("3 miles", "5 km"));
    assert!(agrees("more than 12 people", "13 people"));
    assert!(agrees("1.204", "1,204"));
    assert!(!agrees("1,204,000 people", "1.2 million people"));
    assert!(!agrees("12 %", "12 percentage points"));
    assert!(!agrees("12", "13"));
    assert!(!agrees("more than 12 people", "11 people"));
    assert!(!agrees("500", "503"));
}

#[test]
fn dates_of_many_languages_are_one_date() {
    for text in [
        "2019-05-03",
        "3 May 2019",
        "May 3, 2019",
        "3rd of May, 2019",
        "3. Mai 2019",
        "3 mai 2019",
        "3 de mayo de 2019",
        "2019年5月3日",
        "3 мая 2019",
        "3.5.2019",
        "二〇一九年5月3日",
    ] {
        assert_eq!(dates(text), [(Some(2019), Some(5), Some(3))], "{text}");
    }
    assert_eq!(dates("25/12/2019"), [(Some(2019), Some(12), Some(25))]);
    assert_eq!(dates("1965-66"), [(Some(1965), None, None), (Some(1966), None, None)]);
}

#[test]
fn a_date_agrees_with_one_that_says_at_least_as_much() {
    assert!(agrees("in 2019", "3 May 2019"));
    assert!(agrees("in May 2019", "2019年5月3日"));
    assert!(agrees("in the 2010s", "in 2014"));
    assert!(!agrees("3 May 2019", "in 2019"));
    assert!(!agrees("3 May 2019", "4 May 2019"));
    assert!(!agrees("in 2019", "in the 2010s"));
}

#[test]
fn names_and_versions_are_no_counts() {
    assert_eq!(numbers("COVID-19 and H2O on x86"), []);
    assert_eq!(
        values("release 3.11.2").numbers.first().map(|number| number.form),
        Some(QuantityForm::Version)
    );
    assert_eq!(dates("you may go"), []);
    assert_eq!(dates("2000 metres"), []);
}

#[test]
fn bounds_are_read_before_the_number() {
    for (text, bound) in [
        ("more than 12", QuantityBound::Above),
        ("mindestens 12", QuantityBound::Above),
        ("au moins 12", QuantityBound::Above),
        ("más de 12", QuantityBound::Above),
        ("超过12", QuantityBound::Above),
        ("up to 12", QuantityBound::Below),
        ("jusqu'à 12", QuantityBound::Exact),
        ("höchstens 12", QuantityBound::Below),
        ("rund 12", QuantityBound::About),
        ("около 12", QuantityBound::About),
        ("約12", QuantityBound::About),
        ("12", QuantityBound::Exact),
    ] {
        assert_eq!(values(text).numbers.first().map(|number| number.bound), Some(bound), "{text}");
    }
}

#[test]
fn hours_with_halves_and_quarters_are_minutes() {
    for (text, minutes) in [
        ("an hour and three quarters", 105.0),
        ("two and a half hours", 150.0),
        ("half an hour", 30.0),
        ("three quarters of an hour", 45.0),
        ("eine halbe Stunde", 30.0),
        ("eine Dreiviertelstunde", 45.0),
        ("une heure et demie", 90.0),
        ("une heure trois quarts", 105.0),
        ("un quart d'heure", 15.0),
        ("dos horas y media", 150.0),
        ("un'ora e un quarto", 75.0),
        ("uma hora e meia", 90.0),
        ("полчаса", 30.0),
        ("一个半小时", 90.0),
        ("2時間半", 150.0),
    ] {
        assert_eq!(numbers(text), [(minutes, Measure::Time)], "{text}");
    }
    assert!(agrees("It takes 105 minutes.", "It takes an hour and three quarters by road."));
    assert!(agrees("Es dauert 90 Minuten.", "Es dauert anderthalb Stunden."));
    assert!(agrees("an hour and a half", "90 minutes"));
    assert!(!agrees("It takes 100 minutes.", "It takes an hour and three quarters by road."));
    assert!(!agrees("eine halbe Stunde", "45 Minuten"));
    // A part of something else is no part of the hour.
    assert!(!numbers("within an hour and half of the staff").contains(&(90.0, Measure::Time)));
}

#[test]
fn french_counts_on_from_ten() {
    assert_eq!(numbers("dix-neuf ans"), [(19.0, Measure::Time)]);
    assert_eq!(numbers("dix ans"), [(10.0, Measure::Time)]);
}

#[test]
fn hundreds_in_one_word_are_read() {
    assert!(agrees("500 Euro", "i cinquecento euro del premio"));
    assert!(agrees("300 euros", "trescientos euros"));
    assert!(agrees("16 anos", "dezesseis anos"));
}

#[test]
fn powers_of_ten_are_multiplied() {
    for (text, value) in [
        ("3 × 10⁹ people", 3e9),
        ("2.5 x 10^6 crowns", 2.5e6),
        ("2.5·10⁶", 2.5e6),
        ("1.5 × 10¹² tonnes", 1.5e12),
        ("3 × 10 m", 3.0),
    ] {
        assert_eq!(values(text).numbers[0].value, value, "{text}");
    }
}
