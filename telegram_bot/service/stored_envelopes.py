"""Read the outbox's rows that earlier versions wrote."""

from __future__ import annotations

from typing import Any


def upgrade_envelope(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored envelope in today's form: older ones named a message, or repeated a reveal."""
    notice = stored.get("notice")
    if not isinstance(notice, dict):
        return stored
    upgraded = dict(stored)
    if "query" in upgraded:
        upgraded["reply_handle"] = upgraded.pop("query")
    kind = notice.get("kind")
    if kind in ("keyboard", "strip") and "message" in notice:
        upgraded["target"] = {"message": notice["message"], "receiver": stored.get("receiver")}
        upgraded["notice"] = _without(notice, "message")
    elif kind == "hand":
        upgraded["notice"] = _without(notice, "face")
    elif kind == "table":
        upgraded["notice"] = _without(notice, "face", "previous")
    elif kind in ("lobby", "started") and isinstance(notice.get("view"), dict) and "menu" in notice["view"]:
        menu = notice["view"]["menu"]
        upgraded["notice"] = notice | {"view": _without(notice["view"], "menu")}
        if kind == "lobby" and menu != "main":
            upgraded["notice"]["page"] = menu
    return upgraded


def _without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in names}
