//! What the entries of a folder or an archive are.

use super::Listing;
use super::container::{Container, Member};
use super::entry::Entry;
use super::members::{bomb, within};
use super::reader::Watched;
use super::unpacking::Unpacking;
use crate::format::Format;
use crate::open::FileContext;
use crate::recognition::{Claim, Recognised, Sign, claim, recognise};
use application::ports::import_source::ImportRefusal;
use std::io::Read as _;
use std::sync::Arc;

/// How much of an entry is looked at.
const BYTES_LOOKED_AT: u64 = 4 * 1024 * 1024;

/// Recognises the one file inside of a packed one.
pub(super) fn single(entry: Entry, format: Format, context: FileContext) -> Result<Container, ImportRefusal> {
    let bytes = Watched::new(entry.open()?);
    let recognised = recognise(Box::new(bytes.clone()), format);
    bytes.get().fault()?;
    let members = Arc::from([Member { entry, recognised: recognised? }]);
    Ok(Container { members, note: None, context })
}

/// Recognises the entries; what nothing claims is passed over and counted.
pub(super) fn survey(
    what: &'static str,
    listing: Listing,
    format: Format,
    context: FileContext,
) -> Result<Container, ImportRefusal> {
    let Listing { entries, others } = listing;
    let count = entries.len();
    let mut claimed = Vec::new();
    let mut unknown = Unknown { what, format, first: None };
    let mut unpacked = Unpacking::default();
    for entry in entries {
        let (found, unpacking) = look(&entry, format)?;
        unpacked = unpacked.plus(unpacking);
        if unpacked.is_a_bomb() {
            return Err(bomb());
        }
        match found {
            Ok(Claim { recognised, sign }) => claimed.push((entry, recognised, sign)),
            Err(refusal) if unknown.first.is_none() => unknown.first = Some(within(&entry.name, refusal)),
            Err(_) => {}
        }
    }
    let members: Arc<[Member]> = without_weak_signs(claimed).collect();
    if members.is_empty() {
        return Err(unknown.refusal(count));
    }
    if members.iter().filter(|member| member.recognised.format() == Format::Hypnogram).count() > 1 {
        let told = format!(
            "{what} holds several hypnograms, of which each has a start of its own: name one file at a time"
        );
        return Err(ImportRefusal::NotThisFormat(told));
    }
    let passed_over = others.saturating_add(count.saturating_sub(members.len()));
    let note = (passed_over > 0).then(|| (what, told(format, passed_over)));
    Ok(Container { members, note, context })
}

type Look = (Result<Claim, ImportRefusal>, Unpacking);

/// Looks at the beginning of an entry; fails only when it cannot be read.
fn look(entry: &Entry, format: Format) -> Result<Look, ImportRefusal> {
    let bytes = Watched::new(entry.open()?);
    let found = claim(Box::new(bytes.clone().take(BYTES_LOOKED_AT)), format);
    let reader = bytes.get();
    reader.fault()?;
    Ok((found, reader.unpacking()))
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

/// What to say when nothing was recognised.
struct Unknown {
    what: &'static str,
    format: Format,
    first: Option<ImportRefusal>,
}

impl Unknown {
    fn refusal(self, count: usize) -> ImportRefusal {
        let Self { what, format, first } = self;
        let of = match format {
            Format::Auto => "of a known format".to_owned(),
            named => format!("of the format {}", named.name()),
        };
        let seen = first.map(|refusal| format!("; {refusal}")).unwrap_or_default();
        ImportRefusal::NotThisFormat(match count {
            0 => format!("there is no file in {what}"),
            1 => format!("the only file in {what} is not {of}{seen}"),
            _ => format!("none of the {count} files in {what} is {of}{seen}"),
        })
    }
}
