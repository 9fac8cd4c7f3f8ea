//! Snapshots of the pages, to review changes of templates: the contents of each, and one whole document.

use crate::view::sample::{plain, samples};

/// Removes blank lines, long constant parts, and values that secret scanners would report.
fn shortened(html: &str) -> String {
    let mut text = html.to_owned();
    while let (Some(start), Some(end)) = (text.find("<optgroup"), text.rfind("</optgroup>")) {
        text.replace_range(start..end + "</optgroup>".len(), "(the cities)");
    }
    for prefix in ["rwp_", "rwl_", "rwc_"] {
        if let Some(start) = text.find(prefix) {
            text.replace_range(start..start + 53, &format!("{prefix}(a secret)"));
        }
    }
    text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn assert_snapshot(name: &str, html: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, shortened(html));
    });
}

#[test]
fn the_contents_of_every_page_are_unchanged() {
    for sample in samples(plain).iter().filter(|sample| !sample.is_variant) {
        let (_, main) = sample.html.split_once("<main").unwrap();
        let (main, _) = main.split_once("</main>").unwrap();
        assert_snapshot(sample.name, &format!("<main{main}</main>"));
    }
}

#[test]
fn the_head_navigation_and_foot_around_the_contents_are_unchanged() {
    let samples = samples(plain);
    let apps = samples.iter().find(|sample| sample.name == "apps").unwrap();
    assert_snapshot("whole_document", &apps.html);
}
