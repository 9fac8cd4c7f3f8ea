//! The measured functions.

use crate::night::Night;
use anyhow::{Context, ensure};
use application::ports::system::TokenVerifier;
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::id::{ClientId, GrantId, TokenId, UserId};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::sleep::SleepMetrics;
use domain::sleep::packed::{StageWalk, check_stages, decode_stages};
use domain::time::{Bound, DateParameter, TimeZone};
use http_adapter::test_support::sleep_items;
use std::hint::black_box;
use system_adapter::TokenParties;
use system_adapter::test_support::TestKeyRing;
use uuid::Uuid;

/// Runs a case this many times.
type Run = fn(u32) -> anyhow::Result<()>;

/// Repeats of the two runs of a case.
type Repeats = [u32; 2];

/// Repeats for cases with a deterministic setup.
const FEW: Repeats = [2, 12];

/// Repeats for tokens: key generation varies by about a million instructions, which must be small beside the
/// difference.
const NEW_TOKENS: Repeats = [20, 420];
const KNOWN_TOKENS: Repeats = [1_000, 101_000];

/// All cases by name.
pub(crate) const PIECES: [(&str, Repeats, Run); 9] = [
    ("token-check-first", NEW_TOKENS, token_check_first),
    ("token-check-again", KNOWN_TOKENS, token_check_again),
    ("date-day", FEW, date_day),
    ("date-time", FEW, date_time),
    ("page-writer", FEW, page_writer),
    ("stages-encode", FEW, stages_encode),
    ("stages-walk", FEW, stages_walk),
    ("stages-decode", FEW, stages_decode),
    ("metrics", FEW, metrics),
];

/// Nights on the page that one repeat writes.
const PAGE: u32 = 30;

fn moment() -> anyhow::Result<DateTime<Utc>> {
    DateTime::from_timestamp(1_770_762_600, 0).context("a moment")
}

/// Returns the claims of the token of this number.
fn claims(number: u32) -> anyhow::Result<AccessClaims> {
    let id = |base: u128| Uuid::from_u128(base + u128::from(number));
    let issued_at = moment()?;
    Ok(AccessClaims {
        id: TokenId::from_uuid(id(0x1000_0000)),
        subject: TokenSubject::Person {
            user_id: UserId::from_uuid(id(0x2000_0000)),
            grant_id: GrantId::from_uuid(id(0x3000_0000)),
        },
        client_id: ClientId::from_uuid(id(0x4000_0000)),
        scopes: ScopeSet::CONSENTABLE,
        audience: Resource::Api,
        issued_at,
        expires_at: AccessClaims::end_from(issued_at),
    })
}

/// Returns tokens and the key ring that verifies them.
fn tokens(count: u32) -> anyhow::Result<(TestKeyRing, Vec<String>)> {
    let issuer = "https://rest.example".to_owned();
    let parties = TokenParties { audience: format!("{issuer}/api"), issuer };
    let ring = TestKeyRing::new(parties, moment()?);
    let sign = |number| -> anyhow::Result<String> {
        let body = ring.forge.body(&claims(number)?);
        Ok(ring.forge.sign(&ring.forge.header(), &body))
    };
    let tokens = (0..count).map(sign).collect::<anyhow::Result<_>>()?;
    Ok((ring, tokens))
}

/// Verifies a token for the first time: signature, format, claims. Signing happens for the maximum number of
/// repeats in both runs, so it cancels out.
fn token_check_first(repeats: u32) -> anyhow::Result<()> {
    const SIGNED: u32 = NEW_TOKENS[1];
    ensure!(repeats <= SIGNED, "at most {SIGNED} repeats");
    let (ring, tokens) = tokens(SIGNED)?;
    let now = moment()? + TimeDelta::seconds(1);
    for (token, _) in tokens.iter().zip(0..repeats) {
        black_box(ring.ring.verify(token, now).ok().context("a good token")?);
    }
    Ok(())
}

/// Verifies a cached token.
fn token_check_again(repeats: u32) -> anyhow::Result<()> {
    let (ring, tokens) = tokens(1)?;
    let token = tokens.first().context("a token")?;
    let now = moment()? + TimeDelta::seconds(1);
    black_box(ring.ring.verify(token, now).ok().context("a good token")?);
    for _ in 0..repeats {
        black_box(ring.ring.verify(black_box(token), now).ok().context("a good token")?);
    }
    Ok(())
}

fn date(text: &str, repeats: u32) -> anyhow::Result<()> {
    let zone = TimeZone::parse("Europe/Berlin")?;
    for _ in 0..repeats {
        black_box(DateParameter::parse(black_box(text))?.resolve(zone, Bound::End));
    }
    Ok(())
}

/// A date without a time, as the end of a range.
fn date_day(repeats: u32) -> anyhow::Result<()> {
    date("2026-03-29", repeats)
}

/// A date-time with fraction and offset.
fn date_time(repeats: u32) -> anyhow::Result<()> {
    date("2026-03-29T23:10:00.123+02:00", repeats)
}

/// A page of thirty nights with stages and metrics, from packed rows to JSON.
fn page_writer(repeats: u32) -> anyhow::Result<()> {
    let rows = (0..PAGE).map(|number| Night::new(number).map(|night| night.row()));
    let rows = rows.collect::<anyhow::Result<Vec<_>>>()?;
    for _ in 0..repeats {
        black_box(sleep_items(black_box(rows.clone()))?);
    }
    Ok(())
}

fn stages_encode(repeats: u32) -> anyhow::Result<()> {
    let night = Night::new(0)?;
    for _ in 0..repeats {
        black_box(black_box(&night).stages());
    }
    Ok(())
}

/// Validates and walks the stages of a page.
fn stages_walk(repeats: u32) -> anyhow::Result<()> {
    let night = Night::new(0)?;
    let bytes = night.stages();
    let (start, end) =
        (night.time_in_bed.start().timestamp_millis(), night.time_in_bed.end().timestamp_millis());
    for _ in 0..repeats {
        let bytes = black_box(bytes.as_slice());
        black_box(check_stages(start, end, bytes)?);
        for entry in StageWalk::new(start, bytes)? {
            black_box(entry?);
        }
    }
    Ok(())
}

/// Decodes the stages of a night into entries, as exports and imports do.
fn stages_decode(repeats: u32) -> anyhow::Result<()> {
    let night = Night::new(0)?;
    let bytes = night.stages();
    for _ in 0..repeats {
        black_box(decode_stages(&night.time_in_bed, black_box(&bytes))?);
    }
    Ok(())
}

fn metrics(repeats: u32) -> anyhow::Result<()> {
    let night = Night::new(0)?;
    for _ in 0..repeats {
        black_box(SleepMetrics::from_hypnogram(black_box(&night.time_in_bed), black_box(&night.hypnogram)));
    }
    Ok(())
}
