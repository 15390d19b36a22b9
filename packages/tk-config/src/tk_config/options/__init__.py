"""Overrides and options given on a command line."""
