//! Detection of Apple Health exports.

use super::AppleHealth;
use super::markup::ROOT;
use crate::formats::Format;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Beginning of a document type that names the root element.
const DOCUMENT_TYPE: &str = "<!DOCTYPE HealthData";

/// Recognises the root element, or a document type that is so long that the root is not inspected.
pub(crate) fn recognise(seen: &FilePreview, _named: bool) -> Option<RecognisedFile> {
    let beginning = seen.text()?.lines().join("\n");
    is_export(&beginning)
        .then(|| RecognisedFile::new(Format::AppleHealth, |bytes, _context| Ok(AppleHealth::new(bytes))))
}

fn is_export(beginning: &str) -> bool {
    if !beginning.trim_ascii_start().starts_with('<') {
        return false;
    }
    let mut reader = Reader::from_str(beginning);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => return tag.name().into_inner() == ROOT,
            Ok(Event::Eof) | Err(_) => return beginning.contains(DOCUMENT_TYPE),
            Ok(_) => {}
        }
    }
}
