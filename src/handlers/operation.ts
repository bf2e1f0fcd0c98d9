// A handler's type, derived from the contract: its parameters, its body and every success it may answer.

import type { operations } from '../../openapi/generated/openapi.ts';
import type { App } from '../app.ts';
import type { UserRow } from '../entities/rows.ts';
import type { Rows } from '../queries/rows.ts';

export type OperationId = keyof operations;

type Json<Content> = Content extends { content: { 'application/json': infer Shape } } ? Shape : never;
type Parameters<Id extends OperationId, Where extends string> = operations[Id] extends {
  parameters: Record<string, unknown>;
}
  ? NonNullable<operations[Id]['parameters'][Where & keyof operations[Id]['parameters']]>
  : never;

export type Body<Id extends OperationId> = Json<NonNullable<operations[Id]['requestBody']>>;

/** One of the contract's successes: the status decides the body. */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201)]: {
    status: Status;
    body: Json<operations[Id]['responses'][Status]>;
    headers?: Record<string, string>;
  };
}[keyof operations[Id]['responses'] & (200 | 201)];

type PublicOperationId = 'getHealth' | 'createSession' | 'receiveProviderWebhook';

export type Request<Id extends OperationId> = {
  params: Parameters<Id, 'path'>;
  query: Parameters<Id, 'query'>;
  body: Body<Id>;
  /** The body's bytes, for handlers that must keep or hash it. */
  rawBody: Buffer;
  idempotencyKey: string | null;
  /** Ours, not the client's: it is kept permanently. */
  requestId: string;
  /** Waits for a turn among the requests of this identity. @throws Refusal `too_many_requests` */
  takeTurn: (identity: string) => Promise<void>;
} & (Id extends PublicOperationId ? unknown : { user: UserRow });

export type Handler<Id extends OperationId> = (request: Request<Id>, app: App) => Promise<Reply<Id>>;
export type Handlers = { [Id in OperationId]: Handler<Id> };

/** Builds the part of a statement that reads rows together with the caller's own row. */
export type RowsOf = (userId: string, asked: { params: never; query: never }) => Rows;

/**
 * Makes a handler for an operation that apps poll. Its rows and the caller's row are read in one statement.
 * @param rowsOf is called before the caller is authenticated. It reads nothing but its arguments.
 */
export const beside = <Id extends OperationId, Shape>(
  _operation: Id,
  rowsOf: (userId: string, asked: Pick<Request<Id>, 'params' | 'query'>) => Rows<Shape>,
  answer: (request: Request<Id> & { rows: Shape }, app: App) => Promise<Reply<Id>>,
): Handler<Id> & { rowsOf: RowsOf } => Object.assign(answer as Handler<Id>, { rowsOf: rowsOf as RowsOf });

export const ok = <Shown>(body: Shown, headers?: Record<string, string>) => ({
  status: 200 as const,
  body,
  ...(headers && { headers }),
});
export const created = <Made>(body: Made) => ({ status: 201 as const, body });
