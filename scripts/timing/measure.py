"""Measures timing limits. See scripts/security-timing."""

import argparse
import pathlib
import sys
import threading
import time
from collections import Counter

from caller import PASSWORD, App, Caller, Visit, create_person, restwell, sign_in
from figures import Table, in_turns, median, milliseconds
from traffic import Normal, Rounds, all_at_once, hash_elsewhere, paced

EMAIL = "sam@example.org"
WRONG_PASSWORD = "sechs blaue Enten baden im Bach"
SAMPLES = 200
ROUNDS = 5
# By how much the p99 of normal traffic may grow and counts as unchanged: whoever sends the other requests takes time of
# the same cores, as nobody would in truth.
UNCHANGED = 0.005


class Scene:
    """Servers with one store, a person with an app, and the results."""

    def __init__(self, arguments):
        self.one, self.two, self.dear = arguments.one, arguments.two, arguments.dear
        self.dear_process = arguments.dear_process
        self.table = Table()
        self.user_id = create_person(EMAIL)
        self.app = App("Night Reader", self.user_id)

    def normal(self, address):
        token, _ = self.app.connect(Caller(address))
        return Normal(address, self.user_id, token)

    def tell_traffic(self, conditions, basis):
        """Tells what normal traffic took under each of the conditions; the last one counts, against `basis`."""
        for what, rounds in conditions.items():
            figure = f"median {milliseconds(rounds.median)}, p99 {milliseconds(rounds.p99)}"
            self.table.line(what, rounds.count, figure)
        *_, last = conditions.values()
        more = last.p99 - conditions[basis].p99
        limit = f"less than {milliseconds(UNCHANGED)}"
        self.table.line(f"p99 more than {basis}", "", milliseconds(more), limit, more < UNCHANGED)


def t44(scene):
    scene.table.title("T44", "an unknown client and a wrong secret take the same time")
    caller = Caller(scene.one)
    known, secret = scene.app.credentials["client_id"], scene.app.credentials["client_secret"]
    other = {letter: "b" if letter == "a" else "a" for letter in secret}
    at = len("rws_")
    credentials = {
        "wrong from the first letter on": (known, secret[:at] + other[secret[at]] + secret[at + 1 :]),
        "wrong in the last letter": (known, secret[:-1] + other[secret[-1]]),
        "another client's secret": (known, App("Other", scene.user_id).credentials["client_secret"]),
        "unknown client": ("00000000-0000-4000-8000-000000000001", secret),
    }

    def ask(kind, _):
        client_id, client_secret = credentials[kind]
        fields = {"code": "rwc_any", "redirect_uri": "https://night-reader.example/callback"}
        reply = caller.post("/api/token", fields | {"client_id": client_id, "client_secret": client_secret})
        return reply.expect(401).seconds

    scene.table.medians(in_turns(list(credentials), SAMPLES, ask), limit=0.001)


def t69(scene):
    scene.table.title("T69", "somebody else's data and nobody's are refused in the same time")
    caller = Caller(scene.one)
    token, _ = scene.app.connect(caller)
    people = {"somebody else": create_person("somebody@example.org"), "nobody": "11111111-2222-4333-8444-555555555555"}

    def ask(kind, _):
        return caller.read_profile(people[kind], token).expect(403).seconds

    scene.table.medians(in_turns(list(people), SAMPLES, ask), limit=0.001)


def t66(scene):
    scene.table.title("T66", "too large tokens and headers beside normal traffic: its p99 is unchanged")
    count, rate = 1000, 250
    normal = scene.normal(scene.one)
    path = f"/api/v1/profile/{scene.user_id}"
    token = {"Authorization": f"Bearer {normal.token}"}
    large_token = {"Authorization": f"Bearer {normal.token}{'A' * 4096}"}
    large_header = token | {"X-Padding": "A" * 17 * 1024}
    others = [(path, token)] * count
    large = [(path, large_token), (path, large_header)] * (count // 2)
    conditions = {"alone": Rounds(), f"beside {count} ordinary reads": Rounds(), f"beside {count} too large ones": Rounds()}
    alone, beside_others, beside_large = conditions.values()
    statuses = Counter()
    for _ in range(ROUNDS):
        alone.add(normal.read_for(count / rate))
        samples, told = normal.read_beside(paced, scene.one, others, rate)
        assert told == {200: count}, told
        beside_others.add(samples)
        samples, told = normal.read_beside(paced, scene.one, large, rate)
        beside_large.add(samples)
        statuses.update(told)
    scene.tell_traffic(conditions, "alone")
    expected = {401: ROUNDS * count // 2, 431: ROUNDS * count // 2}
    told = ", ".join(f"{number} times {status}" for status, number in sorted(statuses.items()))
    scene.table.line("answers to the too large ones", ROUNDS * count, told, "401 and 431 alone", statuses == expected)


def t80(scene):
    t80_sign_in(scene)
    people = [f"person{number}@example.org" for number in range(SAMPLES)]
    for email in people:
        create_person(email, has_password=False)
    for path, sentence in [
        ("/forgot-password", "a forgotten password, for an account that is there and one that is not"),
        ("/sign-up", "a new account, for an address that has one and one that has none"),
    ]:
        scene.table.title("T80", sentence)
        visit = Visit(Caller(scene.one), path)
        # Each address once, because requests per address are limited.
        addresses = {"there is an account": people, "there is none": [f"nobody{email}" for email in people]}
        # The first requests of a visit warm up caches.
        for number in range(20):
            visit.submit(path, email=f"early{number}@example.org").expect(200)
        taken = in_turns(
            list(addresses), SAMPLES,
            lambda kind, number: visit.submit(path, email=addresses[kind][number]).expect(200).seconds,
        )
        scene.table.medians(taken, limit=0.005)


def t80_sign_in(scene):
    scene.table.title("T80", "whoever cannot sign in waits the same time, whatever the reason")
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
        "unknown account": ("noone@example.org", PASSWORD),
    }
    visit = Visit(Caller(scene.one), "/sign-in")

    def ask(kind, _):
        email, password = attempts[kind]
        return visit.submit("/sign-in", email=email, password=password).expect(422).seconds

    scene.table.medians(in_turns(list(attempts), SAMPLES, ask), limit=0.005)


def t84(scene):
    count, hash_mib = 200, 64
    scene.table.title("T84", f"{count} sign-ins at once, with passwords that take {hash_mib} MiB, one hashed at a time")
    settings = {"RESTWELL__PASSWORDS__MEMORY_KIB": str(hash_mib * 1024)}
    create_person("slow@example.org", settings=settings)
    normal = scene.normal(scene.dear)
    visit = Visit(Caller(scene.dear), "/sign-in")
    # One hash before: what it leaves behind for good is not of the burst.
    visit.submit("/sign-in", email="slow@example.org", password=WRONG_PASSWORD).expect(422)
    sign_ins = [visit.written("/sign-in", email="slow@example.org", password=WRONG_PASSWORD)] * count
    # A core that hashes is one less for reads, of the few that a small machine has; so is one
    # that hashes for somebody else. What counts is that nobody waits for a hash of this server in any other way.
    conditions = {
        "reads alone": Rounds(),
        "reads while another process hashes": Rounds(),
        "reads while all arrive and most are turned away": Rounds(),
        "reads while the others are hashed": Rounds(),
    }
    alone, one_core_less, in_the_rush, beside = conditions.values()
    answers, grown, hashes = [], [], []
    for _ in range(ROUNDS):
        alone.add(normal.read_for(3))
        one_core_less.add(normal.read_beside(hash_elsewhere, hash_mib, 3)[0])
        before = reset_peak(scene.dear_process)
        samples, told = normal.read_beside(all_at_once, scene.dear, sign_ins)
        grown.append(memory_mib(scene.dear_process, "VmHWM") - before)
        turned_away = max((at for status, _, at in told if status == 503), default=0)
        hashed = sorted(at for status, _, at in told if status == 422)
        assert len(hashed) > 1, f"of {len(told)} sign-ins {len(hashed)} were hashed"
        in_the_rush.add([read for read in samples if read[0] < turned_away])
        beside.add([read for read in samples if turned_away <= read[0] < hashed[-1]])
        hashes.append((hashed[-1] - hashed[0]) / (len(hashed) - 1))
        answers += told
    tell_burst(scene, answers, max(grown), hash_mib)
    scene.table.line("time of a hash", len(hashes), milliseconds(median(hashes)))
    scene.tell_traffic(conditions, "reads while another process hashes")


def tell_burst(scene, answers, grown, hash_mib):
    statuses = Counter(status for status, _, _ in answers)
    told = ", ".join(f"{number} times {status}" for status, number in sorted(statuses.items()))
    waits = [wait for status, wait, _ in answers if status == 503]
    are_fair = set(statuses) == {422, 503} and all(wait and 1 <= wait <= 60 for wait in waits)
    scene.table.line("answers", len(answers), told, "422, or 503 with Retry-After", are_fair)
    limit = 2 * hash_mib
    scene.table.line("memory, most above what it was", "", f"{grown:.0f} MiB", f"less than two hashes, {limit} MiB", grown < limit)


def memory_mib(process, name):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(name))


def reset_peak(process):
    """Resets the peak memory of a process; returns its current memory."""
    pathlib.Path(f"/proc/{process}/clear_refs").write_text("5")
    return memory_mib(process, "VmRSS")


def revocation(scene):
    count, at_a_time = 100, 4
    ways = {"disconnected on the page of connected apps": disconnect, "taken back at /oauth/revoke": revoke}
    scene.table.title("T67", "what was taken away through one server is refused by the other one")
    # A person for each thread: who disconnects one app voids the codes of all that are not redeemed yet.
    people = [(email, create_person(email)) for email in (f"reader{number}@example.org" for number in range(at_a_time))]
    for what, way in ways.items():
        samples = []

        def measure_some(number, way=way, samples=samples):
            one, two = Caller(scene.one), Caller(scene.two)
            email, user_id = people[number]
            app, cookie = App(f"App {number}", user_id), sign_in(one, email)
            for _ in range(count // at_a_time):
                samples.append(until_refused(one, two, app, way, cookie))

        threads = [threading.Thread(target=measure_some, args=(number,)) for number in range(at_a_time)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        worst = max(samples, default=float("inf"))
        figure = f"median {milliseconds(median(samples or [worst]))}, worst {milliseconds(worst)}"
        scene.table.line(what, len(samples), figure, "worst less than 2 s", len(samples) == count and worst < 2)


def until_refused(one, two, app, way, cookie):
    """Returns the time from sending a revocation to one server until another rejects the token."""
    access, refresh = app.connect(one)
    take_away = way(one, app, refresh, cookie)
    # Used just before, so that the second server caches it as long as possible.
    two.read_profile(app.user_id, access).expect(200)
    begun = time.perf_counter()
    take_away()
    while two.read_profile(app.user_id, access).expect(200, 401).status == 200:
        assert time.perf_counter() - begun < 20, "the token is never refused"
        time.sleep(0.01)
    taken = time.perf_counter() - begun
    two.read_profile(app.user_id, access).expect(401)
    return taken


def disconnect(caller, app, _, cookie):
    visit = Visit(caller, "/apps", cookie)
    return lambda: visit.submit("/apps/disconnect", client=app.client_id).expect(303)


def revoke(caller, app, refresh, _):
    return lambda: caller.post("/oauth/revoke", {"token": refresh, **app.credentials}).expect(200)


ROWS = {"T44": t44, "T66": t66, "T67": revocation, "T69": t69, "T80": t80, "T84": t84}


def main():
    reader = argparse.ArgumentParser(description=__doc__)
    for name in ["--one", "--two", "--dear"]:
        reader.add_argument(name, required=True, help="the address of a server")
    reader.add_argument("--dear-process", required=True, type=int, help="the process of the last one")
    reader.add_argument("--only", default="", help="the rows whose names contain this")
    arguments = reader.parse_args()
    wanted = [run for name, run in ROWS.items() if arguments.only in name]
    if not wanted:
        sys.exit(f"no row is called {arguments.only}")
    scene = Scene(arguments)
    for run in wanted:
        run(scene)
    if scene.table.failed:
        sys.exit(f"\nnot within its limit: {'; '.join(scene.table.failed)}")
    print("\neverything is within its limits")


if __name__ == "__main__":
    main()
