"""Wrappers that let ranks agree on gradients."""
