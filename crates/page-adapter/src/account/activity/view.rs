//! Activity page: reads, changes, imports and exports of a person's data.

use crate::view::{Moment, Person, grouped, noun};
use askama::Template;
use domain::read_tally::ReadKind;

/// Activity page, latest first.
#[derive(Clone, Template)]
#[template(path = "account/activity/activity.html")]
pub(crate) struct Activity {
    pub(crate) person: Person,
    /// Whether the person can register apps.
    pub(crate) has_developer_page: bool,
    pub(crate) time_zone: String,
    /// Days of this page, latest first; none is empty.
    pub(crate) days: Vec<ActivityDay>,
    /// Query parameters of the page of earlier entries; `None` if there are none.
    pub(crate) earlier: Option<Earlier>,
    /// Whether this page starts with the latest entries.
    pub(crate) is_latest: bool,
    /// Number of days for which reads are kept.
    pub(crate) kept_days: u32,
}

/// Position after which the page of earlier entries resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// Value of `before`: the last listed read.
    pub(crate) read: Option<String>,
    /// Value of `events`: the last listed event.
    pub(crate) event: Option<String>,
}

/// Entries of one day.
#[derive(Clone)]
pub(crate) struct ActivityDay {
    /// Date: `Tuesday, 3 November 2026`.
    pub(crate) day: Moment,
    /// Entries, latest first.
    pub(crate) lines: Vec<ActivityLine>,
}

/// Entry of the page.
#[derive(Clone)]
pub(crate) enum ActivityLine {
    Read(ReadLine),
    /// Anything else.
    Event(EventLine),
}

/// Event, or the first of its kind on a day.
#[derive(Clone)]
pub(crate) struct EventLine {
    /// Minute: `07:12`.
    pub(crate) at: Moment,
    pub(crate) who: ActorName,
    /// Description: `exported your data`.
    pub(crate) what: &'static str,
    /// Whether only the first event of a day is listed.
    pub(crate) is_daily: bool,
    /// Browser and network of what was done on a page: `Firefox on Android, 192.0.2.7`.
    pub(crate) place: Option<String>,
}

/// Reads of one kind by one reader in one minute.
#[derive(Clone)]
pub(crate) struct ReadLine {
    /// Minute: `07:12`.
    pub(crate) at: Moment,
    pub(crate) who: ActorName,
    pub(crate) kind: ReadKind,
    /// Requested time range; `None` if the kind has none.
    pub(crate) span: Option<RequestedSpan>,
    /// Number of requests.
    pub(crate) requests: u64,
    /// Number of returned records.
    pub(crate) items: u64,
}

/// Actor of an entry.
#[derive(Clone)]
pub(crate) enum ActorName {
    /// The signed-in person.
    You,
    /// Possibly not the person.
    Someone,
    Operator,
    /// The server itself.
    Server,
    App(String),
    /// Personal access token with its name.
    Token(String),
    /// Deleted app or token.
    Gone,
}

/// Requested time range; a missing end is open.
#[derive(Clone)]
pub(crate) struct RequestedSpan {
    pub(crate) from: Option<Moment>,
    pub(crate) to: Option<Moment>,
}

impl ReadLine {
    fn what(&self) -> String {
        match self.kind {
            ReadKind::Data(kind) => format!("read your {}", noun(kind)),
            ReadKind::Refresh => "refreshed its access".to_owned(),
        }
    }

    /// Returns whether data was read, even if there were no records.
    const fn is_data(&self) -> bool {
        matches!(self.kind, ReadKind::Data(_))
    }

    fn amount(&self) -> String {
        grouped(self.items)
    }

    const fn unit(&self) -> &'static str {
        if self.items == 1 { "record" } else { "records" }
    }
}
