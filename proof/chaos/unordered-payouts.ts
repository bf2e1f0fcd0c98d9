// Requests payouts that no row of the service requested, as if somebody else had the provider's credentials or the provider made a
// mistake. Each payout is recorded for the auditor before it is requested. It is requested once, because a repetition could be a
// twin.
import { randomUUID } from 'node:crypto';
import { sandboxSettings } from '../../harness/stack/settings.ts';
import type { UnorderedPayout } from '../audit/evidence.ts';
import type { Counts } from '../stack/counts.ts';
import type { Person } from '../stack/people.ts';
import type { Stack } from '../stack/stack.ts';
import { accountOf } from './accounts.ts';

const AMOUNT = '3.21';

/**
 * Takes a small amount from the user's home account.
 * @throws if the provider did not answer that it accepted the payout.
 */
export async function payInNobodysName(
  { sandboxUrl, database, unordered }: Stack,
  person: Person,
  counts: Counts,
): Promise<void> {
  const account = await accountOf(database.url, person, 'home');
  const handle = randomUUID();
  unordered.write({ handle } satisfies UnorderedPayout);
  const {
    PROVIDER_USERNAME: username,
    PROVIDER_PASSWORD: password,
    PROVIDER_COMPANY_ID: company,
  } = sandboxSettings(sandboxUrl);
  const answer = await fetch(`${sandboxUrl}/v1/payouts/`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'x-company-id': company,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      origin_id: handle,
      source_account_uuid: account,
      amount: AMOUNT,
      ...('iban' in person.deposit ? sepa : fps),
    }),
    signal: AbortSignal.timeout(10_000),
    redirect: 'manual',
  });
  if (answer.status !== 201) throw new Error(`the provider answered ${answer.status}`);
  counts.unordered += 1;
}

const fps = {
  currency: 'GBP',
  rail: 'FPS',
  destination: { account_holder_name: 'Nobody', account_number: '12345678', sort_code: '12-34-56' },
};
const sepa = {
  currency: 'EUR',
  rail: 'SEPA',
  destination: { account_holder_name: 'Nobody', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
};
