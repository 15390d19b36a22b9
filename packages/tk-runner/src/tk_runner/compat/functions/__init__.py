"""The small functions of MMEngine that have no other home here, for code that calls them."""
