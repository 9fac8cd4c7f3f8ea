//! Detection of FHIR files.

use super::stream::Stream;
use super::{Fhir, Resources};
use crate::formats::Format;
use crate::input::Cursor;
use crate::json::{Document, Layout};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::sketch::Sketch;

/// Kinds of Bundle with current resources; a history contains several versions of each.
const BUNDLES: [&str; 4] = ["searchset", "collection", "document", "message"];

#[derive(Debug, Clone, Copy)]
enum Shape {
    List,
    Bundle,
    Stream,
}

/// Recognises resources by `resourceType`; one on its own line may be followed by others.
pub(crate) fn recognise(seen: &FilePreview, named: bool) -> Option<RecognisedFile> {
    let shape = shape(seen.json()?, named)?;
    Some(RecognisedFile::new(Format::Fhir, move |bytes, _| {
        let cursor = Cursor::new(bytes)?;
        Ok(Fhir::new(match shape {
            Shape::List => Resources::List(Document::new(cursor, Layout::List)),
            Shape::Bundle => Resources::Bundle(Document::new(cursor, Layout::Wrapped("entry"))),
            Shape::Stream => Resources::Stream(Stream::new(cursor)),
        }))
    }))
}

fn shape(sketch: &Sketch, named: bool) -> Option<Shape> {
    if let Sketch::List(first) = sketch {
        let first = first.as_deref();
        return first.map_or(named, |first| kind(first).is_some()).then_some(Shape::List);
    }
    if kind(sketch)? != "Bundle" {
        return Some(Shape::Stream);
    }
    // A member after many entries is beyond the inspected part.
    let holds =
        sketch.member("type").is_none_or(|kind| kind.text().is_some_and(|kind| BUNDLES.contains(&kind)));
    holds.then_some(Shape::Bundle)
}

/// Returns the type of a resource, which begins with a capital letter.
fn kind(resource: &Sketch) -> Option<&str> {
    let kind = resource.member("resourceType")?.text()?;
    let is_type = kind.starts_with(|letter: char| letter.is_ascii_uppercase())
        && kind.chars().all(|letter| letter.is_ascii_alphabetic());
    is_type.then_some(kind)
}
