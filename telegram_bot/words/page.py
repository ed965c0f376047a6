"""The words that pages say by themselves; every other sentence comes with a card or an answer."""

from telegram_bot.words.catalogue import Catalogue


def page_words(w: Catalogue) -> dict[str, str]:
    """By key, as the pages' modules use it."""
    return {
        "join": w.say("Join"),
        "start": w.say("Start"),
        "your_name": w.say("Your name"),
        "table_code": w.say("The table's code"),
        "come_in": w.say("Come in"),
        "asked": w.say("The host has been asked. One moment."),
        "no_link": w.say("This page needs a table's link. Ask the host for it."),
        "lost": w.say("No connection. Trying again…"),
    }


def error_text(error: str, w: Catalogue) -> str:
    """What somebody can do whose request was refused."""
    sentences = {
        "no_session": w.say("Open the table's link again."),
        "bad_key": w.say("This link is no longer good. Ask the host for the new one."),
        "locked": w.say("The host has closed the door: nobody new can join now."),
        "kicked": w.say("The host took you off the table."),
        "no_table": w.say("There is no such table. Ask the host for the link."),
        "no_tables": w.say("No table can be opened here. Ask somebody for a link."),
        "no_guest": w.say("Nobody is waiting any more."),
        "not_host": w.say("Only the host can do that."),
        "old_init_data": w.say("Close this page and open it again from the chat."),
        "bad_init_data": w.say("Close this page and open it again from the chat."),
        "too_many": w.say("That was too fast. Try again in a moment."),
        "try_again": w.say("That did not get through. Try again."),
    }
    return sentences.get(error, w.say("Reload this page."))
