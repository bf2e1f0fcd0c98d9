// The form of a handler: it gets a request the contract has already checked, and returns data.
import type { components } from '../../openapi/generated/provider.ts';
import type { World } from '../world.ts';

export type Schemas = components['schemas'];

export interface Call<Body = unknown> {
  /** The path's parameters. */
  params: Record<string, string>;
  query: { external_id?: string; origin_id?: string; after?: string; limit?: number };
  body: Body;
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Runs inside one transaction; a refusal thrown undoes it. */
export type Operation<Body = never> = (world: World, call: Call<Body>) => Reply;

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });

/** A path parameter that the contract requires, in the form ids are stored in. */
export function idOf(call: Call, name = 'uuid'): string {
  return (call.params[name] ?? '').toLowerCase();
}
