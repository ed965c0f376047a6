"""The log and the metrics. Every layer above may write to them."""
