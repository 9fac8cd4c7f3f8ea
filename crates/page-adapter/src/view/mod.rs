//! The pages as values with text and a template.
//!
//! A view depends on no use case or clock: the handler passes texts and formatted times, and [`View::render`]
//! creates the HTML. The templates in `templates/` are checked against these structs at compile time.
//! [`PageText`] escapes every text; no template uses `safe`. `tests` renders each sample.

mod account;
mod activity;
mod apps;
mod consent;
mod developer;
mod email;
mod erase;
mod errors;
mod escape;
mod form_error;
mod home;
mod import_profile;
mod imports;
mod kept_form;
mod message;
mod nights;
mod part;
mod passkeys;
mod password;
pub(crate) mod picture;
mod profile;
mod qr;
#[cfg(test)]
pub(crate) mod sample;
mod second_factor;
mod sign_in;
mod supplements;
#[cfg(test)]
mod tests;
mod time_zone;
mod tokens;
mod webhooks;

pub(crate) use account::{Account, BrowserLine};
pub(crate) use activity::{
    Activity, ActivityDay, ActivityLine, ActorName, Earlier, EventLine, ReadContent, ReadLine, RequestedSpan,
};
pub(crate) use apps::{AppLine, Apps};
pub(crate) use askama::Template as View;
pub(crate) use consent::Consent;
pub(crate) use developer::{
    AppAddresses, AppFields, DeveloperApp, DeveloperApps, ErrorLine, LatestRejection, LimitLine, NewCode,
    OwnAppLine, SandboxLine, SecretLine, UsageLine,
};
pub(crate) use email::{ChangeEmail, ConfirmEmail};
pub(crate) use erase::{Erase, Erased};
pub(crate) use errors::Errors;
pub(crate) use escape::PageText;
pub(crate) use form_error::FormErrors;
pub(crate) use home::{AttentionLine, Help, Home, IntakeLine, Landing, LastNight, ReaderLine};
pub(crate) use import_profile::{ImportProfile, ProfileLine, field_label};
pub(crate) use imports::{
    ImportCounts, ImportLine, ImportPage, ImportPhase, ImportRemark, Imports, KeptLine, UndoLine,
};
pub(crate) use kept_form::KeptForm;
pub(crate) use message::{Link, Message};
pub(crate) use nights::{
    Figure, MetricLine, Night, Nights, OriginLine, SourceLink, SourcePictures, WeekPictures,
};
pub(crate) use part::{Moment, Person, ScopeLine, grouped};
pub(crate) use passkeys::{PasskeyAdding, PasskeyChoice, PasskeyLine, Passkeys};
pub(crate) use password::{LinkPurpose, MailSent, RequestLink, SetPassword};
pub(crate) use profile::{Profile, ProfileFields, ProfilePreview, ZoneEffect};
pub(crate) use qr::QrCode;
pub(crate) use second_factor::{CodesLine, RecoveryCodes, SecondFactor, SecondStep, SetUpSecondFactor};
pub(crate) use sign_in::{SignIn, SignInReason, SignedOut};
pub(crate) use supplements::{
    CalendarDay, CalendarMark, CalendarRow, CalendarWeek, ChoiceLine, ChooseSupplement, DayTotals, EntryLine,
    FoldChoice, FoundLines, IngredientFields, IngredientLine, IntakeCalendar, IntakeForm, ProductForm,
    ProductLine, SummaryLine, Supplements,
};
pub(crate) use tokens::{CreatedToken, TokenForm, TokenLine, Tokens};
pub(crate) use webhooks::{
    DeliveryLine, DeveloperWebhooks, EndpointLine, EndpointState, NewEndpointSecret, UrlField,
};

use http_adapter::Endpoint;

/// Path of the style sheet, which every page loads.
pub(crate) const STYLE_SHEET_PATH: &str = Endpoint::StyleSheet.path();
/// Style sheet, `text/css`.
pub(crate) const STYLE_SHEET: &str = include_str!("../../assets/pages.css");
/// Path of the script for passkeys, which two pages load.
pub(crate) const PASSKEY_SCRIPT_PATH: &str = Endpoint::PasskeyScript.path();
/// Script for passkeys, `text/javascript`.
pub(crate) const PASSKEY_SCRIPT: &str = include_str!("../../assets/passkeys.js");
/// Path of the icon, which every page loads.
pub(crate) const ICON_PATH: &str = Endpoint::Icon.path();
/// Icon, `image/svg+xml`.
pub(crate) const ICON: &str = include_str!("../../assets/icon.svg");

/// Returns the `aria-current` of a link of the navigation that leads to `pages`, the first of which is the
/// link's own page; `None` if `here` is another page.
pub(crate) fn current(here: &str, pages: &str) -> Option<&'static str> {
    let position = pages.split(' ').position(|page| page == here)?;
    Some(if position == 0 { "page" } else { "true" })
}
