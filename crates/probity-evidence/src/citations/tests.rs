use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let known = KnownLabels {
        labels: ["1", "2", "3", "12", "^note", "2020"].into_iter().collect(),
        definitions: [("who".to_owned(), "https://who.int/a".to_owned())].into_iter().collect(),
    };
    let found: Vec<String> = marks(text, 0, text.len(), &known)
        .into_iter()
        .map(|mark| {
            let target = match mark.target {
                CitationTarget::Url(url) => url,
                CitationTarget::Labels(labels) => labels.join("+"),
                CitationTarget::Author(author) => format!("@{author}"),
                CitationTarget::Nothing => "-".to_owned(),
                CitationTarget::Lost => "lost".to_owned(),
            };
            let words = mark
                .words
                .map(|(start, end)| format!(" ({})", text.get(start..end).unwrap()))
                .unwrap_or_default();
            format!("{}=>{target}{words}", text.get(mark.start..mark.end).unwrap())
        })
        .collect();
    assert_eq!(found.join("; "), expected);
}

#[test]
fn labels_in_brackets() {
    check("A [1].", "[1]=>1");
    check("A [1, 2].", "[1, 2]=>1+2");
    check("A [1-3].", "[1-3]=>1+2+3");
    check("A [1][2].", "[1]=>1; [2]=>2");
    check("A\\[1\\].", "[1\\]=>1");
    check("甲【1】，乙【2、3】", "【1】=>1; 【2、3】=>2+3");
    check("A [^note].", "[^note]=>^note");
    check("A [cite: 1, 2].", "[cite: 1, 2]=>1+2");
    check("A【12†source】.", "【12†source】=>12");
    check("A [7].", "[7]=>7");
}

#[test]
fn what_is_no_label() {
    check("95% CI [1.2, 3.4] and [0, 1] and [1999] and [sic] and 【重要】", "");
    check("In [2020] it grew", "[2020]=>2020");
    check("`a[1]` is code", "");
    check("5 km² and 10³ and x²", "");
}

#[test]
fn links_and_addresses() {
    check(
        "the [WHO report](https://who.int/a(b)) says",
        "[WHO report](https://who.int/a(b))=>https://who.int/a(b) (WHO report)",
    );
    check("it is [[1]](https://a.org/x).", "[[1]](https://a.org/x)=>https://a.org/x");
    check("it is ([a.org](https://a.org/x \"T\")).", "([a.org](https://a.org/x \"T\"))=>https://a.org/x");
    check(
        "it is (Source: [The WHO](https://a.org/x)).",
        "(Source: [The WHO](https://a.org/x))=>https://a.org/x",
    );
    check("see https://a.org/x_(y), and", "https://a.org/x_(y)=>https://a.org/x_(y)");
    check("see <https://a.org/x>.", "<https://a.org/x>=>https://a.org/x");
    check("网址https://a.org/x。", "https://a.org/x=>https://a.org/x");
    check(
        "as [they say][who] and [WHO]",
        "[they say][who]=>https://who.int/a (they say); [WHO]=>https://who.int/a (WHO)",
    );
    check(
        "<a href=\"https://a.org/?b=1&amp;c\">words here</a>",
        "<a href=\"https://a.org/?b=1&amp;c\">words here</a>=>https://a.org/?b=1&c (words here)",
    );
    check("![alt](https://a.org/i.png) text", "![alt](https://a.org/i.png)=>-");
}

#[test]
fn raised_numbers_and_authors() {
    check("It grew.¹² Then it fell.³", "¹²=>12; ³=>3");
    check("It grew<sup>2</sup>.", "<sup>2</sup>=>2");
    check(
        "It grew (Smith et al., 2020; Jones 2021a).",
        "(Smith et al., 2020; Jones 2021a)=>@Smith et al., 2020; Jones 2021a",
    );
    check("It grew (since 1999 by much).", "");
    check("It grew (address not found).", "(address not found)=>lost");
}
