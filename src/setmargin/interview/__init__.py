"""One person's interview, and why something is recommended in it."""
