//! Query strings and form bodies: the pairs equal those of an independent parser, and a known parameter has
//! one valid value.
#![no_main]

use http_adapter::parameter::{ParameterError, Parameters, parse};
use libfuzzer_sys::fuzz_target;
use url::form_urlencoded;

const KNOWN: &[&str] = &["code", "page", "startDate"];

fuzz_target!(|text: &str| {
    let read = Parameters::read(text, KNOWN);
    let Ok(pairs) = parse(text) else {
        assert!(matches!(read, Err(ParameterError::Malformed(_))));
        return;
    };
    let ours = pairs.iter().map(|pair| (pair.name.clone(), pair.value.clone()));
    assert!(ours.eq(form_urlencoded::parse(text.as_bytes())));
    assert!(pairs.iter().all(|pair| text.split('&').any(|raw| raw == pair.raw)));

    let values = |name: &str| {
        pairs.iter().filter(|pair| pair.name == name).map(|pair| &pair.value).collect::<Vec<_>>()
    };
    let is_fine = |name: &str| match values(name).as_slice() {
        [] => true,
        [only] => !only.is_empty() && !only.chars().any(|character| character < ' '),
        _ => false,
    };
    match read {
        Ok(parameters) => {
            assert!(KNOWN.iter().all(|name| is_fine(name)));
            for name in KNOWN {
                assert_eq!(parameters.get(name), values(name).first().map(|value| value.as_ref()));
            }
            let again = form_urlencoded::Serializer::new(String::new())
                .extend_pairs(parameters.iter().map(|parameter| (parameter.name, &parameter.value)))
                .finish();
            let again = Parameters::read(&again, KNOWN).unwrap();
            assert!(
                again.iter().map(|p| (p.name, &p.value)).eq(parameters.iter().map(|p| (p.name, &p.value)))
            );
        }
        Err(ParameterError::Fields(fields)) => {
            let mut wrong: Vec<_> = fields.iter().map(|field| field.field).collect();
            wrong.sort_unstable();
            let expected: Vec<_> = KNOWN.iter().copied().filter(|name| !is_fine(name)).collect();
            assert_eq!(wrong, expected);
        }
        Err(ParameterError::Malformed(_)) => panic!("every pair could be read"),
    }
});
