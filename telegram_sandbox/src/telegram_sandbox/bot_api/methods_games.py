"""Bot API methods that send games and keep their scores."""

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import GetGameHighScores, OfGame, SendGame, SetGameScore
from telegram_sandbox.bot_api.sending import send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.media import plain_picture
from telegram_sandbox.model import Json, Person, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

BEST = 3
NEIGHBOURS = 2


@answers(SendGame)
def send_game(world: World, request: SendGame) -> Json:
    """Send a game of the bot, with a button that starts it."""
    name = request.game_short_name
    if name not in world.games:
        raise bad_request("wrong game short name specified" if name else "game_short_name is empty")
    game = world.games[name] | telegram_json.media(plain_picture(world, "photo", f"game-{name}"))
    return send(world, request, FormattedText(""), attachment={"game": game}, game=name)


@answers(SetGameScore)
def set_game_score(world: World, request: SetGameScore) -> Json:
    """Set a person's score in a chat, which is told of it, and show the scores in the message of the game."""
    message = _message(world, request, "set game score")
    person = _player(world, request)
    if message.game is None or message.sender_id != world.settings.bot_id:
        raise bad_request("game score can't be set")
    if request.score < 0:
        raise bad_request("SCORE_INVALID")
    scores = world.scores.setdefault((message.chat_id, message.game), {})
    before = scores.get(person.id, -1)
    if request.score == before or (request.score < before and not request.force):
        raise bad_request("BOT_SCORE_NOT_MODIFIED")
    scores[person.id] = request.score
    if request.edit_message is not False if request.disable_edit_message is None else not request.disable_edit_message:
        _show_scores(world, message)
    if request.score > before:
        title = world.games[message.game]["title"]
        chat = world.chats[message.chat_id]
        world.service_message(chat, person.id, {}, f"{person.name} scored {request.score} in {title}")
    return telegram_json.message(world, message)


@answers(GetGameHighScores)
def get_game_high_scores(world: World, request: GetGameHighScores) -> list[Json]:
    """Return the three best scores of the chat, and the person's with two above and two below."""
    message = _message(world, request, "get game high scores")
    person = _player(world, request)
    if message.game is None:
        raise bad_request("MESSAGE_ID_INVALID")
    table = _table(world, message)
    own = next((place for place, one in enumerate(table) if one["user"]["id"] == person.id), None)
    near = range(0) if own is None else range(own - NEIGHBOURS, own + NEIGHBOURS + 1)
    return [one for place, one in enumerate(table) if place < BEST or place in near]


def _table(world: World, message: StoredMessage) -> list[Json]:
    """Return all scores of a game in its chat, the best first."""
    scores = world.scores.get((message.chat_id, message.game or ""), {})
    best = sorted(scores.items(), key=lambda one: -one[1])
    return [
        {"position": place, "user": telegram_json.account(world, user_id), "score": score}
        for place, (user_id, score) in enumerate(best, 1)
    ]


def _show_scores(world: World, message: StoredMessage) -> None:
    lines = [f"{one['position']}. {one['user']['first_name']}: {one['score']}" for one in _table(world, message)]
    message.attachment = {"game": (message.attachment or {})["game"] | {"text": "\n".join(lines)}}
    message.edit_date = world.clock.unix()
    world.show_edit(message)


def _message(world: World, request: OfGame, what: str) -> StoredMessage:
    if request.chat_id is None and request.message_id is None:
        # An inline result of this sandbox is no game.
        raise bad_request("MESSAGE_ID_INVALID" if request.inline_message_id else "message identifier is not specified")
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id or 0)
    if message is None:
        raise bad_request(f"message to {what} not found")
    return message


def _player(world: World, request: OfGame) -> Person:
    if request.user_id not in world.people:
        raise bad_request("user not found")
    return world.people[request.user_id]
