"""One module a subcommand of the `companion` script, imported only when it is called."""
