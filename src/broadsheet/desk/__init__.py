"""The desk: the web application at `/` of `broadsheet serve` and `broadsheet desk` (extra `server`).

`static/` has the front end: ES modules without a build step. `app.py` adds the desk to the service; `static_files.py`
serves the front end; `origin.py` refuses requests of other web pages.
"""
