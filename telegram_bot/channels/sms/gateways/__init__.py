"""The ways to the telephone network, each behind the protocol of `base`."""
