//! What is wrong with a form that was sent.

use std::borrow::Cow;

/// One thing that is wrong.
#[derive(Clone)]
pub(crate) struct FormError {
    /// The field that it is about; nothing when it is about the form as a whole.
    pub(crate) field: Option<&'static str>,
    /// What is wrong and what to do, one sentence. Never repeats what was typed.
    pub(crate) text: Cow<'static, str>,
}

/// Everything that is wrong with a form: listed above it, and said again at each field.
#[derive(Clone, Default)]
pub(crate) struct FormErrors(Vec<FormError>);

impl FormErrors {
    /// Says that nothing is wrong, or nothing was sent yet.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Says what is wrong with the form as a whole.
    pub(crate) fn of_form(text: impl Into<Cow<'static, str>>) -> Self {
        Self(vec![FormError { field: None, text: text.into() }])
    }

    /// Says what is wrong with a field, named as the form sends it.
    pub(crate) fn of_field(field: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        Self::none().and(field, text)
    }

    /// Adds what is wrong with another field.
    #[must_use]
    pub(crate) fn and(mut self, field: &'static str, text: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(FormError { field: Some(field), text: text.into() });
        self
    }

    /// Returns whether nothing is wrong.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lists what is wrong.
    pub(super) fn iter(&self) -> impl Iterator<Item = &FormError> {
        self.0.iter()
    }

    /// Returns what is wrong with a field.
    pub(super) fn at(&self, field: &str) -> Option<&str> {
        let found = self.0.iter().find(|error| error.field.is_some_and(|name| name == field));
        found.map(|error| error.text.as_ref())
    }
}
