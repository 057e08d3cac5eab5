"""Evaluation: compare methods and peers on labelled pages. Needs the extra `eval`; no other folder imports it."""
