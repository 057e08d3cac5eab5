"""The HTTP service: `broadsheet serve` (extra `server`).

The event loop reads requests and writes answers; worker processes extract. `settings.py` has every setting, `app.py`
builds the application, `routes.py` has the addresses, `requests.py` checks what clients send, `service.py` passes tasks
(`tasks.py`) to worker processes, `access.py` decides who may use the service, `run.py` runs uvicorn.
"""
