"""Steady load through the balancer, with a client library of real apps (Authlib over httpx2): reads, refreshes,
redemptions of codes, revocations, and a backend that writes."""

import asyncio
import datetime
import json
import random
import time

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client

REDIRECT_URI = "https://night-reader.example/callback"
TIMEOUT = 15
LIMITS = httpx2.Limits(max_connections=64, max_keepalive_connections=32)
# Pause between two requests of a worker, so that the machine is not saturated.
PAUSE = 0.02
# Time limit of a revocation on every replica, in seconds.
REVOKED_WITHIN = 2.0
# Statuses that ask the client to retry.
UNAVAILABLE = (500, 502, 503, 504)


class Person:
    """A person whose data is read."""

    def __init__(self, user_id, sessions):
        self.user_id, self.sessions = user_id, sessions


class Load:
    """Workers that run until stopped."""

    def __init__(self, base, log, environment):
        self.base, self.log, self.environment = base, log, environment
        self.is_running = True

    async def run(self):
        async with httpx2.AsyncClient(timeout=TIMEOUT, limits=LIMITS) as self.http:
            workers = (*[self.read] * 4, self.refresh, self.redeem, self.write, self.write)
            await asyncio.gather(*(self.repeat(work) for work in workers))

    def stop(self):
        self.is_running = False

    async def repeat(self, work):
        while self.is_running:
            await work()
            await asyncio.sleep(PAUSE)

    def record_failure(self, kind, person, reason):
        """Records a failed request for a person; its kind depends on whether the person's data is unavailable by now."""
        self.log.record_failure(self.environment.request_kind(kind, person), reason)

    async def send(self, kind, person, method, path, token, body=None):
        """Sends one request for a person; returns the response, or None if there is none."""
        started = self.log.begin(kind)
        try:
            response = await self.http.request(method, self.base + path, headers={"Authorization": f"Bearer {token}"}, json=body)
        except httpx2.RemoteProtocolError as error:
            is_cut_off = "peer closed connection" in str(error)
            self.record_failure(kind, person, "the response was cut off" if is_cut_off else "the connection was closed without a response")
            return None
        except httpx2.TransportError as error:
            self.record_failure(kind, person, type(error).__name__)
            return None
        finally:
            self.log.end(started)
        if response.status_code in UNAVAILABLE:
            self.record_failure(kind, person, str(response.status_code))
            # The balancer's own responses do not have this header.
            if len(self.environment.replicas) == 1 and "retry-after" not in response.headers:
                self.log.record_wrong(kind, f"{response.status_code} without Retry-After")
            return None
        return response

    async def read(self):
        person, token = random.choice(self.environment.tokens)
        if random.random() < 0.5:
            response = await self.send("read", person, "GET", f"/api/v1/profile/{person.user_id}", token.access)
            is_right = response is None or (response.status_code == 200 and response.json()["data"]["user_id"] == person.user_id)
        else:
            response = await self.send("read", person, "GET", f"/api/v1/sleep/{person.user_id}?pageSize=30", token.access)
            is_right = response is None or (
                response.status_code == 200 and {night["id"] for night in response.json()["data"]} == person.sessions
            )
        if not is_right:
            self.log.record_wrong("read", f"{response.status_code}: {response.text[:200]}")

    def client(self):
        app = self.environment.app
        return AsyncOAuth2Client(
            app["client_id"], app["client_secret"], redirect_uri=REDIRECT_URI, token_endpoint=f"{self.base}/api/token", timeout=TIMEOUT,
        )

    async def call_oauth(self, kind, person, call):
        """Awaits a call of the OAuth client for a person; returns its result, or None without a response."""
        started = self.log.begin(kind)
        try:
            return await call
        except httpx2.TransportError as error:
            self.record_failure(kind, person, type(error).__name__)
        except httpx2.HTTPStatusError as error:
            self.record_failure(kind, person, str(error.response.status_code))
        except (OAuthError, json.JSONDecodeError) as error:
            code = getattr(error, "error", None)
            if code in ("temporarily_unavailable", "server_error") or isinstance(error, json.JSONDecodeError):
                self.record_failure(kind, person, code or "a response of the balancer")
            else:
                raise
        finally:
            self.log.end(started)
        return None

    async def refresh(self):
        person, token = random.choice(self.environment.tokens)
        async with self.client() as client:
            try:
                call = client.refresh_token(f"{self.base}/api/refresh", refresh_token=token.refresh, user_id=person.user_id)
                new = await self.call_oauth("refresh", person, call)
            except OAuthError as error:
                self.log.record_wrong("refresh", str(error))
                return
        if new:
            token.access = new["access_token"]

    async def redeem(self):
        code = self.environment.next_code()
        if code is None:
            await asyncio.sleep(0.2)
            return
        if random.random() < 0.3:
            # Redeemed twice at once, through any replicas: at most one may succeed, and the grant is revoked.
            await asyncio.gather(self.redeem_one(code, True), self.redeem_one(code, True))
        elif tokens := await self.redeem_one(code, False):
            person = self.environment.code_person
            # So that every replica caches the grant as live.
            for _ in range(2 * len(self.environment.replicas)):
                await self.send("read", person, "GET", f"/api/v1/profile/{person.user_id}", tokens["access_token"])
            await self.revoke(tokens)

    async def redeem_one(self, code, is_raced):
        async with self.client() as client:
            try:
                call = client.fetch_token(f"{self.base}/api/token", code=code, grant_type="authorization_code")
                tokens = await self.call_oauth("redeem", self.environment.code_person, call)
            except OAuthError as error:
                if not is_raced:
                    self.log.record_wrong("redeem", str(error))
                return None
        if tokens:
            self.log.redeemed[code] += 1
        return tokens

    async def revoke(self, tokens):
        access = tokens["access_token"]
        started = self.log.begin("revoke")
        data = {"token": tokens["refresh_token"], **self.environment.credentials}
        try:
            response = await self.http.post(f"{self.base}/oauth/revoke", data=data)
        except httpx2.TransportError as error:
            self.log.record_failure("revoke", type(error).__name__)
            return
        finally:
            self.log.end(started)
        if response.status_code != 200:
            self.log.record_failure("revoke", str(response.status_code))
            return
        revoked_at = time.monotonic()
        self.log.revoked.append(tokens)
        delays = await asyncio.gather(*(self.last_accepted(url, access, revoked_at) for url in self.profile_urls()))
        self.log.revocation_delays.append(max(delays))

    def profile_urls(self):
        """Returns the address of the profile on each replica; the balancer would choose one replica."""
        return [f"{replica.url()}/api/v1/profile/{self.environment.code_person.user_id}" for replica in self.environment.replicas]

    async def check_rejected(self):
        """Checks after a fault that redeemed codes and revoked tokens are rejected."""
        async with httpx2.AsyncClient(timeout=TIMEOUT, limits=LIMITS) as self.http:
            for tokens in self.log.revoked:
                headers = {"Authorization": f"Bearer {tokens['access_token']}"}
                for url in self.profile_urls():
                    status = (await self.http.get(url, headers=headers)).status_code
                    if status != 401:
                        self.log.record_wrong("revoke", f"{status} for a revoked token after the fault")
                await self.is_rejected("refresh", f"{self.base}/api/refresh", refresh_token=tokens["refresh_token"], user_id=self.environment.code_person.user_id)
            for code in list(self.log.redeemed):
                if not await self.is_rejected("redeem", f"{self.base}/api/token", code=code, redirect_uri=REDIRECT_URI):
                    self.log.redeemed[code] += 1

    async def is_rejected(self, kind, url, **fields):
        """Returns whether a code or refresh token is rejected as invalid; any other response is recorded."""
        response = await self.http.post(url, data={**fields, **self.environment.credentials})
        if response.status_code == 400 and response.json()["error"] == "invalid_grant":
            return True
        self.log.record_wrong(kind, f"{response.status_code} for a used credential after the fault: {response.text[:200]}")
        return False

    async def last_accepted(self, url, access, revoked_at):
        """Queries one replica until it rejects a token; returns the time from the revocation to the last accepted request."""
        last_accepted = 0.0
        while (sent_after := time.monotonic() - revoked_at) < REVOKED_WITHIN + 0.5:
            try:
                response = await self.http.get(url, headers={"Authorization": f"Bearer {access}"})
            except httpx2.TransportError:
                # A killed or disconnected replica cannot respond.
                response = None
            if response is not None and response.status_code == 200:
                last_accepted = sent_after
                if sent_after > REVOKED_WITHIN:
                    self.log.record_wrong("revoke", f"accepted {sent_after:.2f} s after the revocation")
            elif response is not None and response.status_code == 401:
                break
            await asyncio.sleep(PAUSE)
        return last_accepted

    async def write(self):
        number = self.environment.next_night()
        start = datetime.datetime(1980, 1, 1, 22, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=number)
        night = {
            "external_id": f"chaos-{number}", "source": "ring",
            "time_in_bed_start": start.isoformat(), "time_in_bed_end": (start + datetime.timedelta(hours=8)).isoformat(),
        }
        person = self.environment.writer
        response = await self.send("ingest", person, "POST", f"/api/v1/sleep/{person.user_id}", self.environment.service_token, night)
        if response is None:
            return
        result = response.json().get("results", [{}])[0] if response.status_code == 200 else {}
        if result.get("status") in ("created", "unchanged"):
            self.log.acknowledge(person.user_id, result["id"])
        else:
            self.log.record_wrong("ingest", f"{response.status_code}: {response.text[:200]}")
