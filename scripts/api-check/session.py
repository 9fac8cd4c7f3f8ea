"""Redeems the demo's code and prints the person and the token as shell assignments."""

import json
import shlex
import sys
import urllib.parse
import urllib.request

with open(sys.argv[1], encoding="utf-8") as file:
    demo = json.loads(file.readline())

body = urllib.parse.urlencode({name: demo[name] for name in ("client_id", "client_secret", "redirect_uri", "code")})
with urllib.request.urlopen(f"{demo['base_url']}/api/token", data=body.encode(), timeout=10) as response:
    token = json.load(response)

for name, value in (("user_id", demo["user_id"]), ("access_token", token["access_token"])):
    print(f"{name}={shlex.quote(value)}")
