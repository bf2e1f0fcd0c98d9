// The type of a row as it is read, with the entity's property names.
import type { Selectable } from 'kysely';
import type { Entities } from './entities.ts';

export type Entity<Name extends keyof Entities> = Selectable<Entities[Name]>;
