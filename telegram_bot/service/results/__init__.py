"""The results of a finished game: statistics, ratings, predictions, its record."""
