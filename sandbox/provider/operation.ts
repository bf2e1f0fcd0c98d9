// The type of a handler: it receives a validated request, and returns data.
import type { components } from '../../openapi/generated/provider.ts';
import type { World } from '../world.ts';
import type { OperationId } from './operation-id.ts';

export type Schemas = components['schemas'];

export interface Call<Body = unknown> {
  /** Its name in the contract. */
  operation: OperationId;
  /** The path's parameters. */
  params: Record<string, string>;
  query: { external_id?: string; origin_id?: string; after?: string; limit?: number };
  body: Body;
  /** The handle is known, and treated as new. */
  twin?: Twin;
  /** A read that shows a former state. */
  past?: Past;
}

/** The circumstances of a twin. */
export interface Twin {
  /** Neither the quote's life nor the balance is checked. */
  isForced: boolean;
  /** The provider bears what the balance does not cover of a payout. */
  isUnfunded: boolean;
  /** The record of the fault, which gets the twin's uuid; null where none was written yet. */
  faultId: number | null;
}

/** Of the three, only `laggingLookup` hides from a look-up by handle what was answered. */
export const LAGS = ['laggingLookup', 'unseenWrite', 'laggingRead'] as const;
export type Lag = (typeof LAGS)[number];

/** The moment that a read shows. */
export interface Past {
  at: number;
  /** The fault that makes the read show the past. */
  fault: Lag;
  /** What this read missed, collected while it runs: to be recorded. */
  missed: { uuid: string; originId: string | null }[];
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

/** The whole content of a call, for text search. */
export const textOf = ({ params, query, body }: Call): string =>
  `${JSON.stringify(params)} ${JSON.stringify(query)} ${JSON.stringify(body)}`;

/** The handle that a call carries, or null. */
export function handleOf({ query, body }: Call): string | null {
  const { origin_id, external_id } = { ...query, ...(body as Call['query'] | undefined) };
  return origin_id ?? external_id ?? null;
}

/** A path parameter that the contract requires, in the form ids are stored in. */
export function idOf(call: Call, name = 'uuid'): string {
  return (call.params[name] ?? '').toLowerCase();
}
