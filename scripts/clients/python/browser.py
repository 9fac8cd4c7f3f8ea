"""A browser of one person, as far as Restwell's pages need one: cookies, redirects by hand, forms as they stand.

It runs no script and knows no field that the page does not have: what it sends is what the page's own form holds,
with the answers of the person filled in.
"""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import requests

TIMEOUT = 20


class Forms(HTMLParser):
    """The forms of a page with their controls, in page order."""

    CONTROLS = {"input", "button"}

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.inside = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.inside = True
            self.found.append({"attributes": attributes, "controls": []})
        elif tag in self.CONTROLS and self.inside and "disabled" not in attributes:
            kind = attributes.get("type") or ("submit" if tag == "button" else "text")
            self.found[-1]["controls"].append((kind.lower(), attributes))

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False

    def with_control(self, name):
        """Returns the first form that has a control of this name."""
        for form in self.found:
            if any(attributes.get("name") == name for _, attributes in form["controls"]):
                return form
        return None


class Browser:
    """A browser with separate cookies."""

    def __init__(self, base, email, password):
        self.base = base
        self.email = email
        self.password = password
        self.session = requests.Session()
        # Without the shell's proxies and .netrc.
        self.session.trust_env = False
        self.pages = []
        self.offered = []

    def authorize(self, url, redirect_uri, allow):
        """Goes where an app sends the person, and returns the address of the app to which they come back.

        `allow` holds the scopes that the person ticks; None stands for the button that denies.
        """
        self.pages = []
        answer = self._get(url, "cross-site")
        for _ in range(12):
            if answer.is_redirect:
                target = urljoin(answer.url, answer.headers["Location"])
                if target.startswith(redirect_uri):
                    return target
                # RFC 9700 section 4.12: anything but 303 may carry the form on.
                assert answer.status_code == 303, f"a redirect by {answer.status_code}"
                answer = self._get(target, answer.request.headers["Sec-Fetch-Site"])
                continue
            assert answer.status_code == 200, f"{answer.status_code} at {urlsplit(answer.url).path}"
            answer = self._answer_page(answer, allow)
        raise AssertionError(f"no way back to the app, but {self.pages}")

    def send_form(self, path, control, answers):
        """Opens a page, submits its first form that has a control of this name, and returns the answer."""
        page = self._get(self.base + path, "none")
        form = Forms(page.text).with_control(control)
        assert form is not None, f"{page.status_code} at {path}: no form with {control}"
        return self._submit(page, form, answers, None).text

    def _answer_page(self, page, allow):
        self.pages.append(urlsplit(page.url).path)
        forms = Forms(page.text)
        consent = forms.with_control("decision")
        if consent is not None:
            self.offered = [a["value"] for _, a in consent["controls"] if a.get("name") == "scope"]
            pressed = ("decision", "deny" if allow is None else "allow")
            return self._submit(page, consent, {"scope": allow or ()}, pressed)
        sign_in = forms.with_control("password")
        assert sign_in is not None, f"{self.pages[-1]} has no form that is known here"
        return self._submit(page, sign_in, {"email": self.email, "password": self.password}, None)

    def _submit(self, page, form, answers, pressed):
        """Submits a form: hidden fields, the person's answers, and the pressed button."""
        fields = []
        for kind, attributes in form["controls"]:
            name, value = attributes.get("name"), attributes.get("value") or ""
            if not name:
                continue
            if kind in ("submit", "button", "image", "reset"):
                send = (name, value) == pressed
            elif kind in ("checkbox", "radio"):
                send = value in answers[name] if name in answers else "checked" in attributes
            else:
                value, send = answers.get(name, value), True
            if send:
                fields.append((name, value))
        assert form["attributes"].get("method", "").lower() == "post"
        # With no referrer, browsers send `null` as the origin of forms.
        silent = page.headers.get("Referrer-Policy") == "no-referrer"
        target = urljoin(page.url, form["attributes"].get("action") or page.url)
        return self.session.post(
            target, data=fields, allow_redirects=False, timeout=TIMEOUT,
            headers={**navigation("same-origin"), "Origin": "null" if silent else self.base},
        )

    def _get(self, url, site):
        return self.session.get(url, allow_redirects=False, timeout=TIMEOUT, headers=navigation(site))


def navigation(site):
    """Returns the headers that browsers send with a link or form."""
    return {
        "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Site": site,
        "Sec-Fetch-User": "?1",
    }
