# syntax=docker/dockerfile:1
ARG VERSION=3.12
FROM --platform=$BUILDPLATFORM python:${VERSION}-slim AS build
WORKDIR /app
ENV PATH="/app/bin:$PATH" \
    LANG=C.UTF-8
LABEL org.opencontainers.title="shop"
RUN apt-get update \
    # no instruction
    && apt-get install -y gcc
RUN --mount=type=cache,target=/root/.cache pip install .
COPY --chown=app:app src ./src
RUN <<EOF
FROM not a stage
EOF

FROM scratch
COPY --from=build /app /app
EXPOSE 8080
USER app
HEALTHCHECK --interval=5s CMD ["/app/bin/check"]
ONBUILD RUN make
ENTRYPOINT ["/app/bin/serve"]
CMD ["--port", "8080"]

FROM build
ARG DEBUG
