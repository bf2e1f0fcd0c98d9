// Finds the faults that the options request and that never happened: a run without them shows less than it claims.
import type { Counts } from '../stack/counts.ts';
import type { Options } from './options.ts';

/** A long run has thousands of rows. In a short run, each payment has about three when the backlog is created. */
const leastBacklog = ({ payments }: Options): number => Math.min(2_000, payments);

/**
 * @param faults the number of faults that the provider has injected, by kind.
 * @returns a sentence for each missing fault.
 */
export function missingFaults(options: Options, counts: Counts, faults: Record<string, number>): string[] {
  const requested: [isRequested: boolean, name: string, times: number, least: number][] = [
    [options.clocks, 'instances started with a wrong clock', counts.wrongClocks, 1],
    [options.backlog, 'due rows when all instances came back', counts.backlog, leastBacklog(options)],
    [options.lateRequests, 'requests received more than a minute late', counts.lateRequests, 1],
    [options.imperfectProvider, 'payouts in the name of nobody', counts.unordered, 1],
    [options.imperfectProvider, 'failed payouts returned', counts.returns, 1],
    ...['provider.unseenWrite', 'provider.unreadable', 'provider.otherReferences'].map(
      (kind): (typeof requested)[number] => [options.imperfectProvider, kind, faults[kind] ?? 0, 1],
    ),
  ];
  return requested
    .filter(([isRequested, , times, least]) => isRequested && times < least)
    .map(([, name, times, least]) => `${name}: ${times}, and at least ${least} were requested`);
}
