"""The Python client of clients/python against a real server: flow.py first|frames|later.

`frames` reads the records of frames.ndjson. In the last run the server's clock is 91 days ahead, shortly before midnight.
"""

import hashlib
import json
import os
import secrets
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID

from restwell_client import App, Copy, RestwellError, Tokens, connect, follow, ok, records, redeem

from restwell_api import AuthenticatedClient
from restwell_api.api.data import read_profile, read_sleep, read_supplements
from restwell_api.models.read_sleep_include_metrics import ReadSleepIncludeMetrics

BASE_URL, RESTWELL, EMAIL = os.environ["BASE_URL"], os.environ["RESTWELL_BIN"], os.environ["EMAIL"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
STATE = Path(os.environ["STATE"])
CONFIDENTIAL = App(BASE_URL, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
PUBLIC = App(BASE_URL, os.environ["PUBLIC_CLIENT_ID"])


def check(what: str, passed: bool, actual: object = "") -> None:
    """Prints a passed check; exits after a failed one."""
    if not passed:
        print(f"FAIL {what} {actual}", flush=True)
        sys.exit(1)
    print(f"ok   {what}", flush=True)


def check_error(what: str, status: int, code: str, action: Callable[[], object]) -> RestwellError:
    try:
        action()
    except RestwellError as error:
        check(what, (error.status, error.code) == (status, code), error)
        return error
    check(what, False, "no error")
    raise AssertionError


def restwell(*arguments: str) -> dict[str, str]:
    """Runs a command of the server, which prints one JSON object."""
    process = subprocess.run([RESTWELL, *arguments, "--json"], check=True, capture_output=True, text=True)
    output: dict[str, str] = json.loads(process.stdout)
    return output


def connect_in_browser() -> Tokens:
    """Authorizes the public app through the pages."""
    verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    challenge = urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    request = {
        "response_type": "code", "client_id": PUBLIC.client_id, "redirect_uri": REDIRECT_URI, "state": state,
        "scope": "profile sleep", "code_challenge": challenge, "code_challenge_method": "S256",
    }
    # scripts/clients/python/run_client.py replies with the callback.
    print(f"@@authorize {BASE_URL}/authorize?{urlencode(request)} profile sleep", flush=True)
    parameters = parse_qs(urlsplit(json.loads(input())["callback"]).query)
    check("public: state and iss", parameters["state"] == [state] and parameters["iss"] == [BASE_URL], parameters.keys())
    return redeem(PUBLIC, parameters["code"][0], REDIRECT_URI, verifier)


def profile(client: AuthenticatedClient, user_id: str) -> str:
    return ok(read_profile.sync_detailed(UUID(user_id), client=client)).data.home_timezone


def check_tokens(name: str, app: App, tokens: Tokens, rotates: bool) -> AuthenticatedClient:
    """Checks that an expired and a rejected access token are replaced, and how the refresh token changes."""
    saved: list[str] = []
    client = connect(app, tokens, lambda fresh: saved.append(fresh.refresh_token))
    check(f"{name}: reads", profile(client, tokens.user_id) == "Europe/Berlin")
    check(f"{name}: no refresh before it is due", saved == [], saved)
    issued = tokens.refresh_token
    tokens.expires_at = 0
    profile(client, tokens.user_id)
    tokens.access_token = "rejected"
    profile(client, tokens.user_id)
    check(f"{name}: two refreshes, each stored", len(saved) == 2, len(saved))
    is_unchanged = len({issued, *saved}) == 1
    check(f"{name}: the refresh token {'rotates' if rotates else 'does not change'}", is_unchanged != rotates)
    return client


def authorize() -> Tokens:
    """Authorizes the confidential app with a code that the operator creates."""
    code = restwell(
        "code", "create", "--client", CONFIDENTIAL.client_id, "--user", EMAIL, "--redirect-uri", REDIRECT_URI,
        "--scope", "profile", "--scope", "sleep", "--scope", "supplements",
    )["code"]
    return redeem(CONFIDENTIAL, code, REDIRECT_URI)


def first() -> None:
    tokens = authorize()
    check("confidential: the scopes", tokens.scope == "profile sleep supplements", tokens.scope)
    printed = f"{tokens} {CONFIDENTIAL}"
    hidden = (tokens.access_token, tokens.refresh_token, os.environ["CLIENT_SECRET"])
    check("tokens and the secret are not printed", not any(value in printed for value in hidden), printed)
    check("the rest is printed", tokens.user_id in printed and CONFIDENTIAL.client_id in printed, printed)
    client = check_tokens("confidential", CONFIDENTIAL, tokens, rotates=False)
    check_tokens("public", PUBLIC, connect_in_browser(), rotates=True)
    unknown = lambda: redeem(CONFIDENTIAL, "rwc_unknown", REDIRECT_URI)  # noqa: E731
    check_error("an unknown code is invalid_grant", 400, "invalid_grant", unknown)
    stranger = "00000000-0000-4000-8000-000000000000"
    check_error("another person is other_user", 403, "other_user", lambda: profile(client, stranger))

    check("pandas is not needed", "pandas" not in sys.modules)
    user = UUID(tokens.user_id)
    nights = list(records(lambda page: ok(read_sleep.sync_detailed(
        user, client=client, page=page, page_size=10, include_metrics=ReadSleepIncludeMetrics.TRUE))))
    check("sleep: 25 nights on three pages", len({night.id for night in nights}) == len(nights) == 25, len(nights))
    check("sleep: with metrics", all(night.sleep_metric for night in nights))
    supplements = list(records(lambda page: ok(read_supplements.sync_detailed(
        user, client=client, page=page, page_size=2))))
    check("supplements: three on two pages", len(supplements) == 3, len(supplements))

    copy = Copy()
    check("changes: the first pass starts once", not follow(client, tokens.user_id, copy, limit=10))
    check("changes: everything", len(copy.records) == 1 + 25 + 3, len(copy.records))
    before = dict(copy.records)
    imported = restwell("import", "--user", EMAIL, os.environ["MORE"])
    follow(client, tokens.user_id, copy)
    check("changes: an import", len(copy.records) == len(before) + 2, len(copy.records))
    restwell("import", "undo", imported["import_id"])
    follow(client, tokens.user_id, copy)
    check("changes: its deletion", copy.records == before, len(copy.records))

    # A record whose deletion the second run can no longer see.
    copy.records["sleep", "gone"] = {}
    keys = [list(key) for key in copy.records]
    STATE.write_text(json.dumps({"tokens": vars(tokens), "cursor": copy.cursor, "keys": keys}))


def data_frames() -> None:
    from restwell_client import frames

    tokens = authorize()
    STATE.write_text(json.dumps(vars(tokens), separators=(",", ":")))
    client, user = connect(CONFIDENTIAL, tokens, lambda _: None), tokens.user_id

    def equal(what: str, actual: object, expected: object) -> None:
        check(f"frames: {what}", str(actual) == str(expected), actual)

    empty = {read: read(client, user, start_date="2030-01-01") for read in (
        frames.nights, frames.stages, frames.intakes, frames.ingredients)}
    # Several pages.
    frames.PAGE_SIZE = 2
    nights, stages, intakes = frames.nights(client, user), frames.stages(client, user), frames.intakes(client, user)
    for read, frame in empty.items():
        check(f"frames: the types of {read.__name__} without a record", len(frame) == 0 and
              frame.dtypes.equals(read(client, user).dtypes), frame.dtypes)

    starts = nights.time_in_bed_start
    equal("times are in UTC", starts.dtype, "datetime64[us, UTC]")
    equal("nights in order", [f"{time:%m-%d %H:%M:%S.%f}" for time in starts], [
        "03-29 22:00:00.000000", "10-25 21:00:00.000000", "11-10 21:00:00.000000", "12-01 22:00:00.000000",
        "12-10 14:00:00.250000"])
    equal("local times have no zone", nights.time_in_bed_end_local.dtype, "datetime64[us]")
    equal("local times of both clock changes, of a journey, without offset, and of offset zero",
          [*nights.time_in_bed_start_local.dt.strftime("%H:%M").fillna("?")], ["23:00", "23:00", "22:00", "?", "14:00"])
    equal("local times in the morning",
          [*nights.time_in_bed_end_local.dt.strftime("%H:%M").fillna("?")], ["07:30", "07:00", "01:00", "?", "14:30"])
    offsets = nights.time_in_bed_end_local - nights.time_in_bed_end.dt.tz_localize(None)
    equal("offsets", [*offsets.dt.total_seconds().div(3600).fillna(99)], [2.0, 1.0, -5.0, 99.0, 0.0])
    hours = (nights.time_in_bed_end - nights.time_in_bed_start).dt.total_seconds()
    equal("hours across changes", [*hours.div(3600).round(4)], [7.5, 9.0, 9.0, 8.0, 0.4999])
    check("frames: the metric of the time in bed", hours.eq(nights.timeNightInBed).all(), nights.timeNightInBed)
    equal("unknown metrics", [*nights.sleepLatency.fillna(-1)], [900.0, 0.0, -1.0, -1.0, -1.0])
    equal("naps", nights.is_nap.to_list(), "[False, False, False, <NA>, True]")
    equal("an unknown nap and source", [*nights.loc[nights.is_nap.isna(), "source"].isna()], [True])
    equal("a range", len(frames.nights(client, user, "2025-10-01", "2025-11-30")), 2)

    equal("stages", [*stages.stage], ["LIGHT", "DEEP", "REM"])
    equal("stages have the offset of bedtime", [*stages.end_local.dt.strftime("%H:%M")], ["03:15", "06:20", "08:00"])
    asleep = (stages.end - stages.start).dt.total_seconds().groupby(stages.session_id).sum()
    check("frames: stages belong to nights",
          nights.set_index("session_id").timeNightAsleep.dropna().eq(asleep).all(), asleep)

    equal("intakes in order", [*intakes.name], ["Tea", "Magnesium", "Magnesium"])
    equal("an hour between two intakes at the same local time", intakes.created_at.diff()[1], "0 days 01:00:00")
    equal("microseconds", intakes.created_at[2], "2025-10-27 20:00:00.123456+00:00")
    amounts = intakes.merge(frames.ingredients(client, user), on="supplement_id")
    amounts["taken"] = amounts.servings * amounts.quantity
    equal("amounts", [*zip(amounts.ingredient_name, amounts.taken.fillna(-1))], [
        ("Magnesium", 400.0), ("Sunflower Oil", -1.0), ("Magnesium", 200.0), ("Sunflower Oil", -1.0)])
    equal("units", amounts.unit.to_list(), "['milligrams', <NA>, 'milligrams', <NA>]")


def later() -> None:
    state = json.loads(STATE.read_text())
    tokens = Tokens(**state["tokens"])
    # The server rejects the access token, which is less than an hour old by this computer's clock.
    saved: list[Tokens] = []
    impatient = connect(CONFIDENTIAL, tokens, saved.append, longest_wait=0)
    for _ in range(3):
        profile(impatient, tokens.user_id)
    check("later: refreshed once", len(saved) == 1, len(saved))
    error = check_error(
        "later: the limit is reached", 429, "rate_limited", lambda: profile(impatient, tokens.user_id))
    check("later: with Retry-After", error.retry_after is not None and 0 < error.retry_after <= 60, error.retry_after)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        time.sleep(seconds)

    patient = connect(CONFIDENTIAL, tokens, saved.append, sleep=sleep)
    profile(patient, tokens.user_id)
    check("later: read again after the wait", len(waits) >= 1, waits)

    copy = Copy(state["cursor"], {(kind, key): {} for kind, key in state["keys"]})
    check("later: the expired cursor makes it start again", follow(patient, tokens.user_id, copy))
    check("later: everything, without the deleted record", len(copy.records) == 29, len(copy.records))
    check("later: the new cursor is valid", not follow(patient, tokens.user_id, copy))


{"first": first, "frames": data_frames, "later": later}[sys.argv[1]]()
