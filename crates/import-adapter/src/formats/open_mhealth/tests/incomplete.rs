//! Data points that lack what a session needs.

use super::{OMH, episode, point, read_all, sample};
use crate::testing::{items, rejections, sessions};

#[test]
fn a_data_point_without_a_header_is_rejected_for_its_header() {
    let body = episode("");
    let text = format!(
        r#"[{},{{"header":null,"body":{body}}},{{"body":{body}}}]"#,
        point("sleep-episode", "", &body)
    );
    let found = read_all(&text);
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(rejections(&found), ["record 2: header is missing", "record 3: header is missing"]);
    let bare = body.replacen('{', r#"{"header":null,"#, 1);
    assert_eq!(sessions(&items(&bare, OMH, "UTC")).len(), 1, "a body alone has no header");
}

#[test]
fn a_sample_that_lacks_a_member_is_rejected_for_that_member() {
    let whole = sample("01:00", "02:00", "AsleepREM");
    let no_type = whole.replace("category_type", "kind");
    let no_value = whole.replace("category_value", "value");
    let neither = no_type.replace("category_value", "value");
    let of_schema = |body: &str| point("hk-category-sample", "", body);
    let records = [
        of_schema(&whole),
        no_type.clone(),
        of_schema(&no_type),
        of_schema(&neither),
        no_value.clone(),
        of_schema(&no_value),
    ];
    let found = read_all(&format!("[{}]", records.join(",")));
    assert_eq!(sessions(&found).len(), 1);
    assert_eq!(
        rejections(&found),
        [
            "record 2: category_type is missing",
            "record 3: category_type is missing",
            "record 4: category_type is missing",
            "record 5: category_value is missing",
            "record 6: category_value is missing",
        ]
    );
}
