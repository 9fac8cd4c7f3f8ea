//! Selectable time zones.

use domain::time::TimeZone;

/// First parts of the names of zones.
const REGIONS: [&str; 10] = [
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
];

/// Part of the world with its zones.
pub(crate) struct Region {
    pub(crate) name: &'static str,
    pub(crate) zones: Vec<Zone>,
}

/// Selectable zone.
pub(crate) struct Zone {
    /// Name in the IANA database, for the form.
    pub(crate) name: &'static str,
    /// City, with its country if the database names it: `Buenos Aires (Argentina)`.
    pub(crate) label: String,
}

/// Lists all places by region and city, followed by UTC.
pub(crate) fn regions() -> Vec<Region> {
    let mut regions: Vec<_> = REGIONS.into_iter().map(region).collect();
    let utc = Zone { name: "UTC", label: "UTC (no daylight saving time)".to_owned() };
    regions.push(Region { name: "Other", zones: vec![utc] });
    regions
}

fn region(region: &'static str) -> Region {
    let places = TimeZone::current_names().filter_map(|name| {
        let (first, place) = name.split_once('/')?;
        (first == region).then(|| Zone { name, label: label(place) })
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

    #[test]
    fn every_selectable_zone_is_valid_in_the_domain() {
        for zone in regions().iter().flat_map(|region| &region.zones) {
            assert!(TimeZone::parse_current(zone.name).is_ok(), "{}", zone.name);
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
