//! Responses to a browser, and the forms on them.

use super::cookie::SetCookie;
use super::html::{Node, Tag, read};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, SET_COOKIE};
use std::collections::BTreeMap;

/// Complete response.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Form with the initial values of its fields.
#[derive(Clone, Debug)]
pub(crate) struct PageForm {
    pub(crate) action: String,
    fields: Vec<(String, String)>,
}

/// Parameters of a redirect to an app.
pub(crate) type ResponseParameters = BTreeMap<String, String>;

impl Page {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("ASCII"))
    }

    /// Lists the cookies that it sets.
    #[track_caller]
    pub(crate) fn set_cookies(&self) -> Vec<SetCookie> {
        let headers = self.headers.get_all(SET_COOKIE).iter();
        headers.map(|header| SetCookie::parse(header.to_str().expect("ASCII"))).collect()
    }

    /// Returns the target of a redirect.
    #[track_caller]
    pub(crate) fn location(&self) -> &str {
        assert_eq!(self.status, 303, "no redirect: {self:?}");
        self.headers[LOCATION].to_str().expect("ASCII")
    }

    /// Returns the target of a redirect, which must be a page of the server.
    #[track_caller]
    pub(crate) fn own_location(&self) -> String {
        let location = self.location();
        assert!(location.starts_with('/') && !location.starts_with("//"), "{location}");
        location.to_owned()
    }

    /// Returns the request id in a redirect to a page of the server.
    #[track_caller]
    pub(crate) fn request_id(&self) -> String {
        let location = self.own_location();
        let (_, query) = location.split_once('?').unwrap_or_else(|| panic!("no query in {location}"));
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        let found = pairs.find(|(name, _)| name == "request");
        found.unwrap_or_else(|| panic!("no request in {location}")).1.into_owned()
    }

    /// Returns the parameters of a redirect to an app: to this URI, and without duplicates.
    #[track_caller]
    pub(crate) fn answer_to(&self, redirect_uri: &str) -> ResponseParameters {
        let location = self.location();
        let separator = if redirect_uri.contains('?') { '&' } else { '?' };
        let query = location.strip_prefix(redirect_uri).and_then(|rest| rest.strip_prefix(separator));
        let query = query.unwrap_or_else(|| panic!("sent to {location}"));
        let mut answer = ResponseParameters::new();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            assert!(answer.insert(name.into_owned(), value.into_owned()).is_none(), "{location}");
        }
        assert!(answer.contains_key("iss"), "no issuer in {location}");
        answer
    }

    /// Checks that it is an error page without a redirect.
    #[track_caller]
    pub(crate) fn assert_refused(&self, status: u16) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("text/html; charset=utf-8"), "{self:?}");
        assert_eq!(self.header("location"), None, "{self:?}");
    }

    /// Checks the common properties of every page and redirect.
    #[track_caller]
    pub(super) fn check(&self) {
        let is_redirect = (300..400).contains(&self.status);
        assert_eq!(self.headers.contains_key(LOCATION), is_redirect, "{self:?}");
        assert!(!is_redirect || (self.status == 303 && self.body.is_empty()), "{self:?}");
        for (name, value) in
            [("referrer-policy", Some("no-referrer")), ("x-content-type-options", Some("nosniff"))]
        {
            assert_eq!(self.header(name), value, "{self:?}");
        }
        assert_eq!(self.header("cache-control"), Some("private, no-store"), "{self:?}");
        assert_eq!(self.header("pragma"), Some("no-cache"), "{self:?}");
        assert_eq!(self.header("access-control-allow-origin"), None, "{self:?}");
        if self.headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "text/html; charset=utf-8") {
            self.check_html();
        } else {
            assert!(is_redirect, "neither a page nor a redirect: {self:?}");
        }
    }

    #[track_caller]
    fn check_html(&self) {
        let policy = self.policy();
        for (name, value) in [
            ("default-src", "'none'"),
            ("frame-ancestors", "'none'"),
            ("base-uri", "'none'"),
            ("style-src", "'self'"),
            ("img-src", "'self'"),
        ] {
            assert_eq!(policy.get(name).map(String::as_str), Some(value), "{policy:?}");
        }
        assert!(policy["form-action"].starts_with("'self'"), "{policy:?}");
        // Only the pages with a form for passkeys run a script, and only that one.
        let scripts = self.body.matches("<script").count();
        assert_eq!(self.body.matches(" data-begin=\"/").count(), scripts, "{self:?}");
        for rule in ["script-src", "connect-src"] {
            let expected = (scripts == 1).then_some("'self'");
            assert_eq!(policy.get(rule).map(String::as_str), expected, "{policy:?}");
        }
        assert_eq!(policy.len(), 6 + 2 * scripts, "{policy:?}");
        assert_eq!(self.header("x-frame-options"), Some("DENY"), "{self:?}");
        read(&self.body);
    }

    /// Returns the directives of the content security policy.
    #[track_caller]
    pub(crate) fn policy(&self) -> BTreeMap<String, String> {
        let policy = self.header("content-security-policy").unwrap_or_else(|| panic!("no policy: {self:?}"));
        let rules = policy.split("; ").map(|rule| rule.split_once(' ').unwrap_or((rule, "")));
        rules.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Returns the visible text, with single blanks.
    pub(crate) fn text(&self) -> String {
        let texts = read(&self.body).into_iter().map(|node| match node {
            Node::Text(text) => text,
            Node::Tag(tag) if tag.is_within_a_line() => String::new(),
            Node::Tag(_) => " ".to_owned(),
        });
        texts.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the only form with this action.
    #[track_caller]
    pub(crate) fn form(&self, action: &str) -> PageForm {
        let mut forms = self.forms(action);
        assert_eq!(forms.len(), 1, "{action}: {self:?}");
        forms.remove(0)
    }

    /// Lists the forms with this action, in order.
    pub(crate) fn forms(&self, action: &str) -> Vec<PageForm> {
        let nodes = read(&self.body);
        let mut forms: Vec<PageForm> = Vec::new();
        let mut inside = false;
        let tags: Vec<&Tag> = nodes.iter().filter_map(Node::tag).collect();
        for (place, tag) in tags.iter().enumerate() {
            match tag.name.as_str() {
                "form" => {
                    assert_eq!(tag.attribute("method"), Some("post"), "{tag:?}");
                    let action = tag.attribute("action").expect("an action").to_owned();
                    forms.push(PageForm { action, fields: Vec::new() });
                    inside = true;
                }
                "/form" => inside = false,
                _ if !inside => {}
                _ => forms.last_mut().expect("a form").fields.extend(field(tag, tags.get(place + 1..))),
            }
        }
        forms.into_iter().filter(|form| form.action == action).collect()
    }
}

/// Returns the initial value that a control sends. A button sends only if it is pressed.
fn field(tag: &Tag, after: Option<&[&Tag]>) -> Option<(String, String)> {
    let name = tag.attribute("name")?.to_owned();
    let value = match (tag.name.as_str(), tag.attribute("type")) {
        ("input", Some("checkbox")) if tag.attribute("checked").is_none() => return None,
        ("input", _) => tag.attribute("value").unwrap_or_default(),
        ("select", _) => {
            let own = after?.iter().take_while(|tag| tag.name != "/select");
            let options: Vec<&&Tag> = own.filter(|tag| tag.name == "option").collect();
            let selected = options.iter().find(|tag| tag.attribute("selected").is_some());
            selected.or(options.first())?.attribute("value").unwrap_or_default()
        }
        ("button", _) => return None,
        _ => panic!("an unknown control: {tag:?}"),
    };
    Some((name, value.to_owned()))
}

impl Node {
    fn tag(&self) -> Option<&Tag> {
        match self {
            Self::Tag(tag) => Some(tag),
            Self::Text(_) => None,
        }
    }
}

impl PageForm {
    /// Replaces or adds a field.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    /// Adds a field without replacing others of the same name.
    pub(crate) fn and(&self, name: &str, value: &str) -> Self {
        let mut form = self.clone();
        form.fields.push((name.to_owned(), value.to_owned()));
        form
    }

    /// Takes a field out.
    pub(crate) fn without(&self, name: &str) -> Self {
        let fields = self.fields.iter().filter(|(given, _)| given != name).cloned();
        Self { action: self.action.clone(), fields: fields.collect() }
    }

    /// Ticks exactly these boxes.
    pub(crate) fn tick(&self, name: &str, values: &[&str]) -> Self {
        values.iter().fold(self.without(name), |form, value| form.and(name, value))
    }

    /// Lists the values of a field.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        self.fields.iter().filter(|(given, _)| given == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the only value of a field.
    #[track_caller]
    pub(crate) fn value(&self, name: &str) -> &str {
        match self.values(name).as_slice() {
            [value] => value,
            other => panic!("{name} is {other:?} in {self:?}"),
        }
    }

    /// Encodes the form.
    pub(crate) fn encoded(&self) -> String {
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish()
    }
}
