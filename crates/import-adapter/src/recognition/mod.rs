//! Detection of formats by content.
//!
//! Each format inspects the beginning of a file ([`FilePreview`]) and returns whether it recognises it, and
//! its reader. The formats are tried in the order of their table; the first match wins.

mod own_tables;
mod refusal;
mod table;

use crate::formats::Format;
use crate::input::Bytes;
use crate::recognised::RecognisedFile;
use crate::seen::FilePreview;
use application::ports::import_source::ImportRefusal;
use std::path::Path;

/// Recognises a file with this name, or reports what was found instead; `asked` is the format that it should
/// have. A database is copied to `scratch`.
pub(crate) fn recognise(
    bytes: Bytes,
    name: &str,
    asked: Option<Format>,
    scratch: Option<&Path>,
) -> Result<RecognisedFile, ImportRefusal> {
    let seen = FilePreview::inspect(bytes, scratch)?.with_name(name);
    let found = seen.first_claim(asked, asked.is_some());
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

/// Recognises one file of several, which has this name. A file among others may not be meant for import,
/// unlike one that is named on the command line.
pub(crate) fn claim(
    bytes: Bytes,
    name: &str,
    asked: Option<Format>,
    scratch: Option<&Path>,
) -> Result<Claim, ImportRefusal> {
    let seen = FilePreview::inspect(bytes, scratch)?.with_name(name);
    let sure = seen.first_claim(asked, false);
    let sign = match &sure {
        _ if seen.is_empty() => MatchStrength::Empty,
        Some(recognised) if recognised.format() != Format::Hypnogram => MatchStrength::Sure,
        _ => MatchStrength::Weak,
    };
    match sure.or_else(|| seen.first_claim(asked, asked.is_some())) {
        Some(recognised) => Ok(Claim { recognised, sign }),
        None => Err(seen.refusal(asked)),
    }
}

impl FilePreview {
    /// Tries the formats in order, or only the requested one.
    fn first_claim(&self, asked: Option<Format>, named: bool) -> Option<RecognisedFile> {
        let mut tried = Format::ALL.into_iter().filter(|format| asked.is_none_or(|asked| asked == *format));
        tried.find_map(|format| (format.info().recognise)(self, named))
    }
}

#[cfg(test)]
mod tests;
