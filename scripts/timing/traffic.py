"""Normal traffic, with other load in a separate process."""

import hashlib
import multiprocessing
import queue
import re
import selectors
import socket
import time
from collections import Counter

from caller import TIMEOUT, Caller
from figures import median, p99

# Reads per second of normal traffic, far below the server's capacity.
NORMAL_RATE = 200
# Spawning would load everything anew; what is forked here has no threads yet.
PROCESSES = multiprocessing.get_context("fork")


class Normal:
    """Reads a profile at a steady rate."""

    def __init__(self, address, user_id, token):
        self.caller = Caller(address)
        self.user_id, self.token = user_id, token

    def read_until(self, is_over):
        """Reads until it is over; returns of each read when it was sent, and the seconds that its answer took.

        What was due during a slow answer is left out: a single stall of the machine counts as one slow answer, and
        what happens again and again still shows in the p99.
        """
        samples = []
        due = time.perf_counter()
        while not is_over():
            time.sleep(max(0.0, due - time.perf_counter()))
            sent_at = time.perf_counter()
            reply = self.caller.read_profile(self.user_id, self.token).expect(200)
            samples.append((sent_at, reply.seconds))
            due = max(due + 1 / NORMAL_RATE, time.perf_counter())
        return samples

    def read_for(self, seconds):
        end = time.perf_counter() + seconds
        return self.read_until(lambda: time.perf_counter() > end)

    def read_beside(self, work, *arguments):
        """Reads while `work(results, *arguments)` runs in another process; returns the samples and the results."""
        results = PROCESSES.Queue()
        process = PROCESSES.Process(target=work, args=(results, *arguments))
        process.start()
        samples = self.read_until(lambda: not process.is_alive())
        process.join()
        assert process.exitcode == 0, "what ran beside the normal traffic failed"
        try:
            return samples, results.get(timeout=5)
        except queue.Empty:
            raise AssertionError("what ran beside the normal traffic told nothing") from None


def paced(results, address, requests, rate):
    """Sends requests (path and headers) at a rate over one connection; counts the statuses."""
    caller, statuses = Caller(address), Counter()
    due = time.perf_counter()
    for path, headers in requests:
        time.sleep(max(0.0, due - time.perf_counter()))
        statuses[caller.send("GET", path, headers).status] += 1
        due += 1 / rate
    results.put(statuses)


def hash_elsewhere(results, mib, seconds):
    """Loads one core and its memory bandwidth like password hashing."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        hashlib.scrypt(b"password", salt=b"salt", n=mib * 1024, r=8, p=1, maxmem=2 * mib * 2**20)
    results.put(None)


def all_at_once(results, address, requests):
    """Sends every request on a connection of its own, at the same moment, and waits for the answers.

    Tells of each its status, its Retry-After and when its answer was there. One thread does it, so that the caller
    keeps the machine as little busy as can be.
    """
    host, port = address.removeprefix("http://").rsplit(":", 1)
    connections = [(socket.create_connection((host, int(port)), TIMEOUT), request) for request in requests]
    answers, waiting = [], selectors.DefaultSelector()
    for connection, request in connections:
        connection.sendall(request)
        waiting.register(connection, selectors.EVENT_READ, bytearray())
    while waiting.get_map():
        ready = waiting.select(TIMEOUT)
        assert ready, "an answer never comes"
        for key, _ in ready:
            received = key.fileobj.recv(65_536)
            key.data.extend(received)
            if not received:
                answers.append((*head_of(key.data), time.perf_counter()))
                waiting.unregister(key.fileobj)
                key.fileobj.close()
    results.put(answers)


def head_of(answer):
    """Returns the status of an answer and its Retry-After."""
    head = answer.split(b"\r\n\r\n")[0].decode()
    wait = re.search(r"(?im)^retry-after: *(\d+)", head)
    return int(head.split(" ")[1]), int(wait.group(1)) if wait else None


class Rounds:
    """The same traffic measured in several rounds, in turns with others: the round in the middle decides.

    A burst of other work on the machine spoils one round, what the server does shows in all.
    """

    def __init__(self):
        self.rounds = []

    def add(self, samples):
        """Adds a round: reads and their times."""
        self.rounds.append([seconds for _, seconds in samples])

    @property
    def count(self):
        return sum(map(len, self.rounds))

    @property
    def p99(self):
        return median(map(p99, self.rounds))

    @property
    def median(self):
        return median(map(median, self.rounds))
