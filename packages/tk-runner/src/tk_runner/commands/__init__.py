"""The command ``tk-runner``: one module a subcommand, imported when it is used.

A subcommand has ``add_arguments(parser)`` and ``run(options) -> exit code``.
Nothing here imports torch before a run really begins.
"""
