//! Errors of a submitted form.

use actix_web::http::StatusCode;
use application::account::NewPasswordError;
use std::borrow::Cow;

#[derive(Clone)]
pub(crate) struct FormError {
    /// Field with the error; `None` if it concerns the whole form.
    pub(crate) field: Option<&'static str>,
    /// One sentence with the error and the remedy. Never repeats input.
    pub(crate) text: Cow<'static, str>,
}

/// Errors of a form: listed above it, and repeated at each field.
#[derive(Clone, Default)]
pub(crate) struct FormErrors(Vec<FormError>);

impl FormErrors {
    /// Returns no errors.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns an error of the whole form.
    pub(crate) fn form(text: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![FormError { field: None, text: text.into() }])
    }

    /// Returns an error of a field, by its name in the form.
    pub(crate) fn field(field: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        Self::none().and(field, text)
    }

    /// Adds an error of another field.
    #[must_use]
    pub(crate) fn and(mut self, field: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(FormError { field: Some(field), text: text.into() });
        self
    }

    /// Returns whether there are no errors.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the status of the page with the form.
    pub(crate) const fn status(&self) -> StatusCode {
        if self.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// Lists the errors.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &FormError> {
        self.0.iter()
    }

    /// Returns the error of a field.
    pub(crate) fn at(&self, field: &str) -> Option<&str> {
        let found = self.0.iter().find(|error| error.field.is_some_and(|name| name == field));
        found.map(|error| error.text.as_ref())
    }
}

/// Describes the rule that a new password violates.
pub(crate) const fn password_rule(error: NewPasswordError) -> &'static str {
    match error {
        NewPasswordError::TooShort => {
            "Use at least 15 characters. A few words in a row are easy to remember."
        }
        NewPasswordError::TooLong => "This password is too long. Use at most 1024 bytes.",
        NewPasswordError::Guessable => "This password is easy to guess. Use several unrelated words.",
    }
}
