"""Worker processes: one protocol for extraction, evaluation and peers.

`process.py` is the caller's end of a process, `child.py` the program that it runs, `watchdog.py` enforces deadlines,
`pool.py` spreads tasks over several workers, `extraction.py` extracts pages. Workers are plain subprocesses, so the
caller may be threaded, daemonic, or part of Celery, Ray or a web server.
"""
