"""Makes the tables that the `expert` plays by heads-up, and judges them: `python -m benchmarks.heads_up --help`."""
