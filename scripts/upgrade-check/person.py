"""A person in a browser: signs in with a password and a second factor, consents, and uploads a file."""

import base64
import hashlib
import hmac
import re
import time

from browser import TIMEOUT, Browser, Forms, navigation_headers
from deployment import expect, new_session

# Seconds for which a one-time code is valid.
STEP = 30
PAGES = ("/", "/nights", "/supplements", "/apps", "/tokens", "/imports", "/activity", "/profile", "/account")


class Person(Browser):
    """A person with an authenticator app and recovery codes."""

    def __init__(self, base, email, password):
        super().__init__(base, email, password)
        self.secret, self.last_step, self.recovery_codes = None, 0, []

    def sign_in(self):
        """Signs in with the password and, if the account has a second factor, a one-time code."""
        self.session = new_session()
        response = self.submit("/sign-in", "password", {"email": self.email, "password": self.password})
        if self.secret is not None:
            expect("the second step", response.headers.get("Location"), "/sign-in/second-factor")
            response = self.submit("/sign-in/second-factor", "code", {"code": self.one_time_code()})
        expect("the status of the sign-in", response.status_code, 303)
        self.expect_signed_in(self.base)

    def sign_in_with_recovery_code(self, code, *, is_accepted):
        """Tries a recovery code in a new browser, which becomes the person's if the code is accepted."""
        previous, self.session = self.session, new_session()
        self.submit("/sign-in", "password", {"email": self.email, "password": self.password})
        response = self.submit("/sign-in/second-factor?with=recovery-code", "code", {"code": code})
        expect("a sign-in with a recovery code", response.status_code == 303, is_accepted)
        if not is_accepted:
            self.session = previous

    def expect_signed_in(self, base):
        """Checks that a server knows this browser, and shows the person's pages."""
        for path in PAGES:
            page = self._get(base + path, "none")
            expect(f"the status of {base}{path}", page.status_code, 200)
        expect("the address on the account page", self.email in page.text)

    def submit(self, path, control, values):
        """Opens a page and submits its first form that has a control of this name; returns the response."""
        page = self._get(self.base + path, "none")
        form = Forms(page.text).with_control(control)
        expect(f"{page.status_code} at {path}: a form with {control}", form is not None)
        return self._submit(page, form, values, None)

    def turn_on_second_factor(self):
        page = self._get(f"{self.base}/account/second-factor", "none")
        self.secret = base64.b32decode(re.search(r"\?secret=([A-Z2-7]+)", page.text)[1])
        form = Forms(page.text).with_control("enrolment")
        response = self._submit(page, form, {"code": self.one_time_code()}, None)
        self.recovery_codes = re.findall(r'<code translate="no">([^<]+)<', response.text)
        expect("recovery codes", len(self.recovery_codes) >= 5)

    def one_time_code(self):
        """Returns a code that was not used yet (RFC 6238); the next one is accepted early."""
        self.last_step = max(int(time.time()) // STEP - 1, self.last_step + 1)
        time.sleep(max(0.0, (self.last_step - 1) * STEP - time.time() + 0.5))
        digest = hmac.digest(self.secret, self.last_step.to_bytes(8), hashlib.sha1)
        offset = digest[-1] & 15
        return f"{(int.from_bytes(digest[offset : offset + 4]) & 0x7FFFFFFF) % 1_000_000:06}"

    def upload(self, name, content):
        """Uploads a file on the page for imports."""
        page = self._get(f"{self.base}/imports", "none")
        fields = {a["name"]: a.get("value", "") for kind, a in Forms(page.text).with_control("file")["controls"] if kind == "hidden"}
        response = self.session.post(
            f"{self.base}/imports", data=fields, files={"file": (name, content)}, allow_redirects=False, timeout=TIMEOUT,
            headers={**navigation_headers("same-origin"), "Origin": self.base},
        )
        expect(f"the status of an upload: {response.text[-300:]}", response.status_code, 303)
