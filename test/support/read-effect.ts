// Reads one effect under its property names, as its run receives it.

import { findEffect, findUserOfEffect } from '../../src/tables/effects/statements.ts';
import type { Db } from '../../src/tables/orm.ts';
import type { Entity } from '../../src/tables/rows.ts';

export async function readEffect(db: Db, { id }: { id: string }): Promise<Entity<'Effect'>> {
  const owner = await findUserOfEffect(db, { id });
  const found = owner && (await findEffect(db, { id, ...owner }));
  if (!found) throw new Error(`there is no effect ${id}`);
  const { latest: _latest, ...effect } = found;
  return effect;
}
