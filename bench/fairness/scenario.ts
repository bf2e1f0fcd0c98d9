// A scenario of the benchmark: the requests of one user, one after the other, and the crowd that disturbs them.
import type { Pool } from 'undici';
import type { LocalStack } from '../../harness/stack/local-stack.ts';
import type { Payer } from '../payments/people.ts';
import type { SlowUpstream } from './slow-upstream.ts';

export type Answered = { status: number; ms: number };
export type Send = () => Promise<Answered>;

export type Bench = {
  stack: LocalStack;
  upstream: SlowUpstream;
  /** The only connection of the one user. */
  own: Pool;
  /** The one user, verified and with money. */
  person: Payer;
  /** Another user, verified and with money. */
  other: Payer;
  makePayer: (name: string) => Promise<Payer>;
};

export type Scenario = {
  name: string;
  prepare: (bench: Bench) => Promise<Disturbance>;
};

export type Disturbance = {
  alone: string;
  ask: Send;
  /** The name of the rows about the crowd. */
  crowd: string;
  /**
   * Disturbs until the signal is aborted.
   * @returns the answers to the crowd.
   */
  disturb: (signal: AbortSignal) => Promise<Answered[]>;
};

export async function sendWhile(isOn: () => boolean, send: Send): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (isOn()) answers.push(await send());
  return answers;
}

/** Runs `many` senders, each with one request after the other. A sender repeats a refused request immediately. */
export async function sendOnMany(count: number, send: Send, signal: AbortSignal): Promise<Answered[]> {
  const senders = Array.from({ length: count }, () => sendWhile(() => !signal.aborted, send));
  return (await Promise.all(senders)).flat();
}

export async function sendTo(
  api: Pool,
  method: 'GET' | 'PATCH' | 'POST',
  path: string,
  payer: Payer | Record<string, never>,
  json?: unknown,
): Promise<Answered> {
  const begun = performance.now();
  const { statusCode, body } = await api.request({
    method,
    path,
    headers: { ...payer, 'content-type': 'application/json' },
    body: json === undefined ? null : JSON.stringify(json),
  });
  await body.dump();
  return { status: statusCode, ms: performance.now() - begun };
}
