// Evidence that a run records outside the service: acknowledged callbacks, the answers that clients received, and the time until
// the system came to rest. The files contain one JSON object per line, because a long run writes many.
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { identityOf } from './rules/callback-identity.ts';
import { type Shown, type ShownAnswer, shownIn } from './shown.ts';

export type Evidence = {
  /** A file with one `AcknowledgedCallback` per line. */
  acknowledgedFile?: string;
  /** A file with one `ClientOrder` per line. */
  ordersFile?: string;
  /** A file with one `ShownAnswer` per line. */
  shownFile?: string;
  /** A file with one `UnorderedPayout` per line. */
  unorderedFile?: string;
  /** The largest difference between the clock of a service process and the machine's clock, in milliseconds. The default is 0. */
  clocksDifferByMs?: number;
  /**
   * The time from the beginning of the quiet phase until no work was in progress, in milliseconds. Null if the system never came to
   * rest.
   */
  restedAfterMs?: number | null;
  /** The time from the beginning of the quiet phase until no refusal was pending, in milliseconds. */
  heldForMs?: number;
};

/**
 * A payout that the run itself requested from the provider, by its handle. No row of the service requested it. It may not have been
 * made.
 */
export type UnorderedPayout = { handle: string };

/** A callback that the service answered with 2xx. */
export type AcknowledgedCallback = {
  /** The provider's id of the resource that the callback is about. */
  uuid: string;
  /** The identity under which the callback must be stored. */
  identity: string;
  /** A summary of the callback's content. */
  content: string;
};

/** One payment or withdrawal of a client, with every answer to every repetition of its request. */
export type ClientOrder = {
  kind: 'payment' | 'withdraw';
  userId: string;
  /** The quote's id as the client knows it, or the Idempotency-Key. Null for a withdrawal sent without a key. */
  key: string | null;
  /** The amount to arrive: centavos for a payment, minor units of the home currency for a withdrawal. */
  amountMinor: number;
  /** The debit of the home account that the client was shown, in minor units of the home currency. */
  costMinor: number;
  expiresAt?: string;
  pixKey?: string;
  /** The code whose charge the payment pays. */
  codeId?: string;
  answers: ClientAnswer[];
};

/** When a request was sent and when its answer arrived, in milliseconds since 1970 by the client's clock. */
export type ClientAnswer = {
  sentAt: number;
  answeredAt: number;
  /** Null if no readable answer arrived while the client waited. */
  status: number | null;
  id?: string;
  code?: string;
};

export type Seen = {
  acknowledged: AcknowledgedCallback[];
  orders: ClientOrder[];
  shown: Shown;
  /** The handles of payouts that no row of the service requested. */
  unordered: Set<string>;
  clocksDifferByMs: number;
  restedAfterMs: number | null | undefined;
  heldForMs: number;
};

export async function readEvidence(evidence: Evidence): Promise<Seen> {
  const { acknowledgedFile, ordersFile, shownFile, unorderedFile, restedAfterMs, heldForMs = 0 } = evidence;
  const unordered = await readLines<UnorderedPayout>(unorderedFile);
  return {
    acknowledged: await readLines<AcknowledgedCallback>(acknowledgedFile),
    orders: await readLines<ClientOrder>(ordersFile),
    shown: shownIn(await readLines<ShownAnswer>(shownFile)),
    unordered: new Set(unordered.map(({ handle }) => handle)),
    clocksDifferByMs: evidence.clocksDifferByMs ?? 0,
    restedAfterMs,
    heldForMs,
  };
}

/**
 * Derives the identity and content of an acknowledged callback.
 * @param body the callback's bytes, as the proxy in between received them.
 */
export function acknowledgedCallback(body: Buffer): AcknowledgedCallback {
  const { identity, uuid, says } = identityOf(body);
  return { uuid, identity, content: says };
}

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
