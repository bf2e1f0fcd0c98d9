// docs/releases.csv has the commit of each release, which `npm run try:rollback` takes in a clone without tags.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import project from '../../package.json' with { type: 'json' };
import { commitOf, releases } from '../../proof/rollback/releases.ts';
import { ROOT } from '../support/process.ts';

/** Returns whether this folder is a clone with the whole history. */
function hasHistory(): boolean {
  try {
    return git('rev-parse', '--is-shallow-repository').trim() === 'false';
  } catch {
    return false;
  }
}
function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

test('each released version has its commit, in the order of the releases', () => {
  const documents = readdirSync(`${ROOT}/openapi/released`).flatMap(
    (file) => /^(.+)\.json$/.exec(file)?.[1] ?? [],
  );
  // A release's commit cannot contain its own hash, so the next commit adds it.
  const wanted = documents.filter((version) => version !== project.version).toSorted();
  const listed = releases.map(({ version }) => version);
  expect(listed).toEqual(expect.arrayContaining(wanted));
  expect(listed).toEqual(listed.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })));
  for (const { commit } of releases) expect(commit).toMatch(/^[0-9a-f]{40}$/);
});

test.skipIf(!hasHistory())('the commit of each release is in the history and has its version', () => {
  for (const { version, commit } of releases) {
    expect(commitOf(version)).toBe(commit);
    expect(commitOf(`v${version}`)).toBe(commit);
    const { version: its } = JSON.parse(git('show', `${commit}:package.json`)) as { version: string };
    expect(its).toBe(version);
  }
  expect(commitOf('HEAD')).toBe(git('rev-parse', 'HEAD').trim());
});

test('a commit that this clone does not have is refused with a sentence', () => {
  for (const name of ['0.0.9', 'f'.repeat(40), '--all'])
    expect(() => commitOf(name)).toThrow(/^this clone has no commit /);
});
