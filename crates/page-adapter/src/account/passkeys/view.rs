//! Passkeys of the account page.

use crate::view::Moment;

/// Passkeys of a person, and the form for another one.
#[derive(Clone)]
pub(crate) struct Passkeys {
    pub(crate) lines: Vec<PasskeyLine>,
    pub(crate) adding: PasskeyAdding,
}

impl Passkeys {
    /// Returns whether the page needs the script.
    pub(crate) const fn needs_script(&self) -> bool {
        matches!(self.adding, PasskeyAdding::Possible { .. })
    }
}

/// Passkey in a form that sets a password.
#[derive(Clone)]
pub(crate) struct PasskeyChoice {
    /// Its id, for the form.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) added: Moment,
    /// Whether it is ticked: others are removed.
    pub(crate) stays: bool,
}

/// Passkey.
#[derive(Clone)]
pub(crate) struct PasskeyLine {
    /// Its id, for the forms.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Name in the form: the current one, or an invalid one as typed.
    pub(crate) typed_name: String,
    /// Whether the typed name is invalid.
    pub(crate) has_error: bool,
    pub(crate) added: Moment,
    /// Whether it is ticked in the form that changes the password.
    pub(crate) stays: bool,
    /// Time of the last sign-in, if any.
    pub(crate) last_used: Option<Moment>,
    /// Whether its authenticator copied it to other devices.
    pub(crate) is_backed_up: bool,
}

/// Whether a passkey can be added.
#[derive(Clone)]
pub(crate) enum PasskeyAdding {
    /// Yes; the script needs these values.
    Possible {
        /// Host name for which the passkey works.
        relying_party: String,
        /// Handle by which authenticators know the person.
        user_handle: String,
        /// Identifiers of algorithms, separated by spaces.
        algorithms: String,
        /// Ids of the credentials that the person has, separated by spaces.
        existing: String,
        /// Name as typed.
        typed_name: String,
    },
    /// The sign-in is too old.
    TooOld,
    /// The limit is reached.
    TooMany,
    /// The server is reached by an IP address, or without TLS.
    NoHostName,
}
