"""One measure a file, each with its source."""
