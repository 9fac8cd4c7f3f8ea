use super::{Format, UnknownFormat};

#[test]
fn people_are_shown_every_format_but_the_catalogues() {
    let uploads = Format::uploads();
    for format in Format::ALL {
        let is_shown = uploads.iter().any(|upload| upload.file == format.described());
        assert_eq!(is_shown, format != Format::Dsld, "{format:?}");
    }
}

#[test]
fn a_name_parses_to_its_format_and_nothing_else_does() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.as_str()), Ok(Some(format)));
    }
    assert_eq!(Format::parse("auto"), Ok(None));
    let text = UnknownFormat.to_string();
    assert!(Format::ALL.iter().all(|format| text.contains(format.as_str())), "{text}");
    for text in ["", "Fitbit", "csv", "auto "] {
        assert_eq!(Format::parse(text), Err(UnknownFormat));
    }
}
