//! Samples of every page, for tests.

use super::{Moment, Person, View};
use crate::{account, consent, developer, error, home, imports, nights, session, supplements};
use application::upload::UploadFormat;

/// Formats for the pages that list them.
pub(crate) const UPLOAD_FORMATS: [UploadFormat; 3] = [
    UploadFormat {
        maker: "Apple Health",
        file: "an Apple Health export",
        steps: &["In the Health app, export all health data.", "Upload the ZIP file."],
    },
    UploadFormat { maker: "FHIR R4", file: "a FHIR file", steps: &["Upload Observations of sleep."] },
    UploadFormat { maker: "Sleep lab", file: "a hypnogram", steps: &["Upload the hypnogram."] },
];

/// Returns a sample text, or a hostile one instead. Every text of a sample that another person could choose
/// is passed through it.
pub(crate) type TextSource = fn(&str) -> String;

/// A rendered sample.
pub(crate) struct Sample {
    /// Name of the page and its variant.
    pub(crate) name: &'static str,
    pub(crate) html: String,
    /// Type of its view.
    pub(crate) view: &'static str,
    /// Whether the page differs from another sample only in a text, in the error of a form, or in what
    /// `tests::markup` checks. It then needs no snapshot.
    pub(crate) is_variant: bool,
}

/// Renders every page in each of its variants.
pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = session::sign_in::sample::signed_out();
    samples.extend(account::sample::samples(source));
    samples.extend(account::activity::sample::samples(source));
    samples.extend(account::apps::sample::samples(source));
    samples.extend(account::profile::sample::samples(source));
    samples.extend(account::second_factor::sample::samples(source));
    samples.extend(account::tokens::sample::samples(source));
    samples.extend(consent::sample::samples(source));
    samples.extend(developer::sample::samples(source));
    samples.extend(developer::webhooks::sample::samples(source));
    samples.extend(error::sample::samples(source));
    samples.extend(home::sample::samples(source));
    samples.extend(imports::sample::samples(source));
    samples.extend(nights::sample::samples(source));
    samples.extend(session::password::sample::samples(source));
    samples.extend(session::sign_in::sample::samples(source));
    samples.extend(supplements::sample::samples(source));
    samples
}

/// Returns the text unchanged.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

pub(crate) fn sample<V: View>(name: &'static str, view: &V) -> Sample {
    Sample { name, html: view.render().unwrap(), view: std::any::type_name::<V>(), is_variant: false }
}

pub(crate) fn variant<V: View>(name: &'static str, view: &V) -> Sample {
    Sample { is_variant: true, ..sample(name, view) }
}

pub(crate) fn person(source: TextSource) -> Person {
    Person {
        email: source("sam@example.org"),
        user_id: source("54bfeb3e-88a3-424a-9f17-1aa6b0a03b3b"),
        form_token: source("Zm9ybS10b2tlbg"),
    }
}

pub(crate) fn moment(source: TextSource, text: &str, machine: &str) -> Moment {
    Moment { text: source(text), machine: source(machine) }
}
