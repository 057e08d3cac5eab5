"""From labelled pages to weights: one module for each model, torch and scikit-learn only here."""
