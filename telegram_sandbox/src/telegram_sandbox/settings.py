"""The settings of a sandbox: its port, its people, its strictness, and its page."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

DEFAULT_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d7466"/>'
    '<g fill="#fff"><rect x="7" y="11" width="18" height="13" rx="4"/><rect x="15" y="6" width="2" height="6"/>'
    '<circle cx="16" cy="6" r="2"/></g><g fill="#1d7466"><circle cx="12.5" cy="17.5" r="2"/>'
    '<circle cx="19.5" cy="17.5" r="2"/></g></svg>'
)


BOT_ID = 424242
SECRET_BYTES = 26
"""35 characters, as many as Telegram's tokens have after the colon."""


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The title, the icon and the languages of the web page."""

    title: str = "Telegram sandbox"
    icon: str = DEFAULT_ICON
    """An SVG document: the page's icon and the bot's picture."""
    languages: tuple[str, ...] = ("en", "de", "es", "fr", "it", "nl", "pl", "pt", "ru", "tr", "uk")
    """The language codes that a person of the page can choose."""


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The settings of one sandbox.

    The bot has a port of its own (`bot_port`), which an outage can close; the page's port (`port`) answers the bot as
    well. Port 0 takes any free port. A taken port gives way to the next free one unless `demand_port` is set.
    The defaults of `*_seconds` are Telegram's own values: a test that needs them to pass moves the sandbox's clock.
    """

    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    """Names under which requests may ask for it, besides this machine's own: those of a proxy or a container."""
    deliver_anywhere: bool = False
    """Whether the bot may have updates sent to other machines than this one."""
    port: int = 8080
    demand_port: bool = False
    bot_port: int = 0
    token: str = field(default_factory=lambda: f"{BOT_ID}:{secrets.token_urlsafe(SECRET_BYTES)}")
    """A new one for each sandbox by default."""
    bot_username: str = "sandbox_bot"
    bot_name: str = "Sandbox"
    people: tuple[str, ...] = ("Ana", "Bo", "Cy", "Dee")
    people_start: bool = False
    """Whether each person begins with /start in the private chat, so that the bot may write to all of them."""
    group_title: str = "Friends"
    bot_is_admin: bool = False
    """Whether the bot is an admin of every group, and so gets every message; `set_bot_status` changes it for one."""
    privacy_mode: bool = True
    """Whether the bot reads in groups only what is meant for it, as /setprivacy in BotFather sets it."""
    inline_mode: bool = False
    """Whether inline mode is on, as /setinline in BotFather sets it."""
    inline_placeholder: str = "Search…"
    """The hint in the text field after the bot's name, also set with /setinline."""
    inline_feedback: float = 0.0
    """How likely the bot is told of a chosen result: from 0 (never) to 1, as with /setinlinefeedback in BotFather."""
    guest_mode: bool = False
    """Whether people may ask the bot, by its name, in chats where it is not, as BotFather allows it."""
    main_web_app: str | None = None
    """The address of the main Mini App, also set in BotFather: `t.me/<bot>?startapp=…` opens it."""
    page: PageSettings = PageSettings()

    extensions: tuple[Callable[[Any], Any], ...] = ()
    """Functions that each make an `Extension` of a `World`."""

    flood_limits: bool | None = None
    """Whether the bot is slowed down. None means yes, except with the fixtures of pytest."""
    bot_messages_per_second: int = 30
    chat_messages_per_second: int = 1
    chat_burst: int = 5
    """How many messages a chat takes at once before `chat_messages_per_second` applies; 1 allows no burst."""
    group_messages_per_minute: int = 20

    update_lives_seconds: float = 24 * 3600
    tap_lives_seconds: float = 150
    tap_answer_seconds: float = 60
    ephemeral_seconds: float = 15
    inline_query_lives_seconds: float = 30
    inline_answer_seconds: float = 10
    """Telegram documents no number, and refuses bots after about ten seconds."""
    chosen_result_lives_seconds: float = 600
    join_request_seconds: float = 300
    """How long the bot may write to a person who has asked to join a group and has not started it."""
    payment_answer_seconds: float = 10
    """How long the bot may take to answer a pre-checkout query, or a shipping query."""

    max_body_bytes: int = 50 * 1024 * 1024
    max_download_bytes: int = 20 * 1024 * 1024
    remembered_calls: int = 500
    remembered_events: int = 5000
    judge: bool = False
    """Whether the models of `aiogram` judge every request, result and update: 4 seconds at the start, 180 MB."""
    keep_log: bool = True
    """Whether the parameters of calls, and events that no one follows, are kept; load tests do without."""

    @property
    def bot_id(self) -> int:
        """The number before the token's colon."""
        return int(self.token.partition(":")[0])
