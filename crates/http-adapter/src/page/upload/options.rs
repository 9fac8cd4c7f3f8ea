//! The fields of the form beside its token and its file, which may stand before the file or after it.

use super::before_file::small;
use super::recording::{self, START};
use super::{Refusal, Stop, next_field};
use actix_multipart::Multipart;
use application::upload::UploadOptions;
use std::time::Duration;

/// Whether the profile is overwritten with what the file says.
const OVERWRITE_PROFILE: &str = "overwrite_profile";
/// The most fields after the file; the form has two.
const FIELDS: usize = 8;
/// The most bytes of a field after the file.
const FIELD_BYTES: usize = 64;

/// What was sent.
#[derive(Default)]
pub(super) struct Fields {
    /// When the recording began, as it was typed.
    start: Option<Vec<u8>>,
    overwrite_profile: bool,
}

impl Fields {
    /// Takes a field; one that nobody knows is passed over.
    pub(super) fn take(&mut self, name: &str, text: Vec<u8>) {
        match name {
            START => self.start = Some(text),
            OVERWRITE_PROFILE => self.overwrite_profile = text == b"yes",
            _ => {}
        }
    }

    /// Reads what comes after the file, as far as it comes in time.
    pub(super) async fn read_rest(&mut self, form: &mut Multipart, within: Duration) -> Result<(), Stop> {
        tokio::time::timeout(within, self.read_fields(form)).await.unwrap_or(Ok(()))
    }

    async fn read_fields(&mut self, form: &mut Multipart) -> Result<(), Stop> {
        for _ in 0..FIELDS {
            let Ok(Some(mut field)) = next_field(form).await else { return Ok(()) };
            let name = field.field.name().unwrap_or_default().to_owned();
            match small(&mut field, FIELD_BYTES).await? {
                Some(text) => self.take(&name, text),
                None if name == START => return Err(Stop::Refused(Refusal::NoTime)),
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Parses them.
    pub(super) fn parsed(&self) -> Result<UploadOptions, Stop> {
        let recording_start = self.start.as_deref().map(recording::parsed).transpose()?.flatten();
        Ok(UploadOptions { recording_start, overwrite_profile: self.overwrite_profile })
    }
}
