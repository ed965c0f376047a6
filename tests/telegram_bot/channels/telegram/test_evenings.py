"""Whole evenings, as all phones show them: `evenings/*.txt`.

A line with `>` is an act of a person, and the lines below it are the messages and toasts that follow.
`python -m tests.telegram_bot.channels.telegram.test_evenings` writes these again, and a reviewer reads the diff.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from telegram_sandbox.virtual_time import run
from test_support.virtual_world import VirtualWorld
from test_support.world import opened

EVENINGS: Final = sorted(Path(__file__).with_name("evenings").glob("*.txt"))


async def evening(approved: str) -> str:
    with TemporaryDirectory() as folder:
        async with opened(Path(folder), VirtualWorld, plan={"secrets": 1}) as world:
            acts = re.findall(r"> (\w+)( in the group)?( taps)?: (.*)", approved)
            return "".join([line for act in acts async for line in _act(world, *act)])


async def _act(world: VirtualWorld, name: str, in_group: str, taps: str, what: str) -> AsyncIterator[str]:
    seen, chat, toast = len(world.recorder.versions), world.group if in_group else None, ""
    if name == "Seconds":
        await asyncio.sleep(float(what))
    elif taps:
        toast = await world[name].tap(what, chat)
    else:
        await world[name].say(what, chat)
    await world.settled()
    yield f"> {name}{in_group}{taps}: {what}\n"
    if toast:
        yield f"  Toast: {toast}\n"
    names = {person.id: name for name, person in world.people.items()} | {world.group.id: "The group"}
    # Chats have no order among each other.
    for message in sorted(world.recorder.versions[seen:], key=lambda each: (each.chat_id, each.seen_by or 0)):
        place = [names[message.chat_id], *([f"only {names[message.seen_by]}"] if message.seen_by else ())]
        edited = [] if message.first == message.changed else ["edited"]
        lines = [*message.text.splitlines(), " ".join(f"[{button['text']}]" for button in message.buttons)]
        yield f"  {', '.join(place + edited)}:\n" + "".join(f"    {line}\n" for line in lines if line)


@pytest.mark.parametrize("file", EVENINGS, ids=lambda file: file.stem)
def test_the_phones_show_what_a_reviewer_has_approved(file: Path) -> None:
    approved = file.read_text(encoding="utf-8")
    assert run(evening(approved)) == approved


if __name__ == "__main__":
    for each in EVENINGS:
        each.write_text(run(evening(each.read_text(encoding="utf-8"))), encoding="utf-8")
