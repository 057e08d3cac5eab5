"""The HTTP service: `broadsheet serve` (extra `server`).

The event loop reads requests and writes answers; worker processes extract. `settings.py` has every setting, `app.py`
builds the application, `routes.py` has the addresses, `extractor.py` passes jobs to worker processes, `admission.py`
bounds how many requests are inside, `fetching.py` downloads pages, `run.py` runs uvicorn.
"""
