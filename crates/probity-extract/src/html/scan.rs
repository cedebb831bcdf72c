//! Cuts HTML into tags, text and comments, each with its offset. Tolerates everything, as browsers do.
//!
//! Copies nothing and never looks at a byte more than a fixed number of times, whatever the page is.

use memchr::{memchr, memchr_iter, memmem};

use super::tag::{Key, Tag};

/// Attributes kept of one element. Real elements have a handful; the rest is an attack or tracking.
const ATTRIBUTES_MAX: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtmlAttribute<'a> {
    pub key: Key,
    /// As written: references such as `&amp;` are still in it.
    pub value: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HtmlToken<'a> {
    Open {
        tag: Tag,
        /// Written as `<x/>`.
        closed: bool,
    },
    Close(Tag),
    Text(&'a str),
    /// Text in which `&amp;` means `&amp;`.
    Verbatim(&'a str),
    Comment(&'a str),
}

const CDATA: &[u8] = b"<![CDATA[";

/// Which of the two the page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    Html,
    /// No element contains raw text, and `<![CDATA[` does.
    Xml,
}

#[derive(Debug)]
pub struct HtmlScanner<'a> {
    text: &'a str,
    at: usize,
    markup: Markup,
    /// Inside `script` and its like everything up to the end tag is text.
    raw: Option<Tag>,
    /// How many `svg` and `math` are open: there `<title/>` closes itself.
    foreign: usize,
    /// Of the tag that was scanned last.
    pub attributes: Vec<HtmlAttribute<'a>>,
}

impl<'a> HtmlScanner<'a> {
    pub fn new(text: &'a str, markup: Markup) -> Self {
        Self { text, at: 0, markup, raw: None, foreign: 0, attributes: Vec::new() }
    }

    /// The next token and where it begins.
    pub fn next_token(&mut self) -> Option<(HtmlToken<'a>, usize)> {
        let start = self.at;
        if start >= self.text.len() {
            return None;
        }
        if let Some(tag) = self.raw.take()
            && let Some(text) = self.raw_text(tag)
        {
            return Some((HtmlToken::Text(text), start));
        }
        let bytes = self.bytes();
        if bytes.get(start) != Some(&b'<') {
            return Some((HtmlToken::Text(self.up_to_bracket(start)), start));
        }
        match bytes.get(start + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => Some((self.tag(start + 1)?, start)),
            Some(b'/') if bytes.get(start + 2).is_some_and(u8::is_ascii_alphabetic) => {
                let tag = Tag::of(self.name(start + 2));
                self.skip_attributes();
                if tag.is_foreign() {
                    self.foreign = self.foreign.saturating_sub(1);
                }
                Some((HtmlToken::Close(tag), start))
            }
            Some(b'!') if self.markup == Markup::Xml && self.rest(start).starts_with(CDATA) => {
                let from = start + CDATA.len();
                let found = memmem::find(self.rest(from), b"]]>");
                let end = found.map_or(self.text.len(), |found| from + found);
                self.at = found.map_or(end, |_| end + 3);
                Some((HtmlToken::Verbatim(self.slice(from, end)), from))
            }
            Some(b'!' | b'?' | b'/') => Some((HtmlToken::Comment(self.comment(start)), start)),
            _ => Some((HtmlToken::Text(self.up_to_bracket(start)), start)),
        }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn rest(&self, start: usize) -> &'a [u8] {
        self.bytes().get(start..).unwrap_or_default()
    }

    fn up_to_bracket(&mut self, start: usize) -> &'a str {
        let end = memchr(b'<', self.rest(start + 1)).map_or(self.text.len(), |found| start + 1 + found);
        // A lone multi-byte character may begin at `start`; `<` is never inside one.
        self.at = end;
        self.slice(start, end)
    }

    /// Text up to `</tag`; none if the element is empty.
    fn raw_text(&mut self, tag: Tag) -> Option<&'a str> {
        let start = self.at;
        let name = tag.name().as_bytes();
        let rest = self.rest(start);
        let closes = |at: &usize| {
            rest.get(at + 1) == Some(&b'/')
                && rest.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
                && rest.get(at + 2 + name.len()).is_none_or(ends_name)
        };
        let length = memchr_iter(b'<', rest).find(closes).unwrap_or(rest.len());
        self.at = start + length;
        (length > 0).then(|| self.slice(start, start + length))
    }

    fn comment(&mut self, start: usize) -> &'a str {
        let is_real = self.rest(start).starts_with(b"<!--");
        let from = (start + if is_real { 4 } else { 2 }).min(self.text.len());
        // `<!-->` and `<!--->` are empty comments.
        if is_real && (self.rest(from).starts_with(b">") || self.rest(from).starts_with(b"->")) {
            self.at = from + memchr(b'>', self.rest(from)).unwrap_or(0) + 1;
            return "";
        }
        let rest = self.rest(from);
        let marks: &[&[u8]] = if is_real { &[b"--", b"--!"] } else { &[b""] };
        // From `>` to `>`, looking back: a search for each mark would not stay linear.
        let found = memchr_iter(b'>', rest).find_map(|at| {
            let before = rest.get(..at)?;
            marks.iter().find_map(|mark| Some((before.strip_suffix(*mark)?.len(), at + 1)))
        });
        let (length, next) = found.unwrap_or((rest.len(), rest.len()));
        self.at = from + next;
        self.slice(from, from + length)
    }

    fn name(&mut self, start: usize) -> &'a str {
        let length = self.rest(start).iter().position(ends_name);
        let end = length.map_or(self.text.len(), |length| start + length);
        self.at = end;
        self.slice(start, end)
    }

    /// A start tag; none if the page ends inside it.
    fn tag(&mut self, start: usize) -> Option<HtmlToken<'a>> {
        let tag = Tag::of(self.name(start));
        self.attributes.clear();
        let closed = self.attributes()?;
        let closes_itself = closed && (self.foreign > 0 || tag.is_foreign());
        self.raw = (self.markup == Markup::Html && tag.holds_raw_text() && !closes_itself).then_some(tag);
        if tag.is_foreign() && !closes_itself {
            self.foreign += 1;
        }
        Some(HtmlToken::Open { tag, closed })
    }

    fn skip_attributes(&mut self) {
        self.attributes.clear();
        self.attributes();
        self.attributes.clear();
    }

    /// Whether the tag closes itself; none if the page ends first.
    fn attributes(&mut self) -> Option<bool> {
        let bytes = self.bytes();
        let mut closed = false;
        loop {
            match bytes.get(self.at) {
                None => return None,
                Some(b'>') => {
                    self.at += 1;
                    return Some(closed);
                }
                Some(b'/') => {
                    closed = true;
                    self.at += 1;
                }
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(_) => {
                    closed = false;
                    self.attribute();
                }
            }
        }
    }

    fn attribute(&mut self) {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=');
        let start = self.at;
        // The first byte belongs to the name even if it is `=`.
        let length = self.rest(start + 1).iter().position(is_end);
        let end = length.map_or(self.text.len(), |length| start + 1 + length);
        self.at = end;
        self.skip_space();
        let mut value = "";
        if self.bytes().get(self.at) == Some(&b'=') {
            self.at += 1;
            self.skip_space();
            value = self.value();
        } else {
            self.at = end;
        }
        if let Some(key) = Key::of(self.slice(start, end))
            && self.attributes.len() < ATTRIBUTES_MAX
        {
            self.attributes.push(HtmlAttribute { key, value });
        }
    }

    fn value(&mut self) -> &'a str {
        let start = self.at;
        match self.bytes().get(start) {
            Some(quote @ (b'"' | b'\'')) => {
                let length = memchr(*quote, self.rest(start + 1));
                let end = length.map_or(self.text.len(), |length| start + 1 + length);
                self.at = (end + 1).min(self.text.len());
                self.slice(start + 1, end)
            }
            _ => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
                let length = self.rest(start).iter().position(is_end);
                let end = length.map_or(self.text.len(), |length| start + length);
                self.at = end;
                self.slice(start, end)
            }
        }
    }

    fn skip_space(&mut self) {
        let space = self.rest(self.at).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += space;
    }
}

/// Whether the name of a tag ends before this byte.
fn ends_name(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

#[cfg(test)]
mod tests {
    use super::{HtmlScanner, HtmlToken, Markup};

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let mut scanner = HtmlScanner::new(html, Markup::Html);
        let mut seen = Vec::new();
        while let Some((token, start)) = scanner.next_token() {
            let attributes: Vec<String> =
                scanner.attributes.iter().map(|found| format!("{:?}={}", found.key, found.value)).collect();
            seen.push(match token {
                HtmlToken::Open { tag, closed } => format!(
                    "{start}<{}{}{}>",
                    tag.name(),
                    attributes.iter().map(|text| format!(" {text}")).collect::<String>(),
                    if closed { "/" } else { "" }
                ),
                HtmlToken::Close(tag) => format!("{start}</{}>", tag.name()),
                HtmlToken::Text(text) | HtmlToken::Verbatim(text) => format!("{start}'{text}'"),
                HtmlToken::Comment(text) => format!("{start}!{text}!"),
            });
        }
        assert_eq!(seen.join(" "), expected);
    }

    #[test]
    fn tags_text_and_comments_have_places() {
        check("<p class=a>x &amp; y</p><!-- c -->z", "0<p Class=a> 11'x &amp; y' 20</p> 24! c ! 34'z'");
        check("<BR/>a < b<3", "0<br/> 5'a ' 7'< b' 10'<3'");
        check("<a href = 'x>y' ID=\"q\">", "0<a Href=x>y Id=q>");
        check("<!doctype html><?x?><!-->a<!---->b", "0!doctype html! 15!x?! 20!! 25'a' 26!! 33'b'");
    }

    #[test]
    fn scripts_are_text_up_to_their_end() {
        check("<script>if (a<b) '<p>'</SCRIPT>x", "0<script> 8'if (a<b) '<p>'' 22</script> 31'x'");
        check("<style></style>", "0<style> 7</style>");
        check("<title>a<b>", "0<title> 7'a<b>'");
        check("<script>'</scriptx>'</script>y", "0<script> 8''</scriptx>'' 20</script> 29'y'");
        check("<script>a</script", "0<script> 8'a' 9</script>");
    }

    #[test]
    fn inside_svg_a_title_may_close_itself() {
        check("<svg><title/><p>a", "0<svg> 5<title/> 13<p> 16'a'");
        check(
            "<svg><title>a<b></title></svg><title/>c",
            "0<svg> 5<title> 12'a<b>' 16</title> 24</svg> 30<title/> 38'c'",
        );
        check("<svg><math/></svg><title/>c", "0<svg> 5<math/> 12</svg> 18<title/> 26'c'");
    }

    #[test]
    fn comments_end_at_either_mark() {
        check("<!--a--!>b<!--c > d-->e", "0!a! 9'b' 10!c > d! 22'e'");
        check("<!--!>a-->b<!----!>c<!--d--!", "0!!>a! 10'b' 11!! 19'c' 20!d--!!");
    }

    #[test]
    fn a_page_may_end_anywhere() {
        for html in
            ["<", "</", "<p", "<p class", "<p class=", "<p class='", "<!--", "<!-", "<?", "</p", "<p x=\"é"]
        {
            let mut scanner = HtmlScanner::new(html, Markup::Html);
            let mut steps = 0;
            while scanner.next_token().is_some() {
                steps += 1;
                assert!(steps < 10, "{html}");
            }
        }
    }
}
