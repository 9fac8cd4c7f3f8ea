"""Counts the instructions of requests to a server under callgrind; prints one case and its count a line.

    instructions.py BASE_URL TOKEN USER_ID PROCESS FILE

FILE is the name that callgrind gives its counts, without their number.
"""

import http.client
import itertools
import subprocess
import sys
import time

base_url, token, user_id, process, file = sys.argv[1:]
ROUNDS = 3
# Seconds without requests, in which background work is counted.
IDLE = 3
CASES = (
    ("profile-read", 100, f"/api/v1/profile/{user_id}"),
    ("page-of-30", 20, f"/api/v1/sleep/{user_id}?include_stages=true&include_metrics=true&pageSize=30"),
)

connection = http.client.HTTPConnection(base_url.removeprefix("http://"))


def request(path: str, times: int) -> None:
    for _ in range(times):
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {body[:200]!r}")


def control(*arguments: str) -> None:
    subprocess.run(["callgrind_control", *arguments, process], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def count(number: int) -> int:
    """Writes the counts since the previous call to a file and returns their total."""
    control("-d")
    with open(f"{file}.{number}") as counts:
        return next(int(line.split()[1]) for line in counts if line.startswith(("summary:", "totals:")))


control("-i", "on")
numbers = itertools.count(1)
count(next(numbers))
time.sleep(IDLE)
background = count(next(numbers)) / IDLE
for name, times, path in CASES:
    # The first requests fill caches and prepare statements.
    request(path, 10)
    count(next(numbers))
    totals = []
    for _ in range(ROUNDS):
        started = time.monotonic()
        request(path, times)
        took = time.monotonic() - started
        totals.append(count(next(numbers)) - background * took)
    print(name, round(min(totals) / times), flush=True)
