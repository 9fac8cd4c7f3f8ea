//! Outline of a JSON document: member names and shapes of values.

use crate::input::Cursor;
use application::ports::import_source::ImportRefusal;
use serde::de::DeserializeOwned;

/// Maximum number of member names in an outline.
const NAMES_LIMIT: usize = 400;
/// Maximum depth of an outline.
const DEPTH: usize = 6;
/// Number of inspected bytes; members that identify a format come much earlier.
const BYTES_LIMIT: u64 = 1024 * 1024;
/// Maximum length of a string or number in an outline, in bytes of JSON.
const TEXT_LIMIT: usize = 200;

/// Outline of one value.
#[derive(Debug, Default)]
pub(crate) enum Sketch {
    /// Members of an object, as far as they were read.
    Object(Vec<(String, Sketch)>),
    /// First element of a list; `None` for an empty list.
    List(Option<Box<Sketch>>),
    /// A short text.
    Text(String),
    /// A number.
    Number(f64),
    /// The value `true`.
    True,
    /// Anything else, or a value that is too deep.
    #[default]
    Other,
}

impl Sketch {
    /// Returns a member of an object.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(known, _)| known == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Follows a path of members.
    pub(crate) fn path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |value, name| value.member(name))
    }

    /// Returns whether an object has the member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.member(name).is_some()
    }

    /// Returns the first element of a non-empty list.
    pub(crate) fn first(&self) -> Option<&Self> {
        match self {
            Self::List(first) => first.as_deref(),
            _ => None,
        }
    }

    /// Returns whether this is `true`.
    pub(crate) const fn is_true(&self) -> bool {
        matches!(self, Self::True)
    }

    /// Returns whether this is an empty list.
    pub(crate) const fn is_empty_list(&self) -> bool {
        matches!(self, Self::List(None))
    }

    /// Returns a short text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a number.
    pub(crate) const fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the names of an object's members.
    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Object(members) => members.iter().map(|(name, _)| name.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    /// Outlines the next value; also returns the error that ended it early.
    pub(crate) fn outline(cursor: &mut Cursor) -> (Self, Option<ImportRefusal>) {
        let mut sketch = Self::Other;
        let mut outliner = Outliner { cursor, names_left: NAMES_LIMIT };
        let damage = outliner.value(&mut sketch, DEPTH).err();
        (sketch, damage)
    }
}

/// Whether the outline may still grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutlineBudget {
    Remaining,
    Exhausted,
}

struct Outliner<'a> {
    cursor: &'a mut Cursor,
    names_left: usize,
}

impl Outliner<'_> {
    fn value(&mut self, into: &mut Sketch, depth: usize) -> Result<OutlineBudget, ImportRefusal> {
        match self.cursor.peek_token()? {
            None => return Err(self.cursor.ends_too_early()),
            Some(b'{') if depth > 0 => {
                *into = Sketch::Object(Vec::new());
                return self.object(into, depth);
            }
            Some(b'[') if depth > 0 => {
                *into = Sketch::List(None);
                return self.list(into, depth);
            }
            Some(b'"') => *into = self.short()?.map_or(Sketch::Other, Sketch::Text),
            Some(b'-' | b'0'..=b'9') => *into = self.short()?.map_or(Sketch::Other, Sketch::Number),
            Some(b't') => {
                self.cursor.skip_value()?;
                *into = Sketch::True;
            }
            Some(_) => self.cursor.skip_value()?,
        }
        Ok(self.budget())
    }

    /// Reads a short text or number.
    fn short<T: DeserializeOwned>(&mut self) -> Result<Option<T>, ImportRefusal> {
        let mut raw = Vec::new();
        self.cursor.read_value(&mut raw)?;
        Ok((raw.len() <= TEXT_LIMIT).then(|| serde_json::from_slice(&raw).ok()).flatten())
    }

    fn object(&mut self, into: &mut Sketch, depth: usize) -> Result<OutlineBudget, ImportRefusal> {
        let mut raw = Vec::new();
        self.cursor.expect(b'{')?;
        if self.cursor.peek_token()? == Some(b'}') {
            return self.cursor.expect(b'}').map(|()| self.budget());
        }
        loop {
            self.cursor.peek_token()?;
            self.cursor.read_value(&mut raw)?;
            let name: String = serde_json::from_slice(&raw).unwrap_or_default();
            self.cursor.expect(b':')?;
            self.names_left = self.names_left.saturating_sub(1);
            let Sketch::Object(members) = into else { return Ok(OutlineBudget::Exhausted) };
            members.push((name, Sketch::Other));
            let Some((_, value)) = members.last_mut() else { return Ok(OutlineBudget::Exhausted) };
            if self.value(value, depth.saturating_sub(1))? == OutlineBudget::Exhausted {
                return Ok(OutlineBudget::Exhausted);
            }
            if self.cursor.peek_token()? == Some(b'}') {
                return self.cursor.expect(b'}').map(|()| self.budget());
            }
            self.cursor.expect(b',')?;
        }
    }

    /// Outlines the first element and skips the others.
    fn list(&mut self, into: &mut Sketch, depth: usize) -> Result<OutlineBudget, ImportRefusal> {
        self.cursor.expect(b'[')?;
        if self.cursor.peek_token()? == Some(b']') {
            return self.cursor.expect(b']').map(|()| self.budget());
        }
        *into = Sketch::List(Some(Box::default()));
        if let Sketch::List(Some(first)) = into
            && self.value(first, depth.saturating_sub(1))? == OutlineBudget::Exhausted
        {
            return Ok(OutlineBudget::Exhausted);
        }
        while self.cursor.peek_token()? == Some(b',') {
            self.cursor.expect(b',')?;
            self.cursor.skip_value()?;
            if self.budget() == OutlineBudget::Exhausted {
                return Ok(OutlineBudget::Exhausted);
            }
        }
        self.cursor.expect(b']')?;
        Ok(self.budget())
    }

    const fn budget(&self) -> OutlineBudget {
        if self.names_left == 0 || self.cursor.total() > BYTES_LIMIT {
            OutlineBudget::Exhausted
        } else {
            OutlineBudget::Remaining
        }
    }
}
