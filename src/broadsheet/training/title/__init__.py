"""Training of `title`: the ranker of title candidates."""
