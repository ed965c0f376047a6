"""The recogniser's process: reads notes from its input and answers what was said, one after the other.

It is started by `RecogniserProcess`, sees neither the bot's token nor its database, and asks no model hub.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO, Final

from telegram_bot.voice.parent import end_with_parent

NICENESS: Final = 5
"""Below the bot's: a tap is answered while a note is heard. At 10, a note on a busy host was never heard in time."""
MODEL_FAULT: Final = "model"


def main(arguments: list[str]) -> None:
    """Answer until the input ends. `arguments`: the folder of the model, or nothing, and the parent's process id."""
    end_with_parent(int(arguments[1]))
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.nice(NICENESS)
    from telegram_bot.voice.engines import Engines  # noqa: PLC0415 - reads the environment when it is imported
    from telegram_bot.voice.frames import pack, read_frame_blocking  # noqa: PLC0415

    answers = _only_answers()
    engines = Engines(Path(arguments[0]) if arguments[0] else None)
    while (frame := read_frame_blocking(sys.stdin.buffer)) is not None:
        answers.write(pack(_answer(engines, *frame)))
        answers.flush()


def _only_answers() -> BinaryIO:
    """The pipe of the answers; what a library prints goes elsewhere."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return answers


def _answer(engines: Any, question: dict[str, Any], pcm: bytes) -> dict[str, Any]:
    from telegram_bot.voice.calls import label_of, spoken_of  # noqa: PLC0415
    from telegram_bot.voice.models import ModelError  # noqa: PLC0415
    from telegram_bot.voice.spoken import VoiceUnavailable  # noqa: PLC0415

    try:
        heard = engines.hear(pcm, question["language"], [spoken_of(label) for label in question["legal"]])
    except VoiceUnavailable as error:
        return {"unavailable": str(error)}
    except ModelError as error:
        return {"unavailable": str(error), "fault": MODEL_FAULT}
    guesses = [[label_of(guess.spoken), guess.score] for guess in heard.guesses]
    return {"verdict": heard.verdict, "guesses": guesses}


if __name__ == "__main__":
    main(sys.argv[1:])
