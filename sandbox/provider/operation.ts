// A validated call of the contract, and its reply.
import type { components, operations } from '../../openapi/generated/provider.ts';

export type Schemas = components['schemas'];

export type OperationId = Exclude<keyof operations, 'receiveCallback'>;

export interface Call<Body = unknown> {
  operation: OperationId;
  /** The path as it was called. */
  path: string;
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
}

export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** How long a slow provider takes to send it, in milliseconds. */
  afterMs?: number;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });

/** The whole content of a call, for text search. */
export const textOf = ({ path, query, body }: Call): string =>
  `${path}?${JSON.stringify(query)} ${JSON.stringify(body)}`;

export function handleOf({ query, body }: Call): string | null {
  const { origin_id, external_id } = { ...query, ...(body as Call['query'] | undefined) };
  return origin_id ?? external_id ?? null;
}

/** A path parameter that the contract requires, in the form in which ids are stored. */
export function idOf(call: Call, name = 'uuid'): string {
  return (call.params[name] ?? '').toLowerCase();
}
