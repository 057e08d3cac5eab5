"""Broadsheet in other people's tools: one module for each. Its package is an extra of the same name."""
