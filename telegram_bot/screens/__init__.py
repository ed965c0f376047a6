"""The messages that each reader should see, their places, and the form of each."""
