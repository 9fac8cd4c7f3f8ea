//! Client addresses: a caller cannot choose its address with the proxy header.
//!
//! The input is the caller's header lines; the first byte selects the header.
#![no_main]

use http_adapter::test_support::named_caller;
use http_adapter::{ClientAddressHeader, TrustedProxies};
use libfuzzer_sys::fuzz_target;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const CALLERS: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7)), IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 7))];

fuzz_target!(|data: &[u8]| {
    let Some((choice, sent)) = data.split_first() else { return };
    let is_standard = choice % 2 == 1;
    let header =
        if is_standard { ClientAddressHeader::Forwarded } else { ClientAddressHeader::XForwardedFor };
    let proxies = TrustedProxies::parse(&["10.0.0.0/8".to_owned()], header).unwrap();
    let lines: Vec<&[u8]> = sent.split(|byte| *byte == b'\n').collect();
    for caller in CALLERS {
        assert_eq!(named_caller(&proxies, caller, &lines), caller, "the header of an untrusted peer is used");
        let element = match (is_standard, caller) {
            (true, IpAddr::V6(_)) => format!("for=\"[{caller}]\""),
            (true, IpAddr::V4(_)) => format!("for={caller}"),
            (false, _) => caller.to_string(),
        };
        let own_line = [lines.as_slice(), &[element.as_bytes()]].concat();
        assert_eq!(named_caller(&proxies, PROXY, &own_line), caller, "the proxy's own line is ignored");
        let (last, before) = lines.split_last().unwrap();
        let last = [last, b", ".as_slice(), element.as_bytes()].concat();
        let named = named_caller(&proxies, PROXY, &[before, &[last.as_slice()]].concat());
        // Quotes that the caller left open can only make the caller appear as the proxy.
        assert!(named == caller || (is_standard && named == PROXY), "{named}");
    }
});
