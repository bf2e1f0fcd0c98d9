// Counts what has happened so far, for the progress lines and the tables.

export type Counts = {
  accepted: { payments: number; withdraws: number };
  deposits: number;
  newcomers: number;
  /** Requests that were repeated because there was no usable answer. */
  repeats: number;
  doubles: number;
  retries: number;
  returns: number;
  lookUps: number;
  codes: number;
  nameChecks: number;
  receipts: number;
  contestations: number;
  /** Parts of payouts that came back, of which an operator has ordered the conversion. */
  parts: number;
  kills: number;
  sandboxKills: number;
  restarts: number;
  engineFaults: Map<string, number>;
  wrongClocks: number;
  /** Rows of the outbox that were due when all instances were up again. */
  backlog: number;
  unordered: number;
  lateRequests: number;
  notInjected: string[];
  refusals: Map<string, number>;
};

export const createCounts = (): Counts => ({
  accepted: { payments: 0, withdraws: 0 },
  deposits: 0,
  newcomers: 0,
  repeats: 0,
  doubles: 0,
  retries: 0,
  returns: 0,
  lookUps: 0,
  codes: 0,
  nameChecks: 0,
  receipts: 0,
  contestations: 0,
  parts: 0,
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
