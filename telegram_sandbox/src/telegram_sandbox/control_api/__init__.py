"""The side of the page and of tests: people act, groups change, calls go wrong, as JSON under /sandbox/."""
