"""Results to reports: a table for the terminal, JSON for machines, one HTML file for people."""
