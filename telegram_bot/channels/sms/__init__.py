"""The channel of text messages: texts become intents, notices become texts, through one or several gateways."""
