"""What several strategies use."""
