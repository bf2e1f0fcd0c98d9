// The image is built from a few folders, which must contain every file that its sources import.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startFlags } from '../../harness/processes/start-flags.ts';
import project from '../../package.json' with { type: 'json' };
import { composeServices } from '../support/compose.ts';
import { ROOT } from '../support/process.ts';
import { sourcesIn } from '../support/sources.ts';

const projectsNode = project.devDependencies.node;

/** The files that each part of the Dockerfile copies, including those of the parts before it. */
const copied = (target: string): string[] =>
  textOf('Dockerfile')
    .split(/^FROM /m)
    .filter((stage) => new RegExp(`AS (base|${target})\\n`).test(stage))
    .flatMap((stage) => [...stage.matchAll(/^COPY (.+) \S+$/gm)])
    .flatMap(([, from]) => (from ?? '').split(' '));

/** The files that Docker may copy. */
const allowed = (): string[] =>
  textOf('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

describe.each([
  ['service', ['src', 'machines']],
  ['sandbox', ['sandbox']],
])('the image of the %s', (target, folders) => {
  const needed = sourcesIn(...folders)
    .flatMap(({ file, imports }) => [
      file,
      ...imports.filter(({ isType }) => !isType).map(({ from }) => from),
    ])
    .filter((from) => /\.(ts|json)$/.test(from));

  test('an image copies every file that it needs', () => {
    expect(needed).toContain('openapi/router.ts');
    expect(needed.filter((file) => !isWithin(copied(target), file))).toEqual([]);
  });

  test('an image copies only files that Docker is given', () => {
    expect(copied(target)).toContain('package-lock.json');
    expect(copied(target).filter((one) => !isWithin(allowed(), one))).toEqual([]);
  });
});

/** The files that the service reads from its own folders while it runs. No import names them. */
const readAtRunTime = ['openapi/generated/reference.js.gz', 'openapi/generated/diagrams/payment.svg'];

test('files that the service reads at run time exist, and are in its image', () => {
  expect(textOf('src/api/docs.ts')).toContain('../../openapi/generated/reference.js.gz');
  expect(readAtRunTime.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
  expect(readAtRunTime.filter((file) => !isWithin(copied('service'), file))).toEqual([]);
});

test('the packages that the sources import are installed without development dependencies', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  const packages = sourcesIn('src', 'ops', 'machines', 'sandbox')
    .flatMap(({ imports }) => imports.filter(({ isType }) => !isType).map(({ from }) => from))
    .filter((from) => !from.startsWith('node:') && !/\.(ts|json)$/.test(from))
    .map((from) => from.split('/', from.startsWith('@') ? 2 : 1).join('/'));
  expect(packages).toContain('express');
  expect([...new Set(packages)].filter((name) => dependencies[name] === undefined)).toEqual([]);
});

describe('base images', () => {
  const digest = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

  test('the images that the service is built on are pinned by digest', () => {
    const [, from = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(textOf('Dockerfile')) ?? [];
    expect(from).toMatch(digest);
    const bases = [...textOf('Dockerfile').matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, base]) => base);
    expect(bases).toEqual(['${NODE_IMAGE}', 'base', 'base']);
    // The image has the Node version that everything is tested with.
    expect(from).toContain(`:${projectsNode}-`);
  });

  test('the images of the compose file are pinned by digest', () => {
    // The profile's image has a version only: the register does not know its digest.
    const names = Object.values(composeServices())
      .filter(({ profiles }) => profiles === undefined)
      .map(({ image }) => image)
      .filter((image) => !image.startsWith('ponte-'));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(digest);
    expect(new Set(names).size).toBe(1);
  });
});

test('the image contains only the sources of the service, and runs as an ordinary user', () => {
  expect(copied('service')).toEqual([
    'package.json',
    'package-lock.json',
    '.npmrc',
    // npm needs these files to find the workspaces that package.json names. The image contains nothing else of the client.
    'packages/client/package.json',
    'openapi/generated',
    'openapi/compile-once.ts',
    'openapi/router.ts',
    'tsconfig.json',
    'machines',
    'src',
    'ops',
  ]);
  const stages = textOf('Dockerfile').split(/^FROM /m);
  expect(stages.find((stage) => stage.includes(' AS base\n'))).toMatch(
    /NODE_ENV=production[\s\S]+npm ci --omit=dev --ignore-scripts/,
  );
  for (const target of ['service', 'sandbox'])
    expect(stages.find((stage) => stage.includes(` AS ${target}\n`))).toMatch(/^USER node$/m);
});

test('the image starts the service like npm run serve, and makes its compile cache with the same flags', () => {
  const [, command = '[]'] = /^CMD (\[.+serve\.ts"\])$/m.exec(textOf('Dockerfile')) ?? [];
  expect((JSON.parse(command) as string[]).join(' ')).toBe(project.scripts.serve);
  const [, compiling] = /^RUN (node .+serve\.ts) 2> \/dev\/null;/m.exec(textOf('Dockerfile')) ?? [];
  expect(compiling).toBe(project.scripts.serve);
  expect(startFlags(ROOT).length).toBeGreaterThan(0);
});

const isWithin = (places: string[], file: string): boolean =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

const textOf = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').replaceAll(/ \\\n/g, ' ');
