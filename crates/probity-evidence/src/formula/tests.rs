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
fn only_bounded_arithmetic_is_computed() {
    let compute = |text: &str| expression::evaluate(text, |_| None).map(|number| number.base);
    assert_eq!(compute("2 + 3 * 4"), Ok(14.0));
    assert_eq!(compute("9 / 0"), Err(FormulaError::DivisionByZero));
    assert_eq!(compute("system(1)"), Err(FormulaError::UnknownName("system".to_owned())));
    assert_eq!(compute("2; 3"), Err(FormulaError::NotArithmetic));
    assert_eq!(compute(&"(".repeat(600)), Err(FormulaError::TooLong));
    assert_eq!(compute(&format!("{}1{}", "(".repeat(100), ")".repeat(100))), Err(FormulaError::TooLong));
    assert_eq!(compute("9^9^9^9"), Err(FormulaError::NotFinite));
    assert_eq!(compute("(1 + 5%)^10 * 100").map(f64::round), Ok(163.0));
    assert_eq!(compute("100 + 5%"), Err(FormulaError::UnitsDiffer));
}
