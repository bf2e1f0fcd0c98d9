// Changes to a finished world's books before it is audited: in the service's database, in the sandbox's store, or in the clients'
// records.
import type { ClientAnswer, ClientOrder, Evidence } from '../../proof/audit/evidence.ts';
import type { ShownAnswer } from '../../proof/audit/shown.ts';
import type { ClientJournal } from './client-journal.ts';

export type Tampering = {
  invariant: string;
  /** SQL for the service's database. `$twoHop` and similar names are replaced by the ids of the world's payments. */
  ours?: string;
  /** SQL for the sandbox's store. */
  theirs?: string;
  told?: Evidence;
  /** Changes the answers that clients claim to have received. */
  journal?: [what: string, (journal: ClientJournal, payments: Record<string, string>) => void];
};

/** SQL for a discrepancy about a payment's payout. It is open unless it has a resolution. */
export function discrepancyAbout(paymentId: string, kind: string, resolution: string | null = null): string {
  const row = {
    id: 'b2f50df0-0000-4000-8000-000000000001',
    subject_kind: 'pix_payment',
    kind,
    fingerprint: kind,
    event: 'off-ramp.failed',
    event_data: {},
    state: 'completed',
    snapshot_updated_at: '2026-01-01T00:00:00Z',
    cause_kind: 'job',
    cause_id: 'test',
    occurred_at: '2026-01-01T00:00:00Z',
    resolved_at: resolution === null ? null : '2026-01-01T00:00:00Z',
    resolution,
  };
  return `insert into discrepancies select (jsonb_populate_record(null::discrepancies, '${JSON.stringify(row)}'
      || jsonb_build_object('user_id', user_id, 'subject_id', subject_id, 'handle', handle))).*
    from provider_resources where subject_id = '${paymentId}' and kind = 'payout'`;
}

export function orderOf({ orders }: ClientJournal, id: string | undefined): ClientOrder {
  const order = orders.find(({ answers }) => answers.some((answer) => answer.id === id));
  if (!order) throw new Error(`nobody was answered ${id}`);
  return order;
}

/**
 * Simulates that the request without a key was answered with both withdrawals of the world. In `ours`, they have the same amount.
 */
export const answeredTwice: Pick<Required<Tampering>, 'ours' | 'journal'> = {
  ours: 'update withdraws set amount_minor = 1313',
  journal: [
    'a request without a key, answered with two withdrawals',
    ({ orders }) => {
      const withdrawals = orders.filter(({ kind, answers }) => kind === 'withdraw' && answers[0]?.id);
      const [keyed, unkeyed] = [true, false].map((isKeyed) =>
        withdrawals.find(({ key }) => (key !== null) === isKeyed),
      );
      if (!keyed?.answers[0] || !unkeyed) throw new Error('the story has two withdrawals');
      unkeyed.answers.unshift(keyed.answers[0]);
      keyed.amountMinor = unkeyed.amountMinor;
    },
  ],
};

export function refusedWith(
  { orders }: ClientJournal,
  code: string,
): { order: ClientOrder; answer: ClientAnswer } {
  for (const order of orders)
    for (const answer of order.answers) if (answer.code === code) return { order, answer };
  throw new Error(`nobody was refused with ${code}`);
}

/** Simulates that a payment was refused with `account_not_active` a minute from now, and that its unused quote was deleted since. */
export const refusedWithDeletedQuote: Required<Tampering>['journal'] = [
  'refused with account_not_active, for a quote that was deleted',
  (journal, { direct }) => {
    const sentAt = Date.now() + 60_000;
    journal.orders.push({
      ...orderOf(journal, direct),
      key: 'quote_00000000-0000-7000-8000-000000000000',
      answers: [{ sentAt, answeredAt: sentAt + 100, status: 409, code: 'account_not_active' }],
    });
  },
];

/** Moves the refusal for insufficient funds to a minute after the system came to rest. */
export function refuseForMoney(journal: ClientJournal, costMinor: number): void {
  const { order, answer } = refusedWith(journal, 'insufficient_funds');
  order.costMinor = costMinor;
  answer.sentAt = Date.now() + 60_000;
  answer.answeredAt = answer.sentAt + 100;
}

/** Adds an answer to the same request, after all other answers. */
export function answerLater({ answers }: ClientOrder, answer: { status: number; code: string }): void {
  const last = Math.max(...answers.map(({ answeredAt }) => answeredAt));
  answers.push({ sentAt: last + 1, answeredAt: last + 2, ...answer });
}

/** Shows the payment again as it was shown last, except for some fields. */
export function show({ shown }: ClientJournal, id: string | undefined, fields: object): void {
  const last = shown.findLast(({ path }) => path === `/pix/payments/${id}`);
  if (!last) throw new Error(`${id} was never shown`);
  const at = Date.now();
  shown.push({ ...last, sentAt: at, answeredAt: at, body: { ...(last.body as object), ...fields } });
}

type Me = ShownAnswer & { body: { balance: { amount: number } } };

export function changeLastBalance(
  { shown }: ClientJournal,
  change: (amount: number, all: number[]) => number,
): void {
  const answers = shown.filter(({ method, path }) => method === 'GET' && path === '/me') as Me[];
  const last = answers.at(-1);
  if (!last) throw new Error('no balance was ever shown');
  const { balance } = last.body;
  balance.amount = change(
    balance.amount,
    answers.map(({ body }) => body.balance.amount),
  );
}

/** Dates every step of the history four minutes late. */
export const LATE_DECISIONS = "update transitions set occurred_at = occurred_at + interval '4 minutes'";
