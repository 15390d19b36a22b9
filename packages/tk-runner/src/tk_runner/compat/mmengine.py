"""Importing this module lets ``import mmengine`` give the names of the tk packages."""

from .hook import install

install()
