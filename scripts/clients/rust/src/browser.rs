//! A minimal browser for Restwell's pages: cookies, redirects followed by hand, forms.
//!
//! It runs no scripts. It submits the forms of the pages with the user's input.

use anyhow::{Context, bail, ensure};
use html5gum::{Token, Tokenizer};
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header::{LOCATION, ORIGIN, REFERRER_POLICY};
use reqwest::redirect::Policy;
use std::collections::HashMap;
use url::Url;

/// A browser with its cookies, for one user.
pub struct Browser {
    http: Client,
    base: String,
    email: String,
    password: String,
    /// The paths of the pages visited by the last authorization.
    pub pages: Vec<String>,
    /// The scopes that the last consent page offered.
    pub offered: Vec<String>,
}

/// A user's input in a form.
struct Input<'a> {
    typed: HashMap<&'static str, &'a str>,
    /// The scopes to tick; other check boxes are unchanged.
    ticked: &'a [&'a str],
    pressed: Option<(&'static str, &'static str)>,
}

impl Browser {
    pub fn new(base: &str, email: &str, password: &str) -> anyhow::Result<Self> {
        let http = Client::builder().cookie_store(true).redirect(Policy::none()).no_proxy().build()?;
        let [base, email, password] = [base, email, password].map(str::to_owned);
        Ok(Self { http, base, email, password, pages: Vec::new(), offered: Vec::new() })
    }

    /// Follows an app's authorization URL and returns the redirect back to the app.
    ///
    /// `allow` holds the scopes that the user grants; `None` presses Deny.
    pub fn authorize(
        &mut self,
        url: &Url,
        redirect_uri: &str,
        allow: Option<&[&str]>,
    ) -> anyhow::Result<Url> {
        self.pages.clear();
        let mut site = "cross-site";
        let mut response = self.get(url, site)?;
        for _ in 0..12 {
            if let Some(target) = response.headers().get(LOCATION) {
                let target = response.url().join(target.to_str()?)?;
                if target.as_str().starts_with(redirect_uri) {
                    return Ok(target);
                }
                // RFC 9700 section 4.12: anything but 303 may resend the form.
                ensure!(response.status() == 303, "a redirect with status {}", response.status());
                response = self.get(&target, site)?;
            } else {
                ensure!(response.status() == 200, "{} at {}", response.status(), response.url().path());
                site = "same-origin";
                response = self.submit_page(response, allow)?;
            }
        }
        bail!("no redirect back to the app after {:?}", self.pages)
    }

    fn submit_page(&mut self, page: Response, allow: Option<&[&str]>) -> anyhow::Result<Response> {
        self.pages.push(page.url().path().to_owned());
        let origin = origin(&page, &self.base);
        let url = page.url().clone();
        let forms = parse_forms(&page.text()?);
        if let Some(consent) = forms.iter().find(|form| form.has("decision")) {
            let scopes = consent.controls.iter().filter(|control| control.name == "scope");
            self.offered = scopes.map(|control| control.value.clone()).collect();
            let decision = if allow.is_some() { "allow" } else { "deny" };
            let input = Input {
                typed: HashMap::new(),
                ticked: allow.unwrap_or_default(),
                pressed: Some(("decision", decision)),
            };
            return self.submit(&url, &origin, consent, &input);
        }
        let sign_in =
            forms.iter().find(|form| form.has("password")).context("a page without a known form")?;
        let typed = HashMap::from([("email", self.email.as_str()), ("password", self.password.as_str())]);
        self.submit(&url, &origin, sign_in, &Input { typed, ticked: &[], pressed: None })
    }

    /// Submits a form: hidden fields, the user's input, and the pressed button.
    fn submit(&self, page: &Url, origin: &str, form: &Form, input: &Input) -> anyhow::Result<Response> {
        ensure!(form.method == "post", "a form with the method {}", form.method);
        let fields: Vec<(&str, &str)> =
            form.controls.iter().filter_map(|control| control.field(input)).collect();
        let target = page.join(&form.action)?;
        let request = self.http.post(target).header(ORIGIN, origin).form(&fields);
        Ok(navigation(request, "same-origin").send()?)
    }

    fn get(&self, url: &Url, site: &str) -> anyhow::Result<Response> {
        Ok(navigation(self.http.get(url.clone()), site).send()?)
    }
}

/// Adds the headers that browsers send with a link or form.
fn navigation(request: RequestBuilder, site: &str) -> RequestBuilder {
    request
        .header("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
        .header("Sec-Fetch-Dest", "document")
        .header("Sec-Fetch-Mode", "navigate")
        .header("Sec-Fetch-Site", site)
        .header("Sec-Fetch-User", "?1")
}

/// Returns the origin of a form; browsers send `null` on a page with no referrer.
fn origin(page: &Response, base: &str) -> String {
    let has_no_referrer = page.headers().get(REFERRER_POLICY).is_some_and(|policy| policy == "no-referrer");
    if has_no_referrer { "null".to_owned() } else { base.to_owned() }
}

#[derive(Default)]
struct Form {
    method: String,
    action: String,
    controls: Vec<Control>,
}

struct Control {
    kind: String,
    name: String,
    value: String,
    checked: bool,
}

impl Form {
    fn has(&self, name: &str) -> bool {
        self.controls.iter().any(|control| control.name == name)
    }
}

impl Control {
    /// Returns the field that this control submits; `None` if it submits nothing.
    fn field<'a>(&'a self, input: &Input<'a>) -> Option<(&'a str, &'a str)> {
        let (name, value) = (self.name.as_str(), self.value.as_str());
        let (value, sent) = match self.kind.as_str() {
            "submit" | "button" | "image" | "reset" => (value, input.pressed == Some((name, value))),
            "checkbox" | "radio" if name == "scope" => (value, input.ticked.contains(&value)),
            "checkbox" | "radio" => (value, self.checked),
            _ => (input.typed.get(name).copied().unwrap_or(value), true),
        };
        (sent && !name.is_empty()).then_some((name, value))
    }
}

/// Returns the forms of a page, each with its controls in page order.
fn parse_forms(page: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut open = false;
    for Ok(token) in Tokenizer::new(page) {
        match token {
            Token::EndTag(tag) if *tag.name == b"form" => open = false,
            Token::StartTag(tag) => {
                let get = |name: &str| {
                    let value = tag.attributes.get(name.as_bytes())?;
                    Some(String::from_utf8_lossy(value).into_owned())
                };
                let is_button = *tag.name == b"button";
                if *tag.name == b"form" {
                    let method = get("method").unwrap_or_default().to_lowercase();
                    forms.push(Form {
                        method,
                        action: get("action").unwrap_or_default(),
                        controls: Vec::new(),
                    });
                    open = true;
                } else if (*tag.name == b"input" || is_button) && open && get("disabled").is_none() {
                    let kind =
                        get("type").unwrap_or_else(|| if is_button { "submit" } else { "text" }.to_owned());
                    let control = Control {
                        kind: kind.to_lowercase(),
                        name: get("name").unwrap_or_default(),
                        value: get("value").unwrap_or_default(),
                        checked: get("checked").is_some(),
                    };
                    if let Some(form) = forms.last_mut() {
                        form.controls.push(control);
                    }
                }
            }
            _ => {}
        }
    }
    forms
}
