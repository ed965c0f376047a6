"""Text messages (SMS): phones without an app, and how many messages a text takes."""
