"""Measures timing limits. See scripts/security-timing."""

import argparse
import pathlib
import sys
import threading
import time
from collections import Counter

from client import PASSWORD, App, Client, FormSession, create_person, restwell, sign_in
from figures import Table, interleave, median, milliseconds
from traffic import Rounds, SteadyReads, hash_passwords, send_at_once, send_paced

EMAIL = "sam@example.org"
WRONG_PASSWORD = "sechs blaue Enten baden im Bach"
SAMPLES = 200
ROUNDS = 5
# Tolerated increase of the p99 of normal traffic, because the load generator uses the same cores.
MAX_P99_INCREASE = 0.005


class Measurement:
    """Servers with one store, a person with an app, and the results."""

    def __init__(self, arguments):
        self.one, self.two, self.expensive = arguments.one, arguments.two, arguments.expensive
        self.expensive_process = arguments.expensive_process
        self.table = Table()
        self.user_id = create_person(EMAIL)
        self.app = App("Night Reader", self.user_id)

    def steady_reads(self, address):
        token, _ = self.app.connect(Client(address))
        return SteadyReads(address, self.user_id, token)

    def print_traffic(self, conditions, basis):
        """Prints the latency of normal traffic under each condition; compares the last one with `basis`."""
        for what, rounds in conditions.items():
            figure = f"median {milliseconds(rounds.median)}, p99 {milliseconds(rounds.p99)}"
            self.table.line(what, rounds.count, figure)
        *_, last = conditions.values()
        increase = last.p99 - conditions[basis].p99
        limit = f"less than {milliseconds(MAX_P99_INCREASE)}"
        self.table.line(f"p99 increase over {basis}", "", milliseconds(increase), limit, increase < MAX_P99_INCREASE)


def t44(measurement):
    measurement.table.title("T44", "an unknown client and a wrong secret take the same time")
    client = Client(measurement.one)
    known, secret = measurement.app.credentials["client_id"], measurement.app.credentials["client_secret"]
    other = {letter: "b" if letter == "a" else "a" for letter in secret}
    at = len("rws_")
    credentials = {
        "wrong first letter": (known, secret[:at] + other[secret[at]] + secret[at + 1 :]),
        "wrong last letter": (known, secret[:-1] + other[secret[-1]]),
        "another client's secret": (known, App("Other", measurement.user_id).credentials["client_secret"]),
        "unknown client": ("00000000-0000-4000-8000-000000000001", secret),
    }

    def ask(kind, _):
        client_id, client_secret = credentials[kind]
        fields = {"code": "rwc_any", "redirect_uri": "https://night-reader.example/callback"}
        response = client.post("/api/token", fields | {"client_id": client_id, "client_secret": client_secret})
        return response.expect(401).seconds

    measurement.table.medians(interleave(list(credentials), SAMPLES, ask), limit=0.001)


def t69(measurement):
    measurement.table.title("T69", "another person's data and an unknown person's are rejected in the same time")
    client = Client(measurement.one)
    token, _ = measurement.app.connect(client)
    people = {"another person": create_person("other@example.org"), "unknown person": "11111111-2222-4333-8444-555555555555"}

    def ask(kind, _):
        return client.read_profile(people[kind], token).expect(403).seconds

    measurement.table.medians(interleave(list(people), SAMPLES, ask), limit=0.001)


def t66(measurement):
    measurement.table.title("T66", "oversized tokens and headers do not change the p99 of normal traffic")
    count, rate = 1000, 250
    reads = measurement.steady_reads(measurement.one)
    path = f"/api/v1/profile/{measurement.user_id}"
    token = {"Authorization": f"Bearer {reads.token}"}
    large_token = {"Authorization": f"Bearer {reads.token}{'A' * 4096}"}
    large_header = token | {"X-Padding": "A" * 17 * 1024}
    ordinary = [(path, token)] * count
    oversized = [(path, large_token), (path, large_header)] * (count // 2)
    conditions = {"alone": Rounds(), f"beside {count} ordinary reads": Rounds(), f"beside {count} oversized ones": Rounds()}
    alone, beside_ordinary, beside_oversized = conditions.values()
    statuses = Counter()
    for _ in range(ROUNDS):
        alone.add(reads.read_for(count / rate))
        samples, responses = reads.read_beside(send_paced, measurement.one, ordinary, rate)
        assert responses == {200: count}, responses
        beside_ordinary.add(samples)
        samples, responses = reads.read_beside(send_paced, measurement.one, oversized, rate)
        beside_oversized.add(samples)
        statuses.update(responses)
    measurement.print_traffic(conditions, "alone")
    expected = {401: ROUNDS * count // 2, 431: ROUNDS * count // 2}
    summary = ", ".join(f"{number} times {status}" for status, number in sorted(statuses.items()))
    measurement.table.line("responses to the oversized ones", ROUNDS * count, summary, "only 401 and 431", statuses == expected)


def t80(measurement):
    t80_sign_in(measurement)
    people = [f"person{number}@example.org" for number in range(SAMPLES)]
    for email in people:
        create_person(email, has_password=False)
    for path, sentence in [
        ("/forgot-password", "a password reset, for an existing account and an unknown one"),
        ("/sign-up", "a sign-up, for an address with an account and one without"),
    ]:
        measurement.table.title("T80", sentence)
        session = FormSession(Client(measurement.one), path)
        # Each address once, because requests per address are limited.
        addresses = {"existing account": people, "unknown account": [f"nobody{email}" for email in people]}
        # The first requests warm up caches.
        for number in range(20):
            session.submit(path, email=f"early{number}@example.org").expect(200)
        samples = interleave(
            list(addresses), SAMPLES,
            lambda kind, number: session.submit(path, email=addresses[kind][number]).expect(200).seconds,
        )
        measurement.table.medians(samples, limit=0.005)


def t80_sign_in(measurement):
    measurement.table.title("T80", "a failed sign-in takes the same time for every reason")
    locked, deleted = create_person("lock@example.org"), create_person("gone@example.org")
    restwell("user", "lock", locked)
    restwell("user", "delete", deleted, "--yes")
    create_person("none@example.org", has_password=False)
    attempts = {
        "wrong password": (EMAIL, WRONG_PASSWORD),
        "locked, right password": ("lock@example.org", PASSWORD),
        "locked, wrong password": ("lock@example.org", WRONG_PASSWORD),
        "account without a password": ("none@example.org", PASSWORD),
        "deleted account": ("gone@example.org", PASSWORD),
        "unknown account": ("unknown@example.org", PASSWORD),
    }
    session = FormSession(Client(measurement.one), "/sign-in")

    def ask(kind, _):
        email, password = attempts[kind]
        return session.submit("/sign-in", email=email, password=password).expect(422).seconds

    measurement.table.medians(interleave(list(attempts), SAMPLES, ask), limit=0.005)


def t84(measurement):
    count, hash_mib = 200, 64
    measurement.table.title("T84", f"{count} sign-ins at once, with passwords that take {hash_mib} MiB, one hashed at a time")
    settings = {"RESTWELL__PASSWORDS__MEMORY_KIB": str(hash_mib * 1024)}
    create_person("slow@example.org", settings=settings)
    reads = measurement.steady_reads(measurement.expensive)
    session = FormSession(Client(measurement.expensive), "/sign-in")
    # One hash before, so that memory that stays allocated is not measured.
    session.submit("/sign-in", email="slow@example.org", password=WRONG_PASSWORD).expect(422)
    sign_ins = [session.raw_request("/sign-in", email="slow@example.org", password=WRONG_PASSWORD)] * count
    # Hashing takes a core from reads, in any process. The check compares with hashes in another process, to show that
    # reads do not wait for the hashes of this one.
    conditions = {
        "reads alone": Rounds(),
        "reads while another process hashes": Rounds(),
        "reads while sign-ins arrive and most are rejected": Rounds(),
        "reads while the others are hashed": Rounds(),
    }
    alone, hashing_elsewhere, during_rejections, during_hashing = conditions.values()
    all_responses, growth, hash_seconds = [], [], []
    for _ in range(ROUNDS):
        alone.add(reads.read_for(3))
        hashing_elsewhere.add(reads.read_beside(hash_passwords, hash_mib, 3)[0])
        before = reset_peak(measurement.expensive_process)
        samples, responses = reads.read_beside(send_at_once, measurement.expensive, sign_ins)
        growth.append(memory_mib(measurement.expensive_process, "VmHWM") - before)
        last_rejection = max((at for status, _, at in responses if status == 503), default=0)
        hashed = sorted(at for status, _, at in responses if status == 422)
        assert len(hashed) > 1, f"only {len(hashed)} of {len(responses)} sign-ins were hashed"
        during_rejections.add([read for read in samples if read[0] < last_rejection])
        during_hashing.add([read for read in samples if last_rejection <= read[0] < hashed[-1]])
        hash_seconds.append((hashed[-1] - hashed[0]) / (len(hashed) - 1))
        all_responses += responses
    print_burst(measurement, all_responses, max(growth), hash_mib)
    measurement.table.line("time of a hash", len(hash_seconds), milliseconds(median(hash_seconds)))
    measurement.print_traffic(conditions, "reads while another process hashes")


def print_burst(measurement, responses, growth, hash_mib):
    statuses = Counter(status for status, _, _ in responses)
    summary = ", ".join(f"{number} times {status}" for status, number in sorted(statuses.items()))
    waits = [wait for status, wait, _ in responses if status == 503]
    are_expected = set(statuses) == {422, 503} and all(wait and 1 <= wait <= 60 for wait in waits)
    measurement.table.line("responses", len(responses), summary, "422, or 503 with Retry-After", are_expected)
    limit = 2 * hash_mib
    measurement.table.line("peak memory above the start", "", f"{growth:.0f} MiB", f"less than two hashes, {limit} MiB", growth < limit)


def memory_mib(process, name):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(name))


def reset_peak(process):
    """Resets the peak memory of a process; returns its current memory."""
    pathlib.Path(f"/proc/{process}/clear_refs").write_text("5")
    return memory_mib(process, "VmRSS")


def revocation(measurement):
    count, thread_count = 100, 4
    methods = {"disconnected on the page of connected apps": disconnect, "revoked at /oauth/revoke": revoke}
    measurement.table.title("T67", "a revocation at one server takes effect at the other")
    # A person for each thread, because disconnecting an app invalidates the person's unredeemed codes of all apps.
    people = [(email, create_person(email)) for email in (f"reader{number}@example.org" for number in range(thread_count))]
    for what, method in methods.items():
        samples = []

        def measure_in_thread(number, method=method, samples=samples):
            one, two = Client(measurement.one), Client(measurement.two)
            email, user_id = people[number]
            app, cookie = App(f"App {number}", user_id), sign_in(one, email)
            for _ in range(count // thread_count):
                samples.append(revocation_delay(one, two, app, method, cookie))

        threads = [threading.Thread(target=measure_in_thread, args=(number,)) for number in range(thread_count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        worst = max(samples, default=float("inf"))
        figure = f"median {milliseconds(median(samples or [worst]))}, worst {milliseconds(worst)}"
        measurement.table.line(what, len(samples), figure, "worst less than 2 s", len(samples) == count and worst < 2)


def revocation_delay(one, two, app, method, cookie):
    """Returns the time from sending a revocation to one server until another rejects the token."""
    access, refresh = app.connect(one)
    send_revocation = method(one, app, refresh, cookie)
    # Used just before, so that the second server has just cached it.
    two.read_profile(app.user_id, access).expect(200)
    started = time.perf_counter()
    send_revocation()
    while two.read_profile(app.user_id, access).expect(200, 401).status == 200:
        assert time.perf_counter() - started < 20, "the token is still accepted"
        time.sleep(0.01)
    seconds = time.perf_counter() - started
    two.read_profile(app.user_id, access).expect(401)
    return seconds


def disconnect(client, app, _, cookie):
    session = FormSession(client, "/apps", cookie)
    return lambda: session.submit("/apps/disconnect", client=app.client_id).expect(303)


def revoke(client, app, refresh, _):
    return lambda: client.post("/oauth/revoke", {"token": refresh, **app.credentials}).expect(200)


ROWS = {"T44": t44, "T66": t66, "T67": revocation, "T69": t69, "T80": t80, "T84": t84}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ["--one", "--two", "--expensive"]:
        parser.add_argument(name, required=True, help="the address of a server")
    parser.add_argument("--expensive-process", required=True, type=int, help="the process id of the last server")
    parser.add_argument("--only", default="", help="the rows whose names contain this")
    arguments = parser.parse_args()
    selected = [run for name, run in ROWS.items() if arguments.only in name]
    if not selected:
        sys.exit(f"no row name contains {arguments.only}")
    measurement = Measurement(arguments)
    for run in selected:
        run(measurement)
    if measurement.table.failed:
        sys.exit(f"\nnot within its limit: {'; '.join(measurement.table.failed)}")
    print("\neverything is within its limits")


if __name__ == "__main__":
    main()
