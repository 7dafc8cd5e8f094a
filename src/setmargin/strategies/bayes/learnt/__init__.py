"""What earlier people were like: the prior that is learnt from them, its file, and how it is fitted."""
