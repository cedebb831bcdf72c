"""Turns built binaries into the packages that people install. Standard library alone; the same input, the same bytes."""
