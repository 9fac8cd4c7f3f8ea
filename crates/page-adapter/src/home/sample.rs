//! Samples of the landing and help pages.

use super::view::{Help, Landing};
use crate::view::sample::{Sample, TextSource, UPLOAD_FORMATS, sample};
use http_adapter::Operator;

pub(crate) fn samples(source: TextSource) -> Vec<Sample> {
    let mut samples = Vec::new();
    let named = Landing {
        operator: Operator {
            name: Some(source("Example Sleep Clinic")),
            contact: Some(source("help@example.org")),
        },
        offers_sign_up: true,
    };
    samples.push(sample(
        "help",
        &Help { person: None, formats: UPLOAD_FORMATS.to_vec(), operator: named.operator.clone() },
    ));
    samples.push(sample("landing", &named));
    let unnamed = Landing { operator: Operator::default(), offers_sign_up: false };
    samples.push(sample("landing_unnamed", &unnamed));
    samples
}
