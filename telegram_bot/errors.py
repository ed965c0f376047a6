"""What keeps the bot from running, in words for whoever started it."""


class StartError(Exception):
    """The bot cannot run, or not go on; the message says what to do."""


class MisconfiguredError(StartError):
    """A setting is wrong: it would be as wrong after a restart, so a supervisor should not try."""
