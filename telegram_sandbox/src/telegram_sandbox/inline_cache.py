"""The answers to inline queries that Telegram repeats without asking the bot again."""

from telegram_sandbox.model import InlineAnswer, InlineQuery


class InlineCache:
    """Answers by what was asked; a personal one is repeated only to the person who asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int | None], tuple[float, InlineAnswer]] = {}

    def find(self, query: InlineQuery, now: float) -> InlineAnswer | None:
        """The answer to the same question, None when it has to be asked."""
        for owner in (query.user_id, None):
            expires, answer = self._kept.get((query.text.strip(), query.offset, owner), (0.0, None))
            if now < expires:
                return answer
        return None

    def keep(self, query: InlineQuery, answer: InlineAnswer, now: float) -> None:
        """Keep an answer for as long as the bot allows."""
        if answer.cache_seconds > 0:
            owner = query.user_id if answer.is_personal else None
            self._kept[query.text.strip(), query.offset, owner] = (now + answer.cache_seconds, answer)
