"""The REST API: what each request means, and every answer and problem as a typed document."""
