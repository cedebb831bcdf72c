//! Pages as a tagged PDF: glyphs, links, the structure, the outline.

use std::collections::HashMap;

use krilla::{
    Document, SerializeSettings,
    action::{Action, LinkAction},
    annotation::{Annotation, LinkAnnotation, Target},
    color::rgb,
    configure::{Accessibility, ConfigurationBuilder},
    destination::{Destination, XyzDestination},
    geom::{PathBuilder, Point, Rect, Transform},
    metadata::Metadata,
    num::NormalizedF32,
    outline::{Outline, OutlineNode},
    page::PageSettings,
    paint::{Fill, Stroke, StrokeDash},
    surface::Surface,
    tagging::{Artifact, ArtifactType, ContentTag, SpanTag, Tag, TagGroup, TagTree},
    text::{Font, GlyphId, KrillaGlyph, Tag as AxisTag},
};
use parley::fontique::Synthesis;

use super::{
    PdfFacts,
    flow::{Flow, PAGE_HEIGHT, PAGE_WIDTH, PdfPage, PlacedHeading, PlacedLine, TagChild, TagNode},
    text::Brush,
    words::{Ink, PdfLink},
};
use crate::Error;

/// Glyphs of one font, size and brush, side by side.
struct PaintedPiece<'a> {
    font: Font,
    synthesis: Synthesis,
    size: f32,
    brush: &'a Brush,
    left: f32,
    right: f32,
    glyphs: Vec<KrillaGlyph>,
}

/// A link that a page gets when its surface is done.
struct PaintedLink {
    node: usize,
    to: PdfLink,
    at: Option<Rect>,
}

type FontKey = (u64, u32, Vec<([u8; 4], u32)>);

#[derive(Default)]
struct Painter {
    fonts: HashMap<FontKey, Font>,
    links: Vec<PaintedLink>,
}

pub fn paint(facts: &PdfFacts<'_>, mut flow: Flow) -> Result<Vec<u8>, Error> {
    let failed = |error: String| Error::Pdf(error);
    let settings = ConfigurationBuilder::new().with_accessibility_validator(Accessibility::UA1).finish();
    let configuration = settings.map_err(|error| failed(format!("{error:?}")))?;
    let mut pdf = Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    let mut painter = Painter::default();
    for page in std::mem::take(&mut flow.pages) {
        painter.page(&mut pdf, &page, &mut flow)?;
    }
    let mut tree = TagTree::new();
    for root in &flow.roots {
        if let Some(group) = group(&flow.tags, *root) {
            tree.push(group);
        }
    }
    pdf.set_tag_tree(tree);
    pdf.set_outline(outline(&flow.headings));
    let metadata = Metadata::new()
        .title(facts.title.to_owned())
        .description(facts.description.to_owned())
        .language(facts.language.to_owned())
        .document_id(facts.id.to_owned())
        .creator(facts.program.to_owned());
    pdf.set_metadata(metadata);
    pdf.finish().map_err(|error| failed(format!("{error}: {error:?}").chars().take(400).collect()))
}

impl Painter {
    fn page(&mut self, pdf: &mut Document, page: &PdfPage, flow: &mut Flow) -> Result<(), Error> {
        let settings = PageSettings::from_wh(PAGE_WIDTH, PAGE_HEIGHT).unwrap_or_default();
        let mut sheet = pdf.start_page_with(settings);
        let mut surface = sheet.surface();
        surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
        for bar in &page.bars {
            let [left, top, width, height] = bar.0;
            let mut path = PathBuilder::new();
            if let Some(rect) = Rect::from_xywh(left, top, width, height) {
                path.push_rect(rect);
            }
            surface.set_fill(Some(fill(bar.1)));
            if let Some(path) = path.finish() {
                surface.draw_path(&path);
            }
        }
        surface.end_tagged();
        for line in &page.lines {
            self.line(&mut surface, line, &mut flow.tags)?;
        }
        surface.finish();
        for link in self.links.drain(..) {
            let target = match &link.to {
                PdfLink::Web(to) => Some(Target::Action(Action::Link(LinkAction::new(to.clone())))),
                PdfLink::Source(number) => flow.sources.get(number).map(|(page, top)| {
                    let place = XyzDestination::new(*page, Point::from_xy(0.0, *top));
                    Target::Destination(Destination::Xyz(place))
                }),
            };
            let told = match &link.to {
                PdfLink::Web(to) => to.clone(),
                PdfLink::Source(number) => format!("Source {number}"),
            };
            if let (Some(target), Some(at), Some(node)) = (target, link.at, flow.tags.get_mut(link.node)) {
                let note = Annotation::new_link(LinkAnnotation::new(at, target), Some(told));
                node.children.insert(0, TagChild::Leaf(sheet.add_tagged_annotation(note)));
            }
        }
        sheet.finish();
        Ok(())
    }

    fn line(
        &mut self,
        surface: &mut Surface<'_>,
        placed: &PlacedLine,
        tags: &mut Vec<TagNode>,
    ) -> Result<(), Error> {
        let pieces = self.pieces(placed)?;
        let Some(line) = placed.text.layout.get(placed.line) else { return Ok(()) };
        let metrics = line.metrics();
        let baseline = placed.top + metrics.baseline - metrics.block_min_coord;
        for together in pieces.chunk_by(|one, next| one.brush.link == next.brush.link) {
            let (Some(first), Some(last)) = (together.first(), together.last()) else { continue };
            let Some(tag) = placed.tag else {
                surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Footer)));
                together.iter().for_each(|piece| draw(surface, piece, &placed.text.text, baseline));
                surface.end_tagged();
                continue;
            };
            let leaf = surface.start_tagged(ContentTag::Span(SpanTag::empty()));
            together.iter().for_each(|piece| draw(surface, piece, &placed.text.text, baseline));
            surface.end_tagged();
            let link = first.brush.link.and_then(|link| placed.text.links.get(link));
            let parent = match link {
                None => tag,
                Some(to) => {
                    let node = tags.len();
                    tags.push(TagNode { tag: Tag::Link.into(), children: Vec::new() });
                    if let Some(parent) = tags.get_mut(tag) {
                        parent.children.push(TagChild::Node(node));
                    }
                    let bottom = placed.top + metrics.line_height;
                    let at = Rect::from_ltrb(first.left, placed.top, last.right, bottom);
                    self.links.push(PaintedLink { node, to: to.clone(), at });
                    node
                }
            };
            if let Some(parent) = tags.get_mut(parent) {
                parent.children.push(TagChild::Leaf(leaf));
            }
        }
        Ok(())
    }

    fn pieces<'a>(&mut self, placed: &'a PlacedLine) -> Result<Vec<PaintedPiece<'a>>, Error> {
        let set = &placed.text;
        let Some(line) = set.layout.get(placed.line) else { return Ok(Vec::new()) };
        let metrics = line.metrics();
        let mut x = placed.x + metrics.offset + metrics.inline_min_coord;
        let mut pieces: Vec<PaintedPiece<'a>> = Vec::new();
        for run in line.runs() {
            let (size, synthesis) = (run.font_size(), run.synthesis());
            let font = self.font(run.font(), &synthesis)?;
            let mut style = None;
            for cluster in run.visual_clusters() {
                let range = cluster.text_range();
                if cluster.is_ligature_continuation() {
                    if let Some(glyph) = pieces.last_mut().and_then(|piece| piece.glyphs.last_mut()) {
                        let (start, end) = (glyph.text_range.start, glyph.text_range.end);
                        glyph.text_range = start.min(range.start)..end.max(range.end);
                    }
                    continue;
                }
                let is_break = set.text.get(range.clone()).is_some_and(|text| text.starts_with('\n'));
                for glyph in cluster.glyphs().filter(|glyph| !is_break && glyph.id != 0) {
                    let index = cluster.style_index();
                    if style != Some(index) {
                        style = Some(index);
                        let Some(look) = set.layout.styles().get(usize::from(index)) else { continue };
                        pieces.push(PaintedPiece {
                            font: font.clone(),
                            synthesis,
                            size,
                            brush: &look.brush,
                            left: x,
                            right: x,
                            glyphs: Vec::new(),
                        });
                    }
                    if let Some(piece) = pieces.last_mut() {
                        x += glyph.advance;
                        piece.right = x;
                        piece.glyphs.push(KrillaGlyph::new(
                            GlyphId::new(glyph.id),
                            glyph.advance / size,
                            glyph.x / size,
                            -glyph.y / size,
                            0.0,
                            range.clone(),
                            None,
                        ));
                    }
                }
            }
        }
        Ok(pieces)
    }

    fn font(&mut self, data: &parley::FontData, synthesis: &Synthesis) -> Result<Font, Error> {
        let axes = synthesis.variation_settings();
        let axes: Vec<([u8; 4], f32)> = axes.iter().map(|(tag, value)| (tag.into_bytes(), *value)).collect();
        let named = axes.iter().map(|(tag, value)| (*tag, value.to_bits())).collect();
        let key = (data.data.id(), data.index, named);
        if let Some(font) = self.fonts.get(&key) {
            return Ok(font.clone());
        }
        let axes: Vec<(AxisTag, f32)> = axes.iter().map(|(tag, value)| (AxisTag::new(tag), *value)).collect();
        let (bytes, _) = data.data.clone().into_raw_parts();
        let font = Font::new_variable(bytes.into(), data.index, &axes);
        let font = font.ok_or_else(|| Error::Pdf("a font of this machine cannot be read".to_owned()))?;
        self.fonts.insert(key, font.clone());
        Ok(font)
    }
}

fn draw(surface: &mut Surface<'_>, piece: &PaintedPiece<'_>, text: &str, baseline: f32) {
    let raised = if piece.brush.is_raised { piece.size * 0.4 } else { 0.0 };
    let at = baseline - raised;
    let paint = fill(piece.brush.ink);
    let bold = piece.synthesis.embolden();
    surface.set_stroke(bold.then(|| Stroke {
        paint: paint.paint.clone(),
        width: piece.size * 0.035,
        ..Stroke::default()
    }));
    surface.set_fill(Some(paint));
    let slant = piece.synthesis.skew().map(|degrees| degrees.to_radians().tan());
    if let Some(slant) = slant {
        surface.push_transform(&Transform::from_row(1.0, 0.0, -slant, 1.0, slant * at, 0.0));
    }
    surface.draw_glyphs(
        Point::from_xy(piece.left, at),
        &piece.glyphs,
        piece.font.clone(),
        text,
        piece.size,
        false,
    );
    if slant.is_some() {
        surface.pop();
    }
    let mut ruled = |ink: Ink, height: f32, width: f32, dash: Option<Vec<f32>>| {
        let mut path = PathBuilder::new();
        path.move_to(piece.left, height);
        path.line_to(piece.right, height);
        surface.set_fill(None);
        surface.set_stroke(Some(Stroke {
            paint: rgb::Color::new(ink[0], ink[1], ink[2]).into(),
            width,
            dash: dash.map(|array| StrokeDash { array, offset: 0.0 }),
            ..Stroke::default()
        }));
        if let Some(path) = path.finish() {
            surface.draw_path(&path);
        }
    };
    if piece.brush.is_struck {
        ruled(piece.brush.ink, at - piece.size * 0.28, 0.6, None);
    }
    match piece.brush.line {
        Some(("thick", ink)) => ruled(ink, baseline + 1.9, 1.2, None),
        Some(("dash", ink)) => ruled(ink, baseline + 1.9, 0.8, Some(vec![3.0, 2.0])),
        Some(("dotted", ink)) => ruled(ink, baseline + 1.9, 0.8, Some(vec![0.8, 1.4])),
        Some((_, ink)) => ruled(ink, baseline + 1.2, 0.3, None),
        None => {}
    }
    surface.set_stroke(None);
}

fn fill([red, green, blue]: Ink) -> Fill {
    Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        opacity: NormalizedF32::ONE,
        rule: krilla::paint::FillRule::default(),
    }
}

/// As deep as the document is, which is bounded where it is built.
fn group(tags: &[TagNode], node: usize) -> Option<TagGroup> {
    let node = tags.get(node)?;
    let mut made = TagGroup::new(node.tag.clone());
    for child in &node.children {
        match child {
            TagChild::Leaf(leaf) => made.push(*leaf),
            TagChild::Node(child) => {
                if let Some(inner) = group(tags, *child) {
                    made.push(inner);
                }
            }
        }
    }
    (!made.children.is_empty()).then_some(made)
}

fn outline(headings: &[PlacedHeading]) -> Outline {
    let mut outline = Outline::new();
    let mut rest = headings;
    while let Some((node, later)) = branch(rest) {
        outline.push_child(node);
        rest = later;
    }
    outline
}

/// The first heading with those below it, and what follows; as deep as headings are, which is six.
fn branch(headings: &[PlacedHeading]) -> Option<(OutlineNode, &[PlacedHeading])> {
    let (first, mut rest) = headings.split_first()?;
    let place = XyzDestination::new(first.page, Point::from_xy(0.0, first.top));
    let mut node = OutlineNode::new(first.title.clone(), place).with_open(true);
    while rest.first().is_some_and(|next| next.level > first.level) {
        let Some((child, later)) = branch(rest) else { break };
        node.push_child(child);
        rest = later;
    }
    Some((node, rest))
}
