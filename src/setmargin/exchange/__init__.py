"""Catalogues from elsewhere, and to elsewhere: tables, spreadsheets and feature models."""
