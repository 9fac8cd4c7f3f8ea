"""The demo's person: opens the addresses that the guide prints and fills in the pages."""

import re

from browser import Browser


class Person(Browser):
    """A browser that can also create and revoke personal tokens."""

    def go_back_to_app(self, url, redirect_uri, allow):
        """Opens an app's address, allows or denies, and returns the final address."""
        return self.authorize(url, redirect_uri, allow)

    def make_token(self):
        """Creates a token for sleep; returns it with the person's id from the page."""
        answers = {"name": "Sunday notebook", "scope": ["sleep"]}
        page = self.send_form("/tokens", "name", answers)
        token = re.search(r"rwp_\w+", page)
        user_id = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=</code>)", page)
        assert token and user_id, "the page shows no token, or not whose it is"
        return token.group(), user_id.group()

    def revoke_token(self):
        """Revokes the latest token."""
        self.send_form("/tokens", "token", {})
