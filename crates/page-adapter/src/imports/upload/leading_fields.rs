//! Fields of an upload form before its file: the token and other fields, in any order.

use super::options::{Fields, small};
use super::{FILE, IncomingField, next_field};
use crate::form::FORM_TOKEN;
use actix_multipart::Multipart;
use application::session::SignedInPerson;
use domain::form_token::FormToken;
use http_adapter::problem::{Fault, Problem};

/// Maximum size of a field before the file, in bytes.
const FIELD_BYTES: usize = 256;
/// Maximum number of fields before the file; the form has three.
const FIELDS: usize = 8;

/// Result of reading up to the file.
pub(super) struct LeadingFields {
    /// The file; `None` if the form ended without one.
    pub(super) file: Option<IncomingField>,
    /// Fields before the file.
    pub(super) fields: Fields,
}

/// Reads up to the file. The token must precede the file, so that nothing of a foreign form is stored.
/// Unknown fields are ignored; a field that is too long, or one too many, is an error.
pub(super) async fn read(form: &mut Multipart, person: &SignedInPerson) -> Result<LeadingFields, Problem> {
    let foreign = || Problem::new(Fault::ForeignForm);
    let (mut is_ours, mut fields) = (false, Fields::default());
    for _ in 0..=FIELDS {
        let Some(mut field) = next_field(form).await? else {
            return if is_ours { Ok(LeadingFields { file: None, fields }) } else { Err(foreign()) };
        };
        let name = field.field.name().unwrap_or_default().to_owned();
        if name == FILE {
            return if is_ours { Ok(LeadingFields { file: Some(field), fields }) } else { Err(foreign()) };
        }
        let text = small(&mut field, FIELD_BYTES).await?;
        let text = text.ok_or_else(|| if is_ours { Problem::new(Fault::InvalidForm) } else { foreign() })?;
        if name == FORM_TOKEN {
            let token = std::str::from_utf8(&text).map_err(|_| foreign())?;
            if !FormToken::belongs(&person.cookie, token) {
                return Err(foreign());
            }
            is_ours = true;
        } else {
            fields.take(&name, text);
        }
    }
    Err(if is_ours { Problem::new(Fault::InvalidForm) } else { foreign() })
}
