"""The subcommands of ``tk-config``, one a file; each is imported when it is used."""
