//! Pages of our own making: eight languages, eight kinds of page, each with the trimmings that real sites have.
//!
//! The text is written first and the page is built around it, so that the truth is known without anybody's opinion.
//! Regular where real pages are not: a figure on these pages says that nothing common is broken, not that all is well.

use std::fmt::Write as _;

use serde::Deserialize;

/// Parts of sentences in eight languages, about kettles and weather; any four of one language fit together.
const LANGUAGES: &str = include_str!("generated_pages/languages.json");

#[derive(Deserialize)]
struct LanguagePhrases {
    code: &'static str,
    who: Vec<&'static str>,
    does: Vec<&'static str>,
    what: Vec<&'static str>,
    end: Vec<&'static str>,
    menu: Vec<&'static str>,
    more: &'static str,
    notice: &'static str,
    foot: Vec<&'static str>,
}

pub struct GeneratedPage {
    pub name: String,
    pub html: String,
    pub text: String,
}

/// Writes a page of one kind.
type PageKindWriter = fn(&mut PageTextWriter<'_>) -> String;

const KINDS: [(&str, PageKindWriter); 8] = [
    ("News", |page| page.news()),
    ("Blog", |page| page.blog()),
    ("Manual", |page| page.manual()),
    ("Questions", |page| page.questions()),
    ("Data", |page| page.data()),
    ("Steps", |page| page.steps()),
    ("Paper", |page| page.paper()),
    ("Old", |page| page.old()),
];

pub fn pages() -> anyhow::Result<Vec<GeneratedPage>> {
    let languages: Vec<LanguagePhrases> = serde_json::from_str(LANGUAGES)?;
    let mut pages = Vec::new();
    for (row, language) in languages.iter().enumerate() {
        for (column, (kind, page)) in KINDS.iter().enumerate() {
            let seed = (row * 31 + column * 7 + 1) as u64;
            let mut writer = PageTextWriter { language, seed, text: String::new() };
            let html = page(&mut writer);
            let name = format!("{}-{kind}.html", language.code);
            pages.push(GeneratedPage { name, html, text: writer.text });
        }
    }
    Ok(pages)
}

struct PageTextWriter<'a> {
    language: &'a LanguagePhrases,
    seed: u64,
    /// The truth so far.
    text: String,
}

impl PageTextWriter<'_> {
    fn dice(&mut self, sides: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % sides.max(1)
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        let place = self.dice(list.len());
        list.get(place).copied().unwrap_or_default()
    }

    fn sentence(&mut self) -> String {
        let (who, does, what, end) = (
            self.pick(&self.language.who),
            self.pick(&self.language.does),
            self.pick(&self.language.what),
            self.pick(&self.language.end),
        );
        format!("{who} {does} {what}, {end}.")
    }

    fn sentences(&mut self, count: usize) -> String {
        (0..count).map(|_| self.sentence()).collect::<Vec<String>>().join(" ")
    }

    /// A piece of the text between two tags.
    fn says(&mut self, open: &str, text: &str, close: &str) -> String {
        self.text.push_str(text);
        self.text.push('\n');
        format!("{open}{text}{close}\n")
    }

    fn paragraphs(&mut self, count: usize, open: &str, close: &str) -> String {
        let mut html = String::new();
        for _ in 0..count {
            let length = 2 + self.dice(3);
            let text = self.sentences(length);
            html += &self.says(open, &text, close);
        }
        html
    }

    fn title(&mut self) -> String {
        format!("{} {}", self.pick(&self.language.who), self.pick(&self.language.does))
    }

    fn items(&mut self, count: usize, words: usize) -> String {
        let mut html = String::new();
        for _ in 0..count {
            let text = if words > 1 { self.sentence() } else { self.pick(&self.language.what).to_owned() };
            html += &self.says("<li>", &text, "</li>");
        }
        html
    }

    fn menu(&self) -> String {
        self.language.menu.iter().fold(String::new(), |mut html, word| {
            let _ = write!(html, "<li><a href=\"/{}\">{word}</a></li>", word.to_lowercase());
            html
        })
    }

    /// Teasers of other texts: sentences like those of the text, under another name.
    fn teasers(&mut self, count: usize) -> String {
        let mut html = String::new();
        for _ in 0..count {
            let (title, words) = (self.title(), self.sentence());
            let _ = write!(
                html,
                "<div class=\"card\"><h3><a href=\"/x\">{title}</a></h3><p><a href=\"/x\">{words}</a></p></div>"
            );
        }
        html
    }

    fn frame(&mut self, title: &str, body: &str) -> String {
        let (menu, teasers, language) = (self.menu(), self.teasers(4), self.language);
        let foot = language.foot.iter().map(|words| format!("<p>{words}</p>")).collect::<String>();
        format!(
            "<!doctype html><html lang=\"{code}\"><head><meta charset=\"utf-8\"><title>{title} | Example</title>\
             <style>.x{{color:red}}</style><script>var menu = '<p>{notice}</p>';</script></head><body>\
             <header class=\"site-header\"><a href=\"/\">Example</a><nav><ul>{menu}</ul></nav></header>\
             <div class=\"cookie-consent\"><p>{notice}</p><button>OK</button></div>\
             {body}\
             <aside class=\"sidebar\"><h2>{more}</h2>{teasers}</aside>\
             <footer class=\"site-footer\"><ul>{menu}</ul>{foot}</footer></body></html>",
            code = language.code,
            notice = language.notice,
            more = language.more,
        )
    }

    fn news(&mut self) -> String {
        let title = self.title();
        let lead = self.sentences(2);
        let lead = self.says("<p class=\"lead\">", &lead, "</p>");
        let text = self.paragraphs(6, "<p>", "</p>");
        let quote = self.sentence();
        let quote = self.says("<blockquote><p>", &quote, "</p></blockquote>");
        let rest = self.paragraphs(3, "<p>", "</p>");
        let teasers = self.teasers(3);
        let more = self.language.more;
        let body = format!(
            "<main><article><header><h1>{title}</h1><p class=\"byline\">Ada Example, 17.05.2024</p></header>\
             <div class=\"article-body\">{lead}{text}{quote}{rest}</div>\
             <div class=\"share\"><a href=\"#\">Facebook</a> <a href=\"#\">Mail</a></div>\
             <section class=\"related\"><h2>{more}</h2>{teasers}</section></article></main>"
        );
        self.frame(&title, &body)
    }

    fn blog(&mut self) -> String {
        let title = self.title();
        let text = self.paragraphs(4, "<p>", "</p>");
        let list = self.items(5, 1);
        let rest = self.paragraphs(3, "<p>", "</p>");
        let comments: String = (0..4)
            .map(|_| format!("<li class=\"comment\"><b>Bo</b><p>{}</p></li>", self.sentence()))
            .collect();
        let body = format!(
            "<div id=\"page\"><div class=\"post\"><h1 class=\"entry-title\">{title}</h1><div class=\"post-meta\">Bo | 3 \
             min</div><div class=\"entry-content\">{text}<ul>{list}</ul>{rest}</div></div><div id=\"comments\"><h3>4</h3>\
             <ol class=\"comment-list\">{comments}</ol></div></div>"
        );
        self.frame(&title, &body)
    }

    fn manual(&mut self) -> String {
        let title = self.title();
        let mut text = self.paragraphs(2, "<p>", "</p>");
        for part in 0..3 {
            let heading = self.title();
            text += &self.says("<h2>", &heading, "</h2>");
            text += &self.paragraphs(2, "<p>", "</p>");
            text += &self.says(
                "<pre><code>",
                &format!("kettle --degrees {} --lid closed", 80 + part),
                "</code></pre>",
            );
            let items = self.items(3, 2);
            let _ = write!(text, "<ul>{items}</ul>");
        }
        let menu = self.menu();
        let body = format!(
            "<div class=\"layout\"><nav class=\"toc\"><ul>{menu}</ul></nav><main role=\"main\"><h1>{title}</h1>{text}\
             <div class=\"pagination\"><a href=\"/a\">1</a> <a href=\"/b\">2</a></div></main></div>"
        );
        self.frame(&title, &body)
    }

    fn questions(&mut self) -> String {
        let title = self.title();
        let mut posts = String::new();
        for _ in 0..5 {
            let text = self.paragraphs(2, "<p>", "</p>");
            let _ = write!(
                posts,
                "<div class=\"post-row\"><div class=\"who\"><a href=\"/u\">Cy</a></div><div class=\"message\">{text}</div></div>"
            );
        }
        let body = format!("<div class=\"thread\"><h1>{title}</h1>{posts}</div>");
        self.frame(&title, &body)
    }

    fn data(&mut self) -> String {
        let title = self.title();
        let text = self.paragraphs(3, "<p>", "</p>");
        let mut rows = String::new();
        for row in 0..8 {
            let name = self.pick(&self.language.what).to_owned();
            let (first, second) = (100 + self.dice(900), self.dice(100));
            let _ = writeln!(self.text, "{name} {first} {second} {}", 2010 + row);
            let _ = write!(
                rows,
                "<tr><td>{name}</td><td>{first}</td><td>{second}</td><td>{}</td></tr>",
                2010 + row
            );
        }
        let rest = self.paragraphs(3, "<p>", "</p>");
        let body = format!("<main><h1>{title}</h1>{text}<table>{rows}</table>{rest}</main>");
        self.frame(&title, &body)
    }

    fn steps(&mut self) -> String {
        let title = self.title();
        let text = self.paragraphs(2, "<p>", "</p>");
        let things = self.items(8, 1);
        let steps = self.items(7, 2);
        let rest = self.paragraphs(2, "<p>", "</p>");
        let body = format!(
            "<article class=\"recipe\"><h1>{title}</h1>{text}<ul class=\"things\">{things}</ul><ol class=\"steps\">{steps}</ol>\
             {rest}<div class=\"newsletter\"><p>{}</p><form><input type=\"email\"></form></div></article>",
            self.language.notice
        );
        self.frame(&title, &body)
    }

    fn paper(&mut self) -> String {
        let title = self.title();
        let mut text = String::new();
        for _ in 0..4 {
            let heading = self.title();
            text += &self.says("<h2>", &heading, "</h2>");
            let paragraphs = self.paragraphs(3, "<p>", "</p>");
            let _ = write!(text, "<section>{paragraphs}</section>");
        }
        let body = format!("<div class=\"wrap\"><div class=\"col\"><h1>{title}</h1>{text}</div></div>");
        self.frame(&title, &body)
    }

    /// Tables for layout, line breaks instead of paragraphs.
    fn old(&mut self) -> String {
        let title = self.title();
        let text = self.paragraphs(6, "", "<br><br>");
        let menu = self
            .language
            .menu
            .iter()
            .map(|word| format!("<a href=\"/{word}\">{word}</a><br>"))
            .collect::<String>();
        format!(
            "<html><head><title>{title}</title></head><body bgcolor=\"#ffffff\"><table width=\"100%\"><tr><td width=\"150\">\
             {menu}</td><td><font size=\"5\">{title}</font><br><br>{text}</td></tr></table><hr><font size=\"1\">{}</font>\
             </body></html>",
            self.language.foot.join(" ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn the_truth_stands_on_each_page_and_is_not_all_of_it() {
        let pages = pages().unwrap();
        assert!(pages.len() >= 60);
        for page in &pages {
            for line in page.text.lines().filter(|line| line.contains('.')) {
                assert!(page.html.contains(line), "{}: {line}", page.name);
            }
            assert!(page.text.len() > 500 && page.html.len() > page.text.len() + 500, "{}", page.name);
        }
    }
}
