"""What to ask next: one strategy per module, all under the contract of `base.py` and the laws of `laws.py`."""
