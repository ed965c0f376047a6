"""`python -m benchmarks.foreign_bots` runs public bots unchanged in the sandbox, and prints a table for the docs.

Each bot is a process of its own with the version of its library that pip or npm finds; the people are played as in a
bot's tests. `--home` keeps the environments and the clones for the next run, `--from` names a place with the
repositories.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from telegram_sandbox import Chat, Given, RunningSandbox, SandboxSettings, User, running_sandbox
from telegram_sandbox.model import InviteLink

LIBRARY = Path(__file__).with_name("foreign_library.py")
PTB = "python-telegram-bot/python-telegram-bot"
AIOGRAM = "aiogram/aiogram"
TELEBOT = "eternnoir/pyTelegramBotAPI"
GRAMMY = "grammyjs/examples"
UNO = "jh0ker/mau_mau_bot"
ORDER = (PTB, AIOGRAM, TELEBOT, GRAMMY, UNO)
CURRENT = ("python-telegram-bot[ext]", "aiogram", "pyTelegramBotAPI", "schedule")
OLD = ("python-telegram-bot==13.15", "pony==0.7.19", "setuptools<81")
NODE = ("grammy", "@grammyjs/menu", "@grammyjs/runner", "@grammyjs/conversations", "@grammyjs/hydrate", "tsx")
PACE = 0.5
"""How long people think before they answer a bot that prepares for the answer after its question."""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001f617385500"
    "00000049454e44ae426082"
)


@dataclass(frozen=True)
class Stage:
    """A sandbox with two people who have not written to the bot yet, and their group, in which the bot is admin."""

    sandbox: RunningSandbox
    ana: User
    bo: User
    group: Chat
    folder: Path
    """The bot's repository."""


@dataclass(frozen=True)
class ForeignBot:
    """A bot's file in a repository, and the people who try it."""

    repository: str
    file: str
    shows: str
    """The table's description."""
    play: Callable[[Stage], Awaitable[None]]


BOTS: list[ForeignBot] = []


Play = Callable[[Stage], Awaitable[None]]


def plays(repository: str, *files: str) -> Callable[[Play], Play]:
    """Let these people try these bots; the docstring is the table's description."""

    def register(play: Play) -> Play:
        BOTS.extend(ForeignBot(repository, file, (play.__doc__ or "").strip(), play) for file in files)
        return play

    return register


FILES: Final = {"PTB": (PTB, "examples/{}.py"), "AIOGRAM": (AIOGRAM, "examples/{}.py"),
                "TELEBOT": (TELEBOT, "examples/{}.py"), "GRAMMY": (GRAMMY, "{}.ts")}  # fmt: skip
SCRIPTS: Final = """
PTB echobot rawapibot: A text comes back.
  > some words · < some words
TELEBOT echo_bot: A text comes back.
  > some words · < some words
PTB conversationbot: Reply keyboard, photo, download, location, `/skip`.
  > /start · < boy or a girl · ! Girl · < photo of yourself · photo · < Gorgeous! · location ·
  < tell me something about yourself · > I play dice · < Thank you!
PTB conversationbot2 persistentconversationbot: Reply keyboard in three states, with what the person has said.
  > /start · < Doctor Botter · ! Favourite colour · < Yes, I would love to hear · > Blue · < (?i)blue · ! Done ·
  < Until next time!
PTB nestedconversationbot: Inline keyboards, edits, nested states.
  > /start · < You may choose to add a family member · ! Add yourself · < tell me about yourself · ! Add info ·
  ! Name · < Okay, tell me · > Ana · < Got it! · ! Done · < You may choose to add a family member · ! Show data ·
  < Name: Ana
PTB inlinekeyboard: Inline keyboard, edit.
  > /start · < Please choose · ! Option 3 · < Selected option: 3
PTB inlinekeyboard2: Inline keyboards in states.
  > /start · < Start handler · ! 1 · < First CallbackQueryHandler · ! 3 · ! Nah, I've had enough ... ·
  < See you next time!
PTB arbitrarycallbackdatabot: Inline keyboard whose data the library keeps.
  > /start · < Please choose · ! 4 · < you've selected [4]
PTB contexttypesbot: Inline keyboard, edits.
  > /start · < clicked 0 times · ! Click me! · < clicked 1 times
PTB deeplinking: `/start` with a payload in private, links with entities, button.
  > /start · < Feel free to tell your friends · > /start so-cool · < CLICK HERE · > /start using-entities-here ·
  < using InlineKeyboardButtons
PTB timerbot: A message by itself, a second later.
  > /set 1 · < Timer successfully set! · < Beep! 1.0 seconds are over!
PTB paymentbot: Invoices with and without shipping, receipts.
  > /noshipping · < Payment Example · pay · < Thank you for your payment. · > /shipping · < Payment Example · pay ·
  < Thank you for your payment.
PTB errorhandlerbot: Text in HTML, an error in a handler.
  > /start · < Use /bad_command to cause an error
AIOGRAM finite_state_machine: Reply keyboard in states, its removal.
  > /start · < What's your name? · > Ana · < Did you like to write bots? · ! Yes · < What programming language ·
  > Python · < Python
AIOGRAM error_handling: Errors in handlers, answers.
  > /age old · < Age should be a number · > /age 42 · < Your age is 42
AIOGRAM quiz_scene: Reply keyboard for each question, formatted text.
  > /quiz · < capital of France · ! Paris · < capital of Spain · ! 🔙 Back · < capital of France
AIOGRAM stars_invoice: Invoice in stars, receipt, refund.
  > /start · < Demo invoice · pay · < Your payment has been refunded
TELEBOT step_example: Reply keyboard, next steps.
  > /start · < What's your name? · think · > Ana · < How old are you? · think · > 42 · < What is your gender · think ·
  ! Female · < Nice to meet you Ana
TELEBOT deep_linking: `/start` with a payload.
  > /start x1 · < Hello ABC
TELEBOT reply_keyboard_markup_example: Large reply keyboards, one after another, deletion, removal.
  > /start · < You can use the keyboard · ! Symbols · < Special characters · ! ✅Done · < Done with Keyboard
TELEBOT formatting_example: MarkdownV2, HTML, an entity of a date.
  > /start · < Local time: 2026-03-01 12:00:00
TELEBOT stars_payment: Reply keyboard, invoice in stars, receipt.
  > /start · < select amount of stars · ! 50 Stars · < Purchase 50 Stars · pay · < Payment for 50 Stars successful!
TELEBOT payments_example: Old Markdown, invoice with a picture's address, receipt.
  > /buy · < Working Time Machine · pay · < Hoooooray!
TELEBOT poll_example: Quiz that is not anonymous, a vote.
  > /poll · < We are going to · vote the
TELEBOT custom_states: States, a reply keyboard, answers to messages, HTML.
  > /start · < first name? · > Ana · < How old are you? · > 42 · < favorite color? · ! Blue · < hobbies? · ! Reading ·
  < Thank you
TELEBOT timer_bot: A message by itself, each second.
  > /set 1 · < Beep!
TELEBOT send_message_draft_example: A message that is shown while it is written.
  > /draft · < Done.
GRAMMY echo runner: A text comes back, in Node.
  > some words · < some words
GRAMMY menu: Menus as inline keyboards, edits, in Node.
  > /start · < Pick a dish to rate it! · ! Pizza · < Your rating · ! Meh. · ! Yummy!
GRAMMY menu-with-conversation: Menus and a conversation, in Node.
  > /start · < Menu · ! Settings · ! Set name · < What's your name? · > Ana · < Name set!
"""
"""Ana's acts in private, after the bots and the table's description: `>` writes, `<` sees, `!` taps."""


async def follow(steps: Sequence[str], stage: Stage) -> None:
    """Do what a script says."""
    ana = stage.ana
    for step in steps:
        verb, _, words = step.partition(" ")
        match verb:
            case ">":
                await ana.send(words)
            case "<":
                await ana.sees(re.compile(words) if words.startswith("(?i)") else words)
            case "!":
                await ana.tap(words)
            case "pay":
                await ana.pay()
            case "vote":
                await ana.vote(words)
            case "photo":
                await ana.send_photo(PNG)
            case "location":
                await ana.send_location(50.85, 4.35)
            case _:
                await asyncio.sleep(PACE)


for library, names, shows, script in re.findall(r"(?m)^(\w+) (.*): (.*)\n((?:  .*\n)+)", SCRIPTS):
    repository, path = FILES[library]
    run_script = partial(follow, re.split(r" ·\s+", script.strip()))
    BOTS += [ForeignBot(repository, path.format(name), shows, run_script) for name in names.split()]


@plays(PTB, "examples/chatmemberbot.py")
async def members(stage: Stage) -> None:
    """Follow joins and leaves in a group with the bot as admin, and the bot's own membership."""
    lee = stage.sandbox.add_person("Lee")
    await lee.join(stage.group)
    await stage.ana.sees("was added by", stage.group)
    await lee.leave(stage.group)
    await stage.ana.sees("is no longer with us", stage.group)
    await stage.ana.send("/show_chats")
    await stage.ana.sees("member of the groups")


@plays(PTB, "examples/pollbot.py")
async def polls(stage: Stage) -> None:
    """Poll with answers, closed by the bot; quiz; button that asks for a poll."""
    ana = stage.ana
    await ana.send("/poll")
    await ana.sees("How are you?")
    await ana.vote("Good", "Great")
    await ana.sees("feels Good and Great!")
    await ana.send("/quiz")
    await ana.sees("How many eggs")
    await ana.send("/preview")
    await ana.sees("Press the button")
    await ana.tap("Press me!", gives=Given(poll=("Who bluffs?", "Ana", "Bo")))
    await ana.sees("Who bluffs?")


@plays(PTB, "examples/inlinebot.py")
async def inline(stage: Stage) -> None:
    """Inline queries, a result in HTML."""
    answer = await stage.ana.type_inline("hello", stage.group)
    assert answer.titles == ["Caps", "Bold", "Italic"]
    assert (await stage.ana.choose("Caps", stage.group)).text == "HELLO"


@plays(PTB, "examples/webappbot.py")
async def colours(stage: Stage) -> None:
    """Mini App behind a button of the reply keyboard, its data."""
    await stage.ana.send("/start")
    await stage.ana.sees("choose a color")
    data = '{"hex": "#ff0000", "rgb": {"r": 255, "g": 0, "b": 0}}'
    await stage.ana.tap("Open the color picker!", gives=Given(data=data))
    await stage.ana.sees("HEX value #ff0000")


@plays(AIOGRAM, "examples/echo_bot.py")
async def echo_of_everything(stage: Stage) -> None:
    """Text, photo, sticker, location, contact and poll come back."""
    ana = stage.ana
    await ana.send("/start")
    await ana.sees("Hello, Ana!")
    await ana.send("some words")
    await ana.sees("some words")
    await ana.send_photo(PNG, caption="me")
    await ana.sees("me")
    await ana.send_sticker(PNG)
    await ana.sees("sticker")
    await ana.send_location(1, 2)
    await ana.sees("location")
    await ana.send_contact("+32470000000")
    await ana.sees("contact")
    await ana.send_poll("Who bluffs?", "Ana", "Bo")
    await ana.sees("Who bluffs?")


@plays(AIOGRAM, "examples/specify_updates.py")
async def kinds_of_updates(stage: Stage) -> None:
    """Tap, edited message, change of membership in a group."""
    ana = stage.ana
    await ana.send("/start")
    await ana.sees("Hello, Ana!")
    assert (await ana.tap("Tap me, bro")).text == "Yeah good, now I'm fine"
    sent = await ana.send("a mistkae")
    await ana.edit(sent, "a mistake")
    await ana.sees("Message was edited")
    lee = stage.sandbox.add_person("Lee")
    await lee.join(stage.group)
    await ana.sees("from left to member", stage.group)


@plays(TELEBOT, "examples/inline_keyboard_example.py")
async def yes_or_no(stage: Stage) -> None:
    """Inline keyboard, answer to a tap."""
    await stage.ana.send("hello")
    await stage.ana.sees("Yes/no?")
    assert (await stage.ana.tap("Yes")).text == "Answer is Yes"


@plays(TELEBOT, "examples/message_reaction_example.py")
async def reactions(stage: Stage) -> None:
    """See the bot's reaction, and react."""
    sent = await stage.ana.send("hello", stage.group)
    await stage.ana.react(sent, "👍")
    await stage.ana.sees("You changed the reaction", stage.group)


@plays(TELEBOT, "examples/anonymous_bot.py")
async def strangers(stage: Stage) -> None:
    """Two people who find each other; copies of their messages."""
    ana, bo = stage.ana, stage.bo
    await ana.send("/find")
    await ana.sees("Finding...")
    await bo.send("/find")
    await ana.sees("Founded!")
    await asyncio.sleep(PACE)
    await ana.send("Who are you?")
    await bo.sees("Who are you?")


@plays(TELEBOT, "examples/chat_member_example.py")
async def greeting(stage: Stage) -> None:
    """See that service messages about joins are deleted."""
    lee = stage.sandbox.add_person("Lee")
    await lee.join(stage.group)
    await stage.ana.sees("Hello Lee!", stage.group)


@plays(TELEBOT, "examples/chat_join_request.py", "examples/asynchronous_telebot/chat_join_request.py")
async def doorkeeper(stage: Stage) -> None:
    """See that a request to join is approved."""
    lee, world = stage.sandbox.add_person("Lee"), stage.sandbox.world
    link = InviteLink(InviteLink.new_url(), creates_join_request=True)
    world.chats[stage.group.id].invite_links[link.url] = link
    await lee.follow_invite(link.url)
    await stage.ana.sees("I accepted a new user!", stage.group)


@plays(TELEBOT, "examples/inline_example.py")
async def offers(stage: Stage) -> None:
    """Inline queries: texts, photos and a video by their addresses."""
    answer = await stage.ana.type_inline("text", stage.group)
    await stage.ana.choose(answer.titles[0], stage.group)
    await stage.ana.type_inline("photo1", stage.group)


@plays(TELEBOT, "examples/callback_data_examples/simple_products_example.py")
async def products(stage: Stage) -> None:
    """Inline keyboards, an alert, edits."""
    await stage.ana.send("/products")
    await stage.ana.sees("Products:")
    assert (await stage.ana.tap("iphone 13")).show_alert
    await stage.ana.tap("samsung s20", waits=False)
    await stage.ana.sees("Product price: 800")


@plays(UNO, "bot.py")
async def uno(stage: Stage) -> None:
    """Play UNO: lobby in the group, a hand of stickers as an inline query, a card is drawn."""
    ana, bo, group = stage.ana, stage.bo, stage.group
    for file_id in re.findall(r'"(BQAD[\w-]+|CAAD[\w-]+)"', (stage.folder / "card.py").read_text(encoding="utf-8")):
        stage.sandbox.add_file(file_id, PNG, "sticker")
    for person in (ana, bo):
        await person.send("/start")
        await person.sees("Follow these steps")
    await ana.send("/new", group)
    await ana.sees("Created a new game!", group)
    for person in (ana, bo):
        await person.send("/join", group)
        await person.sees("Joined the game", group)
    await ana.send("/start", group)
    first = (await ana.sees("First player", group)).text or ""
    player = ana if "Ana" in first else bo
    hand = await player.switch_inline("Make your choice!", group)
    await player.choose(next(card for card in hand.titles if card.startswith("draw")), group)
    await player.sees("Next player", group)


class Workshop:
    """The clones and the environments of the bots."""

    def __init__(self, home: Path, origin: str) -> None:
        self.home = home
        self.origin = origin

    def clone(self, repository: str) -> Path:
        """Return a copy of the newest version of a repository."""
        folder = self.home / repository.replace("/", "+")
        if not folder.exists():
            owner, name = repository.split("/")
            run("git", "clone", "--quiet", "--depth", "1", self.origin.format(owner=owner, name=name), str(folder))
            for words in folder.glob("locales/*/LC_MESSAGES/*.po"):  # as in the bot's Dockerfile
                run("msgfmt", str(words), "-o", str(words.with_suffix(".mo")))
        if repository == UNO:
            (folder / "config.json").write_text('{"admin_list": []}', encoding="utf-8")
        return folder

    def command(self, bot: ForeignBot) -> list[str]:
        """Return the command that starts a bot with its library led to the sandbox."""
        file = str(self.clone(bot.repository) / bot.file)
        if bot.repository == GRAMMY:
            node = self.home / "node"
            if not node.exists():
                run("npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(node), *NODE)
            leads = [f"--require={part}" for part in (LIBRARY.with_suffix(".cjs"), "tsx/cjs")]
            return ["env", f"NODE_PATH={node / 'node_modules'}", "node", *leads, file]
        return [str(self.python(bot.repository)), str(LIBRARY), file]

    def python(self, repository: str) -> Path:
        """Return the Python of an environment with the bot's library."""
        folder = self.home / ("old" if repository == UNO else "current")
        python = folder / "bin/python"
        if not python.exists():
            run(sys.executable, "-m", "venv", str(folder))
            run(str(python), "-m", "pip", "install", "--quiet", *(OLD if repository == UNO else CURRENT))
        return python

    async def tried(self, bot: ForeignBot) -> str:
        """Run a bot and return how far the people got."""
        folder, command = self.clone(bot.repository), self.command(bot)
        settings = SandboxSettings(
            port=0,
            people=("Ana", "Bo"),
            inline_mode=True,
            inline_feedback=1,
            privacy_mode=False,
            flood_limits=False,
            bot_is_admin=True,
        )
        async with running_sandbox(settings) as sandbox:
            group = sandbox.world.chats[sandbox.group_id]
            variables = {"BOT_API_URL": sandbox.bot_url, "BOT_TOKEN": sandbox.token, "TOKEN": sandbox.token}
            # In a folder of its own: the bots keep files.
            with tempfile.TemporaryDirectory() as scratch, (self.home / "log").open("ab") as log:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    env={**os.environ, **variables, "UNO_DB": f"{scratch}/uno.sqlite3"},
                    cwd=folder if bot.repository == UNO else scratch,
                    stdout=log,
                    stderr=log,
                )
                try:
                    await sandbox.bot_is_ready(60)
                    await bot.play(Stage(sandbox, sandbox.user("Ana"), sandbox.user("Bo"), group, folder))
                    return _works(sandbox)
                except Exception as error:  # noqa: BLE001 - the table tells it
                    return f"**no**: {error}".replace("; accepted:", "; accepted")
                finally:
                    if process.returncode is None:
                        process.kill()
                    await process.wait()


def _works(sandbox: RunningSandbox) -> str:
    """Return that the people got to the end, and the calls that the bot made in vain."""
    calls = sandbox.world.calls.since(0)
    refused = sorted({str(call) for call in calls if not call.ok})
    ignored = sorted({str(call) for call in calls if call.ignored})
    told = [f"; {what}: {', '.join(some)}" for what, some in (("refused", refused), ("accepted", ignored)) if some]
    return "works" + "".join(told)


def run(*command: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True)  # noqa: S603 - ours


async def main(home: Path, origin: str, names: list[str]) -> None:
    """Print the table."""
    workshop = Workshop(home, origin)
    sys.stdout.write("| bot | people try | result |\n|---|---|---|\n")
    for bot in sorted(BOTS, key=lambda bot: ORDER.index(bot.repository)):
        if names and not any(name in f"{bot.repository}/{bot.file}" for name in names):
            continue
        result = await workshop.tried(bot)
        address = f"https://github.com/{bot.repository}/blob/HEAD/{bot.file}"
        title = f"{bot.repository.partition('/')[0]}: [{Path(bot.file).stem}]({address})"
        sys.stdout.write(f"| {title} | {bot.shows} | {' '.join(result.split())} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a folder that keeps the clones and environments")
    parser.add_argument("--from", dest="origin", default="https://github.com/{owner}/{name}", help="the repositories")
    parser.add_argument("names", nargs="*", help="parts of the names of bots; all without")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(main(asked.home or Path(scratch), asked.origin, asked.names))
