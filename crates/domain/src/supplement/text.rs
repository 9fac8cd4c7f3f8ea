//! Text that comes from labels and apps.

/// Says which text of a supplement, log or key is refused, and why; never repeats the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct InvalidText {
    /// Name of the field as the API spells it, such as `ingredient_name`.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: TextProblem,
}

/// Says what is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// There is nothing but white space where a name is needed.
    #[error("is blank")]
    Blank,
    /// The text is longer than allowed.
    #[error("is longer than {limit} characters")]
    TooLong {
        /// The most characters (Unicode scalar values) allowed.
        limit: usize,
    },
    /// The text holds a control character: C0, DEL or C1.
    #[error("holds a control character")]
    ControlCharacter,
}

/// Passes a text of at most `limit` characters without control characters; its spelling stays as it is.
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

/// Passes a text as [`text`] does when it holds more than white space.
pub(super) fn name(field: &'static str, value: String, limit: usize) -> Result<String, InvalidText> {
    if value.trim().is_empty() {
        return Err(InvalidText { field, problem: TextProblem::Blank });
    }
    text(field, value, limit)
}
