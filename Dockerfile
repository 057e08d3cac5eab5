# The service (`broadsheet serve`) from the wheel: make wheel && docker build --tag broadsheet .
FROM python:3.13-slim AS build
WORKDIR /wheel
COPY constraints.txt dist/broadsheet-*.whl ./
RUN python -m venv /opt/broadsheet \
 && /opt/broadsheet/bin/pip install --no-cache-dir --constraint constraints.txt \
      "$(ls ./*.whl)[fetch,server]"

FROM python:3.13-slim
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
