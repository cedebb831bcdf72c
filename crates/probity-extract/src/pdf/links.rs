//! Links placed over the text of a page: rectangles with an address.

use lopdf::{Document, Object, ObjectId};

use super::page::number;

/// Links of one page; a page of nothing but references has fewer.
const LINKS_MAX: usize = 2_000;
/// A rectangle may be drawn this much too small, in points.
const SLACK: f32 = 1.0;

#[derive(Debug, Clone, PartialEq)]
pub struct LinkArea {
    /// Left, bottom, right, top.
    rectangle: [f32; 4],
    pub url: String,
}

impl LinkArea {
    pub fn covers(&self, (x, y): (f32, f32)) -> bool {
        let [left, bottom, right, top] = self.rectangle;
        x >= left - SLACK && x <= right + SLACK && y >= bottom - SLACK && y <= top + SLACK
    }
}

/// The links of a page that leave the document.
pub fn page_links(document: &Document, page: ObjectId) -> Vec<LinkArea> {
    let Ok(notes) = document.get_dictionary(page).and_then(|page| page.get_deref(b"Annots", document)) else {
        return Vec::new();
    };
    let notes = notes.as_array().map(Vec::as_slice).unwrap_or_default();
    notes.iter().take(LINKS_MAX).filter_map(|note| link(document, note)).collect()
}

fn link(document: &Document, note: &Object) -> Option<LinkArea> {
    let note = document.dereference(note).ok()?.1.as_dict().ok()?;
    let action = note.get_deref(b"A", document).ok()?.as_dict().ok()?;
    let url = lopdf::decode_text_string(action.get_deref(b"URI", document).ok()?).ok()?;
    let fits = url.starts_with("http")
        && !url.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>'));
    let sides = note.get_deref(b"Rect", document).ok()?.as_array().ok()?;
    let sides: Vec<f32> = sides.iter().map(number).collect();
    let [one, two, three, four] = *sides.as_array::<4>()?;
    let rectangle = [one.min(three), two.min(four), one.max(three), two.max(four)];
    fits.then_some(LinkArea { rectangle, url })
}

/// A transformation matrix: `[a b c d e f]` as the standard writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransformMatrix([f32; 6]);

impl Default for TransformMatrix {
    fn default() -> Self {
        Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }
}

impl TransformMatrix {
    /// First `inner`, then this.
    pub fn after(self, inner: [f32; 6]) -> Self {
        let [a, b, c, d, _, _] = self.0;
        let [ia, ib, ic, id, ie, inner_f] = inner;
        let (e, f) = self.apply(ie, inner_f);
        Self([ia * a + ib * c, ia * b + ib * d, ic * a + id * c, ic * b + id * d, e, f])
    }

    /// How much taller letters come out.
    pub fn vertical_scale(self) -> f32 {
        let [_, _, c, d, _, _] = self.0;
        c.hypot(d)
    }

    pub fn apply(self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }
}

#[cfg(test)]
mod tests {
    use super::TransformMatrix;

    #[test]
    fn places_go_through_one_matrix_after_the_other() {
        let page = TransformMatrix::default()
            .after([2.0, 0.0, 0.0, -2.0, 0.0, 800.0])
            .after([1.0, 0.0, 0.0, 1.0, 10.0, 20.0]);
        assert_eq!(page.apply(5.0, 5.0), (30.0, 750.0));
    }
}
