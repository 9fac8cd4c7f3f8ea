//! Who read a person's data.

use super::part::grouped;
use super::{Moment, Person};
use askama::Template;

/// The page of who read what, the latest first.
#[derive(Clone, Template)]
#[template(path = "activity.html")]
pub(crate) struct Activity {
    /// Who is signed in.
    pub(crate) person: Person,
    /// The zone in which the times are given.
    pub(crate) time_zone: String,
    /// The days of this page, the latest first, none of them empty.
    pub(crate) days: Vec<ActivityDay>,
    /// What `?before=` has to say for the page of earlier reads; nothing when there are none.
    pub(crate) before: Option<String>,
    /// Whether this is the page of the latest reads.
    pub(crate) is_latest: bool,
    /// For how many days reads are kept.
    pub(crate) kept_days: u32,
}

/// The reads of one day.
#[derive(Clone)]
pub(crate) struct ActivityDay {
    /// The day: `Tuesday, 3 November 2026`.
    pub(crate) day: Moment,
    /// The reads, the latest first.
    pub(crate) reads: Vec<ReadLine>,
}

/// The reads of one reader and kind in one minute.
#[derive(Clone)]
pub(crate) struct ReadLine {
    /// The minute: `07:12`.
    pub(crate) at: Moment,
    /// Who.
    pub(crate) who: ReaderName,
    /// What.
    pub(crate) what: ReadWhat,
    /// The span of time that was asked for; nothing where there is no such thing.
    pub(crate) span: Option<AskedSpan>,
    /// How many requests.
    pub(crate) requests: u64,
    /// How many records they carried.
    pub(crate) items: u64,
}

/// Who read.
#[derive(Clone)]
pub(crate) enum ReaderName {
    /// An app, by its name.
    App(String),
    /// A personal access token, by its name.
    Token(String),
    /// An app or token that is no longer known.
    Gone,
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadWhat {
    /// The profile.
    Profile,
    /// Sleep sessions.
    Nights,
    /// Supplements and their intake.
    Supplements,
    /// Nothing: an app renewed its access.
    Renewal,
}

/// The span of time that was asked for; an end that is not given is open.
#[derive(Clone)]
pub(crate) struct AskedSpan {
    /// From when on.
    pub(crate) from: Option<Moment>,
    /// Until when.
    pub(crate) to: Option<Moment>,
}

impl ReadWhat {
    const fn words(self) -> &'static str {
        match self {
            Self::Profile => "read your profile",
            Self::Nights => "read your nights",
            Self::Supplements => "read your supplements",
            Self::Renewal => "renewed its access, read nothing",
        }
    }
}

impl ReadLine {
    fn amount(&self) -> String {
        grouped(self.items)
    }

    const fn unit(&self) -> &'static str {
        if self.items == 1 { "record" } else { "records" }
    }
}
