"""Tools for the operator: doctor, web server, housekeeping, pruning, deleting a person's data."""
