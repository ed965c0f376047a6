"""Games under random failures, and an auditor that compares them with what the players saw."""
