"""What a finished game leaves: statistics, ratings, predictions, its story."""
