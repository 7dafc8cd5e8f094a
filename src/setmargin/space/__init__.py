"""What can be built: attributes, quantities, rules, and the catalogue files that describe them."""
