"""From a file and its bases to one tree."""
