"""Which method is better, on what, and why. Needs the extra `eval`; nothing else of Broadsheet imports it."""
