// A row as it is read: its properties, under the names that the entity gives them.
import type { Selectable } from 'kysely';
import type { Entities } from './index.ts';

export type Entity<Name extends keyof Entities> = Selectable<Entities[Name]>;
