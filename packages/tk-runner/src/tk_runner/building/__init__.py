"""From settings to the parts of a run: a mapping or an object in, an object out.

One module a part; none of them knows the runner.
"""
