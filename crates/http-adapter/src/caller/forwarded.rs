//! The header `Forwarded` (RFC 7239 section 4).

use super::node;
use std::borrow::Cow;
use std::net::IpAddr;

/// Parses one line of the header. Returns the address of each hop in order; `None` for a hop without one.
///
/// Returns `None` for a line with an unterminated quoted string, in which the start of a hop is ambiguous.
pub(super) fn hops(line: &str) -> Option<Vec<Option<IpAddr>>> {
    let elements = split_outside_quotes(line, ',')?;
    Some(elements.into_iter().map(|element| node::of_node(&named_node(element)?)).collect())
}

/// Returns the value of the parameter `for`; `None` if it is absent or repeated, or the element is malformed.
fn named_node(element: &str) -> Option<Cow<'_, str>> {
    let mut found = None;
    for pair in split_outside_quotes(element, ';')? {
        let pair = pair.trim_matches([' ', '\t']);
        if pair.is_empty() {
            continue;
        }
        let (name, value) = pair.split_once('=')?;
        let value = value_of(value)?;
        if !is_token(name) || (name.eq_ignore_ascii_case("for") && found.replace(value).is_some()) {
            return None;
        }
    }
    found
}

/// Parses a token or a quoted string (RFC 9110 section 5.6).
fn value_of(text: &str) -> Option<Cow<'_, str>> {
    let Some(inner) = text.strip_prefix('"') else { return is_token(text).then_some(Cow::Borrowed(text)) };
    let inner = inner.strip_suffix('"')?;
    if !inner.contains(['"', '\\']) {
        return Some(Cow::Borrowed(inner));
    }
    let mut value = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => return None,
            '\\' => value.push(characters.next()?),
            other => value.push(other),
        }
    }
    Some(Cow::Owned(value))
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Splits at a separator outside quoted strings; `None` if a quoted string is unterminated.
fn split_outside_quotes(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (position, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if character == separator && !is_quoted => {
                parts.push(text.get(start..position)?);
                start = position + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(start..)?);
    (!is_quoted).then_some(parts)
}
