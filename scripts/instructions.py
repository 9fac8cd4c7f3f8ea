"""Counts the instructions of requests to a server under callgrind; prints one case and its count a line.

    instructions.py BASE_URL TOKEN USER_ID PROCESS FILE

FILE is the name that callgrind gives its counts, without their number.
"""

import http.client
import itertools
import statistics
import subprocess
import sys
import time

base_url, token, user_id, process, file = sys.argv[1:]
ROUNDS = 3
CASES = (
    ("profile-read", 100, f"/api/v1/profile/{user_id}"),
    ("page-of-30", 20, f"/api/v1/sleep/{user_id}?include_stages=true&include_metrics=true&pageSize=30"),
)

connection = http.client.HTTPConnection(base_url.removeprefix("http://"))
numbers = itertools.count(1)


def control(*arguments: str) -> None:
    subprocess.run(
        ["callgrind_control", *arguments, process], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def total() -> int:
    """Writes the counts since the previous call to a file and returns their total."""
    control("-d")
    with open(f"{file}.{next(numbers)}") as counts:
        return next(int(line.split()[1]) for line in counts if line.startswith(("summary:", "totals:")))


def measure(path: str, times: int, pause: float) -> tuple[int, float]:
    """Sends requests with a pause after each; returns the instructions and seconds that they took."""
    total()
    started = time.monotonic()
    for _ in range(times):
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            sys.exit(f"{path}: {response.status} {body[:200]!r}")
        time.sleep(pause)
    took = time.monotonic() - started
    return total(), took


def instructions_of_request(path: str, times: int) -> float:
    """Solves two measurements for the cost of a request and of a second: what the server does each second, such as storing
    the counts of reads, takes part in a slow measurement more than in a quick one."""
    quick, quick_time = measure(path, times, 0)
    few = 4
    slow, slow_time = measure(path, few, 1)
    return (quick * slow_time - slow * quick_time) / (times * slow_time - few * quick_time)


control("-i", "on")
for name, times, path in CASES:
    # The first requests fill caches and prepare statements.
    measure(path, 10, 0)
    print(name, round(statistics.median(instructions_of_request(path, times) for _ in range(ROUNDS))), flush=True)
