// What has happened so far, for the progress lines and the tables.

export type Counts = {
  /** The target of each, and how much of it was accepted. */
  accepted: { payments: number; withdraws: number };
  deposits: number;
  newcomers: number;
  /** Requests repeated for want of a usable answer. */
  repeats: number;
  /** Requests sent several times concurrently on purpose. */
  doubles: number;
  /** How often a failed payout was retried. */
  retries: number;
  kills: number;
  sandboxKills: number;
  restarts: number;
  /** Faults that no process dies of, by name. */
  engineFaults: Map<string, number>;
  /** How often an instance was started with a clock of its own. */
  wrongClocks: number;
  /** Rows of the outbox that were due when all instances came back. */
  backlog: number;
  /** Payouts in the name of nobody that the provider took on. */
  unordered: number;
  /** Requests that the provider received more than a minute late. */
  lateRequests: number;
  /** Those that could not be injected, and why. */
  notInjected: string[];
  /** Refusals by code. */
  refusals: Map<string, number>;
};

export const createCounts = (): Counts => ({
  accepted: { payments: 0, withdraws: 0 },
  deposits: 0,
  newcomers: 0,
  repeats: 0,
  doubles: 0,
  retries: 0,
  kills: 0,
  sandboxKills: 0,
  restarts: 0,
  engineFaults: new Map(),
  wrongClocks: 0,
  backlog: 0,
  unordered: 0,
  lateRequests: 0,
  notInjected: [],
  refusals: new Map(),
});
