"""Help, welcome, settings, and short messages besides a game's, as ranked lines."""

from datetime import UTC, datetime

from telegram_bot import notices as n
from telegram_bot.words.catalogue import own_name
from telegram_bot.words.command_lines import COMMAND_LINES
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.house_rule_words import rules_title
from telegram_bot.words.lines import BLANK, Format, Line, Medium
from telegram_bot.words.phrases import clock_label, table_name
from telegram_bot.words.reply_words import VIEW_LABELS


def help_lines(notice: n.HelpNotice, f: Format) -> list[Line]:
    """Return how to play in five lines, then the commands."""
    w = f.w
    if f.medium is Medium.TEXT:
        return _waiting_by_text(notice, f) if notice.lobby or notice.waits_for else _help_by_text(f)
    lines = [
        Line(f.strong(w.say("Perudo in a minute")), sign="🎲"),
        Line(
            w.say(
                "Everyone rolls in secret. On your turn, bid how many dice of one face there "
                "are in all. Each bid must beat the last."
            )
        ),
        Line(
            w.say(
                "Ones are wild. Don't believe a bid? Say <b>dudo</b>. All dice are shown, and whoever was wrong loses "
                "one."
            )
        ),
        Line(w.say("The last player with dice wins.")),
        BLANK,
        *_how_to_bid(notice, f),
        BLANK,
        *(Line(f"{each.typed} · {w.say(each.line)}") for each in COMMAND_LINES.values() if each.line is not None),
    ]
    if notice.private:
        lines += [BLANK, Line(w.say("Add me to a group with your friends and send /perudo there."))]
    return lines


def _how_to_bid(notice: n.HelpNotice, f: Format) -> list[Line]:
    """In a group most bots receive only commands and replies to their messages."""
    w = f.w
    if notice.replies_only:
        typed = w.say(
            "Tap the buttons, or reply to my message: "
            "<code>5x4</code>, <code>five fours</code>, <code>dudo</code>, <code>calza</code>."
        )
        spoken = w.say("🎙 Or reply to my message with a voice note: “five fours”.")
    else:
        typed = w.say(
            "Tap the buttons or type: <code>5x4</code>, <code>five fours</code>, <code>dudo</code>, <code>calza</code>."
        )
        spoken = w.say("🎙 Or send a voice note: “five fours”.")
    return [Line(typed), Line(spoken)] if notice.voice else [Line(typed)]


def _help_by_text(f: Format) -> list[Line]:
    names = ", ".join(name.upper() for name, each in COMMAND_LINES.items() if each.in_phone_help)
    return [
        Line(
            f.w.say(
                "3x4 = three fours among all dice. Raise it, or DUDO if you doubt it. {commands}. QUIET 22-8: no texts "
                "at night. STOP: no texts at all.",
                commands=names,
            )
        )
    ]


def _waiting_by_text(notice: n.HelpNotice, f: Format) -> list[Line]:
    """Return the event that a player waits for."""
    w = f.w
    name = f.name(notice.waits_for or "")
    if notice.lobby is None:
        said = [w.say("It's {name}'s turn.", name=name), w.say("You'll get a text when it's yours.")]
    elif notice.waits_for is None:
        said = [w.say("Friends join by texting me JOIN {code}. When all are in, text GO.", code=notice.lobby)]
    else:
        said = [w.say("{name} starts the game. Then your dice come by text.", name=name)]
    return [Line(each) for each in said]


def welcome_lines(notice: n.WelcomeNotice, f: Format) -> list[Line]:
    """Return the greeting in a private chat, or by text message."""
    w = f.w
    if f.medium is Medium.TEXT:
        return [
            Line(w.say("Perudo by text. Text JOIN and a table's code to take a seat, or NEW for a table of your own."))
        ]
    if notice.titles:
        titles = ", ".join(f.name(table_name(title, w)) for title in notice.titles)
        where = w.say("You sit at the table in <b>{titles}</b>. Your dice come here.", titles=titles)
    else:
        where = w.say("Add me to a group with your friends and send /perudo there. Your dice come here.")
    return [
        Line(w.say("👋 Hi {name}! I run Perudo, the game of liars and dice.", name=f.name(notice.name))),
        Line(where),
        Line(w.say("First time? Send /help.")),
    ]


def settings_lines(notice: n.SettingsNotice, f: Format) -> list[Line]:
    """Return the stored choices, and how to change them; phones get help instead, since texts change each choice."""
    w = f.w
    if f.medium is Medium.TEXT:
        return _help_by_text(f)
    lines = [Line(f.strong(w.say("Settings")), sign="⚙️"), BLANK]
    if notice.private:
        language = w.say("🌐 I speak {language} with you.", language=own_name(notice.speaks))
    else:
        book = rules_title(notice.rules, notice.house_rules, w)
        language = w.say(
            "🌐 In this group I speak {language}. Anyone who plays can change that.", language=own_name(notice.speaks)
        )
        lines += [
            Line(w.say("📖 This group plays: {rules}", rules=f.foreign(book))),
            Line(w.say("⏱ Turn clock: {clock}", clock=clock_label(notice.clock, w))),
            Line(w.say("The host can change this before a game, and I remember it.")),
            BLANK,
        ]
    chosen = w.say(VIEW_LABELS[notice.view])
    choice = chosen[:1].lower() + chosen[1:]
    lines += [
        Line(w.say("🎲 How would you like to see your dice? Now: {choice}.", choice=choice)),
        Line(w.say("Bids look like this: {bid}", bid=bid_figure(5, 4, w)), sign="🔢"),
        Line(language),
    ]
    if notice.private and notice.name:
        lines.append(
            Line(
                w.say("The others call you {name}. To change that, send /name and a name.", name=f.name(notice.name)),
                sign="🏷",
            )
        )
    if notice.switches.get("asks_twice"):
        lines.append(Line(w.say("Your dudo and calza count when you tap twice."), sign="☝️"))
    if notice.phone:
        lines.append(Line(w.say("📱 A phone can play for you too. Send /unlink to stop that.")))
    elif notice.texting and notice.private:
        lines.append(Line(w.say("📱 Want to play by text message now and then? Send /link.")))
    return lines


def reminder_lines(notice: n.ReminderNotice, f: Format) -> list[Line]:
    """Remind the player on turn; in a group, by a mention."""
    if notice.direct:
        return [Line(f.w.say("⏰ Your time is nearly up."))]
    name = f.name(notice.name)
    mention = f'<a href="tg://user?id={notice.address}">{name}</a>' if f.medium is Medium.CHAT else name
    return [Line(f.w.say("⏰ {name}, your time is nearly up.", name=mention))]


def away_lines(notice: n.AwayNotice, f: Format) -> list[Line]:
    """Return that the bot plays for the reader, and at which table if they sit at several."""
    w, texted = f.w, f.medium is Medium.TEXT
    if notice.costs_die:
        said = w.say("I played the turn that you missed. The next one costs a die.")
    else:
        said = w.say("You missed your turn, so I play for you.")
    back = w.say("Text BACK to play on.") if texted else w.say("Tap <b>I'm back</b> to play on.")
    at = [Line(w.say("Table: {title}.", title=f.strong(f.name(notice.title))), rank=1)] if notice.title else []
    return [*at, Line(said, sign="💤"), Line(back)]


def paused_lines(_: n.PausedNotice, f: Format) -> list[Line]:
    """No person is at the table."""
    if f.medium is Medium.TEXT:
        return [Line(f.w.say("Everyone is away, so the game waits. Text BACK to play on."))]
    return [Line(f.w.say("⏸ Everyone is away, so the game waits. Tap <b>I'm back</b> to play on."))]


def resumed_lines(_: n.ResumedNotice, f: Format) -> list[Line]:
    """Return the bot may write in the group again."""
    return [Line(f.w.say("🔔 I can write here again. On we go!"), rank=None)]


def restored_lines(notice: n.RestoredNotice, f: Format) -> list[Line]:
    """Return an operator has restored a backup."""
    time = f"{datetime.fromtimestamp(notice.at, UTC):%H:%M} UTC"
    if f.medium is Medium.CHAT:  # Telegram clients show it in their own time zone
        time = f'<tg-time unix="{int(notice.at)}" format="t">{time}</tg-time>'
    said = f.w.say("🗄 I was restored from {time}: what you played since is lost. The table stands here:", time=time)
    return [Line(said, rank=None)]


def host_lines(notice: n.HostNotice, f: Format) -> list[Line]:
    """Another player is the host."""
    return [Line(f.w.say("👑 {name} is the host now.", name=f.strong(f.name(notice.name))), rank=None)]


def next_game_offer_lines(_: n.NextGameOfferNotice, f: Format) -> list[Line]:
    """Return a person asked for a game while one is running."""
    return [Line(f.w.say("👀 A game is running. Want to be in the next one?"), rank=None)]


def next_game_lines(notice: n.NextGameNotice, f: Format) -> list[Line]:
    """Return the game that a person waited for."""
    said = f.w.say("🔔 The next game opens in <b>{title}</b>. Will you join?", title=f.name(notice.title))
    return [Line(said, rank=None)]


def identify_admin_lines(_: n.IdentifyAdminNotice, f: Format) -> list[Line]:
    """Return a command needs a person, and a group or a channel sent it."""
    said = f.w.say(
        "🎭 You're posting as the group or as a channel, so I can't see who you are. Tap below and I'll know."
    )
    return [Line(said, rank=None)]


def link_code_lines(notice: n.LinkCodeNotice, f: Format) -> list[Line]:
    """Return how to link a phone."""
    said = f.w.say(
        "📱 Text <code>LINK {code}</code> to {numbers} within 15 minutes, and that phone plays for you.",
        code=notice.code,
        numbers=f.foreign(", ".join(notice.numbers)),
    )
    return [Line(said, rank=None)]
