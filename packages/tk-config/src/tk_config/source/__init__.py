"""The text of one file: its syntax, its lines, its templates. Nothing is evaluated here."""
