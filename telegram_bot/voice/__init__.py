"""Voice: spoken calls, and messages read aloud. No sound leaves the host or is stored."""
