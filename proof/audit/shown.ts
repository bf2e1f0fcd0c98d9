// Reads what apps showed of payments, withdrawals, transactions and balances from the answers that they received, verbatim.

/** A 2xx answer to an app. Times are milliseconds since 1970 by the app's clock. */
export type ShownAnswer = {
  userId: string;
  method: string;
  path: string;
  sentAt: number;
  answeredAt: number;
  body: unknown;
};

export type Thing = 'payment' | 'withdraw' | 'transaction';

/** One object, as one answer showed it. */
export type Sighting = {
  thing: Thing;
  id: string;
  userId: string;
  sentAt: number;
  answeredAt: number;
  status: string;
  /** The other fields, by their names in the contract. */
  fields: Fields;
};
type Fields = Record<string, unknown>;

export type ShownBalance = {
  userId: string;
  currency: string;
  amount: number;
  sentAt: number;
  answeredAt: number;
};

export type Shown = { sightings: Sighting[]; balances: ShownBalance[] };

export function shownIn(answers: ShownAnswer[]): Shown {
  return {
    sightings: answers.flatMap((answer) => sightingsIn(answer)),
    balances: answers.flatMap((answer) => balanceIn(answer)),
  };
}

/**
 * The kind of object that the answers of each operation show. The answers of other operations show nothing that the books contain.
 */
const things: Record<string, Thing> = {
  'GET /pix/payments': 'payment',
  'GET /pix/payments/:id': 'payment',
  'POST /pix/payments': 'payment',
  'POST /pix/payments/:id/retry': 'payment',
  'GET /withdraws': 'withdraw',
  'POST /withdraws': 'withdraw',
  'GET /transactions': 'transaction',
  'GET /transactions/:id': 'transaction',
};

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function sightingsIn({ userId, method, path, sentAt, answeredAt, body }: ShownAnswer): Sighting[] {
  const route = path.split('?', 1)[0]?.replace(UUID, ':id');
  const thing = things[`${method} ${route}`];
  if (thing === undefined) return [];
  const shown = (Array.isArray(body) ? body : [body]) as Fields[];
  return shown.map(({ id, pixPaymentId, status, ...fields }) => ({
    thing,
    id: String(id ?? pixPaymentId),
    userId,
    sentAt,
    answeredAt,
    status: String(status),
    fields,
  }));
}

function balanceIn({ userId, method, path, sentAt, answeredAt, body }: ShownAnswer): ShownBalance[] {
  if (method !== 'GET' || path !== '/me') return [];
  const { balance } = body as { balance: { currency: string; amount: number } | null };
  return balance === null ? [] : [{ userId, ...balance, sentAt, answeredAt }];
}

/** Returns each status of each object once, as it was first shown. */
export function firstOfEach(sightings: Sighting[]): Sighting[] {
  const first = new Map<string, Sighting>();
  for (const sighting of sightings) {
    const key = `${sighting.thing} ${sighting.id} ${sighting.status}`;
    if (sighting.answeredAt < (first.get(key)?.answeredAt ?? Infinity)) first.set(key, sighting);
  }
  return [...first.values()];
}
