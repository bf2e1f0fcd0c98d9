// A run's client journals, written by a test's own app: every answer that it was shown, and for each order every answer to every
// request.
import type { ClientAnswer, ClientOrder, UnorderedPayout } from '../../proof/audit/evidence.ts';
import type { ShownAnswer } from '../../proof/audit/shown.ts';
import type { Person } from '../support/person.ts';

export type ClientJournal = { orders: ClientOrder[]; shown: ShownAnswer[]; unordered: UnorderedPayout[] };

type Body = Record<string, unknown>;

/** From now on, the journal records each request of this user's app. */
export function keepJournal({ api, userId }: Person, { orders, shown }: ClientJournal): void {
  const sent = new Map<string, { sentAt: number; body: Body | Promise<Body> }>();
  const quotes = new Map<unknown, Body>();
  api.use({
    onRequest: ({ id, request }) => {
      sent.set(id, { sentAt: Date.now(), body: bodyOf(request.clone()) });
    },
    onResponse: async ({ id, request, response }) => {
      const { sentAt, body: sentBody } = sent.get(id) ?? { sentAt: Number.NaN, body: {} as Body };
      const { method } = request;
      const { pathname, search } = new URL(request.url);
      const body = await bodyOf(response.clone());
      const answeredAt = Date.now();
      if (response.ok) shown.push({ userId, method, path: pathname + search, sentAt, answeredAt, body });
      const wanted = await sentBody;
      if (pathname === '/pix/quote')
        quotes.set(body['quoteId'], {
          ...body,
          amountBrlMinor: Math.round(Number(wanted['amountBrl']) * 100),
        });
      const order = orderOf(`${method} ${pathname}`, userId, wanted, request.headers, quotes);
      if (order) enter(order, { sentAt, answeredAt, status: response.status, ...shownBy(response, body) });
    },
  });

  const enter = (order: Omit<ClientOrder, 'answers'>, answer: ClientAnswer): void => {
    const former = orders.find(
      ({ userId: whose, key, pixKey, amountMinor }) =>
        whose === order.userId &&
        key === order.key &&
        pixKey === order.pixKey &&
        amountMinor === order.amountMinor,
    );
    if (former) former.answers.push(answer);
    else orders.push({ ...order, answers: [answer] });
  };
}

const shownBy = ({ ok }: Response, { pixPaymentId, id = pixPaymentId, code }: Body): Partial<ClientAnswer> =>
  ok ? { id: String(id) } : { code: String(code) };

function orderOf(
  route: string,
  userId: string,
  { quoteId, pixKey, amount }: Body,
  headers: Headers,
  quotes: Map<unknown, Body>,
): Omit<ClientOrder, 'answers'> | null {
  if (route === 'POST /withdraws')
    return {
      kind: 'withdraw',
      userId,
      key: headers.get('idempotency-key'),
      amountMinor: Number(amount),
      costMinor: Number(amount),
    };
  if (route !== 'POST /pix/payments') return null;
  const { amountBrlMinor, sourceAmount, expiresAt } = quotes.get(quoteId) ?? {};
  return {
    kind: 'payment',
    userId,
    key: String(quoteId),
    amountMinor: Number(amountBrlMinor),
    costMinor: Number(sourceAmount),
    expiresAt: String(expiresAt),
    pixKey: String(pixKey),
  };
}

async function bodyOf(message: Request | Response): Promise<Body> {
  const text = await message.text();
  return text === '' ? {} : (JSON.parse(text) as Body);
}
