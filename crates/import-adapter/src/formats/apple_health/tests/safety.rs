use super::{apple, export, record};
use crate::formats::apple_health::AppleHealth;
use crate::formats::apple_health::bounded::PIECE_LIMIT;
use crate::source::{Items, RecordReader};
use crate::testing::{read, sessions};
use application::ports::import_source::ImportRefusal;
use std::io::{self, Cursor, Read};

fn refusal(text: &str) -> String {
    refused(text.as_bytes().to_vec())
}

/// Reads until the file is rejected.
fn refused(bytes: Vec<u8>) -> String {
    let mut reader = AppleHealth::new(Box::new(Cursor::new(bytes)));
    let mut items = Items::default();
    loop {
        match reader.read_record(&mut items) {
            Ok(more) => assert!(more, "the end was reached"),
            Err(refusal) => return refusal.to_string(),
        }
    }
}

/// Reads this beginning followed by 64 MiB; returns the rejection and the number of bytes read.
fn endless(beginning: &str, then: &'static [u8]) -> (String, u64) {
    struct RepeatingReader(&'static [u8], usize);
    impl Read for RepeatingReader {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            for byte in out.iter_mut() {
                *byte = self.0[self.1];
                self.1 = (self.1 + 1) % self.0.len();
            }
            Ok(out.len())
        }
    }
    let bytes = Cursor::new(beginning.as_bytes().to_vec()).chain(RepeatingReader(then, 0).take(64 << 20));
    let mut reader = AppleHealth::new(Box::new(bytes));
    let mut items = Items::default();
    loop {
        match reader.read_record(&mut items) {
            Ok(more) => assert!(more, "the end was reached"),
            Err(refusal) => return (refusal.to_string(), reader.bytes_read()),
        }
    }
}

#[test]
fn no_piece_is_buffered_beyond_its_limit() {
    let limit = u64::try_from(PIECE_LIMIT).unwrap();
    for (beginning, then) in [
        ("<HealthData ", b"a" as &[u8]),
        ("<HealthData a=\"", b"<>'"),
        ("<HealthData>\n<Record type=\"", b"x"),
        ("<HealthData>\n<", b"n"),
        ("<HealthData>\n</", b"n"),
        ("<HealthData>\n", b" "),
        ("<HealthData><A>", b"text "),
        ("<HealthData>&", b"n"),
        ("<HealthData><!--", b"- "),
        ("<HealthData><![CDATA[", b"]"),
        ("<HealthData><?", b"p "),
        ("<!DOCTYPE HealthData [", b"<!ELEMENT A EMPTY>"),
    ] {
        let (refused, read) = endless(beginning, then);
        assert!(refused.contains("a tag or a text is longer than 1 MiB"), "{beginning}: {refused}");
        assert!(read < limit + 200_000, "{beginning}: {read}");
    }
}

#[test]
fn nesting_and_names_and_attributes_are_bounded() {
    assert!(endless("<HealthData>", b"<a>").0.contains("nested more than 100 levels deep"));
    let name = "n".repeat(257);
    assert!(refusal(&export(&format!("<{name}/>"))).ends_with("a name is longer than 256 bytes"));
    let attributes: Vec<_> = (0..101).map(|number| format!(" a{number}=\"\"")).collect();
    let record = record("watch", "01:00", "02:00", "Asleep").replace("/>", &(attributes.concat() + "/>"));
    assert!(refusal(&export(&record)).ends_with("an element has more than 100 attributes"));
}

#[test]
fn entities_are_not_expanded() {
    let laughs =
        "<!DOCTYPE HealthData [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><HealthData>&b;</HealthData>";
    let external = "<!DOCTYPE HealthData [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><HealthData/>";
    for text in [laughs, external] {
        assert!(
            refusal(text).ends_with("the document type declares entities, and entities are not expanded")
        );
    }
    for body in ["<A>&b;</A>".to_owned(), record("&b;", "01:00", "02:00", "Asleep"), "&nbsp;".to_owned()] {
        assert!(
            refusal(&export(&body)).ends_with("an entity is used, and entities are not expanded"),
            "{body}"
        );
    }
    let person = "<Me HKCharacteristicTypeIdentifierBiologicalSex=\"&b;\"/>";
    assert!(refusal(&export(person)).ends_with("an entity is used, and entities are not expanded"));
    assert_eq!(apple("<A>&amp;&#65;</A>"), Vec::new());
    for body in [record("a&b", "01:00", "02:00", "Asleep"), record("&#xD800;", "01:00", "02:00", "Asleep")] {
        assert!(refusal(&export(&body)).ends_with("an attribute contains an invalid reference"), "{body}");
    }
}

#[test]
fn an_external_document_type_is_not_looked_at() {
    let text = export(&record("watch", "01:00", "02:00", "Asleep"))
        .replace("HealthData [", "HealthData SYSTEM \"http://127.0.0.1:1/a.dtd\" [");
    assert_eq!(sessions(&read(text.as_bytes(), None, "UTC").unwrap()).len(), 1);
}

#[test]
fn an_export_truncated_anywhere_is_rejected() {
    let text =
        export(&(record("watch", "01:00", "02:00", "Asleep") + "<A>a &amp; b<![CDATA[c]]><!-- d --></A>"));
    let text = text.trim_end();
    for length in 1..text.len() {
        let reason = refused(text.as_bytes()[..length].to_vec());
        assert!(reason.contains("the file is truncated"), "the first {length} bytes: {reason}");
    }
}

#[test]
fn no_night_is_returned_before_the_end_of_the_file() {
    let text = export(&record("watch", "01:00", "02:00", "Asleep"));
    let mut reader = AppleHealth::new(Box::new(Cursor::new(text.replace("</HealthData>", "").into_bytes())));
    let mut items = Items::default();
    while reader.read_record(&mut items).is_ok() {}
    assert_eq!(items.take(), Vec::new());
}

#[test]
fn damage_is_refused_with_its_line() {
    for (body, reason) in [
        ("<Record></Correlation>", "not valid XML: a closing tag does not match the open element"),
        ("</HealthData></HealthData>", "not valid XML: a closing tag does not match the open element"),
        ("</HealthData>\n<HealthData>", "an element follows the root element"),
        ("</HealthData>\u{0}\u{0}<!---->", "not valid: text where only elements are allowed"),
        ("\u{0}\u{0}\u{0}", "not valid: text where only elements are allowed"),
        ("<Record/>\n/>", "not valid: text where only elements are allowed"),
        ("<![CDATA[x]]>", "not valid: text where only elements are allowed"),
        ("&#120;", "not valid: text where only elements are allowed"),
        ("<!x>", "not valid XML"),
        ("<Me a=\"1\" a=\"2\"/>", "not valid XML: attributes are damaged"),
        ("<Me a=1/>", "not valid XML: attributes are damaged"),
    ] {
        let refused = refusal(&export(body));
        assert!(refused.starts_with("damaged at line 1") && refused.ends_with(reason), "{body}: {refused}");
    }
}

#[test]
fn other_roots_and_encodings_are_refused() {
    let text = export("").replace("<HealthData ", "<Other ");
    assert_eq!(refusal(&text), "damaged at line 9: the root element is not HealthData");
    let text = export("").replace("UTF-8", "ISO-8859-1");
    assert_eq!(refusal(&text), "damaged at line 1: the file declares an encoding other than UTF-8");
    let (mut bytes, filler) = (export("").into_bytes(), b"<Record/>\n".repeat(50_000));
    let at = bytes.len() - "</HealthData>\n".len();
    bytes.splice(at..at, filler.into_iter().chain(*b"<Record a=\"\xff\"/>"));
    assert_eq!(refused(bytes), "damaged at line 50012: not UTF-8");
}

#[test]
fn a_failing_disk_is_not_reported_as_a_damaged_file() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::TimedOut))
        }
    }
    let bytes = Cursor::new(b"<HealthData>\n".to_vec()).chain(Failing);
    let mut reader = AppleHealth::new(Box::new(bytes));
    let refused = std::iter::repeat_with(|| reader.read_record(&mut Items::default())).find_map(Result::err);
    assert_eq!(refused, Some(ImportRefusal::Unreadable("timed out".to_owned())));
}
