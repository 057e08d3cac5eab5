"""Training of `gcn`: a graph network over the DOM."""
