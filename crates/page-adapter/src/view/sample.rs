//! Samples of every page, for tests.

mod account;
mod asking;
mod imports;
mod password;
mod reading;

use super::{Moment, Person, View};

/// Returns a sample text, or a hostile one instead. Every text of a sample that another person could choose
/// is passed through it.
pub(crate) type Say = fn(&str) -> String;

/// A rendered sample.
pub(crate) struct Sample {
    /// Name of the page and its variant.
    pub(crate) name: &'static str,
    pub(crate) html: String,
    /// Whether the page differs from another sample only in a text or in the error of a form. It then needs
    /// no snapshot.
    pub(crate) is_variant: bool,
}

/// Renders every page in each of its variants.
pub(crate) fn samples(say: Say) -> Vec<Sample> {
    let mut samples = asking::samples(say);
    samples.extend(reading::samples(say));
    samples.extend(account::samples(say));
    samples.extend(imports::samples(say));
    samples.extend(password::samples(say));
    samples
}

/// Returns the text unchanged.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

fn sample(name: &'static str, view: &impl View) -> Sample {
    Sample { name, html: view.render().unwrap(), is_variant: false }
}

fn variant(name: &'static str, view: &impl View) -> Sample {
    Sample { is_variant: true, ..sample(name, view) }
}

fn person(say: Say) -> Person {
    Person {
        email: say("sam@example.org"),
        user_id: say("54bfeb3e-88a3-424a-9f17-1aa6b0a03b3b"),
        form_token: say("Zm9ybS10b2tlbg"),
    }
}

fn moment(say: Say, text: &str, machine: &str) -> Moment {
    Moment { text: say(text), machine: say(machine) }
}
