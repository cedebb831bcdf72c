use super::*;

/// The formula of a sentence and what comes of it; "none" without one.
fn told(words: &str) -> String {
    let Some(formula) = inline_formula(words) else { return "none".to_owned() };
    let inputs: Vec<&str> = formula.inputs.iter().map(|input| input.text.as_str()).collect();
    let outcome = match formula.check() {
        FormulaOutcome::Off { computed } => format!("off, {computed:.4}"),
        FormulaOutcome::Holds => "holds".to_owned(),
        FormulaOutcome::NotComputable(why) => format!("{why:?}"),
    };
    format!("{} [{}] = {}: {outcome}", formula.expression, inputs.join("; "), formula.stated)
}

#[track_caller]
fn check(words: &str, expected: &str) {
    assert_eq!(told(words), expected, "{words}");
}

#[test]
fn arithmetic_that_is_written_out() {
    check("12 × 3.5 = 42 million", "A*B [12; 3.5] = 42 million: holds");
    check("That is 12 × 3.5 = 45.", "A*B [12; 3.5] = 45: off, 42.0000");
    check("In sum 10 + 20 + 30 = 60 people.", "A+B+C [10; 20; 30] = 60: holds");
    check("(10 + 20) / 3 = 10", "(A+B)/C [10; 20; 3] = 10: holds");
    check("$2.5 billion ÷ 5 million = $500", "A/B [$2.5 billion; 5 million] = $500: holds");
    check("7 / 3 ≈ 2.3", "A/B [7; 3] = 2.3: holds");
    check("7 / 3 = 2.4", "A/B [7; 3] = 2.4: off, 2.3333");
}

#[test]
fn changes_between_two_values() {
    check("Sales rose from 100 to 150, up 50 %.", "(B - A) / A [100; 150] = 50 %: holds");
    check("Sales rose from 100 to 150, up 60%.", "(B - A) / A [100; 150] = 60%: off, 50.0000");
    check(
        "It fell from $1.5 million in 2020 to $1.2 million in 2023, a 20% drop.",
        "(A - B) / A [$1.5 million; $1.2 million] = 20%: holds",
    );
    check("It rose from 100 to 90, up 10%.", "(B - A) / A [100; 90] = 10%: off, -10.0000");
    check("It grew from 100 to 150 at a CAGR of 5%.", "none");
    check(
        "The share rose from 10% to 15%, an increase of 5 percentage points.",
        "B - A [10%; 15%] = 5 percentage points: holds",
    );
}

#[test]
fn totals_differences_and_parts() {
    check(
        "Sales were $10 million and $15 million, for a total of $25 million.",
        "A + B [$10 million; $15 million] = $25 million: holds",
    );
    check(
        "Sales were $10 million and $15 million, for a total of $35 million.",
        "A + B [$10 million; $15 million] = $35 million: off, 25000000.0000",
    );
    check("It has 5 offices and 20 employees, with a total of 30 million users.", "none");
    check("A needs 12 kg and B needs 9 kg, a difference of 3 kg.", "A - B [12 kg; 9 kg] = 3 kg: holds");
    check("Of these, 30 of the 120 trials (25%) ended.", "A / B [30; 120] = 25%: holds");
    check("Of these, 30 of the 120 trials (35%) ended.", "A / B [30; 120] = 35%: off, 25.0000");
    check(
        "It made $33 million, about a third of the $100 million.",
        "A * 0.3333333333333333 [$100 million] = $33 million: holds",
    );
}

#[test]
fn sentences_with_figures_that_are_not_tied() {
    check("In 2020 it had 5 plants, 30 shops and sales of $5 million.", "none");
    check("It costs $5, $6 or $7.", "none");
    check("The range is 125–160 mV at Vdd = 0.9 V.", "none");
    check("The 1% rate was extended, and the limit rose from 90 to 140 square metres.", "none");
    check("Nothing here.", "none");
}

#[test]
fn formulas_over_claims() {
    let words = |id: &str| match id {
        "C4" => Some("The plant makes 12.5 tonnes a day."),
        "C7" => Some("It ran for 40 days."),
        "C8" => Some("Between 5 and 6 people."),
        "C9" => Some("It weighs 2 kg."),
        _ => None,
    };
    let check = |expression: &str, stated: &str| {
        Formula::over_claims(expression, words, stated).map(|formula| formula.check())
    };
    assert_eq!(check("C4 / C9", "6,250 times as much"), Ok(FormulaOutcome::Holds));
    assert_eq!(check("C9 * 3", "6000 g"), Ok(FormulaOutcome::Holds));
    assert_eq!(check("C9 * 3", "7 kg"), Ok(FormulaOutcome::Off { computed: 6.0 }));
    assert_eq!(check("C8.2 - C8.1", "1"), Ok(FormulaOutcome::Holds));
    assert_eq!(check("C4 + C7", "52.5 tonnes"), Ok(FormulaOutcome::NotComputable(FormulaError::UnitsDiffer)));
    assert_eq!(check("C8 * 2", "10"), Err(FormulaError::SeveralNumbers("C8".to_owned())));
    assert_eq!(check("C5 * 2", "10"), Err(FormulaError::UnknownClaim("C5".to_owned())));
    assert_eq!(check("C9 / 0", "10 kg"), Ok(FormulaOutcome::NotComputable(FormulaError::DivisionByZero)));
    assert_eq!(check("system(1)", "10"), Err(FormulaError::UnknownClaim("system".to_owned())));
    assert_eq!(check("2; 3", "10"), Err(FormulaError::NotArithmetic));
    assert_eq!(check(&"(".repeat(600), "10"), Err(FormulaError::TooLong));
    assert_eq!(
        check(&format!("{}1{}", "(".repeat(100), ")".repeat(100)), "1"),
        Ok(FormulaOutcome::NotComputable(FormulaError::TooLong))
    );
    assert_eq!(check("9^9^9^9", "1"), Ok(FormulaOutcome::NotComputable(FormulaError::NotFinite)));
    assert_eq!(check("(1 + 5%)^10 * 100", "162.9"), Ok(FormulaOutcome::Holds));
}
