// The sandbox of a test file: it starts before the first test and stops after the last one.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { convert, fundedWallet, startUpstream, type Upstream, type Wallet } from './support.ts';

type Options = Partial<SandboxOptions> & {
  /** Whether all tests share a person with 1,000.00 at home, or each test has its own. */
  wallet?: 'shared' | 'own';
  /** What the shared person also has in BRL, such as `500.00`. */
  brl?: string;
};

/** Gives all tests of the file one sandbox. Its parts are empty until the tests begin. */
export function useUpstream({ wallet: whose, brl, ...options }: Options = {}): {
  upstream: Upstream;
  wallet: Wallet;
} {
  const upstream = {} as Upstream;
  const wallet = {} as Wallet;
  const fund = async (): Promise<void> => {
    Object.assign(wallet, await fundedWallet(upstream));
  };
  beforeAll(async () => {
    Object.assign(upstream, await startUpstream(options));
    if (whose === 'shared') await fund();
    if (brl !== undefined) await convert(upstream, wallet, brl);
  });
  if (whose === 'own') beforeEach(fund);
  // A sandbox that did not start has already failed the file.
  afterAll(() => upstream.close?.());
  return { upstream, wallet };
}
