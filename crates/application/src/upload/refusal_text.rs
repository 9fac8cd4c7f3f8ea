//! Texts for rejected files, for the upload page.

use crate::ports::import_source::ImportRefusal;
use crate::upload::UploadFormat;

/// Describes why a file was rejected and what the user can do on the page.
pub(super) fn refusal_text(refusal: &ImportRefusal, formats: &[UploadFormat]) -> String {
    let advice = match refusal {
        ImportRefusal::NotThisFormat(_) | ImportRefusal::OtherFormat { .. } => {
            return format!("{refusal}; you can upload {}", UploadFormat::list(formats));
        }
        ImportRefusal::NoStart(_) => "; upload it again and enter the start of the recording",
        ImportRefusal::OtherPerson { .. } => {
            "; sign in as that person to upload it, or remove user_id from its lines to import it as your own"
        }
        ImportRefusal::NotInThisWay(_)
        | ImportRefusal::HoldsNoSleep(_)
        | ImportRefusal::Missing
        | ImportRefusal::Damaged { .. }
        | ImportRefusal::Unreadable(_)
        | ImportRefusal::Stopped => "",
    };
    format!("{refusal}{advice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [UploadFormat; 3] = [
        UploadFormat { maker: "Phone", file: "a Phone export", steps: &[] },
        UploadFormat { maker: "Ring", file: "a Ring file", steps: &[] },
        UploadFormat { maker: "Sleep lab", file: "a hypnogram", steps: &[] },
    ];

    fn refusal_text(refusal: &ImportRefusal) -> String {
        super::refusal_text(refusal, &FORMATS)
    }

    #[test]
    fn the_page_shows_advice_that_needs_no_command_line() {
        let unknown = refusal_text(&ImportRefusal::NotThisFormat("it is text".to_owned()));
        assert_eq!(unknown, "it is text; you can upload a Phone export, a Ring file or a hypnogram");
        let recording = refusal_text(&ImportRefusal::NoStart(String::new()));
        assert!(recording.contains("its start time") && recording.contains("enter the start"), "{recording}");
        let other = refusal_text(&ImportRefusal::OtherPerson { place: "line 1".to_owned() });
        assert!(other.starts_with("line 1: ") && other.contains("sign in as that person"), "{other}");
        for text in [unknown, recording, other] {
            assert!(!text.contains("--") && !text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn a_refusal_without_advice_is_reported_unchanged() {
        let text = "damaged at line 2: it is truncated";
        let (place, reason) = ("line 2".to_owned(), "it is truncated".to_owned());
        assert_eq!(refusal_text(&ImportRefusal::Damaged { place, reason }), text);
    }
}
