"""The user of the demo: opens the URLs that the guide prints, and fills in the pages."""

import re

from browser import Browser


class DemoUser(Browser):
    """A browser that can also create and revoke personal tokens."""

    def create_token(self):
        """Creates a token for sleep; returns it with the user id from the page."""
        page = self.submit_form("/tokens", "name", {"name": "Sunday notebook", "scope": ["sleep"]})
        token = re.search(r"rwp_\w+", page)
        user_id = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=</code>)", page)
        assert token and user_id, "the page does not show a token and the user id"
        return token.group(), user_id.group()

    def revoke_token(self):
        """Revokes the latest token."""
        self.submit_form("/tokens", "token", {})
