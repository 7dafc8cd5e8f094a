"""Catalogues, one YAML file each."""
