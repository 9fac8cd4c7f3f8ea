//! The pages as values with text and a template.
//!
//! A view depends on no use case or clock: the handler passes texts and formatted times, and [`View::render`]
//! creates the HTML. The templates in `templates/` are checked against these structs at compile time.
//! [`PageText`] escapes every text; no template uses `safe`. `tests` renders each sample.

mod account;
mod activity;
mod apps;
mod consent;
mod erase;
mod errors;
mod escape;
mod form_error;
mod import_profile;
mod imports;
mod message;
mod part;
mod password;
#[cfg(test)]
pub(crate) mod sample;
mod sign_in;
#[cfg(test)]
mod tests;
mod time_zone;
mod tokens;

pub(crate) use account::{Account, BrowserLine};
pub(crate) use activity::{
    Activity, ActivityDay, ActivityLine, ActorName, AskedSpan, Earlier, EventLine, ReadLine, ReadWhat,
};
pub(crate) use apps::{AppLine, Apps};
pub(crate) use askama::Template as View;
pub(crate) use consent::Consent;
pub(crate) use erase::{Erase, Erased};
pub(crate) use errors::Errors;
pub(crate) use escape::PageText;
pub(crate) use form_error::FormErrors;
pub(crate) use import_profile::{ImportProfile, ProfileLine, field_label};
pub(crate) use imports::{
    ImportCounts, ImportLine, ImportPage, ImportPhase, ImportRemark, Imports, KeptLine, UndoneLine,
};
pub(crate) use message::{Link, Message};
pub(crate) use part::{Moment, Person, ScopeLine};
pub(crate) use password::{LinkPurpose, MailSent, RequestLink, SetPassword};
pub(crate) use sign_in::{SignIn, SignInReason, SignedOut};
pub(crate) use tokens::{CreatedToken, TokenForm, TokenLine, Tokens};

use http_adapter::Endpoint;

/// Path of the style sheet, which every page loads.
pub(crate) const STYLE_SHEET_PATH: &str = Endpoint::StyleSheet.path();
/// Style sheet, `text/css`.
pub(crate) const STYLE_SHEET: &str = include_str!("../../assets/pages.css");
/// Path of the icon, which every page loads.
pub(crate) const ICON_PATH: &str = Endpoint::Icon.path();
/// Icon, `image/svg+xml`.
pub(crate) const ICON: &str = include_str!("../../assets/icon.svg");
