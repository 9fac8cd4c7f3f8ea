use super::{ClientAddressHeader, TrustedProxies};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn trusting(header: ClientAddressHeader) -> TrustedProxies {
    let entries = ["10.0.0.0/8", "192.0.2.7", "2001:db8:ffff::/48"].map(str::to_owned);
    TrustedProxies::parse(&entries, header).unwrap()
}

fn by_list(peer: &str, lines: &[&str]) -> String {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
    trusting(ClientAddressHeader::XForwardedFor).caller(ip(peer), &lines).to_string()
}

fn by_forwarded(lines: &[&str]) -> String {
    let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
    trusting(ClientAddressHeader::Forwarded).caller(PROXY, &lines).to_string()
}

// T83
#[test]
fn only_headers_of_trusted_proxies_are_used() {
    assert_eq!(by_list("198.51.100.9", &["203.0.113.7"]), "198.51.100.9");
    assert_eq!(by_list("192.0.2.8", &["203.0.113.7"]), "192.0.2.8");
    assert_eq!(TrustedProxies::default().caller(PROXY, &[b"203.0.113.7"]), PROXY);
}

// T83
#[test]
fn the_last_hop_that_is_not_a_proxy_is_the_caller() {
    for (lines, expected) in [
        (vec![], "10.0.0.1"),
        (vec!["203.0.113.7"], "203.0.113.7"),
        (vec!["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
        (vec!["198.51.100.1, 203.0.113.7, 10.9.9.9, 192.0.2.7"], "203.0.113.7"),
        (vec!["198.51.100.1", "203.0.113.7", "10.9.9.9"], "203.0.113.7"),
        (vec!["198.51.100.1, 203.0.113.7", "10.9.9.9 ,\t192.0.2.7"], "203.0.113.7"),
        (vec!["10.2.2.2, 10.3.3.3"], "10.2.2.2"),
        (vec!["2001:db8::7, 2001:db8:ffff::1"], "2001:db8::7"),
    ] {
        assert_eq!(by_list("10.0.0.1", &lines), expected, "{lines:?}");
    }
    assert_eq!(by_list("::ffff:10.0.0.1", &["::ffff:203.0.113.7"]), "203.0.113.7");
}

#[test]
fn a_port_and_brackets_are_removed() {
    for text in ["203.0.113.7:4711", "203.0.113.7:_hidden", "203.0.113.7"] {
        assert_eq!(by_list("10.0.0.1", &[text]), "203.0.113.7", "{text}");
    }
    for text in ["2001:db8::7", "[2001:db8::7]", "[2001:db8::7]:4711"] {
        assert_eq!(by_list("10.0.0.1", &[text]), "2001:db8::7", "{text}");
    }
}

// T83
#[test]
fn a_hop_without_an_address_ends_the_search_at_the_last_trusted_hop() {
    for text in [
        "",
        " ",
        ",",
        "unknown",
        "_hidden",
        "owl",
        "203.0.113.7:",
        "203.0.113.7:port",
        "203.0.113.7:123456",
        "203.0.113.007",
        "203.0.113",
        "3405803783",
        "0xcb.0.113.7",
        "203.0.113.7 x",
        "\"203.0.113.7\"",
        "for=203.0.113.7",
        "[2001:db8::7",
        "2001:db8::7]",
        "[2001:db8::7]4711",
        "[2001:db8::7]:",
        "fe80::1%eth0",
        "[203.0.113.7]",
        "203.0.113.7\u{a0}",
    ] {
        let line = format!("203.0.113.9, {text}, 10.5.5.5");
        assert_eq!(by_list("10.0.0.1", &[&line]), "10.5.5.5", "{text:?}");
        assert_eq!(by_list("10.0.0.1", &["203.0.113.9", text, "10.5.5.5"]), "10.5.5.5", "{text:?}");
    }
    let not_text: &[&[u8]] = &[b"203.0.113.9", b"203.0.113.7, \xff", b"10.5.5.5"];
    assert_eq!(trusting(ClientAddressHeader::XForwardedFor).caller(PROXY, not_text), ip("10.5.5.5"));
}

#[test]
fn the_standard_header_is_parsed_as_in_its_rfc() {
    for (lines, expected) in [
        (vec!["for=203.0.113.7"], "203.0.113.7"),
        (vec!["For=203.0.113.7;proto=https;by=10.0.0.1"], "203.0.113.7"),
        (vec!["by=10.0.0.1 ; for=\"203.0.113.7:47\";host=\"a;for=198.51.100.1,\""], "203.0.113.7"),
        (vec!["for=\"[2001:db8::7]\""], "2001:db8::7"),
        (vec!["for=\"\\[2001:db8::7]:4711\";;"], "2001:db8::7"),
        (vec!["for=198.51.100.1, for=203.0.113.7, for=10.1.1.1"], "203.0.113.7"),
        (vec!["for=198.51.100.1", "for=203.0.113.7", "for=10.1.1.1"], "203.0.113.7"),
    ] {
        assert_eq!(by_forwarded(&lines), expected, "{lines:?}");
    }
}

#[test]
fn a_malformed_hop_of_the_standard_header_has_no_address() {
    for hop in [
        "",
        "unknown",
        "for",
        "for=",
        "for=unknown",
        "for=_hidden",
        "for=\"_hidden:47\"",
        "for=2001:db8::7",
        "for=[2001:db8::7]",
        "for=203.0.113.7:47",
        "for=\"2001:db8::7\"",
        "for =203.0.113.7",
        "for=203.0.113.7;for=203.0.113.8",
        "for=203.0.113.7;FOR=203.0.113.7",
        "for=203.0.113.7;b y=x",
        "for=\"203.0.113.7",
        "for=\"203.0.113.7\"x",
        "for=\"203.0.113.7\\",
        "proto=https",
    ] {
        assert_eq!(by_forwarded(&["for=203.0.113.9", hop, "for=10.5.5.5"]), "10.5.5.5", "{hop:?}");
    }
}

// T83: the other header is ignored.
#[test]
fn only_the_chosen_header_is_read() {
    use super::address;
    use crate::HttpSettings;
    use crate::tests::Parts;
    use actix_web::test::TestRequest;
    use actix_web::web::Data;
    for (header, expected) in
        [(ClientAddressHeader::XForwardedFor, "203.0.113.1"), (ClientAddressHeader::Forwarded, "203.0.113.2")]
    {
        let settings = HttpSettings { proxies: trusting(header), ..HttpSettings::default() };
        let state = Parts { settings, ..Parts::default() }.build();
        let request = TestRequest::default()
            .app_data(Data::from(state.http.clone()))
            .peer_addr("10.0.0.1:4711".parse().unwrap())
            .insert_header(("x-forwarded-for", "203.0.113.1"))
            .insert_header(("forwarded", "for=203.0.113.2;host=evil.example;proto=https"))
            .insert_header(("x-real-ip", "203.0.113.3"))
            .insert_header(("cf-connecting-ip", "203.0.113.4"))
            .insert_header(("true-client-ip", "203.0.113.5"))
            .to_http_request();
        assert_eq!(address(&request).to_string(), expected);
    }
}

#[test]
fn an_invalid_proxy_is_reported_by_position() {
    let parse = |entries: &[&str]| {
        let entries: Vec<String> = entries.iter().map(|entry| (*entry).to_owned()).collect();
        TrustedProxies::parse(&entries, ClientAddressHeader::default())
    };
    assert!(parse(&["10.0.0.0/8", "10.1.2.3", "::1", "2001:db8::/32", "10.1.2.3/8"]).is_ok());
    for wrong in [
        "",
        "owl",
        "10.0.0.0/33",
        "10.0.0",
        "0.0.0.0/0",
        "::/0",
        "*",
        "::ffff:10.0.0.1",
        "proxy.example",
        "10.0.0.0/8 ",
    ] {
        assert_eq!(parse(&["10.0.0.0/8", wrong]).unwrap_err().number, 2, "{wrong:?}");
    }
}

fn address() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits))),
        any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)).to_canonical()),
        Just(PROXY),
    ]
}

/// Arbitrary header text, including fragments of valid values.
fn junk() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        address().prop_map(|address| address.to_string()),
        address().prop_map(|address| format!("for=\"[{address}]:7\"")),
        "[\\x20-\\x7e\\t]{0,12}",
        prop::sample::select(vec![",", ";", "\"", "\\", "for=", "[", "]", ":", "unknown"])
            .prop_map(str::to_owned),
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn element(header: ClientAddressHeader, address: IpAddr) -> String {
    match (header, address) {
        (ClientAddressHeader::XForwardedFor, _) => address.to_string(),
        (ClientAddressHeader::Forwarded, IpAddr::V4(_)) => format!("for={address}"),
        (ClientAddressHeader::Forwarded, IpAddr::V6(_)) => format!("for=\"[{address}]\""),
    }
}

proptest! {
    // T83, T104
    #[test]
    fn no_forged_header_changes_the_caller(
        lines in vec(junk(), 0..4), last in option::of(junk()), caller in address(), standard: bool,
    ) {
        let header =
            if standard { ClientAddressHeader::Forwarded } else { ClientAddressHeader::XForwardedFor };
        let proxies = trusting(header);
        prop_assume!(!proxies.is_trusted(caller));
        let as_bytes = |lines: &[String]| -> IpAddr {
            let lines: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            proxies.caller(PROXY, &lines)
        };
        // Without a proxy, no header is read.
        let direct: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
        prop_assert_eq!(proxies.caller(caller, &direct), caller);
        // A proxy that adds a separate line is trusted for that line.
        let own_line = [lines.as_slice(), &[element(header, caller)]].concat();
        prop_assert_eq!(as_bytes(&own_line), caller);
        // A proxy that appends to the caller's line is trusted too. An open quote of the caller can only make
        // the proxy itself the caller.
        if let Some(last) = last {
            let shared = [lines.as_slice(), &[format!("{last}, {}", element(header, caller))]].concat();
            let named = as_bytes(&shared);
            prop_assert!(named == caller || (standard && named == PROXY), "{named}");
        }
    }
}
