"""Runs a client in another language, and acts as the user's browser: run_client.py COMMAND...

When the command prints `@@authorize URL SCOPE...`, the browser opens the URL and grants those scopes, or denies access if
there are none. The reply on stdin is one line of JSON: the callback URL, the pages visited, and the scopes offered. Other
lines are printed unchanged.
"""

import json
import subprocess
import sys

from harness import Settings

app = Settings()
browser = app.browser()
client = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in client.stdout:
    if not line.startswith("@@authorize "):
        print(line, end="", flush=True)
        continue
    url, *scopes = line.split()[1:]
    callback = browser.authorize(url, app.redirect_uri, scopes or None)
    reply = {"callback": callback, "pages": browser.pages, "offered": browser.offered}
    client.stdin.write(json.dumps(reply) + "\n")
    client.stdin.flush()
sys.exit(client.wait())
