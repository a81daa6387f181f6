# The image of the site and its worker. `scripts/image_rehearsal.py` runs these steps without Docker.
FROM debian:bookworm-slim AS base
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 postgresql-client-15 && rm -rf /var/lib/apt/lists/*

FROM base AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/tercet
COPY requirements.txt .
RUN python3 -m venv .venv && .venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt
COPY . .
RUN .venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r locks/build.txt && .venv/bin/pip install --disable-pip-version-check --no-index --no-deps --no-build-isolation --editable .

FROM base
RUN useradd --system --uid 10001 --no-create-home tercet && install -d -o tercet -g tercet -m 700 /var/lib/tercet /var/cache/tercet
COPY --from=build /opt/tercet /opt/tercet
WORKDIR /opt/tercet
ENV PATH=/opt/tercet/.venv/bin:/usr/bin:/bin DATA_DIR=/var/lib/tercet XDG_CACHE_HOME=/var/cache/tercet PYTHONDONTWRITEBYTECODE=1
USER tercet
VOLUME /var/lib/tercet
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "scripts/healthcheck.py"]
CMD ["gunicorn", "--config", "python:tercet.config.gunicorn", "--bind", "0.0.0.0:8000", "tercet.config.wsgi"]
