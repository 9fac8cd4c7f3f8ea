//! An authenticator app, and the steps of setting it up and signing in with it.

use super::browser::{Browser, PENDING, Page, PageForm};
use super::person::Person;
use application::ports::system::{Clock as _, TotpSealer as _};
use domain::second_factor::{TotpSecret, TotpStep};
use std::cell::Cell;
use system_adapter::{EncryptedTotpSealer, EncryptionKey, SystemClock};

/// An app with a secret. Its time is controlled by the test, like the clock of the world.
pub(crate) struct Authenticator {
    secret: TotpSecret,
    steps: Cell<i64>,
}

impl Authenticator {
    /// Reads the setup key of a page.
    #[track_caller]
    pub(crate) fn read(page: &Page) -> Self {
        let (_, rest) = page.body.split_once("?secret=").unwrap_or_else(|| panic!("no secret: {page:?}"));
        let text: Vec<u8> = rest.bytes().take_while(u8::is_ascii_alphanumeric).collect();
        let mut secret = [0; 20];
        for (group, bytes) in text.chunks(8).zip(secret.chunks_mut(5)) {
            let value = group.iter().fold(0_u64, |value, letter| (value << 5) | digit(*letter));
            bytes.copy_from_slice(&value.to_be_bytes()[3..]);
        }
        Self { secret: TotpSecret::new(secret), steps: Cell::new(0) }
    }

    /// Notes that the world's clock was moved forward by steps of 30 seconds.
    pub(crate) fn advance(&self, steps: i64) {
        self.steps.set(self.steps.get() + steps);
    }

    /// Returns by how many steps the world's clock was moved forward.
    pub(crate) fn steps(&self) -> i64 {
        self.steps.get()
    }

    /// Returns the code of the current step, or of one that is some steps away.
    pub(crate) fn code(&self, away: i64) -> String {
        let step = TotpStep::at(SystemClock.now()).number() + self.steps.get() + away;
        let sealer = EncryptedTotpSealer::new(EncryptionKey::generate());
        sealer.code(&self.secret, TotpStep::new(step)).digits()
    }
}

fn digit(letter: u8) -> u64 {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let place = alphabet.iter().position(|known| *known == letter).expect("base32");
    u64::try_from(place).expect("digit")
}

/// Lists the recovery codes that a page shows.
pub(crate) fn recovery_codes(page: &Page) -> Vec<String> {
    let parts = page.body.split("<code translate=\"no\">").skip(1);
    parts.map(|part| part.split('<').next().expect("code").to_owned()).collect()
}

/// Turns on the second factor in a signed-in browser, in a world whose clock was moved forward by some steps;
/// returns the app and the recovery codes.
pub(crate) async fn turn_on(browser: &Browser, steps: i64) -> (Authenticator, Vec<String>) {
    let page = browser.open("/account/second-factor").await;
    let app = Authenticator::read(&page);
    app.advance(steps);
    let form = page.form("/account/second-factor").with("code", &app.code(0));
    let page = browser.submit(&form).await;
    assert_eq!(page.status, 200, "{page:?}");
    (app, recovery_codes(&page))
}

/// Proves the password; returns the form of the second step.
pub(crate) async fn first_step(browser: &Browser, person: &Person) -> PageForm {
    let page = browser.open("/sign-in").await;
    let answer = browser.submit(&person.credentials(&page.form("/sign-in"))).await;
    assert_eq!(answer.own_location(), "/sign-in/second-factor");
    let names: Vec<_> = answer.set_cookies().into_iter().map(|cookie| cookie.name).collect();
    assert_eq!(names, [PENDING], "{answer:?}");
    browser.follow(&answer).await.form("/sign-in/second-factor")
}
