# The service (`broadsheet serve`): docker build --tag broadsheet .
# Python 3.11 is the version that the tests use.
# The wheel has compiled loops, so it is built for the Python and the system of the image, not on the host.
FROM python:3.11-slim AS wheel
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
RUN BROADSHEET_COMPILED=1 pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim AS build
COPY constraints.txt /wheels/
COPY --from=wheel /wheels /wheels
RUN python -m venv /opt/broadsheet \
 && /opt/broadsheet/bin/pip install --no-cache-dir --constraint /wheels/constraints.txt \
      "$(ls /wheels/*.whl)[fetch,server]"

FROM python:3.11-slim
COPY --from=build /opt/broadsheet /opt/broadsheet
RUN useradd --system --uid 10001 --no-create-home broadsheet
USER 10001
# Nothing is written to disk, so the file system may be read-only.
ENV PATH=/opt/broadsheet/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    BROADSHEET_HOST=0.0.0.0 BROADSHEET_PORT=8000
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import urllib.request as r; r.build_opener(r.ProxyHandler({})).open('http://127.0.0.1:8000/health', timeout=4)"]
CMD ["broadsheet", "serve"]
