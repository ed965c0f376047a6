"""The program that says texts, one after the other: `python -m telegram_bot.voice.speaking_program VOICES`.

A process of its own: voices are C libraries that a name may crash, they hold the processor for seconds, and some need
hundreds of megabytes. It reads a request a line, as JSON, and answers each with a byte, a length and so many bytes: a
voice note, or why there is none. It ends with its input, and so with the bot.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import BinaryIO, Final

from telegram_bot.voice.parent import end_with_parent
from telegram_bot.voice.speak import VoiceSpeaker
from telegram_bot.voice.speaker import Speaker, VoiceError
from telegram_bot.voice.voices import open_voice

SAID: Final = b"+"
NOT_SAID: Final = b"-"
LENGTH: Final = struct.Struct(">I")
NICENESS: Final = 10
"""Whoever taps comes before whoever listens."""


def serve(requests: BinaryIO, answers: BinaryIO, voices: dict[str, str]) -> None:
    """Answer requests until there are no more."""
    speakers: dict[str, Speaker] = {}
    for line in requests:
        request = json.loads(line)
        kind, content = _say(str(request["text"]), str(request["language"]), voices, speakers)
        answers.write(kind + LENGTH.pack(len(content)) + content)
        answers.flush()


def _say(text: str, language: str, voices: dict[str, str], speakers: dict[str, Speaker]) -> tuple[bytes, bytes]:
    """A text in the language's voice, or in espeak-ng's if that one cannot."""
    why = "no voice"
    for name in dict.fromkeys((voices.get(language, ""), "")):
        try:
            if name not in speakers:
                speakers[name] = VoiceSpeaker(open_voice(name))
            return SAID, speakers[name].say(text, language)
        except VoiceError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - a library's error may quote the text, which may tell dice
            why = type(error).__name__
    return NOT_SAID, why.encode()


def main() -> None:
    """Serve standard input and output. What a library prints must not get among the answers."""
    end_with_parent(int(sys.argv[2]))
    os.nice(NICENESS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, json.loads(sys.argv[1]))


if __name__ == "__main__":
    main()
