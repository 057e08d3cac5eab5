"""Training of `semtext`: convolutions over words, BiLSTM and CRF over the blocks of a page."""
