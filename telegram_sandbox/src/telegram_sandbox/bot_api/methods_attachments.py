"""Bot API methods that send locations, venues, contacts, dice and polls."""

from telegram_sandbox import attachments, telegram_json, user_actions
from telegram_sandbox.bot_api.keyboards import inline_keyboard
from telegram_sandbox.bot_api.message_text import formatted_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    EditMessageLiveLocation,
    SendContact,
    SendDice,
    SendLocation,
    SendPoll,
    SendVenue,
    StopPoll,
)
from telegram_sandbox.bot_api.sending import send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, Poll
from telegram_sandbox.text.entities import FormattedText, is_blank
from telegram_sandbox.world import World

LONGEST_QUESTION = 300
LONGEST_OPTION = 100
LONGEST_OPEN_PERIOD = 2_628_000
FOR_EVER = 2**31 - 1
OPTION_COUNTS = range(1, 13)
LOCATION_FIELDS = ("latitude", "longitude", "horizontal_accuracy", "live_period", "heading", "proximity_alert_radius")


@answers(SendLocation)
def send_location(world: World, request: SendLocation) -> Json:
    """Send a location."""
    check_place(request, "invalid location specified")
    period = request.live_period or FOR_EVER
    if period != FOR_EVER and not 60 <= period <= 86_400:  # noqa: PLR2004 - a minute, and a day
        raise bad_request("wrong live location period specified")
    if request.live_period and not 0 <= (request.heading or 0) <= 360:  # noqa: PLR2004 - degrees
        raise bad_request("wrong live location heading specified")
    location = request.model_dump(include=set(LOCATION_FIELDS), exclude_none=True)
    return send(world, request, FormattedText(""), attachment={"location": location})


def check_place(request: SendLocation | SendVenue | EditMessageLiveLocation, refusal: str) -> None:
    """Refuse a place that is not on the earth, with these words.

    Raises:
        ApiError: 400.
    """
    if not (abs(request.latitude) <= 90 and abs(request.longitude) <= 180):  # noqa: PLR2004 - degrees
        raise bad_request(refusal)


@answers(SendVenue)
def send_venue(world: World, request: SendVenue) -> Json:
    """Send a venue: a place with a name and an address."""
    check_place(request, "wrong venue location specified")
    venue = attachments.venue(request.latitude, request.longitude, request.title, request.address)
    return send(world, request, FormattedText(""), attachment=venue)


@answers(SendContact)
def send_contact(world: World, request: SendContact) -> Json:
    """Send a contact: a phone number with a name."""
    contact = request.model_dump(include={"phone_number", "first_name", "last_name", "vcard"}, exclude_none=True)
    return send(world, request, FormattedText(""), attachment={"contact": contact})


@answers(SendDice)
def send_dice(world: World, request: SendDice) -> Json:
    """Send an emoji with a random value."""
    emoji = request.emoji or "🎲"
    if emoji not in attachments.DICE:
        raise bad_request("wrong dice emoji specified")
    return send(world, request, FormattedText(""), attachment=attachments.dice(emoji))


@answers(SendPoll)
def send_poll(world: World, request: SendPoll) -> Json:
    """Send a poll or a quiz."""
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.is_channel and request.is_anonymous is False:
        raise bad_request("non-anonymous polls can't be sent to channel chats")
    texts = [option if isinstance(option, str) else option.text for option in request.options]
    # A question can be formatted with custom emoji only, and this bot has none.
    question = formatted_of(world, request.question, request.question_parse_mode, request.question_entities).text
    if not 1 <= len(question) <= LONGEST_QUESTION:
        raise bad_request("poll question length must not exceed 300" if question else "text must be non-empty")
    if len(texts) not in OPTION_COUNTS:
        few = "poll must have at least one answer option"
        raise bad_request(few if not texts else "poll can't have more than 12 options")
    if any(map(is_blank, texts)):
        raise bad_request("text must be non-empty")
    if any(len(text) > LONGEST_OPTION for text in texts):
        raise bad_request("poll options length must not exceed 100")
    if request.type not in (None, "regular", "quiz"):
        raise bad_request("unsupported poll type specified")
    correct = request.correct_option_ids or []
    if request.correct_option_id is not None:
        correct = [request.correct_option_id]
    if request.type == "quiz" and not correct:
        raise bad_request("correct quiz option list must be non-empty")
    if request.type == "quiz" and not all(0 <= one < len(texts) for one in correct):
        raise bad_request("wrong quiz correct_option_id")
    explanation = formatted_of(
        world, request.explanation or "", request.explanation_parse_mode, request.explanation_entities
    )
    poll = Poll(
        id=Poll.new_id(),
        question=question,
        options=tuple(texts),
        is_anonymous=request.is_anonymous is not False,
        allows_multiple_answers=bool(request.allows_multiple_answers),
        allows_revoting=request.allows_revoting is not False and request.type != "quiz",
        correct=correct if request.type == "quiz" else [],
        explanation=explanation.text or None,
        explanation_entities=explanation.entities,
        is_closed=bool(request.is_closed),
        open_period=min(max(0, request.open_period or 0), LONGEST_OPEN_PERIOD),
        close_date=request.close_date or 0,
    )
    return send(world, request, FormattedText(""), poll=poll)


@answers(StopPoll)
def stop_poll(world: World, request: StopPoll) -> Json:
    """End the bot's own poll."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id)
    if message is None or message.poll is None or message.sender_id != world.settings.bot_id:
        raise bad_request("message with poll to stop not found")
    if message.poll.is_closed:
        raise bad_request("poll has already been closed")
    message.poll.is_closed = True
    message.reply_markup = inline_keyboard(request.reply_markup, chat.type)
    user_actions.show_poll(world, message)
    return telegram_json.poll(message.poll)
