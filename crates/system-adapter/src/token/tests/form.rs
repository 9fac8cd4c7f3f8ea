//! T60, T61, T62, T65 (header), T66: text, algorithm, key and type.

use super::*;
use jsonwebtoken::{Algorithm, EncodingKey, crypto};
use proptest::prelude::*;

/// Signs a valid body with another header.
fn with_signature(test: &TestKeyRing, header: &Value, sign: impl Fn(&[u8]) -> String) -> String {
    let body = test.forge.body(&claims()).to_string();
    let message = format!("{}.{}", URL_SAFE_NO_PAD.encode(header.to_string()), URL_SAFE_NO_PAD.encode(body));
    let signature = sign(message.as_bytes());
    format!("{message}.{signature}")
}

#[test]
fn t60_a_token_without_a_signature_is_refused() {
    let test = ring();
    let (header, body, signature) = parts(&test.ring.sign(&claims()).unwrap());
    for alg in ["none", "None", "nOnE", "NONE", ""] {
        let mut unsigned = test.forge.header();
        unsigned["alg"] = json!(alg);
        for end in [String::new(), signature.clone(), "AAAA".into()] {
            let token = with_signature(&test, &unsigned, |_| end.clone());
            assert_eq!(test.ring.verify(&token, now()), REFUSED, "{alg}");
        }
    }
    for token in [
        format!("{header}.{body}."),
        format!("{header}.{body}"),
        format!("{header}.{body}.{}", URL_SAFE_NO_PAD.encode([0; 64])),
        format!("{header}.{body}.{}", signature.split_at(40).0),
        format!("{header}.{body}.{signature}AAAA"),
    ] {
        assert_eq!(test.ring.verify(&token, now()), REFUSED, "{token}");
    }
}

#[test]
fn t60_a_token_with_other_parts_padding_or_whitespace_is_refused() {
    let test = ring();
    let good = test.ring.sign(&claims()).unwrap();
    let (header, body, signature) = parts(&good);
    for token in [
        String::new(),
        ".".into(),
        "..".into(),
        "...".into(),
        header.clone(),
        format!("{good}.{signature}"),
        format!("{good}."),
        format!(".{good}"),
        format!("{header}..{body}.{signature}"),
        format!("{good}="),
        format!("{good}=="),
        format!("{header}=.{body}.{signature}"),
        format!(" {good}"),
        format!("{good} "),
        format!("{good}\n"),
        format!("{header}. {body}.{signature}"),
        format!("\u{feff}{good}"),
        format!("Bearer {good}"),
    ] {
        assert_eq!(test.ring.verify(&token, now()), REFUSED, "{token}");
    }
    assert!(test.ring.verify(&good, now()).is_ok());
}

#[test]
fn t61_a_token_of_another_algorithm_is_refused_whatever_key_signed_it() {
    let test = ring();
    let key_set = serde_json::to_string(&test.ring.public_key_set()).unwrap();
    let secrets = [test.key.public_key.to_vec(), key_set.into_bytes(), Vec::new()];
    for (alg, algorithm) in
        [("HS256", Algorithm::HS256), ("HS384", Algorithm::HS384), ("HS512", Algorithm::HS512)]
    {
        let mut header = test.forge.header();
        header["alg"] = json!(alg);
        for secret in &secrets {
            let token = with_signature(&test, &header, |message| {
                crypto::sign(message, &EncodingKey::from_secret(secret), algorithm).unwrap()
            });
            assert_eq!(test.ring.verify(&token, now()), REFUSED, "{alg}");
        }
    }
    // Their signatures are valid: only the name of the algorithm is wrong.
    for alg in ["HS256", "RS256", "PS256", "ES256", "ES256K", "Ed448", "eddsa", "EDDSA", "EdDSA "] {
        assert_eq!(with_header(&test, "alg", json!(alg)), REFUSED, "{alg}");
    }
    for alg in [json!(null), json!(1), json!(["EdDSA"])] {
        assert_eq!(with_header(&test, "alg", alg), REFUSED);
    }
}

#[test]
fn t61_a_key_in_the_header_is_ignored() {
    let test = ring();
    let attacker = ring();
    let own_key = serde_json::to_value(&attacker.ring.public_key_set().keys[0]).unwrap();
    for (name, value) in [
        ("jwk", own_key),
        ("jku", json!("https://attacker.example/jwks.json")),
        ("x5u", json!("https://attacker.example/chain.pem")),
        ("x5c", json!(["MIIB"])),
    ] {
        let mut header = test.forge.header();
        header[name] = value.clone();
        let forged = attacker.forge.sign(&header, &test.forge.body(&claims()));
        assert_eq!(test.ring.verify(&forged, now()), REFUSED, "{name}");
        assert_eq!(with_header(&test, name, value), Ok(claims()), "{name} is ignored in a token of ours");
    }
}

#[test]
fn t62_a_token_with_an_unusable_kid_is_refused() {
    let test = ring();
    let kid = test.key.id.to_string();
    for value in [
        json!("00000000-0000-4000-8000-000000000000"),
        json!(""),
        json!("../../dev/null"),
        json!("' OR 1=1 --"),
        json!(format!("{kid}\u{0}")),
        json!(format!("{{{kid}}}")),
        json!(kid.replace('-', "")),
        json!("k".repeat(2_000)),
        json!(7),
        json!([kid]),
        json!({ "kid": kid }),
        json!(null),
        json!(true),
    ] {
        assert_eq!(with_header(&test, "kid", value.clone()), REFUSED, "{value}");
    }
    let mut without = test.forge.header();
    without.as_object_mut().unwrap().remove("kid");
    let token = test.forge.sign(&without, &test.forge.body(&claims()));
    assert_eq!(test.ring.verify(&token, now()), REFUSED);
    assert_eq!(with_header(&test, "kid", json!("k".repeat(10_240))), REFUSED);
}

#[test]
fn t65_a_token_of_another_type_is_refused() {
    let test = ring();
    for value in [
        json!("JWT"),
        json!("jwt"),
        json!(""),
        json!("at"),
        json!("at+jwt "),
        json!("id+jwt"),
        json!("consent+jwt"),
        json!("text/at+jwt"),
        json!("application/application/at+jwt"),
        json!("application/JWT"),
        json!(null),
        json!(1),
        json!(["at+jwt"]),
    ] {
        assert_eq!(with_header(&test, "typ", value.clone()), REFUSED, "{value}");
    }
    for text in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/At+Jwt"] {
        assert_eq!(with_header(&test, "typ", json!(text)), Ok(claims()), "{text}");
    }
}

#[test]
fn t65_any_critical_extension_is_refused() {
    let test = ring();
    for value in [json!(["exp"]), json!(["b64"]), json!([]), json!(null), json!("exp")] {
        assert_eq!(with_header(&test, "crit", value.clone()), REFUSED, "{value}");
    }
}

#[test]
fn t65_a_duplicate_name_in_the_header_is_rejected() {
    let test = ring();
    let (kid, body) = (test.key.id, test.forge.body(&claims()).to_string());
    let good = format!(r#"{{"alg":"EdDSA","typ":"at+jwt","kid":"{kid}"}}"#);
    assert!(test.ring.verify(&test.forge.sign_text(&good, &body), now()).is_ok());
    for header in [
        format!(r#"{{"alg":"none","alg":"EdDSA","typ":"at+jwt","kid":"{kid}"}}"#),
        format!(r#"{{"alg":"EdDSA","typ":"at+jwt","kid":"{kid}","kid":"{kid}"}}"#),
        format!(r#"{{"alg":"EdDSA","typ":"JWT","typ":"at+jwt","kid":"{kid}"}}"#),
        format!(r#"{{"alg":"EdDSA","typ":"at+jwt","kid":"{kid}","x":1,"x":1}}"#),
        format!(r#"{{"alg":"EdDSA","\u0061lg":"EdDSA","typ":"at+jwt","kid":"{kid}"}}"#),
        format!("{good}{good}"),
        format!("[{good}]"),
        String::new(),
        "null".into(),
        "\u{feff}{}".into(),
    ] {
        assert_eq!(test.ring.verify(&test.forge.sign_text(&header, &body), now()), REFUSED, "{header}");
    }
}

#[test]
fn t66_a_token_above_4_kib_is_refused_although_its_signature_holds() {
    let test = ring();
    let padded = |length: usize| {
        let mut body = test.forge.body(&claims());
        body["x"] = json!("x".repeat(length));
        test.forge.sign(&test.forge.header(), &body)
    };
    let just_over = (2_000..4_000).map(padded).find(|token| token.len() > 4_096).unwrap();
    let just_under = (2_000..4_000).rev().map(padded).find(|token| token.len() <= 4_096).unwrap();
    assert!(just_over.len() <= 4_098 && just_under.len() >= 4_094);
    assert_eq!(test.ring.verify(&just_over, now()), REFUSED);
    assert_eq!(test.ring.verify(&just_under, now()), Ok(claims()));
    assert_eq!(test.ring.verify(&"a.".repeat(1_000_000), now()), REFUSED);
}

proptest! {
    #[test]
    fn no_text_is_accepted_or_makes_the_verifier_panic(text in ".*") {
        prop_assert_eq!(ring().ring.verify(&text, now()), REFUSED);
    }

    #[test]
    fn verifying_any_signed_json_never_panics(header in ".*", body in "\\{.*\\}") {
        let test = ring();
        let good = test.forge.header().to_string();
        prop_assert_eq!(test.ring.verify(&test.forge.sign_text(&header, &body), now()), REFUSED);
        prop_assert_eq!(test.ring.verify(&test.forge.sign_text(&good, &body), now()), REFUSED);
    }

    #[test]
    fn a_valid_token_with_one_changed_character_is_rejected(at in any::<prop::sample::Index>(), to in "[A-Za-z0-9_.=-]") {
        let test = ring();
        let good = test.ring.sign(&claims()).unwrap();
        let at = at.index(good.len());
        let altered = format!("{}{to}{}", good.split_at(at).0, good.split_at(at + 1).1);
        prop_assume!(altered != good);
        prop_assert!(test.ring.verify(&good, now()).is_ok());
        prop_assert_eq!(test.ring.verify(&altered, now()), REFUSED);
    }

    #[test]
    fn a_truncated_token_is_rejected(at in any::<prop::sample::Index>()) {
        let test = ring();
        let good = test.ring.sign(&claims()).unwrap();
        prop_assert_eq!(test.ring.verify(good.split_at(at.index(good.len())).0, now()), REFUSED);
    }
}
