//! Strict HTML parser: anything that the templates do not produce fails the test.

/// Part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Opening tag, or a closing one, whose name starts with a slash.
    Tag(Tag),
    /// Decoded text.
    Text(String),
}

/// Tag with its decoded attributes; an attribute without a value is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
}

impl Tag {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the text before and after it is one line.
    pub(super) fn is_within_a_line(&self) -> bool {
        let name = self.name.strip_prefix('/').unwrap_or(&self.name);
        ["a", "bdi", "strong", "code", "time"].contains(&name)
    }
}

/// Every element of the pages.
const ELEMENTS: &str = "html head meta title link body a header footer main nav section p h1 h2 h3 ul ol li dl dt dd \
    div span strong bdi code time progress svg g text desc path rect figure figcaption form fieldset legend label input button \
    select option optgroup datalist details summary noscript script table caption thead tbody tr th td";

/// Parses a page.
#[track_caller]
pub(super) fn read(page: &str) -> Vec<Node> {
    let mut rest = page.strip_prefix("<!doctype html>").expect("a page of HTML");
    let mut nodes = Vec::new();
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "a bracket that is not escaped in {text:?}");
        nodes.push(Node::Text(decode(text)));
        // Brackets in attributes are escaped, so the first one ends the tag.
        let (inside, after) = after.split_once('>').unwrap_or_else(|| panic!("no end in <{after}"));
        nodes.push(Node::Tag(tag(inside)));
        rest = after;
    }
    assert_eq!(rest.trim(), "", "something after the page");
    nodes
}

#[track_caller]
fn tag(inside: &str) -> Tag {
    let inside = inside.strip_suffix('/').unwrap_or(inside);
    let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let element = name.strip_prefix('/').unwrap_or(name);
    assert!(ELEMENTS.split_whitespace().any(|known| known == element), "<{inside}> is no element of ours");
    let tag = Tag { name: name.to_owned(), attributes: read_attributes(attributes) };
    if name == "script" {
        // The only script, for passkeys; it has no text.
        assert_eq!(attributes, r#"src="/assets/passkeys.js" defer"#);
        return tag;
    }
    // A link to a page of an app, which the operator registered.
    let leads_to_app = tag.name == "a" && tag.attribute("rel") == Some("external noreferrer");
    for (name, value) in &tag.attributes {
        if !(leads_to_app && name == "href" && value.starts_with("https://owl.example/")) {
            check_attribute(name, value);
        }
    }
    tag
}

#[track_caller]
fn read_attributes(text: &str) -> Vec<(String, String)> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        assert!(!name.is_empty(), "no attribute in {text:?}");
        let (value, after) = match after.strip_prefix("=\"") {
            Some(quoted) => quoted.split_once('"').unwrap_or_else(|| panic!("no closing quote in {text:?}")),
            None => ("", after),
        };
        assert!(after.is_empty() || after.starts_with(char::is_whitespace), "{text:?}");
        assert!(attributes.iter().all(|(given, _)| given != name), "{name} twice in {text:?}");
        attributes.push((name.to_owned(), decode(value)));
        rest = after.trim_start();
    }
    attributes
}

/// Rejects scripts of any kind and URLs of other sites (security.md T33).
#[track_caller]
fn check_attribute(name: &str, value: &str) {
    let name = name.to_ascii_lowercase();
    let is_script =
        name.starts_with("on") || ["style", "srcdoc", "formaction", "src"].contains(&name.as_str());
    assert!(!is_script, "the attribute {name}={value:?}");
    if ["href", "action"].contains(&name.as_str()) {
        let is_ours = (value.starts_with('/') && !value.starts_with("//"))
            || value.starts_with('#')
            || (name == "href" && (value.starts_with("otpauth:") || value.starts_with("mailto:")));
        assert!(is_ours && !value.contains('\\'), "the page leads to {value:?}");
    }
}

/// Decodes character references; only those that the templates write are allowed.
#[track_caller]
fn decode(text: &str) -> String {
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, after) = part.split_once(';').unwrap_or_else(|| panic!("a bare & in {text:?}"));
        decoded.push(match reference {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "nbsp" => '\u{a0}',
            number => {
                let code = number.strip_prefix('#').and_then(|digits| digits.parse().ok());
                code.and_then(char::from_u32).unwrap_or_else(|| panic!("&{number}; in {text:?}"))
            }
        });
        decoded.push_str(after);
    }
    decoded
}
