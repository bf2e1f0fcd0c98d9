// What others saw of a run: the callbacks that were acknowledged, the answers that clients were given, the time it took
// to come to rest. Files of JSON lines, because a long run's are long.
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseCallback } from '../../src/provider/callback.ts';

export type Evidence = {
  /** A file of `AcknowledgedCallback`s, one a line. */
  acknowledgedFile?: string;
  /** A file of `ClientOrder`s, one a line. */
  ordersFile?: string;
  /** From the beginning of quiet until nothing was under way any more, in milliseconds; null: it never came to rest. */
  restedAfterMs?: number | null;
};

/** A callback that the service answered with 2xx. */
export type AcknowledgedCallback = {
  /** What it is about, at the provider. */
  uuid: string;
  /** The identity it is stored under. */
  externalId: string;
  /** What it tells. */
  news: string;
};

/** One thing that a client wanted, and every answer to every repetition of asking for it. */
export type ClientOrder = {
  kind: 'payment' | 'withdraw';
  userId: string;
  /** The quote's id as the client knows it, or the Idempotency-Key; null for a withdrawal sent without one. */
  key: string | null;
  amountMinor: number;
  pixKey?: string;
  answers: { status: number; id?: string; code?: string }[];
};

export type Seen = {
  acknowledged: AcknowledgedCallback[];
  orders: ClientOrder[];
  restedAfterMs: number | null | undefined;
};

export async function readEvidence({ acknowledgedFile, ordersFile, restedAfterMs }: Evidence): Promise<Seen> {
  return {
    acknowledged: await readLines<AcknowledgedCallback>(acknowledgedFile),
    orders: await readLines<ClientOrder>(ordersFile),
    restedAfterMs,
  };
}

/** @param body the callback's bytes, as whoever stands between has seen them. */
export function acknowledgedCallback(body: Buffer): AcknowledgedCallback {
  const { externalId, eventType } = parseCallback(body);
  const { data, updated_at: updatedAt } = JSON.parse(body.toString()) as {
    data?: { uuid?: string };
    updated_at?: string;
  };
  const uuid = data?.uuid ?? externalId;
  return { uuid, externalId, news: `${eventType} of ${uuid} at ${updatedAt}` };
}

async function readLines<Line>(file: string | undefined): Promise<Line[]> {
  if (file === undefined || !existsSync(file)) return [];
  const lines: Line[] = [];
  for await (const line of createInterface({ input: createReadStream(file) }))
    lines.push(JSON.parse(line) as Line);
  return lines;
}
