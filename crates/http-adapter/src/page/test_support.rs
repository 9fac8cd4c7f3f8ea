//! The readers of what a browser sends, each on its own.

use super::activity;
use super::browser::Browser;
use super::form::Form;
use crate::HttpSettings;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::web::Payload;
use domain::id::UserId;
use domain::read_tally::TallyKey;
use domain::secret::Secret;

/// Returns the cookies of the session and of the visit, in this order.
pub fn cookies(request: &HttpRequest, settings: &HttpSettings) -> (Option<Secret>, Option<Secret>) {
    let browser = Browser::of(request, settings);
    (browser.session().cloned(), browser.visit().cloned())
}

/// A form that was taken for one of ours.
pub struct SubmittedForm(Form);

impl SubmittedForm {
    /// Reads a form that came from a page which a browser with this cookie was shown.
    pub async fn read(
        request: &HttpRequest,
        body: Payload,
        settings: &HttpSettings,
        cookie: &Secret,
    ) -> Result<Self, Problem> {
        Form::read(request, body, settings, cookie).await.map(Self)
    }

    /// Returns a field that comes at most once.
    pub fn find(&self, name: &str) -> Result<Option<&str>, Problem> {
        self.0.find(name)
    }

    /// Returns a field of one line.
    pub fn line(&self, name: &str) -> Result<&str, Problem> {
        self.0.line(name)
    }

    /// Lists the values of a field.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.all(name)
    }
}

/// Writes where a page of reads goes on.
pub fn write_position(key: &TallyKey) -> String {
    activity::position(key)
}

/// Reads where a page of reads goes on.
pub fn parse_position(text: &str, user_id: UserId) -> Option<TallyKey> {
    activity::parse_position(text, user_id)
}
