"""The person of the demo: opens the addresses that the guide prints, and answers the pages."""

import re

from browser import Browser


class Person(Browser):
    """A browser whose owner also makes and revokes tokens of their own."""

    def go_back_to_app(self, url, redirect_uri, allow):
        """Opens an address that an app printed, allows or denies, and returns where the browser ends up."""
        return self.authorize(url, redirect_uri, allow)

    def make_token(self):
        """Makes a token that reads nights; returns its text and the person's id, as the page shows them."""
        answers = {"name": "Sunday notebook", "scope": ["sleep"]}
        page = self.send_form("/tokens", "name", answers)
        token = re.search(r"rwp_\w+", page)
        user_id = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=</code>)", page)
        assert token and user_id, "the page shows no token, or not whose it is"
        return token.group(), user_id.group()

    def revoke_token(self):
        """Revokes the latest token."""
        self.send_form("/tokens", "token", {})
