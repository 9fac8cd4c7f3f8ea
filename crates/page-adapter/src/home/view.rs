//! Home of a signed-in person, and the landing page.

use crate::nights::picture::view::{Durations, Hypnogram};
use crate::nights::view::Figure;
use crate::view::{Moment, Person};
use application::upload::UploadFormat;
use askama::Template;
use http_adapter::Operator;

/// Home.
#[derive(Clone, Template)]
#[template(path = "home/home.html")]
pub(crate) struct Home {
    pub(crate) person: Person,
    pub(crate) time_zone: String,
    pub(crate) attention: Vec<AttentionLine>,
    /// `None` if there is no night in the last 14 days with data.
    pub(crate) last: Option<LastNight>,
    /// Day of the latest session, if none has ended today.
    pub(crate) nothing_since: Option<Moment>,
    /// Nights of 14 days, and which days these are.
    pub(crate) recent: Option<(String, Durations)>,
    /// Intakes of the last seven days.
    pub(crate) intakes: Vec<IntakeLine>,
    /// Readers of the last seven days.
    pub(crate) readers: Vec<ReaderLine>,
    /// Whether the person has neither nights nor intakes.
    pub(crate) is_empty: bool,
    /// Whether files can be uploaded.
    pub(crate) can_upload: bool,
}

/// The latest night.
#[derive(Clone)]
pub(crate) struct LastNight {
    pub(crate) id: String,
    /// `Monday 30 March, 22:53 to Tuesday 31 March, 06:08`.
    pub(crate) time: String,
    /// Whether it ended today.
    pub(crate) ended_today: bool,
    pub(crate) hypnogram: Option<Hypnogram>,
    /// Sentence in place of the hypnogram.
    pub(crate) no_stages: &'static str,
    pub(crate) figures: Vec<Figure>,
}

/// Something that needs attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttentionLine {
    pub(crate) text: String,
    /// Path of the page about it.
    pub(crate) path: String,
    /// Text of the link.
    pub(crate) link: &'static str,
}

/// Intakes of one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IntakeLine {
    pub(crate) name: String,
    pub(crate) brand: String,
    pub(crate) times: usize,
}

/// Reads of one app or token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReaderLine {
    /// `None` if it was removed.
    pub(crate) name: Option<String>,
    /// `nights and profile`.
    pub(crate) what: String,
    pub(crate) requests: u64,
}

/// Help page.
#[derive(Clone, Template)]
#[template(path = "home/help.html")]
pub(crate) struct Help {
    /// `None` if nobody is signed in.
    pub(crate) person: Option<Person>,
    pub(crate) formats: Vec<UploadFormat>,
    pub(crate) operator: Operator,
}

/// Landing page of the server.
#[derive(Clone, Template)]
#[template(path = "home/landing.html")]
pub(crate) struct Landing {
    pub(crate) operator: Operator,
    /// Whether sign-up is open.
    pub(crate) offers_sign_up: bool,
}
