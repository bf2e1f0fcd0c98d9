// Reads one effect under its property names, as its run receives it.

import { findEffect } from '../../src/tables/effects/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Entity } from '../../src/tables/rows.ts';

export async function readEffect(db: Db, { id }: { id: string }): Promise<Entity<'Effect'>> {
  const found = await findEffect(db, { id });
  if (!found) throw new Error(`there is no effect ${id}`);
  const { latest: _latest, readAt: _readAt, ...effect } = found;
  return effect;
}
