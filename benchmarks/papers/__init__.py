"""The tables of the five papers: each method as published and as shipped, beside the figures that the paper prints."""
