//! Pages of the second factor.

use crate::view::{FormErrors, Moment, Person, QrCode};
use askama::Template;
use domain::second_factor::FEW_RECOVERY_CODES;
use zeroize::Zeroizing;

/// Form to set up an authenticator app.
#[derive(Clone, Template)]
#[template(path = "account/second_factor/set_up_second_factor.html")]
pub(crate) struct SetUpSecondFactor {
    /// Signed-in person; `None` during a sign-in, when the operator requires a second factor.
    pub(crate) person: Option<Person>,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
    /// Path of the form.
    pub(crate) action: &'static str,
    /// QR code of the address; `None` if the address is too long for one.
    pub(crate) qr: Option<QrCode>,
    /// Address that an app on this device opens.
    pub(crate) uri: Zeroizing<String>,
    /// Secret in base32.
    pub(crate) secret: Zeroizing<String>,
    /// Encrypted secret, for the form.
    pub(crate) enrolment: String,
    /// Id of the app's request, for the form.
    pub(crate) request: Option<String>,
    /// Name of the requested page, for the form.
    pub(crate) to: Option<&'static str>,
    pub(crate) errors: FormErrors,
}

impl SetUpSecondFactor {
    /// Lists the secret in groups of four characters, which are easier to type.
    fn groups(&self) -> Vec<String> {
        let characters: Vec<char> = self.secret.chars().collect();
        characters.chunks(4).map(|group| group.iter().collect()).collect()
    }
}

/// Recovery codes, shown once.
#[derive(Clone, Template)]
#[template(path = "account/second_factor/recovery_codes.html")]
pub(crate) struct RecoveryCodes {
    pub(crate) codes: Vec<Zeroizing<String>>,
    /// Whether the second factor was just turned on.
    pub(crate) is_new_factor: bool,
    /// URL of the next page.
    pub(crate) next: String,
}

/// Second factor that is on.
#[derive(Clone, Template)]
#[template(path = "account/second_factor/second_factor.html")]
pub(crate) struct SecondFactor {
    pub(crate) person: Person,
    /// Day on which the app was set up.
    pub(crate) set_up: Moment,
    pub(crate) codes: CodesLine,
    /// Whether the operator requires a second factor, so that it cannot be turned off.
    pub(crate) is_required: bool,
}

/// Number of unused recovery codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodesLine {
    pub(crate) left: u32,
}

impl CodesLine {
    /// Returns whether there should be a warning.
    pub(crate) const fn are_few(self) -> bool {
        self.left <= FEW_RECOVERY_CODES
    }

    /// Returns the number in words.
    pub(crate) fn text(self) -> String {
        match self.left {
            0 => "No recovery code left".to_owned(),
            1 => "1 recovery code left".to_owned(),
            more => format!("{more} recovery codes left"),
        }
    }
}
