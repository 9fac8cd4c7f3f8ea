//! Checks that apply to the HTML of every sample.

mod hostile;
mod markup;
mod snapshot;

/// Opening tag: name and attributes as written.
#[derive(Debug)]
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, Option<&'a str>)>,
}

impl<'a> Tag<'a> {
    fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.attributes.iter().find(|(given, _)| *given == name);
        found.map(|(_, value)| value.unwrap_or_default())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Lists the tags of a page in order, closing ones too (`/form`). Strict: HTML that it cannot parse is a bug
/// in a template.
fn tags(html: &str) -> Vec<Tag<'_>> {
    let mut rest = html;
    let mut tags = Vec::new();
    while let Some((_, after)) = rest.split_once('<') {
        let (inside, behind) = after.split_once('>').expect("a tag that ends");
        assert!(!inside.contains('<'), "a tag within a tag: {inside}");
        tags.push(tag(inside));
        rest = behind;
    }
    tags
}

fn tag(inside: &str) -> Tag<'_> {
    let (name, mut rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start().trim_start_matches('/');
        if rest.is_empty() {
            return Tag { name: name.trim_end_matches('/'), attributes };
        }
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let Some(quoted) = after.strip_prefix('=') else {
            attributes.push((key, None));
            rest = after;
            continue;
        };
        let quoted = quoted.strip_prefix('"').expect("a value in double quotes");
        let (value, after) = quoted.split_once('"').expect("a value that ends");
        attributes.push((key, Some(value)));
        rest = after;
    }
}

#[test]
fn tags_are_parsed_with_and_without_values() {
    let tags = tags("<p>a</p><input id=\"x\" value=\"a b\" required><rect rx=\"9\"/>");
    let names: Vec<_> = tags.iter().map(|tag| tag.name).collect();
    assert_eq!(names, ["p", "/p", "input", "rect"]);
    assert_eq!(tags[2].get("value"), Some("a b"));
    assert!(tags[2].has("required") && !tags[2].has("name"));
    assert_eq!(tags[3].get("rx"), Some("9"));
}
