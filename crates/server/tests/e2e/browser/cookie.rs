//! Cookies as a browser keeps them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Cookie jar; clones share it.
#[derive(Clone, Default)]
pub(super) struct CookieJar(Arc<Mutex<BTreeMap<String, String>>>);

impl CookieJar {
    pub(super) fn copy(&self) -> Self {
        Self(Arc::new(Mutex::new(self.0.lock().expect("jar").clone())))
    }

    pub(super) fn find(&self, name: &str) -> Option<String> {
        self.0.lock().expect("jar").get(name).cloned()
    }

    pub(super) fn put(&self, name: &str, value: &str) {
        self.0.lock().expect("jar").insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn take(&self, cookie: &SetCookie) {
        if cookie.has("Max-Age=0") {
            self.0.lock().expect("jar").remove(&cookie.name);
        } else {
            self.put(&cookie.name, &cookie.value);
        }
    }

    /// Returns the header `Cookie` of each request.
    pub(super) fn header(&self) -> Option<String> {
        let jar = self.0.lock().expect("jar");
        let pairs: Vec<String> = jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

/// A `Set-Cookie` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Attributes as sent, in order.
    pub(crate) attributes: Vec<String>,
}

impl SetCookie {
    #[track_caller]
    pub(super) fn parse(header: &str) -> Self {
        let mut parts = header.split("; ").map(str::to_owned);
        let pair = parts.next().expect("a cookie");
        let (name, value) = pair.split_once('=').expect("a name and a value");
        Self { name: name.to_owned(), value: value.to_owned(), attributes: parts.collect() }
    }

    /// Returns whether it has an attribute, case-sensitive.
    pub(crate) fn has(&self, attribute: &str) -> bool {
        self.attributes.iter().any(|given| given == attribute)
    }

    /// Checks the common properties of every cookie (security.md T31).
    #[track_caller]
    pub(super) fn check(&self) {
        for attribute in ["Path=/", "HttpOnly", "SameSite=Lax"] {
            assert!(self.has(attribute), "{attribute} is missing: {self:?}");
        }
        assert!(!self.attributes.iter().any(|attribute| attribute.starts_with("Domain")), "{self:?}");
        assert_eq!(self.name.starts_with("__Host-"), self.has("Secure"), "{self:?}");
    }
}
