"""One file for each command; heavy modules are imported when a command runs, so that `--help` is quick."""
