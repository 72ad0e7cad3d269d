# syntax=docker/dockerfile:1
# docker build -t candor .
# docker run --rm -v candor-data:/data -v "$PWD":/work candor run "Check the health of this repository"
FROM rust:1.95-slim-bookworm AS build
WORKDIR /src
# SQLite and the TLS library are compiled from source.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc g++ libc6-dev cmake \
    && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cargo build --release --locked --package candor --bin candor

FROM debian:bookworm-slim
# Packs that work on the user's own files are Python programs; git is what the pack `repo` reads history with.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 candor \
    && install --directory --owner candor --group candor --mode 700 /data \
    && install --directory --owner candor --group candor /work
COPY --from=build /src/target/release/candor /usr/local/bin/candor
USER 10001
ENV CANDOR_DATA=/data
VOLUME /data
WORKDIR /work
ENTRYPOINT ["candor"]
CMD ["--help"]
