// Chooses the mutants of a sampled run. Stryker has no samples, but leaves out each mutant that a checker rejects.
import { hash } from 'node:crypto';
import { type Checker, type CheckResult, CheckStatus } from '@stryker-mutator/api/check';
import type { Mutant } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** The environment variable with the size and the seed of the sample: `100/20261129`. */
export const SAMPLE = 'MUTANT_SAMPLE';

/** Chooses this number of mutants. The same seed chooses the same mutants of the same sources. */
class Sample implements Checker {
  readonly #count: number;
  readonly #seed: string;

  constructor() {
    const [count, seed = ''] = (process.env[SAMPLE] ?? '').split('/');
    this.#count = Number(count);
    this.#seed = seed;
  }

  async init(): Promise<void> {}

  /** A sample is chosen among all mutants, so they are checked together. */
  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: Mutant[]): Promise<Record<string, CheckResult>> {
    const drawn = mutants
      .map(({ id }) => ({ id, at: hash('sha256', `${this.#seed}/${id}`) }))
      .toSorted((one, other) => (one.at < other.at ? -1 : 1));
    const rejected: CheckResult = { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(
      drawn.map(({ id }, at) => [id, at < this.#count ? { status: CheckStatus.Passed } : rejected]),
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', Sample)];
