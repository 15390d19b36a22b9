"""Python configs read as data: evaluated on the syntax tree, within bounds, touching nothing."""
