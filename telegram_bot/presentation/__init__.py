"""How notices are shown on every channel: keys, pictures, cards of web pages."""
