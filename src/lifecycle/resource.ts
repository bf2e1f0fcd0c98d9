// What we know of one thing of ours at the provider.
import type { Selectable } from 'kysely';
import type { Tables } from '../entities/index.ts';

export type Resource = Selectable<Tables['provider_resources']>;
