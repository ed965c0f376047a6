"""The gateways to the telephone network, each an implementation of `base.Gateway`."""
