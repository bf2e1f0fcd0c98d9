// What others saw of a run: the callbacks that were acknowledged, the answers that clients were given, the time it took
// to come to rest. Files of JSON lines, because a long run's are long.
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { identityOf } from './rules/callback-identity.ts';
import { type Shown, type ShownAnswer, shownIn } from './shown.ts';

export type Evidence = {
  /** A file of `AcknowledgedCallback`s, one a line. */
  acknowledgedFile?: string;
  /** A file of `ClientOrder`s, one a line. */
  ordersFile?: string;
  /** A file of `ShownAnswer`s, one a line. */
  shownFile?: string;
  /** From the beginning of quiet until nothing was under way any more, in milliseconds; null: it never came to rest. */
  restedAfterMs?: number | null;
  /** From the beginning of quiet until no refusal was held any more, in milliseconds. */
  heldForMs?: number;
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
  /** What is to arrive: centavos of a payment, minor units of the home currency of a withdrawal. */
  amountMinor: number;
  /** What it takes from the home account, as the client was told: minor units of the home currency. */
  costMinor: number;
  /** Until when the quote was shown to live. */
  expiresAt?: string;
  pixKey?: string;
  answers: ClientAnswer[];
};

/** Times are milliseconds since 1970 by the client's clock: when the request left, and when its answer was there. */
export type ClientAnswer = {
  sentAt: number;
  answeredAt: number;
  /** Null: none that could be read came as long as the client waited. */
  status: number | null;
  id?: string;
  code?: string;
};

export type Seen = {
  acknowledged: AcknowledgedCallback[];
  orders: ClientOrder[];
  shown: Shown;
  restedAfterMs: number | null | undefined;
  heldForMs: number;
};

export async function readEvidence(evidence: Evidence): Promise<Seen> {
  const { acknowledgedFile, ordersFile, shownFile, restedAfterMs, heldForMs = 0 } = evidence;
  return {
    acknowledged: await readLines<AcknowledgedCallback>(acknowledgedFile),
    orders: await readLines<ClientOrder>(ordersFile),
    shown: shownIn(await readLines<ShownAnswer>(shownFile)),
    restedAfterMs,
    heldForMs,
  };
}

/** @param body the callback's bytes, as whoever stands between has seen them. */
export function acknowledgedCallback(body: Buffer): AcknowledgedCallback {
  const { externalId, uuid, says } = identityOf(body);
  return { uuid, externalId, news: says };
}

/** Each refusal that clients were given, with what it was given for. */
export const refusalsIn = ({ orders }: Seen): { order: ClientOrder; answer: ClientAnswer }[] =>
  orders.flatMap((order) =>
    order.answers
      .filter(({ status }) => status !== null && status >= 400)
      .map((answer) => ({ order, answer })),
  );

async function readLines<Line>(file: string | undefined): Promise<Line[]> {
  if (file === undefined || !existsSync(file)) return [];
  const lines: Line[] = [];
  for await (const line of createInterface({ input: createReadStream(file) }))
    lines.push(JSON.parse(line) as Line);
  return lines;
}
