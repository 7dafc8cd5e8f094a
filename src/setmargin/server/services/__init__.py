"""What the routes call: interviews and catalogues, without HTTP."""
