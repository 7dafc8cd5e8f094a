"""What this package adds to setmargin; `pyproject.toml` names it."""
