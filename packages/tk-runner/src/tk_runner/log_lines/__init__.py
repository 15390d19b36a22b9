"""From scalars to the lines of the log."""
