"""Steady load through the balancer, by clients that are used in real apps (Authlib over httpx2): reads, refreshes,
redemptions of codes, revocations, and a backend that writes."""

import asyncio
import datetime
import itertools
import json
import random
import time

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client

REDIRECT_URI = "https://night-reader.example/callback"
TIMEOUT = 15
# Pause between two requests of a worker, so that the machine is not saturated.
PAUSE = 0.02
# Time limit of a revocation on every replica (decisions 3).
REVOKED_WITHIN = 2.0
# Answers that ask the client to retry.
UNAVAILABLE = (500, 502, 503, 504)


class Person:
    """A person whose data is read."""

    def __init__(self, user_id, sessions):
        self.user_id, self.sessions = user_id, sessions


class Load:
    """Workers that run until stopped."""

    def __init__(self, base, ledger, stage):
        self.base, self.ledger, self.stage = base, ledger, stage
        self.running = True
        self.nights = itertools.count()

    async def run(self):
        limits = httpx2.Limits(max_connections=64, max_keepalive_connections=32)
        async with httpx2.AsyncClient(timeout=TIMEOUT, limits=limits) as self.http:
            work = (*[self.read] * 4, self.refresh, self.redeem, self.write, self.write)
            await asyncio.gather(*(self.repeat(one) for one in work))

    def stop(self):
        self.running = False

    async def repeat(self, work):
        while self.running:
            await work()
            await asyncio.sleep(PAUSE)

    async def send(self, kind, method, path, token, **more):
        """Sends one request; returns the answer, or None if there was none."""
        begun = self.ledger.begin(kind)
        headers = {"Authorization": f"Bearer {token}", **more.pop("headers", {})}
        try:
            answer = await self.http.request(method, self.base + path, headers=headers, **more)
        except httpx2.RemoteProtocolError as error:
            broken = "peer closed connection" in str(error)
            self.ledger.fail(kind, "the answer broke off" if broken else "the connection ended without an answer")
            return None
        except httpx2.TransportError as error:
            self.ledger.fail(kind, type(error).__name__)
            return None
        finally:
            self.ledger.end(begun)
        if answer.status_code in UNAVAILABLE:
            self.ledger.fail(kind, str(answer.status_code))
            # A balancer's own answers have no such header.
            if len(self.stage.replicas) == 1 and "retry-after" not in answer.headers:
                self.ledger.mistake(kind, f"{answer.status_code} without Retry-After")
            return None
        return answer

    async def read(self):
        app, person, token = random.choice(self.stage.tokens)
        kind = self.stage.kind("read", person)
        if random.random() < 0.5:
            answer = await self.send(kind, "GET", f"/api/v1/profile/{person.user_id}", token.access)
            right = answer is None or (answer.status_code == 200 and answer.json()["data"]["user_id"] == person.user_id)
        else:
            answer = await self.send(kind, "GET", f"/api/v1/sleep/{person.user_id}?pageSize=30", token.access)
            right = answer is None or (
                answer.status_code == 200 and {night["id"] for night in answer.json()["data"]} == person.sessions
            )
        if not right:
            self.ledger.mistake(kind, f"{answer.status_code}: {answer.text[:200]}")

    def client(self, app, token=None):
        return AsyncOAuth2Client(
            app["client_id"], app["client_secret"], redirect_uri=REDIRECT_URI, token=token,
            token_endpoint=f"{self.base}/api/token", timeout=TIMEOUT,
        )

    async def oauth(self, kind, call):
        """Runs a call of the OAuth client; returns its result, or None if there was no answer."""
        begun = self.ledger.begin(kind)
        try:
            return await call
        except httpx2.TransportError as error:
            self.ledger.fail(kind, type(error).__name__)
        except httpx2.HTTPStatusError as error:
            self.ledger.fail(kind, str(error.response.status_code))
        except (OAuthError, json.JSONDecodeError) as error:
            code = getattr(error, "error", None)
            if code in ("temporarily_unavailable", "server_error") or isinstance(error, json.JSONDecodeError):
                self.ledger.fail(kind, code or "an answer of the balancer")
            else:
                raise
        finally:
            self.ledger.end(begun)
        return None

    async def refresh(self):
        app, person, token = random.choice(self.stage.tokens)
        async with self.client(app) as client:
            try:
                call = client.refresh_token(f"{self.base}/api/refresh", refresh_token=token.refresh, user_id=person.user_id)
                new = await self.oauth(self.stage.kind("refresh", person), call)
            except OAuthError as error:
                self.ledger.mistake("refresh", str(error))
                return
        if new:
            token.access = new["access_token"]

    async def redeem(self):
        code = self.stage.next_code()
        if code is None:
            await asyncio.sleep(0.2)
            return
        if random.random() < 0.3:
            # Twice at once, through whichever replicas: at most one of the two may win, and the grant dies.
            await asyncio.gather(self.redeem_one(code, True), self.redeem_one(code, True))
        elif tokens := await self.redeem_one(code, False):
            # So that every replica remembers that the grant is live.
            for _ in range(2 * len(self.stage.replicas)):
                await self.send("read", "GET", f"/api/v1/profile/{self.stage.code_person.user_id}", tokens["access_token"])
            await self.revoke(tokens)

    async def redeem_one(self, code, is_raced):
        async with self.client(self.stage.app) as client:
            try:
                tokens = await self.oauth("redeem", client.fetch_token(f"{self.base}/api/token", code=code, grant_type="authorization_code"))
            except OAuthError as error:
                if not is_raced:
                    self.ledger.mistake("redeem", str(error))
                return None
        if tokens:
            self.ledger.redeemed[code] += 1
        return tokens

    async def revoke(self, tokens):
        access = tokens["access_token"]
        begun = self.ledger.begin("revoke")
        data = {"token": tokens["refresh_token"], "client_id": self.stage.app["client_id"], "client_secret": self.stage.app["client_secret"]}
        try:
            answer = await self.http.post(f"{self.base}/oauth/revoke", data=data)
        except httpx2.TransportError as error:
            self.ledger.fail("revoke", type(error).__name__)
            return
        finally:
            self.ledger.end(begun)
        if answer.status_code != 200:
            self.ledger.fail("revoke", str(answer.status_code))
            return
        revoked = time.monotonic()
        self.ledger.revoked.append(tokens)
        served = await asyncio.gather(*(self.served_until(url, access, revoked) for url in self.profiles()))
        self.ledger.revocations.append(max(served))

    def profiles(self):
        """Returns the address of the profile on each replica directly, because the balancer would choose one."""
        return [f"{replica.url()}/api/v1/profile/{self.stage.code_person.user_id}" for replica in self.stage.replicas]

    async def read_back(self):
        """Checks after a fault that redeemed codes and revoked tokens are still rejected."""
        limits = httpx2.Limits(max_connections=64, max_keepalive_connections=32)
        async with httpx2.AsyncClient(timeout=TIMEOUT, limits=limits) as self.http:
            for tokens in self.ledger.revoked:
                headers = {"Authorization": f"Bearer {tokens['access_token']}"}
                for url in self.profiles():
                    status = (await self.http.get(url, headers=headers)).status_code
                    if status != 401:
                        self.ledger.mistake("revoke", f"{status} for a revoked token after the fault")
                await self.is_rejected("refresh", f"{self.base}/api/refresh", refresh_token=tokens["refresh_token"], user_id=self.stage.code_person.user_id)
            for code in list(self.ledger.redeemed):
                if not await self.is_rejected("redeem", f"{self.base}/api/token", code=code, redirect_uri=REDIRECT_URI):
                    self.ledger.redeemed[code] += 1

    async def is_rejected(self, kind, url, **fields):
        """Returns whether a code or refresh token is rejected as invalid; any other answer is recorded."""
        data = {**fields, "client_id": self.stage.app["client_id"], "client_secret": self.stage.app["client_secret"]}
        answer = await self.http.post(url, data=data)
        if answer.status_code == 400 and answer.json()["error"] == "invalid_grant":
            return True
        self.ledger.mistake(kind, f"{answer.status_code} for a used credential after the fault: {answer.text[:200]}")
        return False

    async def served_until(self, url, access, revoked):
        """Queries one replica until it rejects a token; returns the time from the revocation to the last accepted request."""
        last_served = 0.0
        while (asked := time.monotonic() - revoked) < REVOKED_WITHIN + 0.5:
            try:
                answer = await self.http.get(url, headers={"Authorization": f"Bearer {access}"})
            except httpx2.TransportError:
                # A killed or disconnected replica serves nobody.
                answer = None
            if answer is not None and answer.status_code == 200:
                last_served = asked
                if asked > REVOKED_WITHIN:
                    self.ledger.mistake("revoke", f"served {asked:.2f} s after the revocation")
            elif answer is not None and answer.status_code == 401:
                break
            await asyncio.sleep(PAUSE)
        return last_served

    async def write(self):
        number = self.stage.next_night()
        start = datetime.datetime(1980, 1, 1, 22, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=number)
        night = {
            "external_id": f"chaos-{number}", "source": "ring",
            "time_in_bed_start": start.isoformat(), "time_in_bed_end": (start + datetime.timedelta(hours=8)).isoformat(),
        }
        person = self.stage.writer
        answer = await self.send("ingest", "POST", f"/api/v1/sleep/{person.user_id}", self.stage.service_token, json=night)
        if answer is None:
            return
        result = answer.json().get("results", [{}])[0] if answer.status_code == 200 else {}
        if result.get("status") in ("created", "unchanged"):
            self.ledger.acknowledge(person.user_id, result["id"])
        else:
            self.ledger.mistake("ingest", f"{answer.status_code}: {answer.text[:200]}")
