use super::*;
use std::collections::HashSet;

#[test]
fn every_code_is_unique_and_its_text_fits_an_error_description() {
    let codes: HashSet<_> = Fault::ALL.iter().map(|fault| fault.row().code).collect();
    assert_eq!(codes.len(), Fault::ALL.len());
    for fault in Fault::ALL {
        let row = fault.row();
        assert!(
            row.meaning.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\'),
            "{}",
            row.code
        );
        assert!((400..600).contains(&row.status), "{}", row.code);
        assert!(row.code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", row.code);
    }
}

#[test]
fn the_token_endpoints_use_only_the_codes_of_the_decisions_with_their_status() {
    let allowed = [
        ("invalid_request", 400..=499),
        ("invalid_client", 401..=401),
        ("invalid_grant", 400..=400),
        ("unauthorized_client", 400..=400),
        ("unsupported_grant_type", 400..=400),
        ("invalid_scope", 400..=400),
        // RFC 8707 section 2.
        ("invalid_target", 400..=400),
        // RFC 7009 section 2.2.1.
        ("unsupported_token_type", 400..=400),
        ("temporarily_unavailable", 429..=503),
        ("server_error", 500..=503),
    ];
    for fault in Fault::ALL {
        let row = fault.row();
        let (_, statuses) = allowed.iter().find(|(name, _)| *name == row.oauth_error()).expect(row.code);
        assert!(statuses.contains(&row.status), "{}", row.code);
    }
}

// An interrupted COMMIT may have succeeded.
#[test]
fn an_outage_promises_nothing_about_what_was_stored() {
    let meaning = Fault::StorageUnavailable.row().meaning;
    assert!(!meaning.contains("nothing") && meaning.contains("is treated as replayed"), "{meaning}");
}

#[test]
fn the_reference_has_an_anchor_for_every_code() {
    let page = error_reference();
    for fault in Fault::ALL {
        assert!(page.contains(&format!("\n## {}\n", fault.row().code)));
    }
}

#[test]
fn an_error_about_a_service_scope_does_not_suggest_asking_the_person() {
    let detail =
        |scopes| Problem::insufficient_scope(ScopeSet::parse(scopes).unwrap()).detail_text().into_owned();
    for scope in ["users:write", "profile:write", "sleep:write", "supplements:write", "sleep sleep:write"] {
        let expected =
            format!("Only a service client with the scope {scope} may do this; users cannot grant it.");
        assert_eq!(detail(scope), expected);
    }
    assert!(detail("sleep").contains("ask the user to grant it"));
}
