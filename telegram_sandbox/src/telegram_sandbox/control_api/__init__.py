"""The control API, JSON under /sandbox/: pages and tests let people act, groups change and calls fail."""
