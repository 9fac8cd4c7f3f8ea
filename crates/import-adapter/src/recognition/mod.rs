//! Detection of formats by content.
//!
//! Each format inspects the beginning of a file ([`FilePreview`]) and returns whether it recognises it, and
//! its reader. The [`FORMATS`] are tried in order; the first match wins.

mod no_sleep;
mod own_tables;
mod refusal;
mod table;

use crate::format::Format;
use crate::input::{Bytes, Cursor};
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use crate::{
    apple_health, dsld, fhir, fitbit, garmin, hypnogram, intake_csv, ndjson, open_mhealth, oura,
    sleep_as_android, whoop, withings,
};
use application::ports::import_source::ImportRefusal;

/// Inspects the beginning of a file for one format. `named` means that the format was requested, so that an
/// empty list may be accepted.
type Recogniser = fn(seen: &FilePreview, named: bool) -> Option<RecognisedFile>;

/// All formats, in the order in which they are tried.
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
pub(crate) fn recognise(bytes: Bytes, asked: Format) -> Result<RecognisedFile, ImportRefusal> {
    let seen = FilePreview::inspect(&mut Cursor::new(bytes)?)?;
    let found = seen.first_claim(asked, asked != Format::Auto);
    found.ok_or_else(|| seen.refusal(asked))
}

/// Strength of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchStrength {
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
    pub(crate) recognised: RecognisedFile,
    pub(crate) sign: MatchStrength,
}

/// Recognises one file of several. A file among others may not be meant for import, unlike one that is named
/// on the command line.
pub(crate) fn claim(bytes: Bytes, asked: Format) -> Result<Claim, ImportRefusal> {
    let seen = FilePreview::inspect(&mut Cursor::new(bytes)?)?;
    let sure = seen.first_claim(asked, false);
    let sign = match &sure {
        _ if seen.is_empty() => MatchStrength::Empty,
        Some(recognised) if recognised.format() != Format::Hypnogram => MatchStrength::Sure,
        _ => MatchStrength::Weak,
    };
    match sure.or_else(|| seen.first_claim(asked, asked != Format::Auto)) {
        Some(recognised) => Ok(Claim { recognised, sign }),
        None => Err(seen.refusal(asked)),
    }
}

impl FilePreview {
    /// Tries the formats in order, or only the requested one.
    fn first_claim(&self, asked: Format, named: bool) -> Option<RecognisedFile> {
        let mut asked_for = FORMATS.iter().filter(|(format, _)| asked == Format::Auto || *format == asked);
        asked_for.find_map(|(_, recognise)| recognise(self, named))
    }
}

#[cfg(test)]
mod tests;
