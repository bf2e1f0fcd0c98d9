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
CMD ["node", "sandbox/main.ts"]

FROM base AS service
COPY machines machines
COPY src src
# Compiled code is kept between starts; without it a start takes a good half longer.
RUN mkdir -p /var/cache/ponte && chown node:node /var/cache/ponte
ENV NODE_COMPILE_CACHE=/var/cache/ponte
USER node
EXPOSE 3000
# The young generation would otherwise grow with the machine, and take memory for nothing.
CMD ["node", "--max-semi-space-size=8", "src/start/serve.ts"]
