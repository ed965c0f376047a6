"""Check voice notes: the engine of each language, the model, its memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from telegram_bot.errors import OperatorError
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings
from telegram_bot.voice.engines import EMBEDDED, WHISPER, engine_name
from telegram_bot.voice.models import find_model, read_manifest, read_silence, verified
from telegram_bot.words.language_files import GRAMMARS

SET_UP: Final = "For all languages, and better: perudo-bot voice setup"
EXTRA: Final = "Install the bot with its extra voice, then: perudo-bot voice setup"
_BESIDE_THE_WEIGHTS: Final = 200
"""Megabytes of the process besides the model's weights, which need 8 bits each."""


def examine(settings: Settings) -> Iterator[CheckResult]:
    """Yield the results of all checks of voice notes; only a broken model keeps a bot from running."""
    if not settings.voice.enabled:
        yield passed("voice", "voice notes are not heard: voice.enabled is false")
        return
    model = find_model(settings.voice.model)
    engines = {language: engine_name(language, model) for language in GRAMMARS}
    heard = [f"{language} by {name}" for language, name in engines.items() if name is not None]
    deaf = [language for language, name in engines.items() if name is None]
    says = f"voice notes are heard: {', '.join(heard)}" if heard else "voice notes are not heard: no engine is here"
    if deaf and heard:
        says += f"; not {', '.join(deaf)}"
    embedded = EMBEDDED in engines.values()
    mend = EXTRA if not heard or (model is not None and WHISPER not in engines.values()) else SET_UP if embedded else ""
    yield passed("voice", says, mend)
    if model is not None:
        yield _model(model)


def _model(folder: Path) -> CheckResult:
    try:
        files = read_manifest(verified(folder)).files
    except OperatorError as error:
        return failed("model", str(error), "perudo-bot voice setup")
    weights = sum(file.bytes for file in files.values()) // 2**20
    if not read_silence(folder):
        return failed(
            "model",
            f"{folder} knows nothing of silence, so quiet notes are taken for bids",
            f"perudo-bot voice setup --from {folder}",
        )
    memory = weights // 2 + _BESIDE_THE_WEIGHTS
    return passed("model", f"{folder} is as it was set up; about {memory} MB while notes are heard")
