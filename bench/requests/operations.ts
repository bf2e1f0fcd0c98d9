// The six requests, in the form that each server needs.
import { randomUUID } from 'node:crypto';
import { quoteIdText } from '../../src/domain/ids.ts';
import { makeQuotes } from './people.ts';
import type { Contender, Stack } from './stack.ts';
import type { Group } from './verified-users.ts';

export const operations = [
  'GET /transactions?limit=20',
  'GET /transactions?limit=100',
  'GET /me',
  'GET /pix/payments/{id}',
  'POST /pix/payments',
  'callback',
] as const;
export type Operation = (typeof operations)[number];

export type BenchRequest = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body: string | null;
};

/** Prepares the requests, from each user in turn, so that nothing is left to prepare during the measurement. */
export async function prepare(
  { db, payers, tokens, webhookSecret, standingAt }: Stack,
  contender: Contender,
  operation: Operation,
  count: number,
): Promise<BenchRequest[]> {
  const isService = contender === 'service' || contender === 'former';
  const group: Group = isService ? 'service' : 'reference';
  const people = payers.filter((payer) => payer.group === group);
  const byPerson = (n: number) => {
    const { id, paymentId } = people[n % people.length] ?? { id: '', paymentId: '' };
    const headers: Record<string, string> = isService
      ? { authorization: `Bearer ${tokens.get(id)}` }
      : { 'x-user-id': id };
    return { id, paymentId, headers };
  };
  const numbers = Array.from({ length: count }, (_, n) => n);
  const reads = (pathOf: (paymentId: string) => string): BenchRequest[] =>
    numbers.map((n) => {
      const { paymentId, headers } = byPerson(n);
      return { method: 'GET', path: pathOf(paymentId), headers, body: null };
    });
  switch (operation) {
    case 'GET /transactions?limit=20':
    case 'GET /transactions?limit=100':
      return reads(() => operation.slice('GET '.length));
    case 'GET /me':
      return reads(() => '/me');
    case 'GET /pix/payments/{id}':
      return reads((paymentId) => `/pix/payments/${paymentId}`);
    case 'callback': {
      const path = isService ? `/webhooks/provider/${webhookSecret}` : '/webhooks/provider';
      return numbers.map(() => post(path, {}, callback()));
    }
    case 'POST /pix/payments': {
      const quoteIds = await makeQuotes(
        db,
        numbers.map((n) => byPerson(n).id),
        standingAt,
      );
      return quoteIds.map((id, n) => {
        const quoteId = isService ? quoteIdText(id) : id;
        return post('/pix/payments', byPerson(n).headers, {
          quoteId,
          pixKey: '52998224725',
          pixKeyType: 'cpf',
        });
      });
    }
  }
}

const post = (path: string, headers: Record<string, string>, body: object): BenchRequest => ({
  method: 'POST',
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A callback as long as the provider's own. */
const callback = () => ({
  event: 'internal_transfer.updated',
  data: {
    uuid: randomUUID(),
    origin_id: randomUUID(),
    status: 'COMPLETED',
    quote_uuid: randomUUID(),
    source_account_uuid: randomUUID(),
    destination_account_uuid: randomUUID(),
    source_amount: '15.00',
    destination_amount: '100.00',
    rate: '6.73000000',
    failure_reason: null,
  },
  updated_at: new Date().toISOString(),
});
