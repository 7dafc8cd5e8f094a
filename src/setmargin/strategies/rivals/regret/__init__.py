"""Minimax regret: what may be lost at worst, and the questions that make it less."""
