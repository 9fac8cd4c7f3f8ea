//! What the entries of a folder or an archive are.

use super::Listing;
use super::container::{Container, Member};
use super::entry::Entry;
use super::gzip::is_gzip;
use super::members::{bomb, within};
use super::reader::Watched;
use super::unpacking::{Bound, Unpacking};
use super::zip::is_zip;
use crate::format::Format;
use crate::open::FileContext;
use crate::recognition::{Claim, Recognised, Sign, claim, recognise};
use application::ports::import_source::ImportRefusal;
use std::io::Read as _;
use std::sync::Arc;

/// How many archives inside are named.
const NAMES_SHOWN: usize = 8;
/// How much of an entry is looked at.
const BYTES_LOOKED_AT: u64 = 4 * 1024 * 1024;

/// Recognises the one file inside of a packed one.
pub(super) fn single(entry: Entry, format: Format, context: FileContext) -> Result<Container, ImportRefusal> {
    let bytes = Watched::new(entry.open(Bound::of(context.most_unpacked))?);
    let recognised = recognise(Box::new(bytes.clone()), format);
    bytes.get().fault()?;
    let path = Arc::clone(&entry.path);
    let members = Arc::from([Member { entry, recognised: recognised? }]);
    Ok(Container { path, members, note: None, context })
}

/// Recognises the entries; what nothing claims is passed over and counted.
pub(super) fn survey(
    what: &'static str,
    listing: Listing,
    format: Format,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    let Listing { path, entries, others } = listing;
    let count = entries.len();
    let mut claimed = Vec::new();
    let mut unknown = Unknown { what, format, first: None, packed: Packed::default() };
    let mut unpacked = Unpacking::default();
    let bound = Bound::of(context.most_unpacked);
    for entry in entries {
        let (found, unpacking) = look(&entry, format, bound.after(unpacked.unpacked))?;
        unpacked = unpacked.plus(unpacking);
        if unpacked.is_a_bomb() {
            return Err(bomb());
        }
        match found {
            Ok(Claim { recognised, sign }) => claimed.push((entry, recognised, sign)),
            // Half of an export would be taken for the whole.
            Err(refusal @ ImportRefusal::NotInThisWay(_)) => return Err(within(&entry.name, refusal)),
            Err(refusal) => unknown.note(&entry, refusal)?,
        }
    }
    let beside = beside_others(&claimed);
    let members: Arc<[Member]> = without_weak_signs(claimed).collect();
    if members.is_empty() {
        return Err(unknown.refusal(count));
    }
    // What a zip archive says of itself is checked when it is read; nothing of one that says too much is.
    let sizes = members.iter().filter_map(|member| member.entry.expected);
    if bound.is_passed_by(sizes.fold(0, |sum, expected| sum.saturating_add(expected.size))) {
        return Err(ImportRefusal::Unreadable(format!("what is read of {what} {bound}")));
    }
    if members.iter().filter(|member| member.recognised.format() == Format::Hypnogram).count() > 1 {
        let told = format!(
            "{what} holds several hypnograms, of which each has a start of its own: give each alone, as a file of its own, with its start"
        );
        return Err(ImportRefusal::NotInThisWay(told));
    }
    let passed_over = others.saturating_add(count.saturating_sub(members.len())).saturating_sub(beside.count);
    let of_unknown = (passed_over > 0).then(|| told(format, passed_over) + &unknown.packed.told());
    let texts: Vec<_> = of_unknown.into_iter().chain(beside.told_as_hypnograms()).collect();
    let note = (!texts.is_empty()).then(|| (what, texts.join("; ")));
    Ok(Container { path, members, note, context })
}

type Look = (Result<Claim, ImportRefusal>, Unpacking);

/// Looks at the beginning of an entry; fails only when it cannot be read.
fn look(entry: &Entry, format: Format, bound: Bound) -> Result<Look, ImportRefusal> {
    let bytes = Watched::new(entry.open(bound)?);
    let found = claim(Box::new(bytes.clone().take(BYTES_LOOKED_AT)), format);
    let reader = bytes.get();
    reader.fault()?;
    Ok((found, reader.unpacking()))
}

/// Finds what may be hypnograms beside files that say themselves when their nights began. They are not read: none of them
/// does, and a start that is given counts for one file alone.
fn beside_others(claimed: &[(Entry, Recognised, Sign)]) -> Packed {
    let mut found = Packed::default();
    if claimed.iter().any(|(_, _, sign)| *sign == Sign::Sure) {
        let is_hypnogram = |recognised: &Recognised| recognised.format() == Format::Hypnogram;
        let weak =
            claimed.iter().filter(|(_, recognised, sign)| *sign == Sign::Weak && is_hypnogram(recognised));
        weak.for_each(|(entry, ..)| found.add(entry));
    }
    found
}

/// Drops what only a weak sign or an empty list speaks for, where other entries are sure to be of another format.
fn without_weak_signs(claimed: Vec<(Entry, Recognised, Sign)>) -> impl Iterator<Item = Member> {
    let sure: Vec<Format> = claimed
        .iter()
        .filter(|(_, _, sign)| *sign == Sign::Sure)
        .map(|(_, recognised, _)| recognised.format())
        .collect();
    claimed.into_iter().filter_map(move |(entry, recognised, sign)| {
        let counts = match sign {
            Sign::Sure => true,
            Sign::Empty => sure.is_empty() || sure.contains(&recognised.format()),
            Sign::Weak => sure.is_empty(),
        };
        counts.then_some(Member { entry, recognised })
    })
}

fn told(format: Format, count: usize) -> String {
    match format {
        Format::Auto => format!("files that are of no known format were passed over: {count}"),
        named => format!("files that are not of the format {} were passed over: {count}", named.name()),
    }
}

/// Files inside that are to be given as files of their own, such as archives, which are not opened.
#[derive(Default)]
struct Packed {
    /// The names of the first.
    names: Vec<String>,
    count: usize,
}

impl Packed {
    fn add(&mut self, entry: &Entry) {
        self.count = self.count.saturating_add(1);
        if self.names.len() < NAMES_SHOWN {
            self.names.push(entry.name.clone());
        }
    }

    fn listed(&self) -> (String, &'static str) {
        (self.names.join(", "), if self.count > self.names.len() { ", ..." } else { "" })
    }

    /// Says what to do with hypnograms beside other files; nothing when there are none.
    fn told_as_hypnograms(&self) -> Option<String> {
        let (names, more) = self.listed();
        (self.count > 0).then(|| {
            format!(
                "hypnograms, which do not say when they began, were not read beside other files; give each alone, with its \
                 start: {names}{more}"
            )
        })
    }

    fn told(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let (names, more) = self.listed();
        format!("; archives inside are not opened, give them as files of their own: {names}{more}")
    }
}

/// What was not recognised, and what to say when nothing was.
struct Unknown {
    what: &'static str,
    format: Format,
    first: Option<ImportRefusal>,
    packed: Packed,
}

impl Unknown {
    /// Notes an entry that nothing claims.
    fn note(&mut self, entry: &Entry, refusal: ImportRefusal) -> Result<(), ImportRefusal> {
        if self.first.is_none() {
            self.first = Some(within(&entry.name, refusal));
        }
        let mut begins = Vec::new();
        let mut bytes = Watched::new(entry.open(Bound::NONE)?);
        let read = bytes.by_ref().take(4).read_to_end(&mut begins);
        bytes.get().fault()?;
        if read.is_ok() && (is_zip(&begins) || is_gzip(&begins)) {
            self.packed.add(entry);
        }
        Ok(())
    }

    fn refusal(self, count: usize) -> ImportRefusal {
        let Self { what, format, first, packed } = self;
        let of = match format {
            Format::Auto => "of a known format".to_owned(),
            named => format!("of the format {}", named.name()),
        };
        let seen = first.map(|refusal| format!("; {refusal}")).unwrap_or_default() + &packed.told();
        ImportRefusal::NotThisFormat(match count {
            0 => format!("there is no file in {what}"),
            1 => format!("the only file in {what} is not {of}{seen}"),
            _ => format!("none of the {count} files in {what} is {of}{seen}"),
        })
    }
}
