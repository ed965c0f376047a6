"""The alerts, the dashboard and the operator's page name only numbers that exist."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client import Histogram
from prometheus_client.metrics import MetricWrapperBase
from promql_parser import Expr

from telegram_bot.delivery import sender
from telegram_bot.observability import metrics
from telegram_bot.storage.database import Database
from telegram_bot.storage.status_queries import InstallationStatus, StatusCollector
from test_support.documents import ROOT

ALERTS = yaml.safe_load((ROOT / "config/prometheus-alerts.yml").read_text(encoding="utf-8"))
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]

ADDED_BY_PROMETHEUS = {"job", "instance"}


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """Every series of a worker's metrics, with its labels."""
    found = {"up": {"job", "instance"}}
    database = Database(f"sqlite:///{tmp_path_factory.mktemp('series')}/perudo.db")
    gauges = StatusCollector(database, texts_per_day=1, spend_per_day=1)
    gauges.found = InstallationStatus(backup_age=0)
    for family in [*metrics.REGISTRY.collect(), *gauges.collect()]:
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    database.close()
    for each in (each for each in vars(metrics).values() if isinstance(each, MetricWrapperBase)):
        suffixes = ("_bucket", "_sum", "_count") if isinstance(each, Histogram) else ("_total",)
        for suffix in suffixes:
            found.setdefault(each._name + suffix, set()).update(each._labelnames)
    return found


def asked() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        yield rule["alert"], rule["expr"]
    for panel in json.loads((ROOT / "config/grafana-dashboard.json").read_text(encoding="utf-8"))["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m")


def walk(node: Any) -> Iterator[Expr]:
    yield node
    inner = (getattr(node, name, None) for name in ("expr", "lhs", "rhs", "param", "vector_selector"))
    for part in (*inner, *(getattr(node, "args", None) or ())):
        if part is not None:
            yield from walk(part)


def selectors(expression: str) -> list[Any]:
    return [part for part in walk(promql_parser.parse(expression)) if isinstance(part, promql_parser.VectorSelector)]


def test_what_is_asked_is_there_to_be_answered(series: Mapping[str, set[str]]) -> None:
    for place, expression in asked():
        found = selectors(expression)
        assert found, f"{place} asks for nothing"
        labels: set[str] = set()
        for selector in found:
            assert selector.name in series, f"{place}: there is no {selector.name}"
            known = series[selector.name] | ADDED_BY_PROMETHEUS
            labels |= known
            for matcher in selector.matchers.matchers:
                assert matcher.name in known, f"{place}: {selector.name} has no label {matcher.name}"
        for grouping in re.findall(r"\bby \(([^)]*)\)", expression):
            for label in filter(None, re.split(r",\s*", grouping)):
                assert label in labels, f"{place}: no label {label}"


def test_the_results_that_alerts_name_are_counted_somewhere() -> None:
    errors = (sender.InvalidError, sender.NotSentError, sender.UnknownOutcomeError, KeyError)
    sends = {metrics.result_of(kind()) for kind in errors}
    (named,) = re.findall(r'perudo_sends_total\{result=~"([^"]+)"', str([rule["expr"] for rule in RULES]))
    assert set(named.split("|")) == sends


def test_numbers_that_workers_share_are_not_added_up() -> None:
    assert [expression for _, expression in asked() if re.search(r"\bsum\b[^(]*\(perudo_", expression)] == []
