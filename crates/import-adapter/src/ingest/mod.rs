//! Ingest bodies of first-party backends: the members of Restwell's NDJSON, in a list or one item per line.
//!
//! The members are those of the format `ndjson`; `type` is ignored, because the path determines it.

mod records;
#[cfg(test)]
mod tests;

use crate::formats::ndjson;
use crate::input::Cursor;
use crate::source::Notes;
use application::ports::import_source::ImportRefusal;
use application::ports::ingest_source::{
    IngestContent, IngestItem, IngestKind, IngestLayout, IngestParser, IngestShape, IngestSource,
};
use records::Records;
use std::io::Read;

/// Reads JSON bodies.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonIngestParser;

impl IngestParser for JsonIngestParser {
    fn count(
        &self,
        layout: IngestLayout,
        bytes: Box<dyn Read + Send>,
        limit: usize,
    ) -> Result<usize, ImportRefusal> {
        let mut records = Records::new(layout, Cursor::new(bytes)?)?;
        let mut count = 0_usize;
        while count <= limit && records.next()?.is_some() {
            count = count.saturating_add(1);
        }
        Ok(count)
    }

    fn open(
        &self,
        shape: IngestShape,
        bytes: Box<dyn Read + Send>,
    ) -> Result<Box<dyn IngestSource>, ImportRefusal> {
        Ok(Box::new(Source { records: Records::new(shape.layout, Cursor::new(bytes)?)?, shape }))
    }
}

/// A body being read.
struct Source {
    records: Records,
    shape: IngestShape,
}

impl IngestSource for Source {
    fn next_batch(&mut self, limit: usize) -> Result<Vec<IngestItem>, ImportRefusal> {
        let mut items = Vec::new();
        while items.len() < limit.max(1) {
            let Some(text) = self.records.next()? else { break };
            items.push(read(self.shape, text));
        }
        Ok(items)
    }
}

fn read(shape: IngestShape, text: &str) -> IngestItem {
    let mut notes = Notes::without_names();
    let content = content(shape, text, &mut notes).map_err(Into::into);
    let notes = if content.is_ok() { notes.into_texts().collect() } else { Vec::new() };
    IngestItem { content, notes }
}

fn content(shape: IngestShape, text: &str, notes: &mut Notes) -> Result<IngestContent, ndjson::InvalidItem> {
    if !text.trim_start().starts_with('{') {
        return Err(ndjson::InvalidItem::not_an_object());
    }
    let (user_id, place) = (shape.user_id, "item");
    match shape.kind {
        IngestKind::Users => ndjson::read_user(text, notes).map(IngestContent::User),
        IngestKind::Profile => ndjson::read_profile(text, user_id, place, notes).map(IngestContent::Record),
        IngestKind::Sleep => ndjson::read_session(text, user_id, place, notes).map(IngestContent::Record),
        IngestKind::Supplements => ndjson::read_supplement(text, place, notes).map(IngestContent::Record),
        IngestKind::Logs => ndjson::read_log(text, user_id, place, notes).map(IngestContent::Record),
    }
}
