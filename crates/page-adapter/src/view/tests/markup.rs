//! Required and forbidden markup of pages.

use super::{Tag, tags};
use crate::view::sample::{plain, samples};
use crate::view::{ICON_PATH, PASSKEY_SCRIPT, STYLE_SHEET, STYLE_SHEET_PATH};
use std::collections::HashSet;

fn each_page(check: impl Fn(&str, &str, &[Tag<'_>])) {
    for sample in samples(plain) {
        check(sample.name, &sample.html, &tags(&sample.html));
    }
}

/// Splits a page into its forms, without the closing tags.
fn forms<'a, 'b>(tags: &'b [Tag<'a>]) -> Vec<&'b [Tag<'a>]> {
    let inner = tags.split(|tag| tag.name == "form").skip(1);
    inner.map(|part| part.split(|tag| tag.name == "/form").next().unwrap_or_default()).collect()
}

fn is_field(tag: &Tag<'_>) -> bool {
    matches!(tag.name, "input" | "select" | "textarea") && tag.get("type") != Some("hidden")
}

/// Removes the texts of code, which may contain addresses.
fn without_code(html: &str) -> String {
    let mut parts = html.split("<code");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("</code>").unwrap().1)
}

/// Maximum size of a page in bytes.
const MAX_BYTES: usize = 100_000;

#[test]
fn no_page_is_larger_than_100_kilobytes() {
    each_page(|name, html, _| assert!(html.len() <= MAX_BYTES, "{name} has {} bytes", html.len()));
}

const EXTERNAL_LINK: &str = "<a rel=\"external noreferrer\" href=\"https://";

// T33
#[test]
fn no_page_has_an_inline_script_an_inline_style_or_an_external_resource() {
    each_page(|name, html, tags| {
        for word in ["style=", "<style", "http:", "https:", "javascript:", "data:", "//"] {
            // The link that opens an authenticator app leads to no site, and those to pages of an app load
            // nothing. A field may contain an address.
            let html = html.to_ascii_lowercase().replace("\"otpauth://", "\"").replace(EXTERNAL_LINK, "");
            let html = html.replace("value=\"https://", "value=\"");
            let html = without_code(&html);
            assert!(!html.contains(word), "{word} in {name}");
        }
        for tag in tags {
            let handler = tag.attributes.iter().find(|(attribute, _)| attribute.starts_with("on"));
            assert!(handler.is_none(), "{handler:?} in {name}");
            for attribute in ["href", "src", "action"] {
                let path = tag.get(attribute).filter(|_| tag.get("rel") != Some("external noreferrer"));
                assert!(
                    path.is_none_or(|path| path.starts_with(['/', '#'])
                        || path.starts_with("mailto:")
                        || path.starts_with("otpauth:")),
                    "{path:?} in {name}"
                );
            }
        }
        let loaded: Vec<_> =
            tags.iter().filter(|tag| tag.name == "link").filter_map(|tag| tag.get("href")).collect();
        assert_eq!(loaded, [STYLE_SHEET_PATH, ICON_PATH], "{name}");
    });
}

// T33
#[test]
fn every_page_states_its_scripts_and_only_passkey_pages_have_one() {
    const SCRIPT: &str = "<script src=\"/assets/passkeys.js\" defer></script>";
    let mut with_script = Vec::new();
    each_page(|name, html, tags| {
        let scripts: Vec<_> = tags.iter().filter(|tag| tag.name == "script").collect();
        assert_eq!(html.matches(SCRIPT).count(), scripts.len(), "{name}");
        let begins = tags.iter().filter(|tag| tag.has("data-begin")).count();
        assert_eq!(scripts.len(), begins, "{name}");
        assert_eq!(html.contains("This page runs no scripts"), scripts.is_empty(), "{name}");
        assert_eq!(html.contains("This page runs one script"), !scripts.is_empty(), "{name}");
    });
    for sample in samples(plain).iter().filter(|sample| sample.html.contains(SCRIPT)) {
        with_script.push(sample.name);
    }
    assert_eq!(with_script, ["account", "account_refused", "set_password_reset", "sign_in_passkeys"]);
}

#[test]
fn the_script_has_no_way_to_run_text_and_asks_only_the_server() {
    for word in ["innerHTML", "eval", "Function(", "document.write", "insertAdjacent", "http", "import"] {
        assert!(!PASSKEY_SCRIPT.contains(word), "{word}");
    }
}

#[test]
fn the_style_sheet_loads_nothing() {
    for word in ["@import", "url(", "@font-face", "image-set", "http"] {
        assert!(!STYLE_SHEET.contains(word), "{word}");
    }
}

// T27
#[test]
fn every_form_is_posted_and_carries_the_token_of_the_browser_once() {
    each_page(|name, _, tags| {
        for form in tags.iter().filter(|tag| tag.name == "form") {
            assert_eq!(form.get("method"), Some("post"), "{name}");
            assert!(form.has("action"), "{name}");
        }
        for form in forms(tags) {
            let tokens = form.iter().filter(|tag| tag.get("name") == Some("form_token"));
            let values: Vec<_> = tokens.map(|tag| (tag.get("type"), tag.get("value"))).collect();
            assert_eq!(values, [(Some("hidden"), Some("Zm9ybS10b2tlbg"))], "{name}");
        }
    });
}

#[test]
fn every_field_has_exactly_one_label() {
    each_page(|name, _, tags| {
        for field in tags.iter().filter(|tag| is_field(tag)) {
            let id = field.get("id").unwrap_or_else(|| panic!("a field without id in {name}: {field:?}"));
            let labels = tags.iter().filter(|tag| tag.name == "label" && tag.get("for") == Some(id));
            assert_eq!(labels.count(), 1, "{id} in {name}");
        }
    });
}

#[test]
fn ids_are_unique_and_every_reference_has_a_target() {
    each_page(|name, _, tags| {
        let ids: Vec<_> = tags.iter().filter_map(|tag| tag.get("id")).collect();
        let known: HashSet<_> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len(), "{name}");
        let named = ["for", "aria-describedby", "aria-labelledby"];
        let references = tags.iter().flat_map(|tag| named.iter().filter_map(|attribute| tag.get(attribute)));
        let anchors = tags.iter().filter_map(|tag| tag.get("href")?.strip_prefix('#'));
        for id in references.flat_map(str::split_whitespace).chain(anchors) {
            assert!(known.contains(id), "{id} in {name}");
        }
    });
}

#[test]
fn every_page_has_its_language_one_main_heading_and_a_way_past_the_head() {
    each_page(|name, html, tags| {
        assert!(html.starts_with("<!doctype html>\n<html lang=\"en\">"), "{name}");
        // Pictures have titles too.
        let head = tags.iter().take_while(|tag| tag.name != "/head");
        assert_eq!(head.filter(|tag| tag.name == "title").count(), 1, "{name}");
        for only in ["h1", "main", "header", "footer"] {
            assert_eq!(tags.iter().filter(|tag| tag.name == only).count(), 1, "{only} in {name}");
        }
        let first = tags.iter().find(|tag| tag.name == "a");
        assert_eq!(first.and_then(|tag| tag.get("href")), Some("#main"), "{name}");
        assert!(html.contains("width=device-width"), "{name}");
    });
}

#[test]
fn the_tab_apps_leads_to_the_developer_page_if_there_is_one() {
    let samples = samples(plain);
    let has = |name: &str, attribute: &str| {
        let sample = samples.iter().find(|sample| sample.name == name).unwrap();
        sample.html.contains(&format!("<a href=\"/developer\"{attribute}>Your own apps</a>"))
    };
    for name in ["apps_none", "activity", "tokens_none"] {
        assert!(has(name, ""), "{name}");
    }
    for name in ["developer", "app", "own_webhooks"] {
        assert!(has(name, " aria-current=\"page\""), "{name}");
    }
    for name in ["apps", "tokens", "account", "home"] {
        assert!(!has(name, ""), "{name}");
    }
}

// A button is a flex container, which drops the space between its own text and an element.
#[test]
fn a_name_in_a_button_is_in_one_element_with_the_text_around_it() {
    each_page(|name, html, _| {
        for button in html.split("<button").skip(1) {
            let (inside, _) = button.split_once("</button>").unwrap();
            let before = inside.split_once("<bdi>").map(|(before, _)| before);
            assert!(before.is_none_or(|before| before.contains("<span")), "{inside} in {name}");
        }
    });
}

#[test]
fn page_titles_are_unique() {
    let title = |html: &str| {
        let (_, after) = html.split_once("<title>").unwrap();
        after.split_once("</title>").unwrap().0.to_owned()
    };
    let shown = |name: &str| title(&samples(plain).iter().find(|sample| sample.name == name).unwrap().html);
    assert_eq!(shown("consent"), "Allow Night Owl to read your data? · Restwell");
    assert_eq!(shown("account_refused"), "Error: Account · Restwell");
    let pages = [
        "sign_in",
        "consent",
        "apps",
        "tokens",
        "activity",
        "account",
        "forgot_password",
        "sign_up",
        "errors",
    ];
    let more = ["mail_sent_reset", "set_password_reset", "signed_out", "message"];
    let titles: HashSet<_> =
        pages.iter().chain(&more[..1]).chain(&more[2..]).map(|name| shown(name)).collect();
    assert_eq!(titles.len(), pages.len() + more.len() - 1);
}

#[test]
fn errors_are_announced_above_the_form_and_at_their_field() {
    let mut refused = 0;
    each_page(|name, html, tags| {
        let wrong: Vec<_> = tags.iter().filter(|tag| tag.has("aria-invalid")).collect();
        for field in &wrong {
            let own = format!("{}-error", field.get("id").unwrap());
            let described = field.get("aria-describedby").unwrap_or_default();
            assert!(described.split(' ').any(|id| id == own), "{own} in {name}");
        }
        let alerts = tags.iter().filter(|tag| tag.get("role") == Some("alert")).count();
        assert!(wrong.is_empty() || alerts == 1, "{name}");
        let (_, listed) = html.split_once("id=\"errors\"").unwrap_or_default();
        let (listed, _) = listed.split_once("</ul>").unwrap_or_default();
        for error in listed.split("<a href=\"#").skip(1) {
            let (field, text) = error.split_once("\">").unwrap();
            let (text, _) = text.split_once("</a>").unwrap();
            assert!(wrong.iter().any(|tag| tag.get("id") == Some(field)), "{field} in {name}");
            let shown = format!("<p class=\"field-error\" id=\"{field}-error\">{text}</p>");
            assert!(html.contains(&shown), "{field} in {name}");
        }
    });
    for sample in samples(plain) {
        refused += usize::from(sample.html.contains("role=\"alert\""));
    }
    assert!(refused >= 8, "few samples are refused forms: {refused}");
}

#[test]
fn samples_without_a_snapshot_show_what_no_other_sample_does() {
    let zone =
        "name=\"zone_choice\" value=\"Europe/Bern\"><label for=\"zone-Europe/Bern\">Europe/Bern</label>";
    let samples = samples(plain);
    for (name, shown) in [
        ("profile_refused", "<legend>Did you mean one of these?</legend>"),
        ("profile_refused", zone),
        ("imports_no_time", "<label for=\"recording_start\">Start of the recording</label>"),
        ("imports_no_time", "Enter the date and time in your time zone, Europe/Berlin.</p>"),
        ("imports_no_time", "name=\"recording_start\" type=\"datetime-local\" aria-invalid"),
        ("import_checking", "<h2 id=\"progress-title\">Checking the file</h2>"),
        ("import_checking", "Step 3 of 4: checking the whole file for damage (40% done)"),
    ] {
        let sample = samples.iter().find(|sample| sample.name == name).unwrap();
        assert!(sample.html.contains(shown), "{shown} in {name}");
    }
}

// T34
#[test]
fn consent_is_remembered_only_on_request_and_denied_as_easily_as_granted() {
    each_page(|name, _, tags| {
        let remember = tags.iter().find(|tag| tag.get("name") == Some("remember"));
        assert!(remember.is_none_or(|tag| !tag.has("checked")), "{name}");
        let decisions: Vec<_> = tags.iter().filter(|tag| tag.get("name") == Some("decision")).collect();
        if let [deny, allow] = decisions.as_slice() {
            assert_eq!((deny.get("value"), allow.get("value")), (Some("deny"), Some("allow")));
            assert_eq!(deny.get("class"), allow.get("class"), "{name}");
        } else {
            assert!(decisions.is_empty() && remember.is_none(), "{name}");
        }
    });
}

#[test]
fn password_fields_have_autocomplete_values() {
    each_page(|name, _, tags| {
        for field in tags.iter().filter(|tag| tag.get("type") == Some("password")) {
            let expected = match field.get("name") {
                Some("new_password") => "new-password",
                Some("password") if name.starts_with("set_password") => "new-password",
                _ => "current-password",
            };
            assert_eq!(field.get("autocomplete"), Some(expected), "{name}");
        }
    });
}
