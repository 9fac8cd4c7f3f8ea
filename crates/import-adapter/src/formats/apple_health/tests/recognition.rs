use super::{export, record};
use crate::testing::{context, read, sessions};
use crate::{Format, open};
use application::ports::import_source::ImportRefusal;
use std::io::Write as _;

fn format_of(bytes: &[u8], asked: Option<Format>) -> Result<&'static str, ImportRefusal> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    open(file.path(), asked, context("UTC")).map(|file| file.formats()[0])
}

#[test]
fn an_export_is_known_by_its_root_element() {
    let long = "<!ELEMENT Record (MetadataEntry*)>\n".repeat(10_000);
    for text in [
        export(""),
        "<HealthData locale=\"en_US\">".to_owned(),
        "\u{feff}<?xml version=\"1.0\"?><HealthData/>".to_owned(),
        "\n <!-- a\n b\n c\n d\n e --><?style x?>\n<HealthData>\n".to_owned(),
        "<!DOCTYPE HealthData SYSTEM \"file:///dev/null\"><HealthData/>".to_owned(),
        format!("<!DOCTYPE HealthData [\n{long}]>\n<HealthData/>"),
        format!("<!DOCTYPE HealthData [{}]>\n<HealthData/>", long.replace('\n', " ")),
        "<!DOCTYPE HealthData [\n<!ELEM".to_owned(),
        format!("<HealthData>{}", " ".repeat(crate::RECORD_LIMIT + 1)),
        format!("<HealthData>{}", "\u{2019}".repeat(crate::RECORD_LIMIT / 2)),
    ] {
        let beginning: String = text.chars().take(80).collect();
        assert_eq!(format_of(text.as_bytes(), None), Ok("apple-health"), "{beginning}");
    }
}

#[test]
fn nothing_else_is_recognised_as_one() {
    for text in [
        "<?xml version=\"1.0\"?>\n<ClinicalDocument xmlns=\"urn:hl7-org:v3\">\n<title>HealthData</title>",
        "<HealthDataExport/>",
        "<healthdata/>",
        "<a:HealthData/>",
        "<export><HealthData/></export>",
        "<!DOCTYPE html><html><HealthData/></html>",
        "<!DOCTYPE HealthData []><other/>",
        "<!-- <HealthData> -->",
        "HealthData",
        "a <HealthData/>",
        "{\"HealthData\":1}",
        "",
    ] {
        for asked in [None, Some(Format::AppleHealth)] {
            let found = format_of(text.as_bytes(), asked);
            assert!(matches!(found, Err(ImportRefusal::NotThisFormat(_))), "{text}: {found:?}");
        }
    }
}

#[test]
fn an_export_in_another_encoding_is_named_as_such() {
    let text = export("");
    let wide: Vec<u8> = [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let refused = format_of(&wide, None).unwrap_err();
    assert_eq!(refused.to_string(), "unsupported file: not a text file in UTF-8");
}

#[test]
fn an_export_is_read_past_a_byte_order_mark() {
    let text = format!("\u{feff}{}", export(&record("watch", "01:00", "02:00", "Asleep")));
    assert_eq!(sessions(&read(text.as_bytes(), None, "UTC").unwrap()).len(), 1);
}
