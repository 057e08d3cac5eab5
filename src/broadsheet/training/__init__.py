"""Training: from labelled pages to weights. One folder per model; torch and scikit-learn are imported only here."""
