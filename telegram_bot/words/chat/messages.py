"""Help, welcome, settings, and short messages beside a game."""

from html import escape
from typing import Final

from telegram_bot.service import commands
from telegram_bot.service import notices as n
from telegram_bot.service.command import slash_command
from telegram_bot.words.catalogue import Catalogue, own_name
from telegram_bot.words.chat.fair_dice import who_stirred
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rules import rules_title
from telegram_bot.words.phrases import clock_label, folded, plain_name
from telegram_bot.words.replies import VIEW_LABELS

VERIFY: Final = "python -m perudo_core verify"


def help_text(notice: n.HelpNotice, w: Catalogue) -> str:
    """How to play in five lines, then the commands."""
    lines = [
        "🎲 <b>" + w.say("Perudo in a minute") + "</b>",
        w.say(
            "Everyone rolls in secret. On your turn, bid how many dice of one face there "
            "are in all. Each bid must beat the last."
        ),
        w.say(
            "Ones are wild. Don't believe a bid? Say <b>dudo</b>. All dice are shown, and whoever was wrong loses one."
        ),
        w.say("The last player with dice wins."),
        "",
        _how_to_bid(notice, w),
        *_how_to_speak(notice, w),
        "",
        *(f"{slash_command(command)} · {w.say(line)}" for command, line in commands.listed_on("help_page")),
    ]
    if notice.private:
        lines += ["", w.say("Add me to a group with your friends and send /perudo there.")]
    return "\n".join(lines)


def _how_to_bid(notice: n.HelpNotice, w: Catalogue) -> str:
    """In a group most bots receive only commands and replies to their messages."""
    if notice.replies_only:
        return w.say(
            "Tap the buttons, or reply to my message: "
            "<code>5x4</code>, <code>five fours</code>, <code>dudo</code>, <code>calza</code>."
        )
    return w.say(
        "Tap the buttons or type: <code>5x4</code>, <code>five fours</code>, <code>dudo</code>, <code>calza</code>."
    )


def _how_to_speak(notice: n.HelpNotice, w: Catalogue) -> list[str]:
    """How to bid by voice note, where they are recognised."""
    if not notice.voice:
        return []
    if notice.replies_only:
        return [w.say("🎙 Or reply to my message with a voice note: “five fours”.")]
    return [w.say("🎙 Or send a voice note: “five fours”.")]


def welcome_text(notice: n.WelcomeNotice, w: Catalogue) -> str:
    """The greeting in a private chat."""
    lines = [w.say("👋 Hi {name}! I run Perudo, the game of liars and dice.", name=escape(plain_name(notice.name)))]
    if notice.titles:
        titles = ", ".join(escape(plain_name(title)) for title in notice.titles)
        lines.append(w.say("You sit at the table in <b>{titles}</b>. Your dice come here.", titles=titles))
    else:
        lines.append(w.say("Add me to a group with your friends and send /perudo there. Your dice come here."))
    lines.append(w.say("First time? Send /help."))
    return "\n".join(lines)


def settings_text(notice: n.SettingsNotice, w: Catalogue) -> str:
    """The stored choices, and how to change them."""
    lines = ["⚙️ <b>" + w.say("Settings") + "</b>", ""]
    if not notice.private:
        book = rules_title(notice.rules, notice.house_rules, w)
        lines += [
            w.say("📖 This group plays: {rules}", rules=escape(book)),
            w.say("⏱ Turn clock: {clock}", clock=clock_label(notice.clock, w)),
            w.say("The host can change this before a game, and I remember it."),
            "",
        ]
    chosen = w.say(VIEW_LABELS[notice.view])
    choice = chosen[:1].lower() + chosen[1:]
    lines.append(w.say("🎲 How would you like to see your dice? Now: {choice}.", choice=choice))
    lines.append("🔢 " + w.say("Bids look like this: {bid}", bid=bid_figure(5, 4, w)))
    if notice.private:
        lines.append(w.say("🌐 I speak {language} with you.", language=own_name(notice.speaks)))
    else:
        lines.append(
            w.say(
                "🌐 In this group I speak {language}. Anybody who plays can change that.",
                language=own_name(notice.speaks),
            )
        )
    if notice.private and notice.asks_twice:
        lines.append("☝️ " + w.say("Your dudo and calza count when you tap twice."))
    if notice.phone:
        lines.append(w.say("📱 A phone plays for you as well. Send /unlink to end that."))
    elif notice.texting and notice.private:
        lines.append(w.say("📱 Want to play by text message now and then? Send /link."))
    return "\n".join(lines)


def reminder_text(notice: n.ReminderNotice, w: Catalogue) -> str:
    """Reminds the player on turn; in a group, by a mention."""
    if notice.direct:
        return w.say("⏰ Your time is nearly up.")
    name = f'<a href="tg://user?id={notice.address}">{escape(plain_name(notice.name))}</a>'
    return w.say("⏰ {name}, your time is nearly up.", name=name)


def record_text(notice: n.RecordNotice, w: Catalogue) -> str:
    """How to check the dice of the game in the file."""
    command = f"<code>{VERIFY} {escape(notice.name)}</code>"
    curious = w.say("For the curious: on a computer, {command} checks every roll.", command=command)
    shaken = [] if not notice.stirs else who_stirred(notice.stirs, w)
    return "\n".join([_checked(notice, w), *shaken, folded(curious)])


def _checked(notice: n.RecordNotice, w: Catalogue) -> str:
    """The result of the bot's own check, good or bad."""
    if notice.failed:
        return w.say(
            "⚠️ The check failed: these dice do not follow from the seal and from what you shook in. The file shows "
            "the game."
        )
    if notice.rolls is None:
        return w.say("📜 The whole game, and the secret behind its dice.")
    if not notice.stirs:
        return "🎲 " + w.say("Nobody shook these dice: you have only my word for them.")
    return w.count(
        "✅ Nobody chose these dice: the only roll follows from the seal and from what you shook in.",
        "✅ Nobody chose these dice: all {n} rolls follow from the seal and from what you shook in.",
        notice.rolls,
    )
