"""One table: lobby, seats, house rules, turn clock. Pure values and functions over `perudo_core`; no I/O."""
