//! Detection of formats by content.
//!
//! Each format inspects the beginning of a file ([`Seen`]) and returns whether it recognises it, and its
//! reader. [`FORMATS`] are asked in order; the first match wins.

mod no_sleep;
mod own_tables;
mod refusal;
mod seen;
mod sketch;
mod table;

pub(crate) use seen::{Seen, Text};
pub(crate) use sketch::Sketch;

use crate::format::Format;
use crate::input::{Cursor, TableFormat, TableReader};
use crate::json::{Document, DocumentReader, Layout, ReadRecord};
use crate::open::FileContext;
use crate::source::RecordReader;
use crate::{
    apple_health, dsld, fhir, fitbit, garmin, hypnogram, intake_csv, ndjson, open_mhealth, oura,
    sleep_as_android, whoop, withings,
};
use application::ports::import_source::ImportRefusal;
use std::fmt;
use std::sync::Arc;

/// Bytes of one file, from the beginning.
pub(crate) type Bytes = Box<dyn std::io::Read + Send>;

type Opener = dyn Fn(Bytes, FileContext) -> Result<Box<dyn RecordReader>, ImportRefusal> + Send + Sync;

/// A file of a recognised format, and how to read it.
#[derive(Clone)]
pub(crate) struct Recognised {
    format: Format,
    opener: Arc<Opener>,
}

impl Recognised {
    /// Takes the format and a constructor of its reader.
    pub(crate) fn new<R: RecordReader + 'static>(
        format: Format,
        opener: impl Fn(Bytes, FileContext) -> Result<R, ImportRefusal> + Send + Sync + 'static,
    ) -> Self {
        let opener = move |bytes, context| {
            opener(bytes, context).map(|reader| Box::new(reader) as Box<dyn RecordReader>)
        };
        Self { format, opener: Arc::new(opener) }
    }

    /// Takes the format of a table.
    pub(crate) fn table<F: TableFormat + 'static>(format: Format) -> Self {
        Self::new(format, |bytes, context| TableReader::<F>::new(bytes, context.zone))
    }

    /// Takes the format and layout of a document of independent records, and how to read one.
    pub(crate) fn document(format: Format, layout: Layout, read: ReadRecord) -> Self {
        Self::new(format, move |bytes, context| {
            Ok(DocumentReader::new(Document::new(Cursor::new(bytes)?, layout), context.zone, read))
        })
    }

    pub(crate) const fn format(&self) -> Format {
        self.format
    }

    /// Starts reading records.
    pub(crate) fn read(
        &self,
        bytes: Bytes,
        context: FileContext,
    ) -> Result<Box<dyn RecordReader>, ImportRefusal> {
        (self.opener)(bytes, context)
    }
}

impl fmt::Debug for Recognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recognised").field(&self.format).finish()
    }
}

/// Inspects the beginning of a file for one format. `named` means that the format was requested, so that an
/// empty list may be accepted.
type Recogniser = fn(seen: &Seen, named: bool) -> Option<Recognised>;

/// All formats in the order in which they are asked.
const FORMATS: &[(Format, Recogniser)] = &[
    (Format::Ndjson, ndjson::recognise),
    (Format::AppleHealth, apple_health::recognise),
    (Format::Fitbit, fitbit::recognise),
    (Format::Oura, oura::recognise),
    (Format::Whoop, whoop::recognise),
    (Format::Garmin, garmin::recognise),
    (Format::Withings, withings::recognise),
    (Format::SleepAsAndroid, sleep_as_android::recognise),
    (Format::OpenMhealth, open_mhealth::recognise),
    (Format::Fhir, fhir::recognise),
    (Format::Hypnogram, hypnogram::recognise),
    (Format::Dsld, dsld::recognise),
    (Format::IntakeCsv, intake_csv::recognise),
];

/// Recognises a file, or reports what was found instead.
pub(crate) fn recognise(bytes: Bytes, asked: Format) -> Result<Recognised, ImportRefusal> {
    let seen = Seen::inspect(&mut Cursor::new(bytes)?)?;
    let found = seen.first_claim(asked, asked != Format::Auto);
    found.ok_or_else(|| seen.refusal(asked))
}

/// Returns the layout of the first list that holds records of a format. Each list may be absent, and has a
/// flag for `holds`: whether an empty list is accepted.
pub(crate) fn layout_of_first<const LISTS: usize>(
    lists: [(Option<&Sketch>, Layout, bool); LISTS],
    holds: impl Fn(&Sketch, bool) -> bool,
) -> Option<Layout> {
    let mut lists = lists.into_iter();
    lists.find(|(list, _, empty)| list.is_some_and(|list| holds(list, *empty))).map(|(_, layout, _)| layout)
}

/// Strength of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Specific content.
    Sure,
    /// An empty list, which many formats have.
    Empty,
    /// Only the request, or small numbers, which any list may contain.
    Weak,
}

/// A matching format and the strength of the match.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) recognised: Recognised,
    pub(crate) sign: Sign,
}

/// Recognises one file of several. Being among others says less than being named on the command line.
pub(crate) fn claim(bytes: Bytes, asked: Format) -> Result<Claim, ImportRefusal> {
    let seen = Seen::inspect(&mut Cursor::new(bytes)?)?;
    let sure = seen.first_claim(asked, false);
    let sign = match &sure {
        _ if seen.is_empty() => Sign::Empty,
        Some(recognised) if recognised.format() != Format::Hypnogram => Sign::Sure,
        _ => Sign::Weak,
    };
    match sure.or_else(|| seen.first_claim(asked, asked != Format::Auto)) {
        Some(recognised) => Ok(Claim { recognised, sign }),
        None => Err(seen.refusal(asked)),
    }
}

impl Seen {
    /// Asks the formats in order, or only the requested one.
    fn first_claim(&self, asked: Format, named: bool) -> Option<Recognised> {
        let mut asked_for = FORMATS.iter().filter(|(format, _)| asked == Format::Auto || *format == asked);
        asked_for.find_map(|(_, recognise)| recognise(self, named))
    }
}

#[cfg(test)]
mod tests;
