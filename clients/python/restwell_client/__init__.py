"""Helpers for the generated package `restwell_api`: tokens, Retry-After, pages, and the change feed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Protocol, TypeVar
from uuid import UUID

import httpx

from restwell_api import AuthenticatedClient
from restwell_api.api.data import read_changes
from restwell_api.models.change_op import ChangeOp
from restwell_api.models.pagination import Pagination
from restwell_api.models.problem_body import ProblemBody
from restwell_api.types import UNSET, Response, Unset

T = TypeVar("T")
Record = TypeVar("Record", bound="HasId")


class RestwellError(Exception):
    """A rejected request. `code` is the problem's `code`, or `error` of a token endpoint."""

    def __init__(self, status: int, code: str, detail: str, retry_after: int | None) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.retry_after = retry_after


@dataclass(frozen=True)
class App:
    """The server and the app. A public app has no secret. `repr` omits it."""

    base_url: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)


@dataclass
class Tokens:
    """The tokens of one person. Store them encrypted; `expires_at` is in seconds of the Unix epoch.

    `repr` omits the tokens, so that they do not end up in a log.
    """

    user_id: str
    scope: str
    access_token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: float


def redeem(app: App, code: str, redirect_uri: str, code_verifier: str | None = None) -> Tokens:
    """Exchanges an authorization code. Never repeat this: a code that is sent twice revokes its tokens."""
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri}
    if code_verifier is not None:
        form["code_verifier"] = code_verifier
    with httpx.Client() as http:
        response = http.send(_token_request(app, form))
    body = _body(response)
    return Tokens(body["user_id"], body["scope"], body["access_token"], body["refresh_token"], _expiry(body))


def connect(
    app: App, tokens: Tokens, save: Callable[[Tokens], None], longest_wait: float = 60,
    sleep: Callable[[float], None] = time.sleep,
) -> AuthenticatedClient:
    """Returns a client for the functions of `restwell_api` that refreshes its tokens and observes Retry-After.

    `save` is called with the tokens after each refresh, before they are used: the refresh token of a public app
    changes each time. A wait beyond `longest_wait` seconds is left to the caller.
    """
    return AuthenticatedClient(
        base_url=app.base_url,
        # Replaced by `_TokenAuth`.
        token="",
        httpx_args={
            "auth": _TokenAuth(app, tokens, save),
            "transport": _WaitingTransport(httpx.HTTPTransport(), longest_wait, sleep),
        },
    )


def ok(response: Response[T | ProblemBody]) -> T:
    """Returns the body of a successful response; raises `RestwellError` for any other."""
    if response.status_code == HTTPStatus.OK and response.parsed is not None:
        if not isinstance(response.parsed, ProblemBody):
            return response.parsed
    problem = response.parsed
    retry_after = response.headers.get("Retry-After")
    raise RestwellError(
        response.status_code,
        problem.code if isinstance(problem, ProblemBody) else "unknown",
        problem.detail if isinstance(problem, ProblemBody) else "the response is not a problem document",
        int(retry_after) if retry_after else None,
    )


class HasId(Protocol):
    """A sleep session or a supplement."""

    @property
    def id(self) -> UUID: ...


class Page(Protocol[Record]):
    """A page of records."""

    data: list[Record]
    pagination: Pagination


def records(read: Callable[[int], Page[Record]]) -> Iterator[Record]:
    """Yields the records of all pages, each once. `read` returns the page with this number."""
    number = 1
    seen: set[UUID] = set()
    while True:
        page = read(number)
        for record in page.data:
            # A record added between two requests moves others to the next page.
            if record.id not in seen:
                seen.add(record.id)
                yield record
        if not page.pagination.has_more:
            return
        number += 1


@dataclass
class Copy:
    """A copy of one person's records. Store it together with its cursor."""

    cursor: str | None = None
    records: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)


def follow(client: AuthenticatedClient, user_id: str, copy: Copy, limit: int = 1000) -> bool:
    """Brings a copy up to date. Returns whether it started again because the cursor had expired."""
    try:
        _apply(client, user_id, copy, limit)
    except RestwellError as error:
        if error.status != HTTPStatus.GONE:
            raise
    else:
        return False
    fresh = Copy()
    _apply(client, user_id, fresh, limit)
    # The old copy is kept until the new one, without the records deleted meanwhile, is complete.
    copy.cursor, copy.records = fresh.cursor, fresh.records
    return True


def _apply(client: AuthenticatedClient, user_id: str, copy: Copy, limit: int) -> None:
    while True:
        cursor = UNSET if copy.cursor is None else copy.cursor
        answer = ok(read_changes.sync_detailed(UUID(user_id), client=client, cursor=cursor, limit=limit))
        for change in answer.data:
            key = (change.type_.value, str(change.id))
            if change.op is ChangeOp.DELETE or isinstance(change.record, Unset):
                copy.records.pop(key, None)
            else:
                copy.records[key] = change.record.to_dict()
        copy.cursor = answer.cursor
        if not answer.has_more:
            return


class _TokenAuth(httpx.Auth):
    """Adds the access token, and refreshes it when it has expired or is rejected."""

    requires_response_body = True

    def __init__(self, app: App, tokens: Tokens, save: Callable[[Tokens], None]) -> None:
        self._app = app
        self._tokens = tokens
        self._save = save
        # Threads must not use one rotating refresh token twice.
        self._lock = threading.Lock()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if time.time() > self._tokens.expires_at:
            yield from self._refresh(self._tokens.access_token)
        used = self._tokens.access_token
        request.headers["Authorization"] = f"Bearer {used}"
        response = yield request
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            yield from self._refresh(used)
            request.headers["Authorization"] = f"Bearer {self._tokens.access_token}"
            yield request

    def _refresh(self, used: str) -> Generator[httpx.Request, httpx.Response, None]:
        with self._lock:
            if self._tokens.access_token != used:
                return
            form = {"grant_type": "refresh_token", "refresh_token": self._tokens.refresh_token}
            body = _body((yield _token_request(self._app, form)))
            tokens = self._tokens
            tokens.access_token, tokens.scope, tokens.expires_at = body["access_token"], body["scope"], _expiry(body)
            tokens.refresh_token = body["refresh_token"]
            self._save(tokens)


class _WaitingTransport(httpx.BaseTransport):
    """Repeats reads that were answered with 429 or 503 after the time in Retry-After."""

    STATUSES = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)

    def __init__(self, inner: httpx.BaseTransport, longest_wait: float, sleep: Callable[[float], None]) -> None:
        self._inner = inner
        self._longest_wait = longest_wait
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        waited = 0.0
        while True:
            response = self._inner.handle_request(request)
            pause = float(response.headers.get("Retry-After", 0))
            waited += pause
            repeatable = request.method == "GET" and response.status_code in self.STATUSES
            if not repeatable or pause == 0 or waited > self._longest_wait:
                return response
            response.close()
            self._sleep(pause)

    def close(self) -> None:
        self._inner.close()


def _token_request(app: App, form: dict[str, str]) -> httpx.Request:
    form = {**form, "client_id": app.client_id}
    if app.client_secret is not None:
        form["client_secret"] = app.client_secret
    return httpx.Request("POST", f"{app.base_url}/api/token", data=form)


def _body(response: httpx.Response) -> dict[str, Any]:
    """Returns the body of a token response; raises `RestwellError` for an error."""
    try:
        body: dict[str, Any] = response.json()
    except ValueError:
        body = {}
    if response.status_code == HTTPStatus.OK:
        return body
    retry_after = response.headers.get("Retry-After")
    raise RestwellError(
        response.status_code,
        body.get("error", "unknown"),
        body.get("error_description", "the response is not an OAuth error"),
        int(retry_after) if retry_after else None,
    )


def _expiry(body: dict[str, Any]) -> float:
    """Returns the end of a token's lifetime, a minute early."""
    return time.time() + float(body["expires_in"]) - 60
