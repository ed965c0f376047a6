"""The rows of people, chats, rooms and tables that a step reads and writes."""
