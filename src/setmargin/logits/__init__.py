"""Logit models of choices: pooled, one for each person, and a population of people; NumPy alone, no catalogue."""
