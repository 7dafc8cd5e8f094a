"""The terminal: its screen and keys, and how questions, results and progress are shown on it."""
