"""What can be chosen about a sandbox before it starts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """One sandbox: where it listens, who lives in it, how strict it is.

    The bot is given a port of its own (`bot_port`), so that an outage can close it; the other one serves it as well.
    `port` 0 takes any free port. A taken port gives way to the next free one unless `demand_port` is set.
    The `*_seconds` values are Telegram's own; a test that needs them to pass moves the sandbox's clock instead.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    demand_port: bool = False
    bot_port: int = 0
    token: str = "424242:sandbox-token-for-this-machine-only"  # noqa: S105 - opens nothing but this machine's sandbox
    bot_username: str = "perudo_sandbox_bot"
    bot_name: str = "Perudo"
    people: tuple[str, ...] = ("Ana", "Bo", "Cy", "Dee")
    group_title: str = "Friends"
    bot_is_admin: bool = False
    privacy_mode: bool = True

    text_number: str = "+12025550100"
    text_hook: str | None = None
    """Where texts to the bot's number go, as a Kannel smsbox hands them over; None: the bot takes no texts."""
    text_price: float = 0.01
    """Of one text, out or in: a round number, for the page."""
    phones: tuple[str, ...] = ()

    flood_limits: bool = True
    bot_messages_per_second: int = 30
    chat_messages_per_second: int = 1
    group_messages_per_minute: int = 20

    update_lives_seconds: float = 24 * 3600
    tap_lives_seconds: float = 150
    tap_answer_seconds: float = 60
    ephemeral_seconds: float = 15

    max_body_bytes: int = 50 * 1024 * 1024
    max_download_bytes: int = 20 * 1024 * 1024
    remembered_calls: int = 500
    remembered_events: int = 5000
    audit: bool = True
    """Whether `aiogram` judges every request, answer and update, which is most of what a call costs."""

    @property
    def bot_id(self) -> int:
        """The number before the token's colon."""
        return int(self.token.partition(":")[0])
