// The promises of the service to an app: where each order is to be found at the provider, and the amount and recipient of its
// payout. They come from the clients' own journals, without the service's rows. Only the handles are derived.
import type { ClientOrder, Seen } from './evidence.ts';
import { handles, type Leg } from './rules/handles.ts';
import type { Sighting } from './shown.ts';

export type Promised = {
  /** The handle of the order's payout. */
  paidBy: string;
  /** The handles of everything that may move money for the order. */
  moves: string[];
  amountMinor: number;
  currency: string;
  pixKey?: string;
};

const LEGS: Leg[] = ['direct', 'leg1', 'leg2', 'reverse', 'return'];

/** @returns a function that finds the promise behind a sighting. It returns undefined for a deposit, which promises nothing. */
export function promisesIn({ orders, shown }: Seen): (sighting: Sighting) => Promised | undefined {
  const orderOf = new Map<string, ClientOrder>();
  for (const order of orders)
    for (const { id } of order.answers) if (id !== undefined) orderOf.set(id, order);
  // Every answer about a payment names its transaction.
  const payments = new Map<unknown, string>();
  for (const { thing, id, fields } of shown.sightings)
    if (thing === 'payment') payments.set(fields['transactionId'], id);

  return ({ thing, id, fields }) => {
    const paymentId = thing === 'payment' ? id : payments.get(id);
    if (paymentId !== undefined) return ofPayment(paymentId, orderOf.get(paymentId), fields);
    if (fields['type'] !== 'withdraw') return undefined;
    const paidBy = handles.withdraw(id);
    return {
      paidBy,
      moves: [paidBy],
      amountMinor: orderOf.get(id)?.amountMinor ?? Number(fields['sourceAmount']),
      currency: String(fields['sourceCurrency']),
    };
  };
}

function ofPayment(id: string, order: ClientOrder | undefined, fields: Record<string, unknown>): Promised {
  const paidBy = handles.payout(id);
  const shownMinor = Number(fields['destAmount'] ?? Math.round(Number(fields['amountBrl']) * 100));
  const pixKey = order?.pixKey ?? fields['pixKey'];
  return {
    paidBy,
    moves: [paidBy, ...LEGS.map((leg) => handles.conversion(id, leg))],
    amountMinor: order?.amountMinor ?? shownMinor,
    currency: 'BRL',
    ...(typeof pixKey === 'string' && { pixKey }),
  };
}
