use super::*;

fn best(claim: &str, text: &str, most: usize) -> Vec<String> {
    let page = IndexedPage::new(text);
    locate(claim, &page, most)
        .iter()
        .filter_map(|found| text.get(found.start..found.end))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_sentence_with_the_numbers_and_names_comes_first() {
    let text =
        "About us\nThe firm makes tools.\nIn 2019 the firm sold 41 tools to Norway.\nTools are useful.";
    assert_eq!(
        best("Norway bought 41 tools in 2019", text, 1),
        ["In 2019 the firm sold 41 tools to Norway."]
    );
}

#[test]
fn all_parts_of_a_claim_are_covered() {
    let text = "Anna Berg was born in Oslo.\nAnna Berg sang in Oslo and Anna Berg danced in Oslo.\nAnna Berg painted in Oslo.\n\
        Oslo loves Anna Berg.\nAnna Berg of Oslo slept.\nShe later won a prize for chemistry.";
    let found = best("Anna Berg, born in Oslo, won a chemistry prize", text, 5);
    assert!(found.iter().any(|sentence| sentence.contains("chemistry")), "{found:?}");
    assert!(found.iter().any(|sentence| sentence.contains("born")), "{found:?}");
}

#[test]
fn scripts_without_spaces_are_searched() {
    let text = "首页\n公司成立于上海。\n2019年销售额增长了12.5%。\n欢迎访问。";
    assert_eq!(best("销售额在2019年增长", text, 1), ["2019年销售额增长了12.5%。"]);
}

proptest::proptest! {
    #[test]
    fn passages_are_sentences_and_differ(claim in ".{0,80}", text in "([a-z .\n]|\\PC){0,200}") {
        let page = IndexedPage::new(&text);
        let found = locate(&claim, &page, 5);
        proptest::prop_assert_eq!(found.len(), page.sentences().len().min(5));
        for place in &found {
            proptest::prop_assert!(page.sentences().iter().any(|sentence| sentence.start == place.start && sentence.end == place.end));
            proptest::prop_assert_eq!(found.iter().filter(|other| other.start == place.start).count(), 1);
        }
    }
}
