"""Everything that is read back from a store, and the comparison of two such reads."""

import json
import re
from urllib.parse import quote

from deployment import CheckError, expect

# What differs between two reads of the same data: the requests that remain, and a cursor, which is encrypted.
CHANGING = re.compile(r'"limit":\{[^{}]*\}|"cursor":"[^"]*"')
LARGEST_AUDIT_PAGE = "1000"


def read_all(deployment, base, account):
    """Returns the responses of a server by name: all pages of a person, with the app's tokens and the personal one."""
    reads, token, user = {}, account.tokens["access_token"], account.user_id

    def read(name, path, token):
        reads[name] = deployment.send("GET", base + path, token=token).text
        return reads[name]

    read("profile", f"/api/v1/profile/{user}", token)
    for kind, query in (("sleep", "pageSize=25&include_stages=true&include_metrics=true"), ("supplements", "pageSize=2")):
        path = f"/api/v1/{kind}/{user}?{query}"
        for number in range(1, 100):
            page = json.loads(read(f"{kind}, page {number}", path, token))["pagination"]
            if not page["has_more"]:
                break
            path = page["next_page"]
        expect(f"pages of {kind}", number > 1)
    read("changes from the beginning", f"/api/v1/changes/{user}?limit=1000", token)
    read("changes since a cursor", f"/api/v1/changes/{user}?limit=1000&cursor={quote(account.cursor)}", token)
    read("export", f"/api/v1/export/{user}", token)
    read("sleep with the personal token", f"/api/v1/sleep/{user}?pageSize=10000", account.personal_token)
    read("key set", "/.well-known/jwks.json", None)
    return {name: CHANGING.sub('"":0', text) for name, text in reads.items()}


def parse(responses):
    """Returns the JSON documents of each response, one a line."""
    return {name: [json.loads(line) for line in text.splitlines()] for name, text in responses.items()}


def list_all(deployment, binary, account):
    """Returns the output of the commands that list what is stored, as JSON objects by name."""
    user, client = ("--user", account.user_id), ("--client", account.app["client_id"])
    commands = (
        ("user", "show", account.user_id), ("client", "list"), ("grant", "list", *user), ("token", "list", *user),
        ("webhook", "list", *client), ("import", "list", *user), ("key", "list"),
    )
    lists = {" ".join(command[:2]): deployment.list(binary, *command) for command in commands}
    lists["audit list"] = deployment.list(binary, "audit", "list", *user, "--limit", LARGEST_AUDIT_PAGE)
    return lists


def compare(what, saved, read, *, is_older):
    """Compares what was read with what was saved. The newer of the two programs may add members to JSON objects."""
    expect(f"{what}: the names of the reads", sorted(read), sorted(saved))
    for name, records in saved.items():
        others = read[name]
        if name == "audit list":
            # Events are added all the time.
            events = {event["event_id"]: event for event in others}
            others = [events.get(event["event_id"]) for event in records]
        require_all(f"{what}: {name}", *((others, records) if is_older else (records, others)))


def require_all(where, expected, actual):
    """Fails if a value of a JSON document is missing or different in another one, which may have additional members."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for name, value in expected.items():
            if name not in actual:
                raise CheckError(f"{where}: no member {name}")
            # Such as the time of last use, which changes.
            if not name.startswith("last_"):
                require_all(f"{where}.{name}", value, actual[name])
    elif isinstance(expected, list) and isinstance(actual, list):
        expect(f"{where}: number of items", len(actual), len(expected))
        for index, (one, other) in enumerate(zip(expected, actual)):
            require_all(f"{where}[{index}]", one, other)
    else:
        expect(where, actual, expected)
