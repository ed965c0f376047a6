"""The log and the metrics, which every layer above may write to."""
