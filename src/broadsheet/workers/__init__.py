"""Worker processes: one protocol for extraction, evaluation and other extractors.

`process.py` is the caller's end, `child.py` the program of the process, `watchdog.py` the clock. The caller may be
threaded, daemonic, or part of Celery, Ray or a web server: workers are plain subprocesses.
"""
