"""The results of a finished game: statistics, ratings, its record."""
