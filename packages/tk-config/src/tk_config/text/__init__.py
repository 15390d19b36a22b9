"""Reading the text of one config file, whatever its format."""
