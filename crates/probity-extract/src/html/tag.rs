//! The elements and attributes that mean something to a reader of text.

macro_rules! tags {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Tag { $($name,)* Other }

        impl Tag {
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* Self::Other => "" }
            }

            pub(super) fn of_lower_case(name: &[u8]) -> Self {
                $(const $name: &[u8] = $text.as_bytes();)*
                #[allow(non_upper_case_globals)]
                match name { $($name => Self::$name,)* _ => Self::Other }
            }
        }
    };
}

#[allow(non_upper_case_globals)]
mod table {
    tags! {
        A = "a", Abbr = "abbr", Address = "address", Article = "article", Aside = "aside", Audio = "audio", B = "b",
        Base = "base", Big = "big", Blockquote = "blockquote", Body = "body", Br = "br", Button = "button",
        Canvas = "canvas", Caption = "caption", Center = "center", Cite = "cite", ClipPath = "clippath", Code = "code", Col = "col",
        Colgroup = "colgroup", Dd = "dd", Defs = "defs", Details = "details", Del = "del", Dialog = "dialog", Dir = "dir",
        Div = "div", Dl = "dl", Dt = "dt", Em = "em", Embed = "embed", Fieldset = "fieldset",
        Figcaption = "figcaption", Figure = "figure", Font = "font", Footer = "footer", Foreign = "foreignobject", Form = "form", H1 = "h1",
        H2 = "h2", H3 = "h3", H4 = "h4", H5 = "h5", H6 = "h6", Head = "head", Header = "header", Hgroup = "hgroup",
        Hr = "hr", Html = "html", I = "i", Iframe = "iframe", Img = "img", Input = "input", Kbd = "kbd",
        Label = "label", Legend = "legend", Li = "li", Link = "link", Main = "main", Map = "map", Math = "math",
        Menu = "menu", Meta = "meta", Nav = "nav", Nobr = "nobr", Noembed = "noembed", Noframes = "noframes",
        Noscript = "noscript", Object = "object", Ol = "ol", Optgroup = "optgroup", Opt = "option", P = "p",
        Param = "param", Picture = "picture", Pre = "pre", S = "s", Samp = "samp", Script = "script",
        Search = "search", Section = "section", Select = "select", Small = "small", Source = "source",
        Span = "span", Strike = "strike", Strong = "strong", Style = "style", Sub = "sub", Summary = "summary",
        Sup = "sup", Svg = "svg", SvgText = "text", Symbol = "symbol", Table = "table", Tbody = "tbody", Td = "td", Template = "template",
        Textarea = "textarea", Tfoot = "tfoot", Th = "th", Thead = "thead", Time = "time", Title = "title",
        Tr = "tr", Track = "track", Tspan = "tspan", Tt = "tt", U = "u", Ul = "ul", Video = "video", Wbr = "wbr", Xmp = "xmp",
    }
}

pub use table::Tag;

/// Longest name above.
const NAME_BYTES_MAX: usize = 13;

impl Tag {
    pub fn of(name: &str) -> Self {
        let mut lower = [0_u8; NAME_BYTES_MAX];
        let Some(room) = lower.get_mut(..name.len()) else { return Self::Other };
        room.copy_from_slice(name.as_bytes());
        room.make_ascii_lowercase();
        Self::of_lower_case(room)
    }

    pub fn holds_raw_text(self) -> bool {
        use Tag::*;
        matches!(self, Script | Style | Textarea | Title | Iframe | Noembed | Noframes | Xmp)
    }

    /// Contains elements of another language than HTML, where `<x/>` closes itself.
    pub fn is_foreign(self) -> bool {
        matches!(self, Tag::Svg | Tag::Math)
    }

    /// Kept open by an element inside, it would take in the rest of the page.
    pub fn is_closed_whole(self) -> bool {
        self.is_never_shown() || matches!(self, Tag::Svg | Tag::Select)
    }

    /// Has no content and no end tag.
    pub fn is_void(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Base | Br | Col | Embed | Hr | Img | Input | Link | Meta | Param | Source | Track | Wbr
        )
    }

    pub fn is_heading(self) -> bool {
        use Tag::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Begins a line of its own.
    pub fn is_block(self) -> bool {
        use Tag::*;
        self.is_heading()
            || matches!(
                self,
                Address
                    | Article
                    | Aside
                    | Blockquote
                    | Body
                    | Caption
                    | Center
                    | Dd
                    | Details
                    | Dialog
                    | Dir
                    | Div
                    | Dl
                    | Dt
                    | Fieldset
                    | Figcaption
                    | Figure
                    | Footer
                    | Form
                    | Header
                    | Hgroup
                    | Hr
                    | Html
                    | Legend
                    | Li
                    | Main
                    | Menu
                    | Nav
                    | Ol
                    | Opt
                    | P
                    | Pre
                    | Search
                    | Section
                    | Summary
                    | Table
                    | Tbody
                    | Td
                    | Tfoot
                    | Th
                    | Thead
                    | Tr
                    | Ul
                    | Xmp
            )
    }

    /// Belongs into `head`, or says nothing about where the body begins.
    pub fn fits_head(self) -> bool {
        use Tag::*;
        matches!(self, Base | Link | Meta | Noscript | Script | Style | Template | Title | Html | Head)
    }

    /// Marks words inside a line; an end tag closes it even across blocks that were opened inside.
    pub fn is_formatting(self) -> bool {
        use Tag::*;
        matches!(self, A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U)
    }

    /// Shows no text of its own to a reader.
    pub fn is_never_shown(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Script
                | Style
                | Template
                | Noscript
                | Noembed
                | Noframes
                | Iframe
                | Canvas
                | Audio
                | Video
                | Object
                | Head
                | Defs
                | Symbol
                | ClipPath
                | Title
                | Map
        )
    }
}

macro_rules! keys {
    ($($name:ident = $text:literal),* $(,)?) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Key { $($name,)* }

        impl Key {
            /// `None` for attributes that are not used here.
            pub fn of(name: &str) -> Option<Self> {
                $(if name.eq_ignore_ascii_case($text) { return Some(Self::$name); })*
                None
            }
        }
    };
}

keys! {
    Class = "class", Id = "id", Href = "href", Style = "style", Hidden = "hidden", AriaHidden = "aria-hidden",
    Role = "role", Itemprop = "itemprop", Lang = "lang", Name = "name", Property = "property", Content = "content",
    Datetime = "datetime", Type = "type", Rel = "rel", Charset = "charset", HttpEquiv = "http-equiv",
    Color = "color", Bgcolor = "bgcolor", Pubdate = "pubdate", Itemtype = "itemtype", DataTestid = "data-testid",
    Alt = "alt", Src = "src", Srcdoc = "srcdoc", Value = "value",
}
