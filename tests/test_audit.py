"""`.ci/audit`, with pip-audit itself and an advisory service of our own."""

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from subprocess import CompletedProcess
from typing import Any

from test_support.child_processes import run
from test_support.documents import ROOT

FLAW = {
    "id": "PYSEC-2026-1",
    "aliases": ["CVE-2026-1"],
    "summary": "somebody may walk in",
    "details": "somebody may walk in",
    "modified": "2026-01-01T00:00:00Z",
    "affected": [
        {
            "package": {"name": "starlette", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.1"}]}],
        }
    ],
}


@contextmanager
def advisories(known: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """A service that speaks OSV; its address, and the packages of its requests."""
    asked: set[str] = set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            name = json.loads(self.rfile.read(int(self.headers["content-length"])))["package"]["name"]
            asked.add(name)
            body = json.dumps({"vulns": [known[name]]} if name in known else {}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: object) -> None:  # noqa: A002 - the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
        finally:
            server.shutdown()
            thread.join()


def audit(url: str) -> CompletedProcess[str]:
    variables = {"AUDIT_OSV_URL": url, "AUDIT_SERVICES": "osv", "no_proxy": "127.0.0.1"}
    return run(sys.executable, ROOT / ".ci/audit", env=os.environ | variables, timeout=120)


def test_every_package_of_the_lock_is_asked_about() -> None:
    with advisories({}) as (url, asked):
        outcome = audit(url)
    said = f"Audit: no known vulnerability in {len(asked)} packages, says osv.\n"
    assert (outcome.returncode, outcome.stdout) == (0, said), outcome.stderr
    assert {"starlette", "python-telegram-bot", "sqlalchemy", "psycopg", "av", "structlog"} <= asked
    assert "pytest" not in asked


def test_a_known_vulnerability_fails_the_change() -> None:
    with advisories({"starlette": FLAW}) as (url, _):
        outcome = audit(url)
    assert outcome.returncode == 1
    words = r"starlette \S+: PYSEC-2026-1, CVE-2026-1; mended in 99.1\nAudit: 1 known vulnerabilities, says osv.\n"
    assert re.fullmatch(words, outcome.stdout)


def test_a_service_that_is_away_fails_nothing_and_is_not_passed_over_in_silence() -> None:
    outcome = audit("http://127.0.0.1:9/v1/query")
    assert outcome.returncode == 0
    assert "Audit: NOT DONE." in outcome.stdout
    assert outcome.stdout.count("!" * 100) == 2
