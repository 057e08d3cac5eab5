"""Training of `visual`: forests for title, date and body."""
