// Evidence recorded outside the service during a run: acknowledged callbacks, the answers that clients received, the
// time until it came to rest. Files of JSON lines, because a long run's are long.
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
  /** A file of `UnorderedPayout`s, one a line. */
  unorderedFile?: string;
  /** How much the clocks of the service's processes differ from the machine's, at most. Milliseconds; 0 without it. */
  clocksDifferByMs?: number;
  /**
   * From the beginning of the quiet phase until no work was in progress any more, in milliseconds; null: it never came
   * to rest.
   */
  restedAfterMs?: number | null;
  /** From the beginning of the quiet phase until no refusal was held any more, in milliseconds. */
  heldForMs?: number;
};

/** A payout that the run requested from the provider in the name of nobody, by its handle. It may not have been made. */
export type UnorderedPayout = { handle: string };

/** A callback that the service answered with 2xx. */
export type AcknowledgedCallback = {
  /** Its resource at the provider. */
  uuid: string;
  /** The identity it is stored under. */
  externalId: string;
  /** Its content. */
  content: string;
};

/** One order of a client, and every answer to every repetition of its request. */
export type ClientOrder = {
  kind: 'payment' | 'withdraw';
  userId: string;
  /** The quote's id as the client knows it, or the Idempotency-Key; null for a withdrawal sent without one. */
  key: string | null;
  /** The amount to arrive: centavos of a payment, minor units of the home currency of a withdrawal. */
  amountMinor: number;
  /** The debit of the home account, as shown to the client: minor units of the home currency. */
  costMinor: number;
  /** The expiry shown with the quote. */
  expiresAt?: string;
  pixKey?: string;
  answers: ClientAnswer[];
};

/** Times are milliseconds since 1970 by the client's clock: when the request was sent, and when its answer arrived. */
export type ClientAnswer = {
  sentAt: number;
  answeredAt: number;
  /** Null: no readable answer arrived while the client waited. */
  status: number | null;
  id?: string;
  code?: string;
};

export type Seen = {
  acknowledged: AcknowledgedCallback[];
  orders: ClientOrder[];
  shown: Shown;
  /** Handles of payouts that no row of the service ordered. */
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

/** @param body the callback's bytes, as the proxy in between received them. */
export function acknowledgedCallback(body: Buffer): AcknowledgedCallback {
  const { externalId, uuid, says } = identityOf(body);
  return { uuid, externalId, content: says };
}

/** Each refusal that clients received, with its order. */
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
