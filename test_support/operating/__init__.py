"""Follow docs/operating.md word for word in a new user account, with the machine's folders private to the run."""
