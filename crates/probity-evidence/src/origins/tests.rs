use super::*;

const REPORT: &str = "The ministry published its yearly report on rivers on Monday, after a delay of several weeks.\n\
    It found that 41 percent of the rivers in the north were in a good state, up from a third ten years ago.\n\
    Fishermen in the region said that they had seen more trout than at any time since the mills closed.\n\
    The report calls for stricter rules on fertiliser and for a fund that pays farmers who leave the banks alone.";
const OTHER: &str = "A new opera house opens in the harbour next spring, its director told reporters at the site.\n\
    Tickets for the first season go on sale in 41 days, and half of them will cost less than a cinema seat.\n\
    The architects have kept the old crane, which will lift the stage from one hall into the other.\n\
    Critics had called the building too dear, but the city council voted for it with a large majority.";

fn kin(one: &str, other: &str) -> TextRelation {
    text_relation(&TextFingerprint::of(one), &TextFingerprint::of(other))
}

#[test]
fn copies_are_seen_with_another_head_and_foot() {
    let copy = format!("Daily News\nMenu\n{REPORT}\nAll rights reserved");
    assert_eq!(kin(REPORT, &copy), TextRelation::Copy);
    assert_eq!(kin(REPORT, OTHER), TextRelation::Unrelated);
    assert_eq!(kin("", ""), TextRelation::Unrelated);
}

#[test]
fn a_copy_with_another_number_is_altered() {
    assert_eq!(kin(REPORT, &REPORT.replace("41", "47")), TextRelation::Altered);
}

#[test]
fn an_excerpt_makes_a_derivative() {
    let lines: Vec<&str> = REPORT.lines().collect();
    let with_excerpt = format!("{OTHER}\n{OTHER}\n{}\n{}", lines[2], OTHER.to_uppercase());
    assert_eq!(kin(&REPORT.repeat(3), &with_excerpt), TextRelation::Derivative);
}

#[test]
fn scripts_without_spaces_are_compared_by_character() {
    let text = "河流年度报告于周一发布，比原定时间晚了数周，北部百分之四十一的河流状况良好，渔民说鳟鱼比以往任何时候都多。";
    assert_eq!(kin(text, &format!("首页\n{text}")), TextRelation::Copy);
    assert_eq!(
        kin(
            text,
            "新歌剧院将于明年春天在港口开幕，院长在现场告诉记者，第一季的门票将在下个月开始发售，价格不高。"
        ),
        TextRelation::Unrelated
    );
}

#[test]
fn pages_of_one_site_and_copies_are_one_origin() {
    let (report, other) = (TextFingerprint::of(REPORT), TextFingerprint::of(OTHER));
    let altered = TextFingerprint::of(&REPORT.replace("41", "47"));
    let pages = [
        (Some("a.org"), &report),
        (Some("b.org"), &other),
        (Some("c.org"), &altered),
        (Some("b.org"), &TextFingerprint::default()),
        (None, &TextFingerprint::default()),
    ];
    let expected = [
        PageOrigin { pages: vec![0, 2], altered: vec![(0, 2)] },
        PageOrigin { pages: vec![1, 3], altered: Vec::new() },
        PageOrigin { pages: vec![4], altered: Vec::new() },
    ];
    assert_eq!(origins(&pages), expected);
}

#[test]
fn what_stands_on_every_page_of_a_site_is_not_copied() {
    let notice = "You may share this article under the terms of our licence if you name us and link to the page you took it from.";
    let page = |own: &str| TextFingerprint::of(&format!("{own}\n{notice}"));
    let site = [
        page("First own words of a page."),
        page("Second text with something else."),
        page("Third and last of them all."),
    ];
    let guest = page("Quite another page that carries the same notice of a licence.");
    assert_ne!(text_relation(&site[0], &guest), TextRelation::Unrelated);
    let pages = [
        (Some("a.org"), &site[0]),
        (Some("a.org"), &site[1]),
        (Some("a.org"), &site[2]),
        (Some("b.org"), &guest),
    ];
    assert_eq!(origins(&pages).len(), 2);
}

proptest::proptest! {
    #[test]
    fn any_text_has_a_shape(text in ".{0,400}") {
        let shape = TextFingerprint::of(&text);
        proptest::prop_assert!(!matches!(text_relation(&shape, &shape), TextRelation::Altered | TextRelation::Derivative));
    }
}

/// Pages of twelve groups. Within one they share an excerpt, most or all of their lines, often with other numbers;
/// across them only short phrases.
fn many_pages() -> Vec<String> {
    let lines: Vec<&str> = REPORT.lines().chain(OTHER.lines()).collect();
    let marked = |line: &str, group: usize| {
        let words = line.split(' ').enumerate();
        let word = |(place, word): (usize, &str)| {
            if place % 6 == 0 || place % 11 == 3 {
                format!("{word}x{}", "y".repeat(group))
            } else {
                word.to_owned()
            }
        };
        words.map(word).collect::<Vec<_>>().join(" ")
    };
    let page = |page: usize| {
        let (group, member) = (page % 12, page / 12);
        let kept = lines.iter().skip(member).take(1 + (group + member) % 7);
        let kept = kept.map(|line| marked(line, group).replace("41", &(41 + member).to_string()));
        kept.collect::<Vec<_>>().join("\n")
    };
    (0..60).map(page).collect()
}

#[test]
fn only_pairs_that_share_much_are_compared_and_none_is_missed() {
    let texts = many_pages();
    let shapes: Vec<TextFingerprint> = texts.iter().map(|text| TextFingerprint::of(text)).collect();
    let sites: Vec<Option<String>> = (0..shapes.len())
        .map(|page| (page % 4 != 0).then(|| format!("site{}.example", page / 12 * 12 + page % 11)))
        .collect();
    let pages: Vec<(Option<&str>, &TextFingerprint)> =
        sites.iter().map(Option::as_deref).zip(&shapes).collect();
    let mut origin_of: Vec<usize> = (0..pages.len()).collect();
    let mut altered = Vec::new();
    for right in 0..pages.len() {
        for left in 0..right {
            let one_site = pages[left].0.is_some() && pages[left].0 == pages[right].0;
            let kin =
                if one_site { TextRelation::Copy } else { text_relation(&shapes[left], &shapes[right]) };
            if kin != TextRelation::Unrelated {
                join(&mut origin_of, left, right);
            }
            if kin == TextRelation::Altered {
                altered.push((left, right));
            }
        }
    }
    let found = origins(&pages);
    let mut found_altered: Vec<_> = found.iter().flat_map(|origin| origin.altered.clone()).collect();
    found_altered.sort_unstable_by_key(|(left, right)| (*right, *left));
    assert!(altered.len() > 10 && found.len() > 10, "{} altered, {} origins", altered.len(), found.len());
    assert_eq!(found_altered, altered);
    for origin in &found {
        let name = origin.pages[0];
        let expected: Vec<usize> = (0..pages.len()).filter(|page| origin_of[*page] == name).collect();
        assert_eq!(origin.pages, expected);
    }
    let all = pages.len() * (pages.len() - 1) / 2;
    let bare: Vec<Cow<'_, TextFingerprint>> = shapes.iter().map(Cow::Borrowed).collect();
    assert!(candidate_pairs(&bare).pairs.len() < all / 2, "the pairs that share nothing are not looked at");
}
