"""The tree of a config: nodes, their origins, merging, overriding."""
