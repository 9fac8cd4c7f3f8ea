//! Recognition of the entries of a folder or an archive.

use super::Listing;
use super::container::Container;
use super::entry::Entry;
use super::is_gzip;
use super::members::{Member, unpacks_too_much, within};
use super::reader::SharedEntryReader;
use super::unpacking::{Bound, Unpacking};
use super::zip::is_zip;
use crate::database::MAGIC;
use crate::formats::Format;
use crate::open::FileContext;
use crate::recognised::RecognisedFile;
use crate::recognition::{Claim, MatchStrength, claim, recognise};
use application::ports::import_source::ImportRefusal;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

/// Number of names in a note.
const NAMES_SHOWN: usize = 20;
/// Number of inspected bytes of an entry.
const INSPECTED_BYTES: u64 = 4 * 1024 * 1024;

/// Recognises the single file in a gzip file.
pub(super) fn single(
    entry: Entry,
    format: Option<Format>,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    let bytes = SharedEntryReader::new(entry.open(Bound::new(context.most_unpacked))?);
    let recognised = recognise(Box::new(bytes.clone()), &entry.name, format, context.scratch.as_deref());
    bytes.get().fault()?;
    let path = Arc::clone(&entry.path);
    let members = Arc::from([Member { entry, recognised: recognised? }]);
    Ok(Container { path, members, note: None, context })
}

/// Recognises the entries; unrecognised ones are skipped and counted.
pub(super) fn survey(
    what: &'static str,
    listing: Listing,
    format: Option<Format>,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    let Listing { path, entries, others } = listing;
    let count = entries.len();
    let mut passed_over = NameSummary::from_names(&others);
    let mut claimed = Vec::new();
    let mut unknown = Unknown::new(what, format);
    let mut unpacked = Unpacking::default();
    let bound = Bound::new(context.most_unpacked);
    for entry in entries {
        let (found, unpacking) =
            inspect(&entry, format, bound.after(unpacked.unpacked), context.scratch.as_deref())?;
        unpacked = unpacked.plus(unpacking);
        if unpacked.is_a_bomb() {
            return Err(unpacks_too_much());
        }
        match found {
            Ok(Claim { recognised, sign }) => claimed.push((entry, recognised, sign)),
            // Part of an export would be mistaken for the whole.
            Err(refusal @ ImportRefusal::NotInThisWay(_)) => return Err(within(&entry.name, refusal)),
            Err(refusal) => {
                unknown.note(&entry, refusal)?;
                passed_over.add(&entry.name);
            }
        }
    }
    let KeptEntries { mut members, hypnograms } = without_weak_signs(claimed, &mut passed_over);
    if members.is_empty() {
        return Err(unknown.refusal(count));
    }
    // A zip archive's own statements are verified on reading; nothing of an archive that exceeds them is
    // kept.
    let sizes = members.iter().filter_map(|member| member.entry.expected);
    if bound.is_passed_by(sizes.fold(0, |sum, expected| sum.saturating_add(expected.size))) {
        return Err(ImportRefusal::Unreadable(format!("the importable part of {what} {bound}")));
    }
    if members.iter().filter(|member| member.recognised.format() == Format::Hypnogram).count() > 1 {
        let text = format!(
            "{what} contains several hypnograms, each with a different start: import each file separately with its start"
        );
        return Err(ImportRefusal::NotInThisWay(text));
    }
    let of_unknown =
        (passed_over.count > 0).then(|| skipped_files(format, &passed_over) + &unknown.details());
    let texts: Vec<_> = of_unknown.into_iter().chain(hypnograms.hypnogram_advice()).collect();
    let note = (!texts.is_empty()).then(|| (what, texts.join("; ")));
    // The tables of Google Health have the offsets that Fitbit's logs in the same export lack.
    members.sort_by_key(|member| member.recognised.format() != Format::GoogleHealth);
    Ok(Container { path, members: Arc::from(members), note, context })
}

type InspectionResult = (Result<Claim, ImportRefusal>, Unpacking);

/// Inspects the beginning of an entry; fails only if it cannot be read.
fn inspect(
    entry: &Entry,
    format: Option<Format>,
    bound: Bound,
    scratch: Option<&Path>,
) -> Result<InspectionResult, ImportRefusal> {
    let mut bytes = SharedEntryReader::new(entry.open(bound)?);
    let mut beginning = Vec::new();
    let limit = u64::try_from(MAGIC.len()).unwrap_or_default();
    // An error is reported by `fault` below.
    let _read = bytes.by_ref().take(limit).read_to_end(&mut beginning);
    // The tables of a database may be anywhere in it.
    let limit = if beginning == MAGIC { u64::MAX } else { INSPECTED_BYTES };
    let inspected = io::Cursor::new(beginning).chain(bytes.clone().take(limit));
    let found = claim(Box::new(inspected), &entry.name, format, scratch);
    let reader = bytes.get();
    reader.fault()?;
    let unpacking = reader.unpacking();
    // The end of the inspected part looks like damage.
    let found = found.map_err(|refusal| match refusal {
        ImportRefusal::Damaged { .. } if unpacking.unpacked >= INSPECTED_BYTES => {
            ImportRefusal::NotThisFormat("unsupported file: its first 4 MiB have no known format".to_owned())
        }
        refusal => refusal,
    });
    Ok((found, unpacking))
}

/// Entries to read, and hypnograms among them.
struct KeptEntries {
    members: Vec<Member>,
    /// Hypnograms in an archive with files that contain the start of their nights. They are not read,
    /// because a given start applies to a single file.
    hypnograms: NameSummary,
}

/// Drops weak matches if other entries certainly have another format.
fn without_weak_signs(
    claimed: Vec<(Entry, RecognisedFile, MatchStrength)>,
    passed_over: &mut NameSummary,
) -> KeptEntries {
    let sure: Vec<Format> = claimed
        .iter()
        .filter(|(_, _, sign)| *sign == MatchStrength::Sure)
        .map(|(_, recognised, _)| recognised.format())
        .collect();
    let mut kept = KeptEntries { members: Vec::new(), hypnograms: NameSummary::default() };
    for (entry, recognised, sign) in claimed {
        let counts = match sign {
            MatchStrength::Sure => true,
            MatchStrength::Empty => sure.is_empty() || sure.contains(&recognised.format()),
            MatchStrength::Weak => sure.is_empty(),
        };
        if counts {
            kept.members.push(Member { entry, recognised });
        } else if sign == MatchStrength::Weak && recognised.format() == Format::Hypnogram {
            kept.hypnograms.add(&entry.name);
        } else {
            passed_over.add(&entry.name);
        }
    }
    kept
}

fn skipped_files(format: Option<Format>, passed_over: &NameSummary) -> String {
    let of = match format {
        None => "of no known format".to_owned(),
        Some(asked) => format!("not of the format {}", asked.as_str()),
    };
    format!("files {of} were skipped: {} ({})", passed_over.count, passed_over.listed())
}

/// Files of one kind to mention: their number and the first names.
#[derive(Default)]
struct NameSummary {
    names: Vec<String>,
    count: usize,
}

impl NameSummary {
    fn from_names(names: &[String]) -> Self {
        let mut all = Self::default();
        for name in names {
            all.add(name);
        }
        all
    }

    fn add(&mut self, name: &str) {
        self.count = self.count.saturating_add(1);
        if self.names.len() < NAMES_SHOWN {
            self.names.push(name.to_owned());
        }
    }

    fn listed(&self) -> String {
        let more = if self.count > self.names.len() { ", ..." } else { "" };
        format!("{}{more}", self.names.join(", "))
    }

    /// Advice on hypnograms in an archive with other files; `None` if there are none.
    fn hypnogram_advice(&self) -> Option<String> {
        let names = self.listed();
        (self.count > 0).then(|| {
            format!(
                "hypnograms do not contain their start time and were skipped among other files; import each \
                 separately with its start: {names}"
            )
        })
    }

    /// Advice on archives within the archive; empty if there are none.
    fn archive_advice(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        format!("; nested archives are not opened, import them separately: {}", self.listed())
    }
}

/// Unrecognised entries, and the message if nothing was recognised.
struct Unknown {
    what: &'static str,
    format: Option<Format>,
    /// First refusal; one about a known file comes before the others.
    first: Option<ImportRefusal>,
    packed: NameSummary,
    /// Damaged entries, each with its damage.
    damaged: NameSummary,
}

impl Unknown {
    fn new(what: &'static str, format: Option<Format>) -> Self {
        let (packed, damaged) = (NameSummary::default(), NameSummary::default());
        Self { what, format, first: None, packed, damaged }
    }

    /// Describes which of the skipped entries are damaged, and which are archives.
    fn details(&self) -> String {
        let damaged = if self.damaged.count == 0 {
            String::new()
        } else {
            format!("; damaged: {}", self.damaged.listed())
        };
        damaged + &self.packed.archive_advice()
    }

    /// Records an unrecognised entry.
    fn note(&mut self, entry: &Entry, refusal: ImportRefusal) -> Result<(), ImportRefusal> {
        let is_telling = |refusal: &ImportRefusal| {
            matches!(
                refusal,
                ImportRefusal::HoldsNoSleep(_)
                    | ImportRefusal::OtherFormat { .. }
                    | ImportRefusal::Damaged { .. }
            )
        };
        if let ImportRefusal::Damaged { place, reason } = &refusal {
            self.damaged.add(&format!("{} ({place}: {reason})", entry.name));
        }
        if self.first.as_ref().is_none_or(|first| is_telling(&refusal) && !is_telling(first)) {
            self.first = Some(within(&entry.name, refusal));
        }
        let mut begins = Vec::new();
        let mut bytes = SharedEntryReader::new(entry.open(Bound::NONE)?);
        let read = bytes.by_ref().take(4).read_to_end(&mut begins);
        bytes.get().fault()?;
        if read.is_ok() && (is_zip(&begins) || is_gzip(&begins)) {
            self.packed.add(&entry.name);
        }
        Ok(())
    }

    fn refusal(self, count: usize) -> ImportRefusal {
        let Self { what, format, first, packed, .. } = self;
        let of = match format {
            None => "of a known format".to_owned(),
            Some(named) => format!("of the format {}", named.as_str()),
        };
        let formats = match &first {
            Some(ImportRefusal::OtherFormat { formats, .. }) => Some(formats.clone()),
            _ => None,
        };
        let seen = first.map(|refusal| format!("; {refusal}")).unwrap_or_default() + &packed.archive_advice();
        let seen = match count {
            0 => format!("there is no file in {what}"),
            1 => format!("the only file in {what} is not {of}{seen}"),
            _ => format!("none of the {count} files in {what} is {of}{seen}"),
        };
        match formats {
            Some(formats) => ImportRefusal::OtherFormat { seen, formats },
            None => ImportRefusal::NotThisFormat(seen),
        }
    }
}
