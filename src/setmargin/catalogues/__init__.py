"""The catalogues that ship with the package."""
