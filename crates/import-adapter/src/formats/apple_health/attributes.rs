//! Attributes of elements.

use super::markup::Tag;
use application::ports::import_source::ImportRefusal;
use quick_xml::XmlVersion;
use quick_xml::errors::Error;
use quick_xml::escape::EscapeError;
use std::borrow::Cow;

/// Maximum number of attributes per element, because each is compared with the previous ones.
const COUNT_LIMIT: usize = 100;

/// Returns the attributes with these names, in this order. Character references and the five predefined
/// entities are resolved; any other entity makes the file invalid.
pub(super) fn pick<'a, const N: usize>(
    tag: &'a Tag,
    names: [&str; N],
) -> Result<[Option<Cow<'a, str>>; N], ImportRefusal> {
    let mut found = [const { None }; N];
    for (count, attribute) in tag.start.attributes().enumerate() {
        let attribute = attribute.map_err(|_| tag.damaged("not valid XML: attributes are damaged"))?;
        if count >= COUNT_LIMIT {
            return Err(tag.damaged(&format!("an element has more than {COUNT_LIMIT} attributes")));
        }
        let name = attribute.key.into_inner();
        for (known, value) in names.iter().zip(&mut found) {
            if *known == name {
                let text = attribute.normalized_value(XmlVersion::Implicit1_0);
                *value = Some(text.map_err(|error| unreadable(tag, &error))?);
            }
        }
    }
    Ok(found)
}

fn unreadable(tag: &Tag, error: &Error) -> ImportRefusal {
    match error {
        Error::Escape(EscapeError::UnrecognizedEntity(..)) => {
            tag.damaged("an entity is used, and entities are not expanded")
        }
        _ => tag.damaged("not valid XML: an attribute contains an invalid reference"),
    }
}
