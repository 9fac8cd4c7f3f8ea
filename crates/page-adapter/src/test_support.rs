//! Parsers of browser input.

use crate::account::activity;
use crate::browser::Browser;
use crate::form::Form;
use actix_web::HttpRequest;
use actix_web::web::Payload;
use domain::id::UserId;
use domain::read_tally::TallyKey;
use domain::secret::Secret;
use http_adapter::HttpSettings;
use http_adapter::problem::Problem;

/// Returns the cookies of the session and of the visit, in this order.
pub fn cookies(request: &HttpRequest, settings: &HttpSettings) -> (Option<Secret>, Option<Secret>) {
    let browser = Browser::from_request(request, settings);
    (browser.session().cloned(), browser.visit().cloned())
}

/// Form that passed the check of its origin.
pub struct SubmittedForm(Form);

impl SubmittedForm {
    /// Parses a form from a page shown to a browser with this cookie.
    pub async fn read(
        request: &HttpRequest,
        body: Payload,
        settings: &HttpSettings,
        cookie: &Secret,
    ) -> Result<Self, Problem> {
        Form::read(request, body, settings, cookie).await.map(Self)
    }

    /// Returns a field that may occur once.
    pub fn find(&self, name: &str) -> Result<Option<&str>, Problem> {
        self.0.find(name)
    }

    /// Returns a single-line field.
    pub fn line(&self, name: &str) -> Result<&str, Problem> {
        self.0.line(name)
    }

    /// Lists the values of a field.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.all(name)
    }
}

/// Formats the position after which a page of reads resumes.
pub fn write_position(key: &TallyKey) -> String {
    activity::position(key)
}

/// Parses the position after which a page of reads resumes.
pub fn parse_position(text: &str, user_id: UserId) -> Option<TallyKey> {
    activity::parse_position(text, user_id)
}
