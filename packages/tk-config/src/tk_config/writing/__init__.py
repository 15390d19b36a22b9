"""From a tree to text: Python, YAML, JSON, and differences."""
