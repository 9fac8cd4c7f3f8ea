"""A minimal browser for Restwell's pages: cookies, redirects followed by hand, forms.

It runs no scripts. It submits the forms of the pages with the user's input.
"""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests

TIMEOUT = 20


class Forms(HTMLParser):
    """The forms of a page with their controls, in page order."""

    def __init__(self, page):
        super().__init__()
        self.forms = []
        self.is_in_form = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.is_in_form = True
            self.forms.append({"attributes": attributes, "controls": []})
        elif tag in ("input", "button") and self.is_in_form and "disabled" not in attributes:
            kind = attributes.get("type") or ("submit" if tag == "button" else "text")
            self.forms[-1]["controls"].append((kind.lower(), attributes))

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_in_form = False

    def with_control(self, name):
        """Returns the first form that has a control of this name."""
        for form in self.forms:
            if any(attributes.get("name") == name for _, attributes in form["controls"]):
                return form
        return None


class Browser:
    """A browser with its cookies, for one user."""

    def __init__(self, base, email, password):
        self.base = base
        self.email = email
        self.password = password
        self.session = requests.Session()
        # Ignore the shell's proxies and .netrc.
        self.session.trust_env = False
        self.pages = []
        self.offered = []

    def authorize(self, url, redirect_uri, allow):
        """Follows an app's authorization URL and returns the redirect back to the app.

        `allow` holds the scopes that the user grants; None presses Deny.
        """
        self.pages = []
        response = self._get(url, "cross-site")
        for _ in range(12):
            if response.is_redirect:
                target = urljoin(response.url, response.headers["Location"])
                if target.startswith(redirect_uri):
                    return target
                # RFC 9700 section 4.12: any status but 303 may resend the form.
                assert response.status_code == 303, f"a redirect with status {response.status_code}"
                response = self._get(target, response.request.headers["Sec-Fetch-Site"])
                continue
            assert response.status_code == 200, f"{response.status_code} at {urlsplit(response.url).path}"
            response = self._submit_page(response, allow)
        raise AssertionError(f"no redirect back to the app after {self.pages}")

    def submit_form(self, path, control, values):
        """Opens a page, submits its first form that has a control of this name, and returns the next page."""
        page = self._get(self.base + path, "none")
        form = Forms(page.text).with_control(control)
        assert form is not None, f"{page.status_code} at {path}: no form with {control}"
        return self._submit(page, form, values, None).text

    def _submit_page(self, page, allow):
        self.pages.append(urlsplit(page.url).path)
        forms = Forms(page.text)
        consent = forms.with_control("decision")
        if consent is not None:
            self.offered = [a["value"] for _, a in consent["controls"] if a.get("name") == "scope"]
            button = ("decision", "deny" if allow is None else "allow")
            return self._submit(page, consent, {"scope": allow or ()}, button)
        sign_in = forms.with_control("password")
        assert sign_in is not None, f"{self.pages[-1]} has no known form"
        return self._submit(page, sign_in, {"email": self.email, "password": self.password}, None)

    def _submit(self, page, form, values, button):
        """Submits a form: hidden fields, the user's input, and the pressed button."""
        fields = []
        for kind, attributes in form["controls"]:
            name, value = attributes.get("name"), attributes.get("value") or ""
            if not name:
                continue
            if kind in ("submit", "button", "image", "reset"):
                is_sent = (name, value) == button
            elif kind in ("checkbox", "radio"):
                is_sent = value in values[name] if name in values else "checked" in attributes
            else:
                value, is_sent = values.get(name, value), True
            if is_sent:
                fields.append((name, value))
        assert form["attributes"].get("method", "").lower() == "post"
        # With no referrer, browsers send `null` as the origin of forms.
        has_no_referrer = page.headers.get("Referrer-Policy") == "no-referrer"
        target = urljoin(page.url, form["attributes"].get("action") or page.url)
        return self.session.post(
            target, data=fields, allow_redirects=False, timeout=TIMEOUT,
            headers={**navigation_headers("same-origin"), "Origin": "null" if has_no_referrer else self.base},
        )

    def _get(self, url, site):
        return self.session.get(url, allow_redirects=False, timeout=TIMEOUT, headers=navigation_headers(site))


def navigation_headers(site):
    """Returns the headers that browsers send with a link or form."""
    return {
        "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": site,
        "Sec-Fetch-User": "?1",
    }
