// Claims once, as a process with room for everything.
import { newId } from '../../src/domain/ids.ts';
import { type Claim, type Claimable, type Claimed, claims } from '../../src/outbox/claim.ts';
import type { Db } from '../../src/tables/orm.ts';

/** @throws if another process claims this kind of work at present. */
export async function claimOnce(db: Db, kind: Claimable, claim: Partial<Claim> = {}): Promise<Claimed> {
  const claimed = await claims[kind](db, {
    owner: newId(),
    limit: 100,
    excludedTypes: [],
    excludedUsers: [],
    after: null,
    now: new Date(),
    ...claim,
  });
  if (claimed === null) throw new Error('another process claims this kind of work');
  return claimed;
}
