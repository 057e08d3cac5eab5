"""Benchmarks: the figures in the documentation, measured on the labelled pages of the project.

Run them from the root of the repository, as scripts or as modules: `python benchmarks/fusion.py peers`, `python -m
benchmarks.papers`. All take `--data DIR` (the folder of labelled pages; default: ../shared/data) and `--pages N` (only
the first N pages of each set, for a quick trial).
"""
