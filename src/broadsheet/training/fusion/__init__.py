"""Training of `fusion`: the block network and the forests that judge a page."""
