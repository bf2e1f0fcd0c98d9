// Look-ups of PIX keys: who owns a key, as the directory of PIX says. A payout can name the look-up that its payer has seen.
import type { SandboxContext } from '../context.ts';
import { keyOwner } from '../magic.ts';
import type { PixKeyLookupRow } from '../store/rows.ts';
import { isoTime } from '../time.ts';
import type { Operation } from './handler.ts';
import { newUuid } from './new-uuid.ts';
import { ok, type Schemas } from './operation.ts';
import { refuse } from './refusal.ts';

const VALID_MS = 15 * 60_000;

export const createPixKeyLookup: Operation<Schemas['PixKeyLookupCreate']> = (context, { body }) => {
  const { owner_uuid, pix_key, pix_key_type } = body;
  // A 404 would say that the provider has no look-ups.
  if (!context.store.get('select 1 from owners where uuid = ?', owner_uuid.toLowerCase()))
    throw refuse('invalid_request', 'no such owner');
  const uuid = newUuid();
  const owner = keyOwner(pix_key, pix_key_type);
  if (owner === 'unavailable') throw refuse('unavailable', 'the directory does not answer');
  if (owner === 'unknown') return ok({ uuid, status: 'UNKNOWN', pix_key, ...NOBODY });
  const row = context.store.insert<PixKeyLookupRow>('pix_key_lookups', {
    uuid,
    owner_uuid: owner_uuid.toLowerCase(),
    pix_key,
    pix_key_type,
    recipient_name: owner.name,
    recipient_tax_id: owner.taxId,
    institution_name: owner.institution,
    created_at: context.now(),
  });
  return ok(presentLookup(row));
};

const NOBODY = {
  pix_key_type: null,
  recipient_name: null,
  recipient_tax_id: null,
  institution_name: null,
  expires_at: null,
};

const presentLookup = ({
  owner_uuid: _asker,
  created_at,
  ...row
}: PixKeyLookupRow): Schemas['PixKeyLookup'] => ({
  ...row,
  status: 'FOUND',
  expires_at: isoTime(created_at + VALID_MS),
});

/** Lists the look-ups of a customer that found somebody, newest first. */
export const lookupsOf = ({ store }: SandboxContext, owner: string): PixKeyLookupRow[] =>
  store.all(
    'select * from pix_key_lookups where owner_uuid = ? order by created_at desc, uuid desc limit 20',
    owner,
  );

/** Returns the look-up that a payout names. Undefined if it names none, or one that does not exist. */
export const lookupNamed = ({ store }: SandboxContext, uuid: string | null): PixKeyLookupRow | undefined =>
  uuid === null ? undefined : store.get('select * from pix_key_lookups where uuid = ?', uuid.toLowerCase());
