// What has happened so far, for the progress lines and the tables.

export type Counts = {
  /** What is wanted of each, and how much of it was accepted. */
  accepted: { payments: number; withdraws: number };
  deposits: number;
  newcomers: number;
  /** Requests sent again because no usable answer came. */
  repeats: number;
  /** Requests sent several times at once on purpose. */
  doubles: number;
  /** How often a failed payout was sent again. */
  retries: number;
  kills: number;
  sandboxKills: number;
  restarts: number;
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
  refusals: new Map(),
});
