//! How a person's data came in, was changed, was read and went out.

use super::part::grouped;
use super::{Moment, Person};
use askama::Template;

/// The page of what happened to the data, the latest first.
#[derive(Clone, Template)]
#[template(path = "activity.html")]
pub(crate) struct Activity {
    /// Who is signed in.
    pub(crate) person: Person,
    /// The zone in which the times are given.
    pub(crate) time_zone: String,
    /// The days of this page, the latest first, none of them empty.
    pub(crate) days: Vec<ActivityDay>,
    /// Query parameters of the page of earlier entries; `None` if there are none.
    pub(crate) earlier: Option<Earlier>,
    /// Whether this is the page of the latest entries.
    pub(crate) is_latest: bool,
    /// For how many days reads are kept.
    pub(crate) kept_days: u32,
}

/// Where the page of earlier entries resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// Value of `before`: the last read that was listed.
    pub(crate) read: Option<String>,
    /// Value of `events`: the last event that was listed.
    pub(crate) event: Option<String>,
}

/// The entries of one day.
#[derive(Clone)]
pub(crate) struct ActivityDay {
    /// The day: `Tuesday, 3 November 2026`.
    pub(crate) day: Moment,
    /// The entries, the latest first.
    pub(crate) lines: Vec<ActivityLine>,
}

/// One entry.
#[derive(Clone)]
pub(crate) enum ActivityLine {
    /// Reads.
    Read(ReadLine),
    /// Anything else.
    Event(EventLine),
}

/// Something that happened once, or is listed the first time of a day.
#[derive(Clone)]
pub(crate) struct EventLine {
    /// The minute: `07:12`.
    pub(crate) at: Moment,
    /// Who.
    pub(crate) who: ActorName,
    /// What: `exported your data`.
    pub(crate) what: &'static str,
    /// Whether only the first time of a day is listed.
    pub(crate) is_daily: bool,
}

/// The reads of one reader and kind in one minute.
#[derive(Clone)]
pub(crate) struct ReadLine {
    /// The minute: `07:12`.
    pub(crate) at: Moment,
    /// Who.
    pub(crate) who: ActorName,
    /// What.
    pub(crate) what: ReadWhat,
    /// The span of time that was asked for; nothing where there is no such thing.
    pub(crate) span: Option<AskedSpan>,
    /// How many requests.
    pub(crate) requests: u64,
    /// How many records they carried.
    pub(crate) items: u64,
}

/// Who read, wrote or exported.
#[derive(Clone)]
pub(crate) enum ActorName {
    /// The person who is signed in.
    You,
    /// The operator.
    Operator,
    /// The server by itself.
    Server,
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
            Self::Renewal => "refreshed its access; read no data",
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
