"""setmargin."""
