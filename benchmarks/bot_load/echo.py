"""The floor: python-telegram-bot alone, which answers a tap with as many calls as a bid takes, and stores no state."""

import os

from telegram import Update
from telegram.ext import Application, CallbackQueryHandler, ContextTypes

MARKUP = '{"inline_keyboard": [[{"text": "Bid", "callback_data": "%s"}]]}'


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Answer the tap, edit the group's message, and send the next player a message."""
    query = update.callback_query
    if query is None or query.data is None:
        return
    _, table, step, _ = query.data.split(":")
    await query.answer("You bid 3 × 4.")
    await context.bot.edit_message_text("the table, in a few lines\n" * 8, chat_id=-int(table), message_id=1)
    data = f"g:{table}:{int(step) + 1}:bid=1x2"
    await context.bot.do_api_request(
        "sendMessage",
        api_kwargs={"chat_id": query.from_user.id, "text": "your dice\n" * 6, "reply_markup": MARKUP % data},
    )


def main() -> None:
    """Poll until stopped."""
    application = (
        Application.builder()
        .token(os.environ["PERUDO_TOKEN"])
        .base_url(os.environ["PERUDO_API_BASE_URL"])
        .concurrent_updates(True)
        .build()
    )
    application.add_handler(CallbackQueryHandler(echo))
    application.run_polling(allowed_updates=["callback_query"])


if __name__ == "__main__":
    main()
