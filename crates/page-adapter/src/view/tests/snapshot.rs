//! Snapshots of the pages, to review changes of templates: the contents of the first sample of each, what
//! differs in its other samples, and one whole document for each layout.

use crate::view::sample::{plain, samples};
use similar::TextDiff;

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
    text.lines().filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}

fn assert_snapshot(name: &str, text: &str) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Returns the contents of a page.
fn main_element(html: &str) -> String {
    let (_, main) = html.split_once("<main").unwrap();
    let (main, _) = main.split_once("</main>").unwrap();
    shortened(&format!("<main{main}</main>\n"))
}

/// Returns the lines that differ between two samples of a page, each with its place.
fn difference(one: &str, other: &str) -> String {
    TextDiff::from_lines(one, other).unified_diff().context_radius(1).to_string()
}

#[test]
fn the_contents_of_every_page_are_unchanged() {
    let samples = samples(plain);
    let shown: Vec<_> = samples.iter().filter(|sample| !sample.is_variant).collect();
    for (index, first) in shown.iter().enumerate() {
        if shown[..index].iter().any(|earlier| earlier.view == first.view) {
            continue;
        }
        let page: Vec<_> = shown.iter().filter(|sample| sample.view == first.view).collect();
        let mains: Vec<_> = page.iter().map(|sample| main_element(&sample.html)).collect();
        let mut text = vec![mains[0].clone()];
        for (index, (sample, main)) in page.iter().zip(&mains).enumerate().skip(1) {
            let earlier = page[..index].iter().zip(&mains);
            let compared = earlier.map(|(earlier, its)| (difference(its, main), earlier.name));
            let (difference, nearest) = compared.min_by_key(|(text, _)| text.len()).unwrap();
            text.push(if difference.len() < main.len() {
                format!("\n== {}, compared with {nearest}\n{difference}", sample.name)
            } else {
                format!("\n== {}\n{main}", sample.name)
            });
        }
        assert_snapshot(first.name, &text.concat());
    }
}

#[test]
fn the_head_navigation_and_foot_around_the_contents_are_unchanged() {
    let samples = samples(plain);
    for (name, page) in [("whole_document", "apps"), ("whole_document_signed_out", "message")] {
        let sample = samples.iter().find(|sample| sample.name == page).unwrap();
        assert_snapshot(name, &shortened(&sample.html));
    }
}
