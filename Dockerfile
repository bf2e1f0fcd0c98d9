# The service in production: its sources as they are (Node runs TypeScript), production dependencies only, an ordinary user.
# By digest, as the official images' own register (docker-library/repo-info) has it: what is built on does not change unseen.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS base
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/package.json
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force \
 && find node_modules -name '*.map' -delete
COPY openapi/generated openapi/generated
COPY openapi/compile-once.ts openapi/router.ts openapi/
COPY tsconfig.json ./

# The upstream and both identity providers, simulated: for trying things out, never for production.
FROM base AS sandbox
COPY sandbox sandbox
RUN mkdir -p /data && chown node:node /data
USER node
ENV SANDBOX_DATA=/data
EXPOSE 4010
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "sandbox/main.ts"]

FROM base AS service
COPY machines machines
COPY src src
COPY ops ops
RUN mkdir -p /var/cache/ponte && chown node:node /var/cache/ponte
ENV NODE_COMPILE_CACHE=/var/cache/ponte
USER node
# Loads and compiles every module, and ends because it has no configuration. A container would otherwise do so at each of its
# starts, and hold 15 MiB more. Flags other than those below would make another cache.
RUN node --max-semi-space-size=8 --max-old-space-size=384 src/start/serve.ts 2> /dev/null; test -n "$(ls /var/cache/ponte)"
# The commit that the image is built from, for the log, the metrics and `ops status`: --build-arg BUILD_COMMIT=$(git rev-parse HEAD).
ARG BUILD_COMMIT
ENV BUILD_COMMIT=${BUILD_COMMIT}
# A worker listens on this port alone. It accepts only connections from inside the container, unless METRICS_HOST opens it.
ENV METRICS_PORT=9464
EXPOSE 3000 9464
# Whether the process is alive. GET /ready says whether it can do its work; a restart does not help a process that is not ready.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without these flags V8 sizes its heap by the machine, collects late, and holds three times the memory (docs/performance.md).
CMD ["node", "--max-semi-space-size=8", "--max-old-space-size=384", "src/start/serve.ts"]
