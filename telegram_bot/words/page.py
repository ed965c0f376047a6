"""The web pages' own sentences; every other sentence arrives with a card or an answer."""

from perudo_core.agents import Character, Level
from telegram_bot.tables.faces import Face
from telegram_bot.words.catalogue import Catalogue, catalogue
from telegram_bot.words.dice import FACES, face_words
from telegram_bot.words.phrases import character_label, level_label
from telegram_bot.words.television_voice import host_phrases


def page_catalogue(language: str) -> Catalogue:
    """Return the sentences that a page shows or says next to the dice that it draws."""
    return catalogue(language).with_plain_ones()


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences by key, as the pages' modules use them; the modules fill the placeholders."""
    return {
        "lang": w.language,
        "about": w.say("Liar's dice with friends: bid on what lies under all the cups."),
        "add_one": w.say("Add one"),
        "admit": w.say("Let in"),
        "admit_all": w.say("Let all in"),
        "again_phone": w.say("Play again? Tap it on a phone."),
        "again": w.say("Play again"),
        "ask_first": w.say("Ask me first when someone scans the television"),
        "elsewhere": w.say("I'm not in the room"),
        "ask_twice": w.say("Ask again before dudo and calza"),
        "asked": w.say("I've asked the host. One moment."),
        "at_the_door": w.say("At the door: {names}. The host lets them in.", names="{names}"),
        "at_the_table": w.say("At the table: {n} of {most}", n="{n}", most="{most}"),
        "away": w.say("away"),
        "back": w.say("Back"),
        "back_to_table": w.say("Back to the table"),
        "bid": w.say("Bid {bid}", bid="{bid}"),
        "bids": w.say("Bids of this round"),
        "by_text": w.say("by text"),
        "calza": w.say("Calza!"),
        "calza_again": w.say("Calza? Tap again"),
        "change_rule": w.say("Change one rule"),
        "clock": w.say("Time left"),
        "close": w.say("Close"),
        "come_in": w.say("Come in"),
        "computer_players": w.say("Computer players"),
        "copied": w.say("The link is copied. Send it to your friends!"),
        "copy_this": w.say("Copy this:"),
        "copy_link": w.say("Copy the link"),
        "counted": w.say("counted"),
        "cover": w.say("Put the cup back"),
        "dice_of": w.say("Dice: {n}", n="{n}"),
        "dudo": w.say("Dudo!"),
        "dudo_again": w.say("Dudo? Tap again"),
        "duel": w.say("The last duel"),
        "duel_more": w.say("Two are left. No more hiding!"),
        "falls": w.say("{name} falls", name="{name}"),
        "falls_more": w.say("Place {n}. And now in charge of snacks!", n="{n}"),
        "fewer": w.say("Fewer"),
        "fill": w.say("Fill the table"),
        "free_seat": w.say("Free seat"),
        "full": w.say("The table is full"),
        "go_on": w.say("Continue"),
        "you_won": w.say("You've won!"),
        "has_won": w.say("{name} has won!", name="{name}"),
        "hidden_dice": w.say("The dice aren't shown"),
        "host": w.say("host"),
        "host_starts": w.say("{name} starts when everyone is in.", name="{name}"),
        "how_many": w.say("How many dice"),
        "how_private": w.say("Who sees what?"),
        "how_to_play": w.say("How to play"),
        "i_am_back": w.say("I'm back"),
        "invite": w.say("Invite friends"),
        "join": w.say("Join"),
        "kick": w.say("Remove {name}", name="{name}"),
        "kick_sure": w.say(
            "Remove {name}, number {n} in the list? They can't come back to this table.", name="{name}", n="{n}"
        ),
        "knocks": w.say("{name} would like to come in.", name="{name}"),
        "language": w.say("Language"),
        "last_game": w.say("Back to my card"),
        "leave": w.say("Leave the table"),
        "leave_sure": w.say("Leave this table?"),
        "lift": w.say("Lift the cup"),
        "lift_tip": w.say("Tap or swipe up to look"),
        "link_ends": w.say("The link works while you play, and for two hours after the last game."),
        "lock": w.say("Close the door"),
        "look_up": w.say("👀 Look up!"),
        "lost": w.say("No connection. Trying again…"),
        "no_cookies": w.say(
            "This browser keeps no cookies, so the table doesn't know you. Allow cookies here, or use another browser."
        ),
        "other_tab": w.say("The table is open in another tab. Tap to play on here."),
        "match_point": w.say("Match point!"),
        "match_point_more": w.say("One die each. No excuses."),
        "may_sleep": w.say("This screen may fall asleep during the game. Turn off its screen saver."),
        "menu": w.say("Menu"),
        "more": w.say("More"),
        "my_animal": w.say("Your animal"),
        "my_dice": w.say("Your dice"),
        "im_name": w.say("I'm {name}", name="{name}"),
        "keep_seat": w.say("Keep my seat"),
        "keep_seat_how": w.say(
            "Scan this with another device, or send yourself the link: your seat opens there, and closes here. "
            "It works once. Don't give it away!"
        ),
        "my_tables": w.say("Your tables"),
        "no": w.say("No"),
        "no_connection": w.say("no connection"),
        "no_link": w.say("This page needs a table's link. Ask the host for it."),
        "no_longer": w.say("You're not at this table any more. Ask the host for the link."),
        "no_shaking": w.say("I can't feel this device shake. Tap the cup instead."),
        "one_moment": w.say("One moment…"),
        "open_in_telegram": w.say("Open this page from your chat with the bot in Telegram."),
        "open_table": w.say("Open a table"),
        "opens": w.say("{name} opens", name="{name}"),
        "or_join": w.say("or join with a code"),
        "out": w.say("out"),
        "party_over": w.say("The party is over. Thanks for playing!"),
        "pair_here": w.say("Show your table here"),
        "pair_how": w.say("The host taps Television and types these letters, or scans this code."),
        "pair_new": w.say(
            "No table yet? Scan the code and open one, or go to {address} on a phone.", address="{address}"
        ),
        "own_link_copied": w.say("Your own link is copied. Keep it for yourself!"),
        "palifico": w.say("Palifico!"),
        "palifico_next": w.say("Palifico: {name} opens", name="{name}"),
        "qr": w.say("QR code of the link"),
        "refuse": w.say("Not now"),
        "rename": w.say("Change"),
        "renew": w.say("New link"),
        "rolling": w.say("The dice are rolling…"),
        "round": w.say("Round {n}", n="{n}"),
        "seat_asked": w.say(
            "I've asked whether it's you, {name}. Your number is {n}: say it to the others.", name="{name}", n="{n}"
        ),
        "seat_back": w.say("Playing already, on another phone?"),
        "seat_claims": w.say(
            "{name} on another phone? It shows the number {number}.", name="{name}", number="{number}"
        ),
        "seat_none": w.say("Nobody is missing yet. One moment…"),
        "seat_here": w.say("Open {name}'s seat here", name="{name}"),
        "seat_next": w.say("It's you, {name}! Your dice come with the next round.", name="{name}"),
        "seat_used": error_text("seat_used", w),
        "seat_yes": w.say("It's {name}", name="{name}"),
        "says": w.say("{name} says", name="{name}"),
        "scan_to_join": w.say("Scan to join"),
        "shake_lifts": w.say("Lift the cup by shaking"),
        "share": w.say("Share the link"),
        "skip": w.say("Show all dice"),
        "sound": w.say("Sound"),
        "sound_on": w.say("Turn the sound on"),
        "start": w.say("Start"),
        "stop": w.say("Close the table"),
        "table_closed": w.say("This table is closed."),
        "table_code": w.say("The table's code"),
        "television": w.say("Television"),
        "the_bid": w.say("the bid"),
        "too_few": w.count(
            "It takes at least {n} player. Invite a friend, or add a computer player.",
            "It takes at least {n} players. Invite a friend, or add a computer player.",
            2,
            n="{n}",
        ),
        "tonight": w.say("Wins tonight:"),
        "turn_loud": w.say("{name}'s turn", name="{name}"),
        "turn_of": w.say("It's {name}'s turn.", name="{name}"),
        "tv_done": w.say("The television shows your table."),
        "tv_end": w.say("Disconnect all televisions"),
        "tv_ended": w.say("No television shows your table now."),
        "tv_here": w.say("Open it on this device"),
        "tv_host": w.say("Only the host can bring the table to a television."),
        "tv_letters": w.say("The letters on the television"),
        "tv_open": w.say("On the television open:"),
        "tv_scan": w.say("It shows a code: scan it with this phone."),
        "tv_show": w.say("Show the table there"),
        "tv_waits": w.say("The television then shows it. Or join with a code:"),
        "unencrypted": w.say(
            "This page isn't encrypted. Anyone on this Wi-Fi can see what you see, including your dice."
        ),
        "unlock": w.say("Open the door"),
        "unsent": w.say("That didn't get through. Try again."),
        "voice": w.say("Voice"),
        "voice_character": w.say("The voice's character"),
        "voice_cheeky": w.say("Cheeky"),
        "voice_dry": w.say("Dry"),
        "voice_grand": w.say("Grand"),
        "want_another": w.count("{n} of {all} wants another", "{n} of {all} want another", 2, n="{n}", all="{all}"),
        "want_another_1": w.count("{n} of {all} wants another", "{n} of {all} want another", 1, all="{all}"),
        "watching": w.say("You're watching. Join the next game!"),
        "web": w.say("web"),
        "which_face": w.say("Which face"),
        "yes": w.say("Yes"),
        "you_are_out": w.say("You're out. Watch who wins!"),
        "your_call": w.say("Your call"),
        "your_name": w.say("Your name"),
        "your_turn": w.say("Your turn"),
        **{f"face_{face}": face_words(1, face, w).face for face in FACES},
        **{f"faces_{face}": face_words(2, face, w).face for face in FACES},
        **{f"animal_{face}": face.sign for face in Face},
        **host_phrases(w),
        **{f"level_{level}": level_label(level, w) for level in Level},
        **{f"character_{character}": character_label(character, w) for character in Character},
    }


def unstarted_text(w: Catalogue) -> str:
    """Return what a page says whose modules do not run."""
    return w.say(
        "This page couldn't start. Reload it. If that doesn't help, this browser is too old: "
        "you need at least Chrome 80 or Safari 14."
    )


def error_text(error: str, w: Catalogue) -> str:
    """Return the advice for a person whose request was refused."""
    sentences = {
        "no_name": w.say("Enter a name that the others can see."),
        "no_session": w.say("Open the table's link again."),
        "seat_moved": w.say("Your seat is open on another device now."),
        "seat_used": w.say(
            "This link was used or replaced, or it has expired. If your name is below, tap it: the others let you in."
        ),
        "this_seat": w.say("This page is for your seat at this table alone."),
        "has_seat": w.say("Another player has a seat in this browser. Leave that seat first, or use another browser."),
        "no_seat": w.say("The player of this seat is here, so it can't be taken back."),
        "no_judges": w.say("The host is away, and too few players are here to say who you are. Try again later."),
        "not_seated": w.say("You don't sit at this table. Join the next game!"),
        "bad_key": w.say("This link no longer works. Ask the host for the new one."),
        "locked": w.say("The host has closed the door: no one new can join now."),
        "kicked": w.say("The host took you off the table."),
        "ended": w.say("This link has expired. Ask the host for the new one."),
        "refused": w.say("The host didn't let you in. Ask them for the link."),
        "unanswered": w.say("The host hasn't answered. Ask again, or ask them for the link."),
        "not_in": w.say("You're not at this table any more. Ask the host for the link."),
        "no_table": w.say("There's no such table. Ask the host for the link."),
        "no_tables": w.say("No table can be opened here. Ask someone for a link."),
        "no_guest": w.say("No one is waiting any more."),
        "no_screen": w.say("No television shows these letters. Look again: they change every ten minutes."),
        "not_host": w.say("Only the host can do that."),
        "old_init_data": w.say("Close this page and open it again from the chat."),
        "bad_init_data": w.say("Close this page and open it again from the chat."),
        "too_many": w.say("That was too fast. Try again in a moment."),
        "one_moment": w.say("One moment…"),
        "try_again": w.say("That didn't get through. Try again."),
    }
    return sentences.get(error, w.say("Reload this page."))
