//! What a form for uploads has before its file: the token and perhaps other fields, in any order.

use super::options::Fields;
use super::{Arriving, FILE, next_bytes, next_field};
use crate::page::form::FORM_TOKEN;
use crate::problem::{Fault, Problem};
use actix_multipart::Multipart;
use application::account::SignedInPerson;
use domain::form_token::FormToken;

/// The most bytes of a field that is not the file.
const FIELD_BYTES: usize = 256;
/// The most fields before the file; the form has three.
const FIELDS: usize = 8;

/// What came before the file.
pub(super) struct BeforeFile {
    /// The file; absent when the form ended without one.
    pub(super) file: Option<Arriving>,
    /// The fields that came before the file.
    pub(super) fields: Fields,
}

/// Reads up to the file. The token must come before it, so that nothing of a foreign form is kept. A field that nobody
/// knows is passed over; one that is too long, or one of too many, ends it.
pub(super) async fn read(form: &mut Multipart, person: &SignedInPerson) -> Result<BeforeFile, Problem> {
    let foreign = || Problem::new(Fault::ForeignForm);
    let (mut is_ours, mut fields) = (false, Fields::default());
    for _ in 0..=FIELDS {
        let Some(mut field) = next_field(form).await? else {
            return if is_ours { Ok(BeforeFile { file: None, fields }) } else { Err(foreign()) };
        };
        let name = field.field.name().unwrap_or_default().to_owned();
        if name == FILE {
            return if is_ours { Ok(BeforeFile { file: Some(field), fields }) } else { Err(foreign()) };
        }
        let text = small(&mut field, FIELD_BYTES).await?;
        let text = text.ok_or_else(|| if is_ours { Problem::new(Fault::InvalidForm) } else { foreign() })?;
        if name == FORM_TOKEN {
            let token = std::str::from_utf8(&text).map_err(|_| foreign())?;
            if !FormToken::derive(&person.cookie).is(token) {
                return Err(foreign());
            }
            is_ours = true;
        } else {
            fields.take(&name, text);
        }
    }
    Err(if is_ours { Problem::new(Fault::InvalidForm) } else { foreign() })
}

/// Reads a field to its end; nothing when it has more than so many bytes.
pub(super) async fn small(field: &mut Arriving, most: usize) -> Result<Option<Vec<u8>>, Problem> {
    let mut text = Vec::new();
    while let Some(bytes) = next_bytes(field).await? {
        if text.len().saturating_add(bytes.len()) > most {
            return Ok(None);
        }
        text.extend_from_slice(&bytes);
    }
    Ok(Some(text))
}
