//! Browser and platform of a signed-in person, by name.
//!
//! Only the two names are kept: they let people recognise their own sign-ins, and identify nobody. The table
//! is short on purpose. An unknown browser is reported as such, and nothing depends on the answer.

use std::fmt;

crate::named_enum! {
    /// A family of browsers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Browser {
        /// Microsoft Edge.
        Edge = "edge",
        /// Opera.
        Opera = "opera",
        /// Samsung Internet.
        SamsungInternet = "samsung_internet",
        /// Firefox.
        Firefox = "firefox",
        /// Chrome and Chromium.
        Chrome = "chrome",
        /// Safari.
        Safari = "safari",
        /// Any other program.
        Other = "other",
    }
}

crate::named_enum! {
    /// A family of operating systems.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Platform {
        /// iPhone.
        IPhone = "iphone",
        /// iPad, unless it requests desktop pages.
        IPad = "ipad",
        /// Android.
        Android = "android",
        /// Windows.
        Windows = "windows",
        /// macOS.
        MacOs = "macos",
        /// `ChromeOS`.
        ChromeOs = "chromeos",
        /// Linux.
        Linux = "linux",
        /// Any other.
        Other = "other",
    }
}

/// Browsers by the text that only they send; the first match wins, because most also send the names of
/// others.
const BROWSERS: [(&str, Browser); 12] = [
    ("Edg/", Browser::Edge),
    ("EdgA/", Browser::Edge),
    ("EdgiOS/", Browser::Edge),
    ("OPR/", Browser::Opera),
    ("OPT/", Browser::Opera),
    ("SamsungBrowser/", Browser::SamsungInternet),
    ("Firefox/", Browser::Firefox),
    ("FxiOS/", Browser::Firefox),
    ("CriOS/", Browser::Chrome),
    ("Chrome/", Browser::Chrome),
    ("Chromium/", Browser::Chrome),
    ("Safari/", Browser::Safari),
];

/// Platforms in the same way.
const PLATFORMS: [(&str, Platform); 7] = [
    ("iPhone", Platform::IPhone),
    ("iPad", Platform::IPad),
    ("Android", Platform::Android),
    ("Windows", Platform::Windows),
    ("CrOS", Platform::ChromeOs),
    ("Macintosh", Platform::MacOs),
    ("Linux", Platform::Linux),
];

/// A browser on a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// The browser.
    pub browser: Browser,
    /// The platform.
    pub platform: Platform,
}

impl Device {
    /// Recognises a `User-Agent` header.
    pub fn from_user_agent(text: &str) -> Self {
        fn first<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
            table.iter().find(|(part, _)| text.contains(part)).map(|(_, value)| *value)
        }
        Self {
            browser: first(&BROWSERS, text).unwrap_or(Browser::Other),
            platform: first(&PLATFORMS, text).unwrap_or(Platform::Other),
        }
    }

    /// Returns the stored form: `firefox/android`.
    pub fn stored(self) -> String {
        format!("{}/{}", self.browser.as_str(), self.platform.as_str())
    }

    /// Parses the stored form.
    pub fn parse(text: &str) -> Option<Self> {
        let (browser, platform) = text.split_once('/')?;
        Some(Self { browser: Browser::parse(browser)?, platform: Platform::parse(platform)? })
    }
}

impl Browser {
    const fn name(self) -> &'static str {
        match self {
            Self::Edge => "Edge",
            Self::Opera => "Opera",
            Self::SamsungInternet => "Samsung Internet",
            Self::Firefox => "Firefox",
            Self::Chrome => "Chrome",
            Self::Safari => "Safari",
            Self::Other => "Unknown browser",
        }
    }
}

impl Platform {
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::IPhone => Some("iPhone"),
            Self::IPad => Some("iPad"),
            Self::Android => Some("Android"),
            Self::Windows => Some("Windows"),
            Self::MacOs => Some("Mac"),
            Self::ChromeOs => Some("ChromeOS"),
            Self::Linux => Some("Linux"),
            Self::Other => None,
        }
    }
}

impl fmt::Display for Device {
    /// Writes the name for people: `Firefox on Android`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.browser.name())?;
        self.platform.name().map_or(Ok(()), |platform| write!(f, " on {platform}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_browsers_are_recognised() {
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (text, name) in [
            (format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/142.0 Safari/537.36"), "Chrome on Windows"),
            (format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/142.0 Safari/537.36 Edg/142.0"), "Edge on Windows"),
            (format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {webkit} Chrome/142.0 Safari/537.36"), "Chrome on ChromeOS"),
            (format!("Mozilla/5.0 (Linux; Android 10; K) {webkit} Chrome/142.0 Mobile Safari/537.36"), "Chrome on Android"),
            (
                format!("Mozilla/5.0 (Linux; Android 10; K) {webkit} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36"),
                "Samsung Internet on Android",
            ),
            (format!("Mozilla/5.0 (X11; Linux x86_64) {webkit} Chrome/142.0 Safari/537.36 OPR/124.0"), "Opera on Linux"),
            ("Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0".to_owned(), "Firefox on Android"),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0".to_owned(), "Firefox on Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile/15E148 Safari/604.1".to_owned(),
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 CriOS/142.0 Mobile/15E148 Safari/604.1".to_owned(),
                "Chrome on iPad",
            ),
            ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15".to_owned(), "Safari on Mac"),
            ("curl/8.5.0".to_owned(), "Unknown browser"),
            (String::new(), "Unknown browser"),
        ] {
            assert_eq!(Device::from_user_agent(&text).to_string(), name, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_header_parses_to_a_device_that_round_trips(text in ".*") {
            let device = Device::from_user_agent(&text);
            prop_assert_eq!(Device::parse(&device.stored()), Some(device));
        }
    }

    #[test]
    fn any_other_text_is_not_a_device() {
        for text in ["", "firefox", "Firefox/android", "firefox/android/x", "firefox/android "] {
            assert_eq!(Device::parse(text), None, "{text}");
        }
    }
}
