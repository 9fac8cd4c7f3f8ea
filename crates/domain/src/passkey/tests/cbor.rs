//! CBOR and COSE keys.

use super::{bytes, eddsa, es256, head, rs256, text};
use crate::passkey::cbor::CborReader;
use crate::passkey::key::{InvalidKey, KeyMaterial, PasskeyKey};
use proptest::prelude::*;

/// A CBOR value of the kinds that are skipped.
#[derive(Debug, Clone)]
enum Value {
    Number(u16),
    Bytes(Vec<u8>),
    Text(String),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Number(number) => head(0, usize::from(*number)),
            Self::Bytes(value) => bytes(value),
            Self::Text(value) => text(value),
            Self::Array(items) => {
                [head(4, items.len()), items.iter().flat_map(Self::encode).collect()].concat()
            }
            Self::Map(pairs) => {
                let encoded = pairs.iter().flat_map(|(key, value)| [key.encode(), value.encode()].concat());
                [head(5, pairs.len()), encoded.collect()].concat()
            }
        }
    }
}

/// Values with at most four levels.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<u16>().prop_map(Value::Number),
        proptest::collection::vec(any::<u8>(), 0..30).prop_map(Value::Bytes),
        ".{0,9}".prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((inner.clone(), inner), 0..4).prop_map(Value::Map),
        ]
    })
}

#[test]
fn four_levels_are_skipped_and_five_are_not() {
    for (levels, expected) in [(1, true), (4, true), (5, false), (5000, false)] {
        let nested = [vec![0x81; levels], vec![0]].concat();
        assert_eq!(CborReader::new(&nested).skip().is_ok(), expected, "{levels}");
    }
}

#[test]
fn tags_indefinite_and_reserved_lengths_are_rejected() {
    for item in [&[0xc0, 0][..], &[0x5f, 0x41, 0, 0xff], &[0x9f, 0xff], &[0xbf, 0xff], &[0x1c], &[0xff]] {
        assert!(CborReader::new(item).skip().is_err(), "{item:x?}");
    }
}

#[test]
fn a_length_beyond_the_end_is_rejected() {
    for major in [2, 3, 4, 5] {
        let huge = [&[(major << 5) | 0x1b], u64::MAX.to_be_bytes().as_slice()].concat();
        assert!(CborReader::new(&huge).skip().is_err(), "{major}");
    }
}

#[test]
fn integers_have_their_sign_and_range() {
    for (item, expected) in [
        (&[0x17][..], Ok(23)),
        (&[0x18, 0xff], Ok(255)),
        (&[0x26], Ok(-7)),
        (&[0x39, 1, 0], Ok(-257)),
        (&[0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0], Err(())),
        (&[0x41, 0], Err(())),
    ] {
        assert_eq!(CborReader::new(item).integer().map_err(drop), expected, "{item:x?}");
    }
}

#[test]
fn keys_of_the_offered_algorithms_are_parsed() {
    let key = PasskeyKey::parse(&es256()).unwrap();
    assert_eq!((key.algorithm(), key.material()), (-7, &KeyMaterial::Es256 { x: [7; 32], y: [8; 32] }));
    let key = PasskeyKey::parse(&eddsa()).unwrap();
    assert_eq!((key.algorithm(), key.material()), (-8, &KeyMaterial::EdDsa { x: [9; 32] }));
    let (n, e) = (vec![0xff; 256], vec![1, 0, 1]);
    let key = PasskeyKey::parse(&rs256(&n, &e)).unwrap();
    assert_eq!((key.algorithm(), key.material()), (-257, &KeyMaterial::Rs256 { n, e }));
}

#[test]
fn malformed_keys_are_rejected() {
    let es256 = es256();
    let with = |at: usize, byte: u8| {
        let mut key = es256.clone();
        key[at] = byte;
        key
    };
    for (why, key) in [
        ("no map", vec![0x80]),
        ("empty", vec![0xa0]),
        ("another key type", with(2, 1)),
        ("another curve", with(6, 2)),
        ("a label twice", with(3, 1)),
        ("a short coordinate", [&es256[..8], &bytes(&[7; 31]), &es256[42..]].concat()),
        ("a text as coordinate", with(8, 0x78)),
        ("a short modulus", rs256(&[0xff; 255], &[3])),
        ("a long modulus", rs256(&[0xff; 1025], &[3])),
        ("a leading zero", rs256(&[&[0], [0xff; 256].as_slice()].concat(), &[3])),
        ("no exponent", rs256(&[0xff; 256], &[])),
        ("a long exponent", rs256(&[0xff; 256], &[1; 9])),
        ("trailing", [es256.as_slice(), &[0]].concat()),
    ] {
        assert_eq!(PasskeyKey::parse(&key), Err(InvalidKey::Malformed), "{why}");
    }
}

proptest! {
    #[test]
    fn a_value_is_skipped_to_its_end(value in value(), rest in any::<[u8; 3]>()) {
        let item = value.encode();
        let both = [item.as_slice(), &rest].concat();
        let mut reader = CborReader::new(&both);
        prop_assert_eq!(reader.skip(), Ok(item.as_slice()));
        prop_assert_eq!(reader.rest(), &rest);
    }

    #[test]
    fn a_truncated_value_is_rejected(value in value(), part in 0.0..1.0) {
        let item = value.encode();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a part of a short length")]
        let length = (item.len() as f64 * part) as usize;
        prop_assert!(CborReader::new(&item[..length]).skip().is_err());
    }

    #[test]
    fn arbitrary_keys_never_panic(key in any::<Vec<u8>>()) {
        if let Ok(parsed) = PasskeyKey::parse(&key) {
            prop_assert_eq!(parsed.as_cose(), key.as_slice());
        }
    }
}
