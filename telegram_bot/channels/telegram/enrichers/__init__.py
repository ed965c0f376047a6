"""What only Telegram knows and a step needs: one module for each fact, all listed in `registry`."""
