//! T63, T64, T65 (claims): the content of a validly signed body.

use super::*;

/// Values that are invalid for every string claim.
fn unusable() -> Vec<Value> {
    vec![json!(null), json!(""), json!("x"), json!(1), json!(true), json!({}), json!([]), json!([1])]
}

#[test]
fn t63_another_or_ill_typed_issuer_is_refused() {
    let test = ring();
    let issuer = parties().issuer;
    let others = [json!(format!("{issuer}/")), json!(issuer.to_uppercase()), json!([issuer])];
    for value in unusable().into_iter().chain(others) {
        assert_eq!(with_claim(&test, "iss", value.clone()), REFUSED, "{value}");
    }
}

#[test]
fn t63_an_audience_without_us_is_refused() {
    let test = ring();
    let ours = parties().audience;
    let others = [
        json!(format!("{ours}/")),
        json!("https://elsewhere.example"),
        json!(["https://elsewhere.example", "https://rest.example"]),
        json!([[ours]]),
        json!([ours, 1]),
        json!({ "aud": ours }),
    ];
    for value in unusable().into_iter().chain(others) {
        assert_eq!(with_claim(&test, "aud", value.clone()), REFUSED, "{value}");
    }
    for value in [json!(ours), json!([ours]), json!(["https://elsewhere.example", ours])] {
        assert_eq!(with_claim(&test, "aud", value.clone()), Ok(claims()), "{value}");
    }
}

#[test]
fn t63_a_token_without_one_of_its_claims_is_refused() {
    let test = ring();
    for name in ["iss", "aud", "sub", "client_id", "scope", "iat", "exp", "jti", "gid"] {
        assert_eq!(without_claim(&test, name), REFUSED, "{name}");
    }
}

#[test]
fn t64_leeway_is_5_seconds_at_both_ends() {
    let end = claims().expires_at;
    let remembering = ring();
    let known = remembering.ring.sign(&claims()).unwrap();
    for (moment, accepted) in [
        (now() - TimeDelta::seconds(5), true),
        (now() - TimeDelta::seconds(5) - TimeDelta::microseconds(1), false),
        (end, true),
        (end + TimeDelta::seconds(5) - TimeDelta::microseconds(1), true),
        (end + TimeDelta::seconds(5), false),
        (end + TimeDelta::seconds(6), false),
        (DateTime::<Utc>::MAX_UTC, false),
        (DateTime::<Utc>::MIN_UTC, false),
    ] {
        let new = ring();
        let token = new.ring.sign(&claims()).unwrap();
        assert_eq!(new.ring.verify(&token, moment).is_ok(), accepted, "{moment}, asked for the first time");
        assert!(remembering.ring.verify(&known, now()).is_ok());
        assert_eq!(remembering.ring.verify(&known, moment).is_ok(), accepted, "{moment}, remembered");
    }
}

#[test]
fn t64_an_ill_typed_or_absurd_end_is_refused() {
    let test = ring();
    let seconds = claims().expires_at.timestamp();
    for value in [
        json!(now().timestamp() - 6),
        json!(seconds.to_string()),
        json!(-seconds),
        json!(0),
        json!(1e300),
        json!(f64::from(u32::MAX) + 0.5),
        json!(seconds * 1_000),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(null),
        json!([seconds]),
        json!(true),
    ] {
        assert_eq!(with_claim(&test, "exp", value.clone()), REFUSED, "{value}");
    }
    let body = test.forge.body(&claims()).to_string();
    for number in ["1e300", "1e999", "-0", "99999999999999999999999", "NaN", "1_772_974_800", "01772974800"] {
        let forged = body.replace(&seconds.to_string(), number);
        assert_ne!(forged, body);
        let token = test.forge.sign_text(&test.forge.header().to_string(), &forged);
        assert_eq!(test.ring.verify(&token, now()), REFUSED, "{number}");
    }
}

#[test]
fn t64_a_life_longer_than_an_hour_or_backwards_is_refused() {
    let test = ring();
    let start = now().timestamp();
    for exp in [start + 3_601, start + 86_400, start, start - 1] {
        assert_eq!(with_claim(&test, "exp", json!(exp)), REFUSED, "{exp}");
    }
    assert!(with_claim(&test, "exp", json!(start + 1)).is_ok());
}

#[test]
fn t64_a_token_from_the_future_is_refused() {
    let test = ring();
    let start = now().timestamp();
    let ahead = |seconds: i64| {
        let mut body = test.forge.body(&claims());
        body["iat"] = json!(start + seconds);
        body["exp"] = json!(start + seconds + 3_600);
        test.ring.verify(&test.forge.sign(&test.forge.header(), &body), now())
    };
    assert!(ahead(5).is_ok());
    assert_eq!(ahead(6), REFUSED);
    assert_eq!(ahead(3_600), REFUSED);
    for value in [json!(start.to_string()), json!(-1), json!(null), json!(1e300), json!(0)] {
        assert_eq!(with_claim(&test, "iat", value.clone()), REFUSED, "{value}");
    }
}

#[test]
fn t64_a_token_that_is_not_valid_yet_is_rejected() {
    let test = ring();
    let start = now().timestamp();
    for value in [
        json!(start + 6),
        json!(start + 3_600),
        json!(start.to_string()),
        json!(null),
        json!(1e300),
        json!(-1),
        json!([start]),
    ] {
        assert_eq!(with_claim(&test, "nbf", value.clone()), REFUSED, "{value}");
    }
    for value in [start + 5, start, 0] {
        assert!(with_claim(&test, "nbf", json!(value)).is_ok(), "{value}");
    }
}

#[test]
fn t65_an_id_that_is_not_a_uuid_string_is_rejected() {
    let test = ring();
    for name in ["sub", "client_id", "jti", "gid"] {
        let bare = Uuid::from_u128(4).simple().to_string();
        for value in unusable().into_iter().chain([json!(bare), json!([Uuid::from_u128(4).to_string()])]) {
            assert_eq!(with_claim(&test, name, value.clone()), REFUSED, "{name}: {value}");
        }
    }
}

#[test]
fn t65_a_scope_that_is_unknown_or_no_string_is_refused() {
    let test = ring();
    for value in [
        json!("email"),
        json!("profile email"),
        json!("Profile"),
        json!("profile,sleep"),
        json!(["profile"]),
        json!(null),
        json!(1),
    ] {
        assert_eq!(with_claim(&test, "scope", value.clone()), REFUSED, "{value}");
    }
    let one = with_claim(&test, "scope", json!("sleep")).unwrap();
    assert_eq!(one.scopes.to_string(), "sleep");
}

#[test]
fn t65_a_service_token_of_another_subject_is_refused() {
    let test = ring();
    let mut body = test.forge.body(&service_claims());
    body["sub"] = json!(Uuid::from_u128(2).to_string());
    let token = test.forge.sign(&test.forge.header(), &body);
    assert_eq!(test.ring.verify(&token, now()), REFUSED);
    body["sub"] = body["client_id"].clone();
    body["gid"] = json!(null);
    let token = test.forge.sign(&test.forge.header(), &body);
    assert_eq!(test.ring.verify(&token, now()), REFUSED, "a grant that is null is not an absent one");
}

#[test]
fn t65_a_duplicate_name_in_the_body_is_rejected() {
    let test = ring();
    let good = test.forge.body(&claims()).to_string();
    let header = test.forge.header().to_string();
    for twice in [
        r#""sub":"00000000-0000-0000-0000-000000000009""#,
        r#""gid":"00000000-0000-0000-0000-000000000009""#,
        r#""scope":"profile""#,
        r#""exp":1772974800"#,
        r#""\u0073ub":"00000000-0000-0000-0000-000000000002""#,
        r#""x":1,"x":1"#,
    ] {
        for body in [good.replacen('{', &format!("{{{twice},"), 1), good.replace('}', &format!(",{twice}}}"))]
        {
            assert_eq!(test.ring.verify(&test.forge.sign_text(&header, &body), now()), REFUSED, "{body}");
        }
    }
    for body in [format!("{good}{good}"), format!("[{good}]"), "[".repeat(2_000), String::new()] {
        assert_eq!(test.ring.verify(&test.forge.sign_text(&header, &body), now()), REFUSED);
    }
}

#[test]
fn a_claim_that_is_not_known_is_ignored() {
    let test = ring();
    assert_eq!(with_claim(&test, "auth_time", json!({ "any": ["thing"] })), Ok(claims()));
}
