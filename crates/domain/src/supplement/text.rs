//! Text from labels and apps.

/// Which text of a supplement, log or key is invalid, and why; never repeats the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct InvalidText {
    /// Name of the field in the API, such as `ingredient_name`.
    pub field: &'static str,
    /// The problem.
    pub problem: TextProblem,
}

/// Problem with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// Only white space where a name is required.
    #[error("is blank")]
    Blank,
    /// Longer than the limit.
    #[error("is longer than {limit} characters")]
    TooLong {
        /// Maximum number of characters (Unicode scalar values).
        limit: usize,
    },
    /// Contains a control character: C0, DEL or C1.
    #[error("contains a control character")]
    ControlCharacter,
}

/// Accepts a text of at most `limit` characters without control characters, unchanged.
pub(super) fn text(field: &'static str, value: String, limit: usize) -> Result<String, InvalidText> {
    let problem = if value.chars().nth(limit).is_some() {
        TextProblem::TooLong { limit }
    } else if value.chars().any(char::is_control) {
        TextProblem::ControlCharacter
    } else {
        return Ok(value);
    };
    Err(InvalidText { field, problem })
}

/// Accepts a text like [`text`], but not a blank one.
pub(super) fn name(field: &'static str, value: String, limit: usize) -> Result<String, InvalidText> {
    if value.trim().is_empty() {
        return Err(InvalidText { field, problem: TextProblem::Blank });
    }
    text(field, value, limit)
}
