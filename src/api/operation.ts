// Derives a handler's type from the contract: its parameters, its body and every success that it may return.

import type { operations, PublicOperationId } from '../../openapi/generated/openapi.ts';
import type { Entity } from '../platform/database/entities/rows.ts';
import type { Db } from '../platform/database/orm.ts';

export type OperationId = keyof operations;

type Json<Content> = Content extends { content: { 'application/json': infer Shape } } ? Shape : never;
type Parameters<Id extends OperationId, Where extends string> = operations[Id] extends {
  parameters: Record<string, unknown>;
}
  ? NonNullable<operations[Id]['parameters'][Where & keyof operations[Id]['parameters']]>
  : never;

export type Body<Id extends OperationId> = Json<NonNullable<operations[Id]['requestBody']>>;

/** A success that the contract declares for the operation. The status determines the type of the body. */
export type Reply<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201)]: {
    status: Status;
    body: Json<operations[Id]['responses'][Status]>;
    headers?: Record<string, string>;
  };
}[keyof operations[Id]['responses'] & (200 | 201)];

export type OperationRequest<Id extends OperationId> = {
  params: Parameters<Id, 'path'>;
  query: Parameters<Id, 'query'>;
  body: Body<Id>;
  /** The bytes of the body, for handlers that store or hash it. */
  rawBody: Buffer;
  idempotencyKey: string | null;
  /** Our id of the request, not the client's. It is stored permanently. */
  requestId: string;
  /** Waits for a turn among the requests of this identity. @throws Refusal `too_many_requests` */
  takeTurn: (identity: string) => Promise<void>;
} & (Id extends PublicOperationId ? unknown : { user: Entity<'User'> });

/** Handles an operation. `Services` are the dependencies that it needs. */
export type Handler<Id extends OperationId, Services = unknown> = (
  request: OperationRequest<Id>,
  services: Services,
) => Promise<Reply<Id>>;
export type Handlers<Services> = { [Id in OperationId]: Handler<Id, Services> };

/** Reads an operation's rows. The statement is sent in the same packet as the one that reads the caller's own row. */
export type UserRowRead = (
  db: Db,
  userId: string,
  request: { params: never; query: never },
) => Promise<unknown>;

/**
 * Creates the handler of an operation that apps poll. Its rows are read in the same packet as the caller's own row.
 * @param read is called before the caller is known to be a user, so it must read only rows of `userId`.
 */
export const withUserRow = <Id extends OperationId, Rows, Services>(
  _operation: Id,
  read: (db: Db, userId: string, request: Pick<OperationRequest<Id>, 'params' | 'query'>) => Promise<Rows>,
  answer: (request: OperationRequest<Id> & { rows: Rows }, services: Services) => Promise<Reply<Id>>,
): Handler<Id, Services> & { read: UserRowRead } =>
  Object.assign(answer as Handler<Id, Services>, { read: read as UserRowRead });

export const ok = <Shown>(body: Shown, headers?: Record<string, string>) => ({
  status: 200 as const,
  body,
  ...(headers && { headers }),
});
export const created = <Made>(body: Made) => ({ status: 201 as const, body });
