"""MMEngine's files, read as plain data by an unpickler that imports nothing."""
