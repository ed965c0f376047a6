"""Pictures of dice: a player's hand, and everyone's hands at the end of a round."""
