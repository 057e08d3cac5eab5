"""Training of `words`: word vectors and word frequencies."""
