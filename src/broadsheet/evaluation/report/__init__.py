"""Reports of results: a table for the terminal, JSON for programs, one HTML file for readers."""
