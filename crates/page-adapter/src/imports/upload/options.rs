//! Fields of the form besides the token and the file; they may precede or follow the file.

use super::recording::{self, START};
use super::{IncomingField, ReceiveError, Rejection, next_bytes, next_field};
use actix_multipart::Multipart;
use application::upload::UploadOptions;
use http_adapter::problem::Problem;
use std::time::Duration;

/// Checkbox to overwrite the profile with values of the file.
const OVERWRITE_PROFILE: &str = "overwrite_profile";
/// Maximum number of fields after the file; the form has two.
const FIELDS: usize = 8;
/// Maximum size of a field after the file, in bytes.
const FIELD_BYTES: usize = 64;

/// Received fields.
#[derive(Default)]
pub(super) struct Fields {
    /// Start of the recording as entered.
    start: Option<Vec<u8>>,
    overwrite_profile: bool,
}

impl Fields {
    /// Adds a field; an unknown one is ignored.
    pub(super) fn take(&mut self, name: &str, text: Vec<u8>) {
        match name {
            START => self.start = Some(text),
            OVERWRITE_PROFILE => self.overwrite_profile = text == b"yes",
            _ => {}
        }
    }

    /// Reads the fields after the file; those that do not arrive in time are ignored.
    pub(super) async fn read_rest(
        &mut self,
        form: &mut Multipart,
        within: Duration,
    ) -> Result<(), ReceiveError> {
        tokio::time::timeout(within, self.read_fields(form)).await.unwrap_or(Ok(()))
    }

    async fn read_fields(&mut self, form: &mut Multipart) -> Result<(), ReceiveError> {
        for _ in 0..FIELDS {
            let Ok(Some(mut field)) = next_field(form).await else { return Ok(()) };
            let name = field.field.name().unwrap_or_default().to_owned();
            match small(&mut field, FIELD_BYTES).await? {
                Some(text) => self.take(&name, text),
                None if name == START => return Err(ReceiveError::Rejected(Rejection::InvalidStart)),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Parses the fields.
    pub(super) fn parse(&self) -> Result<UploadOptions, ReceiveError> {
        let recording_start = self.start.as_deref().map(recording::parse_start).transpose()?.flatten();
        Ok(UploadOptions { recording_start, overwrite_profile: self.overwrite_profile })
    }
}

/// Reads a field to its end; `None` if it exceeds `most` bytes.
pub(super) async fn small(field: &mut IncomingField, most: usize) -> Result<Option<Vec<u8>>, Problem> {
    let mut text = Vec::new();
    while let Some(bytes) = next_bytes(field).await? {
        if text.len().saturating_add(bytes.len()) > most {
            return Ok(None);
        }
        text.extend_from_slice(&bytes);
    }
    Ok(Some(text))
}
