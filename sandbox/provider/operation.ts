// The type of a handler: it receives a validated request, and returns data.
import type { components } from '../../openapi/generated/provider.ts';
import type { World } from '../world.ts';
import type { OperationId } from './operation-id.ts';

export type Schemas = components['schemas'];

export interface Call<Body = unknown> {
  /** The operation's name in the contract. */
  operation: OperationId;
  /** The parameters of the path. */
  params: Record<string, string>;
  query: {
    external_id?: string;
    origin_id?: string;
    updated_from?: string;
    updated_to?: string;
    created_from?: string;
    created_to?: string;
    after?: string;
    limit?: number;
  };
  body: Body;
  /** Set if the handle is known and the call treats it as new. */
  twin?: Twin;
  /** Set if the read shows a former state. */
  past?: Past;
}

/** The circumstances of a twin. */
export interface Twin {
  /** Whether the checks of the quote's life and of the balance are skipped. */
  isForced: boolean;
  /** Whether the provider pays the part of a payout that the balance does not cover. */
  isUnfunded: boolean;
  /** The record of the fault, which receives the twin's uuid. Null if none was written yet. */
  faultId: number | null;
}

/** The three faults of lagging reads. Only `laggingLookup` hides answered writes from a look-up by handle. */
export const LAGS = ['laggingLookup', 'unseenWrite', 'laggingRead'] as const;
export type Lag = (typeof LAGS)[number];

/** The time in the past that a read shows. */
export interface Past {
  at: number;
  /** The fault that makes the read show the past. */
  fault: Lag;
  /** The resources that this read missed. They are collected during the read, and recorded afterwards. */
  missed: { uuid: string; originId: string | null }[];
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A handler. It runs inside one transaction, which a thrown refusal rolls back. */
export type Operation<Body = never> = (world: World, call: Call<Body>) => Reply;

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });

/** The whole content of a call, for text search. */
export const textOf = ({ params, query, body }: Call): string =>
  `${JSON.stringify(params)} ${JSON.stringify(query)} ${JSON.stringify(body)}`;

/** The handle in a call's query or body, or null. */
export function handleOf({ query, body }: Call): string | null {
  const { origin_id, external_id } = { ...query, ...(body as Call['query'] | undefined) };
  return origin_id ?? external_id ?? null;
}

/** A path parameter that the contract requires, in the form in which ids are stored. */
export function idOf(call: Call, name = 'uuid'): string {
  return (call.params[name] ?? '').toLowerCase();
}
