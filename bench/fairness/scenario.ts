// A scenario of the benchmark: what one person asks for, one request after the other, and the crowd that disturbs them.
import type { Pool } from 'undici';
import type { LocalStack } from '../../scripts/local-stack.ts';
import type { Payer } from '../payments/people.ts';
import type { SlowUpstream } from './slow-upstream.ts';

export type Answered = { status: number; ms: number };
/** One request and its answer. */
export type Send = () => Promise<Answered>;

export type Bench = {
  stack: LocalStack;
  upstream: SlowUpstream;
  /** The one person's only connection. */
  own: Pool;
  /** The one person, verified and with money. */
  person: Payer;
  /** Somebody else, verified and with money. */
  other: Payer;
  /** Signs somebody new in, and takes them to an account with money on it. */
  makePayer: (name: string) => Promise<Payer>;
};

export type Scenario = {
  /** As `--scenarios` names it. */
  name: string;
  /** Makes what the crowd needs. */
  prepare: (bench: Bench) => Promise<Disturbance>;
};

export type Disturbance = {
  /** Of the row about the one person alone. */
  alone: string;
  /** The one person's request. */
  ask: Send;
  /** Of the rows about the crowd. */
  crowd: string;
  /** Disturbs until the signal is aborted. @returns what the crowd was answered. */
  disturb: (signal: AbortSignal) => Promise<Answered[]>;
};

/** One request after the other. */
export async function sendWhile(isOn: () => boolean, send: Send): Promise<Answered[]> {
  const answers: Answered[] = [];
  while (isOn()) answers.push(await send());
  return answers;
}

/** So many senders, each with one request after the other; a refused one is repeated immediately. */
export async function sendOnMany(many: number, send: Send, signal: AbortSignal): Promise<Answered[]> {
  const senders = Array.from({ length: many }, () => sendWhile(() => !signal.aborted, send));
  return (await Promise.all(senders)).flat();
}

export async function sendTo(
  api: Pool,
  method: 'GET' | 'POST',
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
