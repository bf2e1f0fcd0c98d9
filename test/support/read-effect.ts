// Reads one effect under its property names, as its run receives it.

import type { Entity } from '../../src/platform/database/entities/rows.ts';
import type { Db } from '../../src/platform/database/orm.ts';
import { findEffect } from '../../src/platform/sql/effects.ts';

export async function readEffect(db: Db, { id }: { id: string }): Promise<Entity<'Effect'>> {
  const found = await findEffect(db, { id });
  if (!found) throw new Error(`there is no effect ${id}`);
  const { latest: _latest, readAt: _readAt, ...effect } = found;
  return effect;
}
