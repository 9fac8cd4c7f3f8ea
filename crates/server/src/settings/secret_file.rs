//! Secrets in separate files.

use super::problem::Problem;
use super::secret_text::SecretText;
use std::path::Path;

/// Returns a secret that is set directly or through a file; setting both is an error.
pub(super) fn secret_of(
    key: &str,
    text: Option<&SecretText>,
    file: Option<&Path>,
) -> Result<Option<SecretText>, Problem> {
    match (text, file) {
        (Some(_), Some(_)) => Err(Problem::new(key, format!("and {key}_file are both set; set one of them"))),
        (Some(text), None) => Ok(Some(text.clone())),
        (None, Some(path)) => read(key, path).map(Some),
        (None, None) => Ok(None),
    }
}

fn read(key: &str, path: &Path) -> Result<SecretText, Problem> {
    let key = format!("{key}_file");
    let text = std::fs::read_to_string(path).map_err(|error| {
        Problem::new(&*key, format!("names {}, which cannot be read: {error}", display_path(path)))
    })?;
    match text.trim() {
        "" => Err(Problem::new(key, format!("names {}, which is empty", display_path(path)))),
        text => Ok(SecretText::new(text.to_owned())),
    }
}

/// Returns the path for messages, redacted if it looks like the secret itself.
fn display_path(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains("://") || text.starts_with("rwk_") {
        return "what looks like the secret itself, not a file".to_owned();
    }
    if !text.contains('/') {
        return "a value without a folder, possibly the secret itself".to_owned();
    }
    text
}
