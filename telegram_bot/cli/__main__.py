"""`python -m telegram_bot.cli`, for `perudo-bot`."""

import sys

from telegram_bot.cli import main

sys.exit(main())
