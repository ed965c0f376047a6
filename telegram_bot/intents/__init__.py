"""Requests to the service, the envelopes of its answers, and the configuration and capabilities that both depend on."""
