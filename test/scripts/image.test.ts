// The image is built from a few folders: every file that the sources in it import must be among them.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { startFlags } from '../../scripts/start-flags.ts';
import { ROOT } from '../support/process.ts';
import { sourcesIn } from '../support/sources.ts';

const projectsNode = project.devDependencies.node;

/** What each part of the Dockerfile copies, with what the parts before it had. */
const copied = (target: string): string[] =>
  textOf('Dockerfile')
    .split(/^FROM /m)
    .filter((stage) => new RegExp(`AS (base|${target})\\n`).test(stage))
    .flatMap((stage) => [...stage.matchAll(/^COPY (.+) \S+$/gm)])
    .flatMap(([, from]) => (from ?? '').split(' '));

/** What Docker is given to copy from. */
const given = (): string[] =>
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

  test('copies every file that it needs', () => {
    expect(needed).toContain('openapi/find-operation.ts');
    expect(needed.filter((file) => !isWithin(copied(target), file))).toEqual([]);
  });

  test('copies only what Docker is given', () => {
    expect(copied(target)).toContain('package-lock.json');
    expect(copied(target).filter((one) => !isWithin(given(), one))).toEqual([]);
  });
});

/** What the service reads from its own folders while it runs: no import names it. */
const readAtRunTime = ['openapi/generated/reference.js.gz', 'openapi/generated/diagrams/payment.svg'];

test('what the service reads at run time is there, and goes into its image', () => {
  expect(textOf('src/api/docs.ts')).toContain('../../openapi/generated/reference.js.gz');
  expect(readAtRunTime.filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
  expect(readAtRunTime.filter((file) => !isWithin(copied('service'), file))).toEqual([]);
});

test('what the sources import is installed where development is left out', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
  const packages = sourcesIn('src', 'machines', 'sandbox')
    .flatMap(({ imports }) => imports.filter(({ isType }) => !isType).map(({ from }) => from))
    .filter((from) => !from.startsWith('node:') && !/\.(ts|json)$/.test(from))
    .map((from) => from.split('/', from.startsWith('@') ? 2 : 1).join('/'));
  expect(packages).toContain('express');
  expect([...new Set(packages)].filter((name) => dependencies[name] === undefined)).toEqual([]);
});

describe('images that others built', () => {
  const digest = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

  test('are pinned by digest where the service is built on one', () => {
    const [, from = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(textOf('Dockerfile')) ?? [];
    expect(from).toMatch(digest);
    const bases = [...textOf('Dockerfile').matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, base]) => base);
    expect(bases).toEqual(['${NODE_IMAGE}', 'base', 'base']);
    // Of the version that everything is tried with.
    expect(from).toContain(`:${projectsNode}-`);
  });

  test('are pinned by digest in the compose file', () => {
    const images = [
      ...textOf('docker-compose.yml').matchAll(/^ +image: (?!ponte-)(?:\$\{\w+:-(\S+)\}|(\S+))$/gm),
    ];
    const names = images.map(([, otherwise, name]) => otherwise ?? name);
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(digest);
    expect(new Set(names).size).toBe(1);
  });
});

test('the service has its sources and nothing else, and runs as an ordinary user', () => {
  expect(copied('service')).toEqual([
    'package.json',
    'package-lock.json',
    '.npmrc',
    // So that npm finds the workspace that package.json names; nothing of the client itself.
    'packages/client/package.json',
    'openapi/generated',
    'openapi/compile-once.ts',
    'openapi/find-operation.ts',
    'tsconfig.json',
    'machines',
    'src',
  ]);
  const stages = textOf('Dockerfile').split(/^FROM /m);
  expect(stages.find((stage) => stage.includes(' AS base\n'))).toMatch(
    /NODE_ENV=production[\s\S]+npm ci --omit=dev --ignore-scripts/,
  );
  for (const target of ['service', 'sandbox'])
    expect(stages.find((stage) => stage.includes(` AS ${target}\n`))).toMatch(/^USER node$/m);
});

test('the service is started as npm run serve does, and its cache is made under the same flags', () => {
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
