"""Normal traffic, with other load in a separate process."""

import hashlib
import multiprocessing
import queue
import re
import selectors
import socket
import time
from collections import Counter

from client import TIMEOUT, Client
from figures import median, p99

# Reads per second of normal traffic, far below the server's capacity.
NORMAL_RATE = 200
# Spawning would import all modules again; forking is safe because no threads are running.
PROCESSES = multiprocessing.get_context("fork")


class SteadyReads:
    """Reads a profile at a steady rate."""

    def __init__(self, address, user_id, token):
        self.client = Client(address)
        self.user_id, self.token = user_id, token

    def read_until(self, is_finished):
        """Reads until `is_finished` returns true; returns the start time and the duration in seconds of each read.

        Reads that were due during a slow response are skipped, so one stall of the machine is one slow read. Repeated
        slowness still shows in the p99.
        """
        samples = []
        due = time.perf_counter()
        while not is_finished():
            time.sleep(max(0.0, due - time.perf_counter()))
            sent_at = time.perf_counter()
            response = self.client.read_profile(self.user_id, self.token).expect(200)
            samples.append((sent_at, response.seconds))
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
        assert process.exitcode == 0, "the concurrent load failed"
        try:
            return samples, results.get(timeout=5)
        except queue.Empty:
            raise AssertionError("the concurrent load returned no result") from None


def send_paced(results, address, requests, rate):
    """Sends requests (path and headers) at a rate over one connection; counts the statuses."""
    client, statuses = Client(address), Counter()
    due = time.perf_counter()
    for path, headers in requests:
        time.sleep(max(0.0, due - time.perf_counter()))
        statuses[client.send("GET", path, headers).status] += 1
        due += 1 / rate
    results.put(statuses)


def hash_passwords(results, mib, seconds):
    """Loads one core and its memory bandwidth like password hashing."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        hashlib.scrypt(b"password", salt=b"salt", n=mib * 1024, r=8, p=1, maxmem=2 * mib * 2**20)
    results.put(None)


def send_at_once(results, address, requests):
    """Sends all requests at once, each on a separate connection, and waits for the responses.

    Returns the status, the Retry-After header and the time of each response. Uses one thread to save CPU time.
    """
    host, port = address.removeprefix("http://").rsplit(":", 1)
    connections = [(socket.create_connection((host, int(port)), TIMEOUT), request) for request in requests]
    responses, selector = [], selectors.DefaultSelector()
    for connection, request in connections:
        connection.sendall(request)
        selector.register(connection, selectors.EVENT_READ, bytearray())
    while selector.get_map():
        ready = selector.select(TIMEOUT)
        assert ready, "no response within the timeout"
        for key, _ in ready:
            received = key.fileobj.recv(65_536)
            key.data.extend(received)
            if not received:
                responses.append((*parse_head(key.data), time.perf_counter()))
                selector.unregister(key.fileobj)
                key.fileobj.close()
    results.put(responses)


def parse_head(response):
    """Returns the status of a response and its Retry-After."""
    head = response.split(b"\r\n\r\n")[0].decode()
    wait = re.search(r"(?im)^retry-after: *(\d+)", head)
    return int(head.split(" ")[1]), int(wait.group(1)) if wait else None


class Rounds:
    """The same traffic, measured in several rounds that alternate with others; uses the median round.

    Other work on the machine affects single rounds, the server's behaviour all of them.
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
