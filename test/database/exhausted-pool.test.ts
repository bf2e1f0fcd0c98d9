// Every connection of the service's pool is taken for longer than a request waits for one. Requests and callbacks get 503. Work
// that was accepted before, or that is requested again afterwards, is made once.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { completesOnce } from '../outbox/payments.ts';
import { gbp } from '../support/bank-details.ts';
import { leasedIn, outboxEmpties } from '../support/outbox.ts';
import { must, type Person, pay, quote, refusalIn } from '../support/person.ts';
import { until } from '../support/until.ts';
import { movementsOf, payoutsOf } from '../support/upstream.ts';
import { useWorld } from '../support/use-world.ts';
import type { World } from '../support/world.ts';

const CONNECTIONS = 4;
const UNAVAILABLE = [503, 'unavailable'];
const WITHIN_MS = 240_000;

const { world, proxy, ada } = useWorld({
  proxy: true,
  env: { DATABASE_POOL_SIZE: String(CONNECTIONS), PROVIDER_TIMEOUT_MS: '60000' },
  deposit: '500.00',
});

beforeAll(async () => {
  must(await ada.api.POST('/bank-details', { body: gbp }));
});

test(
  'every request and callback gets 503 while the pool is exhausted, and afterwards everything is made once',
  async () => {
    const answered = Promise.withResolvers<void>();
    const hanging = proxy.spoil({
      operation: 'createInternalTransfer',
      spoilt: { after: answered.promise },
      forwarded: true,
    });
    const accepted = await pay(ada, await quote(ada, 10));
    await until(
      async () => hanging.hits(),
      (hits) => hits === 1,
    );
    const requests = requestsOf(ada, (await quote(ada, 11)).quoteId);

    const pool = await takeAllConnections(world);
    // The provider answers, and the answer cannot be recorded now.
    answered.resolve();
    for (let rounds = 0; rounds < 2; rounds += 1) {
      const answers = await Promise.all(Object.values(requests).map((ask) => ask()));
      const refusals = Object.keys(requests).map((what, nth) => [what, refusalIn(answers[nth] as Answer)]);
      expect(Object.fromEntries(refusals)).toEqual(
        Object.fromEntries(Object.keys(requests).map((what) => [what, UNAVAILABLE])),
      );
      for (const { response } of answers) expect(response.headers.get('retry-after')).toBe('1');
    }
    pool.giveBack();

    for (const ask of Object.values(requests)) must(await ask());
    // Repeat two requests, as an app does whose answer was lost.
    const { pixPaymentId } = must(await requests.payment());
    const withdrawal = must(await requests.withdrawal()).id;
    for (const id of [accepted, pixPaymentId]) {
      await completesOnce(world, id);
    }
    await until(
      async () => must(await ada.api.GET('/withdraws')),
      (all) => all.every(({ status }) => status === 'completed'),
      WITHIN_MS,
    );
    expect(await payoutsOf(world, withdrawal, 'withdraw')).toHaveLength(1);
    const debits = (await movementsOf(ada, 'GBP')).filter((movement) => movement.startsWith('DEBIT'));
    expect(debits).toHaveLength(3);
    await outboxEmpties(world);
    expect(await leasedIn(world)).toEqual([]);
  },
  WITHIN_MS,
);

type Answer = { data?: unknown; error?: unknown; response: Response };

/** One request of each kind that an app or the provider sends. Repeating one sends the same request. */
function requestsOf({ api }: Person, quoteId: string) {
  const header = { 'Idempotency-Key': randomUUID() };
  const at = randomUUID();
  return {
    me: () => api.GET('/me'),
    list: () => api.GET('/transactions'),
    verification: () => api.GET('/kyc/status'),
    price: () => api.POST('/pix/quote', { body: { amountBrl: 12 } }),
    payment: () =>
      api.POST('/pix/payments', { body: { quoteId, pixKey: '52998224725', pixKeyType: 'cpf' } as const }),
    withdrawal: () => api.POST('/withdraws', { body: { amount: 1_000 }, params: { header } }),
    callback: () => sendCallback({ event: 'card.frozen', at }),
  } satisfies Record<string, () => Promise<Answer>>;
}

async function sendCallback(body: object): Promise<Answer> {
  const response = await fetch(`${world.url}/webhooks/provider/${world.webhookSecret}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  return response.ok ? { data: answer, response } : { error: answer, response };
}

/** Takes every connection of the pool, as slow requests do. Resolves when none is free. */
async function takeAllConnections({ service }: World): Promise<{ giveBack: () => void }> {
  const released = Promise.withResolvers<void>();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => {
      const taken = Promise.withResolvers<void>();
      void service.app.db
        .connection()
        .execute(() => {
          taken.resolve();
          return released.promise;
        })
        .catch(taken.reject);
      return taken.promise;
    }),
  );
  return { giveBack: released.resolve };
}
