"""Who is told what, and when: notices of a step into the outbox."""
