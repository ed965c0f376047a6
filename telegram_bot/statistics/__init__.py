"""What games say about players: counts, ratings, achievements. Pure functions of finished games."""
