"""Makes the tables that the `expert` plays by heads-up, and judges them: `python -m test_support.heads_up --help`."""
