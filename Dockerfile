# syntax=docker/dockerfile:1

FROM node:22-bookworm-slim AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-fund --no-audit
COPY web/ ./
COPY docs/images /src/docs/images
RUN npm run build

FROM node:22-bookworm-slim AS engine
WORKDIR /src
COPY sandbox/javascript/engine/ ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-fund --no-audit \
    && cp node_modules/quickjs-wasi/LICENSE NOTICE dist/ \
    && node optimize.mjs

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY script/typescript/shim ./script/typescript/shim
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
COPY --from=web /src/web/dist ./web/dist
COPY --from=engine /src/dist ./sandbox/javascript/engine/dist
ENV CGO_ENABLED=0
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    (cd sandbox/shell && go run ./build) \
    && go build -buildvcs=false -trimpath -ldflags '-s -w' -o /countersign ./cmd/countersign

FROM alpine:3.22
RUN apk add --no-cache ca-certificates tzdata \
    && addgroup -S -g 10001 countersign \
    && adduser -S -D -H -u 10001 -G countersign countersign \
    && install -d -m 0700 -o countersign -g countersign /data /cache
COPY --from=build /countersign /usr/local/bin/countersign
USER countersign
# A container is reached from outside of it. Keys and credentials lie in /data, which a worker only reads; the compiled engines of
# scripts in /cache, which may be lost. Nothing else is written to.
ENV COUNTERSIGN_HOST=0.0.0.0 COUNTERSIGN_DATA=/data COUNTERSIGN_CACHE=/cache PORT=8080
VOLUME /data /cache
EXPOSE 8080
ENTRYPOINT ["countersign"]
CMD ["api"]
