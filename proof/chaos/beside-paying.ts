// What users do beside paying: they look up whom they pay, read codes, check the name on their own account, ask for receipts and contest
// payments. Users pay and withdraw without an answer as well, so none of these requests is repeated.
import { magicCode } from '../../sandbox/magic.ts';
import type { Random } from '../random.ts';
import type { Answer, Client, Request } from '../stack/client.ts';
import type { Counts } from '../stack/counts.ts';
import type { Person } from '../stack/people.ts';

type Counting = { counts: Counts };

/** Whom a payment goes to, and how much arrives. `named` names the look-up or the code. */
export type Recipient = {
  amountMinor: number;
  pixKey: string;
  pixKeyType: string;
  named: { lookupId?: string; codeId?: string };
};

const askOnce = ({ ask }: Client, request: Omit<Request, 'isOptional'>): Promise<Answer> =>
  ask({ ...request, isOptional: true });

/** The sandbox makes a new charge of each at each reading. The payer decides about the amount of the second. */
const CODES: [string, string] = [magicCode('fixed'), magicCode('open')];

/** Looks up the recipient, reads a code instead, or does neither. */
export async function named(
  { counts }: Counting,
  { client }: Person,
  random: Random,
  chosen: Recipient,
): Promise<Recipient> {
  if (random.happens(0.1)) {
    const json = { code: random.pick(CODES) };
    const { status, body } = await askOnce(client, { method: 'POST', path: '/pix/codes', json });
    if (status !== 200) return chosen;
    counts.codes += 1;
    const { codeId, pixKey, pixKeyType, amountBrl } = body;
    return {
      amountMinor: amountBrl === null ? chosen.amountMinor : Math.round(Number(amountBrl) * 100),
      pixKey: String(pixKey),
      pixKeyType: String(pixKeyType),
      named: { codeId: String(codeId) },
    };
  }
  if (!random.happens(0.4)) return chosen;
  const { pixKey, pixKeyType } = chosen;
  const json = { pixKey, pixKeyType };
  const { status, body } = await askOnce(client, { method: 'POST', path: '/pix/recipients/lookup', json });
  if (status !== 200) return chosen;
  counts.lookUps += 1;
  return { ...chosen, named: { lookupId: String(body['lookupId']) } };
}

/** Shares the receipt of a completed payment, or contests the payment. The sandbox then returns a half of it. */
export async function afterwards(
  { counts }: Counting,
  { client }: Person,
  random: Random,
  id: string,
): Promise<void> {
  if (random.happens(0.3)) {
    const { status } = await askOnce(client, { method: 'GET', path: `/pix/payments/${id}/receipt` });
    if (status === 200) counts.receipts += 1;
  }
  if (!random.happens(0.15)) return;
  const json = { reason: 'scam', description: 'The shop does not exist.' };
  const path = `/pix/payments/${id}/contestation`;
  const { status } = await askOnce(client, { method: 'POST', path, json });
  if (status === 201) counts.contestations += 1;
}

/** Checks the name on the user's account, and returns the check that the user accepts. */
export async function checkedName(
  { counts }: Counting,
  { client, homeCurrency: currency }: Person,
): Promise<{ acceptedCheckId?: string }> {
  const path = '/bank-details/checks';
  const { body } = await askOnce(client, { method: 'POST', path, json: { currency } });
  const { checkId } = body;
  if (typeof checkId !== 'string') return {};
  counts.nameChecks += 1;
  return { acceptedCheckId: checkId };
}
