// The commit of a checkout is read from the files of git: after each step, it is the one that git itself names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedOutCommit } from '../../src/start/checked-out-commit.ts';
import { buildOf, version } from '../../src/start/version.ts';

let folder: string;
let repository: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ponte-commit-'));
  repository = join(folder, 'a repository');
  git(folder, 'init', '--quiet', '--initial-branch', 'main', repository);
  commit();
});
afterAll(() => rmSync(folder, { recursive: true }));

function git(where: string, ...args: string[]): string {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...author, '-C', where, ...args], { encoding: 'utf8' }).trim();
}
const commit = (): string => git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'a change');
const read = (where: string): string | null => checkedOutCommit(pathToFileURL(`${where}/`));

test('the commit of a branch, of a branch with a slash, of a packed branch and of a detached head is read', () => {
  expect(read(repository)).toBe(git(repository, 'rev-parse', 'HEAD'));
  git(repository, 'switch', '--quiet', '--create', 'a/change-1.0');
  commit();
  expect(read(repository)).toBe(git(repository, 'rev-parse', 'HEAD'));
  git(repository, 'pack-refs', '--all');
  expect(read(repository)).toBe(git(repository, 'rev-parse', 'HEAD'));
  commit();
  expect(read(repository)).toBe(git(repository, 'rev-parse', 'HEAD'));
  git(repository, 'switch', '--quiet', '--detach', 'HEAD^');
  expect(read(repository)).toBe(git(repository, 'rev-parse', 'HEAD'));
});

test('the commit of a worktree is its own', () => {
  const worktree = join(folder, 'a worktree');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'beside', worktree, 'main');
  expect(read(worktree)).toBe(git(repository, 'rev-parse', 'main'));
  expect(read(worktree)).not.toBe(read(repository));
});

test('the commit is unknown without git, before the first commit, and in files that are not those of git', () => {
  expect(read(folder)).toBeNull();
  const empty = join(folder, 'empty');
  git(folder, 'init', '--quiet', empty);
  expect(read(empty)).toBeNull();
  for (const head of ['', 'ref: refs/heads/../../../etc/passwd', 'abc', 'ref: HEAD']) {
    writeFileSync(join(empty, '.git/HEAD'), head);
    expect(read(empty)).toBeNull();
  }
});

test('an image names the commit of its build, whatever is checked out around it', () => {
  expect(buildOf({ commit: 'a1cb3188' })).toEqual({ version, commit: 'a1cb3188' });
});
