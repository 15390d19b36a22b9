"""One run: where it begins, what it remembers and saves, what is recorded of it."""
