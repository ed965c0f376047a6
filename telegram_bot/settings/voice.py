"""The section `[voice]`: voice notes that are heard, and messages that are read aloud."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from telegram_bot.settings.base import Allowed, Section


class VoiceSettings(Section):
    """Whether voice notes are heard and messages read aloud, and by what."""

    enabled: Annotated[bool, Allowed("true or false")] = True
    model: Annotated[str, Field(min_length=1), Allowed("small, base, or the folder of a model")] = "small"
    queue: Annotated[int, Field(ge=1, le=100), Allowed("1 to 100 notes")] = 8
    seconds: Annotated[int, Field(ge=1, le=60), Allowed("1 to 60 seconds")] = 10
    idle_minutes: Annotated[int, Field(ge=1, le=1440), Allowed("1 to 1440 minutes (a day)")] = 10
    notes_per_minute: Annotated[int, Field(ge=0, le=1000), Allowed("0 (no limit) to 1000 notes")] = 6
    voices: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z]{2}=.+$")], ...],
        Allowed('languages with a folder or a file .onnx, such as ["it=/srv/kokoro", "nl=/srv/nl.onnx"]'),
    ] = ()
    speak: Annotated[bool, Allowed("true or false")] = True
