"""Message texts and their entities: reading parse modes, and HTML for the page."""
