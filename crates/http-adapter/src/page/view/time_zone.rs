//! The zones to choose from.

use chrono_tz::TZ_VARIANTS;

/// The first parts of the names of zones that are places. What else the database has (`US/Eastern`, `Etc/GMT+3`,
/// `CET`) is an old name of one of them or no place, and only makes the list longer.
const REGIONS: [&str; 9] =
    ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// A part of the world with its zones.
pub(super) struct Region {
    pub(super) name: &'static str,
    pub(super) zones: Vec<Zone>,
}

/// A zone to choose.
pub(super) struct Zone {
    /// The name in the IANA database, which the form sends.
    pub(super) name: &'static str,
    /// The city, with its country where the database names it: `Buenos Aires (Argentina)`.
    pub(super) label: String,
}

/// Lists all places, by region and city, and UTC at the end.
pub(super) fn regions() -> Vec<Region> {
    let mut regions: Vec<_> = REGIONS.into_iter().map(region).collect();
    let utc = Zone { name: "UTC", label: "UTC (no daylight saving time)".to_owned() };
    regions.push(Region { name: "Other", zones: vec![utc] });
    regions
}

fn region(region: &'static str) -> Region {
    let places = TZ_VARIANTS.iter().filter_map(|zone| {
        let (first, place) = zone.name().split_once('/')?;
        (first == region).then(|| Zone { name: zone.name(), label: label(place) })
    });
    let mut zones: Vec<_> = places.collect();
    zones.sort_by(|one, other| one.label.cmp(&other.label));
    Region { name: region, zones }
}

fn label(place: &str) -> String {
    let words = place.replace('_', " ");
    match words.split_once('/') {
        Some((country, city)) => format!("{city} ({country})"),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::TimeZone;

    #[test]
    fn every_zone_to_choose_is_one_that_the_domain_knows() {
        for zone in regions().iter().flat_map(|region| &region.zones) {
            assert!(TimeZone::parse(zone.name).is_ok(), "{}", zone.name);
        }
    }

    #[test]
    fn a_city_comes_before_its_country_so_that_typing_it_finds_it() {
        let all: Vec<_> = regions().into_iter().flat_map(|region| region.zones).collect();
        let found = all.iter().find(|zone| zone.name == "America/Argentina/Buenos_Aires").unwrap();
        assert_eq!(found.label, "Buenos Aires (Argentina)");
        assert!(all.iter().any(|zone| zone.name == "UTC"));
    }

    #[test]
    fn zones_are_listed_by_city() {
        for region in regions() {
            assert!(region.zones.is_sorted_by(|one, other| one.label <= other.label), "{}", region.name);
        }
    }
}
