"""The strategies that setmargin and bayes are compared with."""
