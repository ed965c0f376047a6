"""Ways in and out: each channel turns what people do into intents, and notices into what they see."""
