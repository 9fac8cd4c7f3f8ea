"""Data frames of a person's nights, stages and intakes; they need the extra `pandas`.

A column of times is in UTC. Next to it, `..._local` has the clock at the place of recording, without a zone: each night
may have another offset, which one column cannot hold. It is `NaT` where the server does not know the offset.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import pandas as pd

from restwell_api import AuthenticatedClient
from restwell_api.api.data import read_sleep, read_supplements
from restwell_api.models.metric_sleep_metric import MetricSleepMetric
from restwell_api.models.pagination import Pagination
from restwell_api.models.problem_body import ProblemBody
from restwell_api.models.read_sleep_include_metrics import ReadSleepIncludeMetrics
from restwell_api.models.read_sleep_include_stages import ReadSleepIncludeStages
from restwell_api.models.read_sleep_sort import ReadSleepSort
from restwell_api.models.read_supplements_sort import ReadSupplementsSort
from restwell_api.models.sleep_answer import SleepAnswer
from restwell_api.models.sleep_stage_stage import SleepStageStage
from restwell_api.models.supplements_answer import SupplementsAnswer
from restwell_api.types import UNSET, Response, Unset
from restwell_client import ok, records

Answer = TypeVar("Answer", SleepAnswer, SupplementsAnswer)

PAGE_SIZE = 1000
STAGES = pd.CategoricalDtype([stage.value for stage in SleepStageStage])


def nights(
    client: AuthenticatedClient, user_id: str, start_date: str | Unset = UNSET, end_date: str | Unset = UNSET
) -> pd.DataFrame:
    """Returns a row per sleep session, oldest first, with a column per metric, which is NaN if unknown."""
    sessions = _sessions(client, user_id, start_date, end_date)
    rows = [
        {**session, "session_id": session["id"], **{m["sleep_metric"]: m["value"] for m in session["sleep_metric"]}}
        for session in sessions
    ]
    types = {"session_id": "string", "source": "string", "is_nap": "boolean"}
    metrics = {metric.value: "float64" for metric in MetricSleepMetric}
    return _frame(rows, {**types, **metrics}, local=["time_in_bed_start", "time_in_bed_end"], utc=["updated_at"])


def stages(
    client: AuthenticatedClient, user_id: str, start_date: str | Unset = UNSET, end_date: str | Unset = UNSET
) -> pd.DataFrame:
    """Returns a row per stage, with the `session_id` of its night. Both local times have the offset at bedtime."""
    sessions = _sessions(client, user_id, start_date, end_date)
    rows = [{**stage, "session_id": session["id"]} for session in sessions for stage in session["raw_sleep"]]
    return _frame(rows, {"session_id": "string", "stage": STAGES}, local=["start", "end"])


def intakes(client: AuthenticatedClient, user_id: str, start_date: str | Unset = UNSET) -> pd.DataFrame:
    """Returns a row per intake, oldest first. Their times are in UTC only: the server has no offset of an intake."""
    rows = [
        {**supplement["details"], **log, "log_id": log["id"]}
        for supplement in _supplements(client, user_id, start_date)
        for log in supplement["logs"]
    ]
    types = {"log_id": "string", "supplement_id": "string", "brand": "string", "name": "string", "servings": "float64"}
    return _frame(rows, types, utc=["created_at"]).sort_values("created_at", kind="stable", ignore_index=True)


def ingredients(client: AuthenticatedClient, user_id: str, start_date: str | Unset = UNSET) -> pd.DataFrame:
    """Returns a row per ingredient of one serving of each supplement of `intakes`; merge them on `supplement_id`.

    `quantity` and `unit` are missing if the label states no amount.
    """
    rows = [
        {**ingredient, **({} if ingredient["amount_stated"] else {"quantity": None, "unit": None}),
         "supplement_id": supplement["id"]}
        for supplement in _supplements(client, user_id, start_date)
        for ingredient in supplement["details"]["supplement_ingredient"]
    ]
    types = {
        "supplement_id": "string", "order": "int64", "ingredient_name": "string", "quantity": "float64",
        "unit": "string", "active": "bool",
    }
    return _frame(rows, types)


class _Record(dict[str, Any]):
    """A record as the server wrote it: the models of `restwell_api` do not tell `Z` from `+00:00`."""

    @property
    def id(self) -> UUID:
        return UUID(self["id"])


@dataclass
class _Page:
    data: list[_Record]
    pagination: Pagination


def _page(response: Response[Answer | ProblemBody]) -> _Page:
    pagination = ok(response).pagination
    return _Page([_Record(record) for record in json.loads(response.content)["data"]], pagination)


def _sessions(
    client: AuthenticatedClient, user_id: str, start_date: str | Unset, end_date: str | Unset
) -> list[_Record]:
    return list(records(lambda page: _page(read_sleep.sync_detailed(
        UUID(user_id), client=client, start_date=start_date, end_date=end_date, page=page, page_size=PAGE_SIZE,
        include_stages=ReadSleepIncludeStages.TRUE, include_metrics=ReadSleepIncludeMetrics.TRUE,
        sort=ReadSleepSort.ASC))))


def _supplements(client: AuthenticatedClient, user_id: str, start_date: str | Unset) -> list[_Record]:
    return list(records(lambda page: _page(read_supplements.sync_detailed(
        UUID(user_id), client=client, start_date=start_date, page=page, page_size=PAGE_SIZE,
        sort=ReadSupplementsSort.ASC))))


def _frame(
    rows: list[dict[str, Any]], types: Mapping[str, Any], local: Sequence[str] = (), utc: Sequence[str] = ()
) -> pd.DataFrame:
    """Returns a frame whose columns and types do not depend on the rows."""
    text = pd.DataFrame(rows, columns=[*types, *local, *utc]).astype({**types, **dict.fromkeys([*local, *utc], "string")})
    frame = text[list(types)].copy()
    for column in [*local, *utc]:
        frame[column] = pd.to_datetime(text[column], format="ISO8601", utc=True).dt.as_unit("us")
        if column in local:
            clock = text[column].str.extract(r"^(.*)[+-]\d\d:\d\d$", expand=False)
            frame[f"{column}_local"] = pd.to_datetime(clock, format="ISO8601").dt.as_unit("us")
    return frame
