// The input and the result of a scenario, and the limits that apply to all of them.
import type { Pool } from 'pg';
import type { Stack } from '../stack/stack.ts';
import type { Options } from './options.ts';

/** Seconds after which a process without a heartbeat counts as dead: the service's default. */
export const DEAD_AFTER_SECONDS = 10;
/** The longest time from when a process stops until other processes have resumed each piece of its work. */
export const TAKEN_UP_WITHIN_MS = 15_000;

export type Surroundings = { stack: Stack; pool: Pool; metricsUrls: string[]; options: Options };
export type Result = {
  rows: [what: string, figure: string][];
  violations: string[];
};
export type Scenario = {
  title: string;
  processes: number;
  run: (around: Surroundings) => Promise<Result>;
};
