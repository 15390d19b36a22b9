"""One tracker a module; each is opened at its first record."""
