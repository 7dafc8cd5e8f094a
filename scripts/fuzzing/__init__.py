"""Hostile requests and catalogues, by seed, and a judge of what the server and the library do with them."""
