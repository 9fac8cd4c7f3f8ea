"""The person's browser for a client in another language: walk.py COMMAND...

A line `@@authorize URL SCOPE...` of the command is where its app sends the person, who ticks those scopes, or denies
when there are none. The answer is one line of JSON: where the person came back to, through which pages, and what they
were offered. Other lines are passed on.
"""

import json
import subprocess
import sys

from transcript import Settings

app = Settings()
browser = app.browser()
command = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in command.stdout:
    if not line.startswith("@@authorize "):
        print(line, end="", flush=True)
        continue
    url, *scopes = line.split()[1:]
    callback = browser.authorize(url, app.redirect_uri, scopes or None)
    answer = {"callback": callback, "pages": browser.pages, "offered": browser.offered}
    command.stdin.write(json.dumps(answer) + "\n")
    command.stdin.flush()
sys.exit(command.wait())
