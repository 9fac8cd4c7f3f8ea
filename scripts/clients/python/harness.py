"""Settings from scripts/check-clients, and one line of output per check."""

import os
import sys
import time
from urllib.parse import parse_qs, urlsplit

from browser import Browser

REQUESTED = ["profile", "sleep", "supplements"]
# The user does not grant all of them.
ALLOWED = ["profile", "sleep"]


class Settings:
    """The server, the app and the user."""

    def __init__(self):
        self.base = os.environ["BASE_URL"]
        self.client_id = os.environ["CLIENT_ID"]
        self.client_secret = os.environ["CLIENT_SECRET"]
        self.redirect_uri = os.environ["REDIRECT_URI"]
        self.email = os.environ["EMAIL"]
        self.password = os.environ["PASSWORD"]

    def browser(self):
        return Browser(self.base, self.email, self.password)

    def profile_url(self, user_id):
        return f"{self.base}/api/v1/profile/{user_id}"


def check(what, passed, actual=""):
    """Prints a passed check; exits after a failed one."""
    if not passed:
        print(f"FAIL {what} {actual}", flush=True)
        sys.exit(1)
    print(f"ok   {what}", flush=True)


def check_raises(what, error_type, is_expected, action):
    """Checks that an action raises an error of the library."""
    try:
        action()
    except error_type as error:
        check(what, is_expected(error), repr(error))
    else:
        check(what, False, "no error")


def check_iss(what, callback, base):
    """Checks the issuer in the response (RFC 9207), for a library that does not."""
    issuers = parse_qs(urlsplit(callback).query).get("iss")
    check(what, issuers == [base], issuers)


def check_rejected_within_limit(what, read_status):
    """Checks that a status becomes 401 within two seconds of a revocation."""
    deadline = time.monotonic() + 2
    status = read_status()
    while status != 401 and time.monotonic() < deadline:
        time.sleep(0.05)
        status = read_status()
    check(what, status == 401, status)
