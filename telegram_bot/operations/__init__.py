"""What the operator needs: doctor, web server, housekeeping, deleting a person, pruning."""
