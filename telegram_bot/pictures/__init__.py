"""Pictures of dice: a player's hand, and everybody's hands at the end of a round."""
