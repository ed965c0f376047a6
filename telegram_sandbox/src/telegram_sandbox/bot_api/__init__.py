"""The Bot API: its endpoint and its methods."""
