// Derives a handler's type from the contract: its parameters, its body and every success that it may return.

import type { operations, PublicOperationId } from '../../openapi/generated/openapi.ts';
import type { Language } from '../domain/language.ts';
import type { Db } from '../tables/orm.ts';
import { type Caller, findCaller, type KnownUser } from '../tables/users/statements.ts';

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
  [Status in keyof operations[Id]['responses'] & (200 | 201 | 204)]: {
    status: Status;
    body: Status extends 204 ? null : Json<operations[Id]['responses'][Status]>;
    headers?: Record<string, string>;
  };
}[keyof operations[Id]['responses'] & (200 | 201 | 204)];

export type OperationRequest<Id extends OperationId> = {
  params: Parameters<Id, 'path'>;
  query: Parameters<Id, 'query'>;
  body: Body<Id>;
  /** The bytes of the body, for handlers that store or hash it. */
  rawBody: Buffer;
  idempotencyKey: string | null;
  /** Our id of the request, not the client's. It is stored permanently. */
  requestId: string;
  /** The language of the sentences in the reply. */
  language: Language;
  /** Waits for a turn among the requests of this identity. @throws Refusal `too_many_requests` */
  takeTurn: (identity: string) => Promise<void>;
} & (Id extends PublicOperationId ? unknown : { user: KnownUser });

/** Handles an operation. `Services` are the dependencies that it needs. */
export type Handler<Id extends OperationId, Services = unknown> = (
  request: OperationRequest<Id>,
  services: Services,
) => Promise<Reply<Id>>;
export type Handlers<Services> = { [Id in OperationId]: Handler<Id, Services> };

/** Reads the caller's own row together with the operation's rows. Undefined if the caller is not a user. */
export type CallerRead = (
  db: Db,
  userId: string,
  request: { params: never; query: never },
) => Promise<{ user: Caller; rows?: unknown } | undefined>;

type Read<Id extends OperationId, Result> = (
  db: Db,
  userId: string,
  request: Pick<OperationRequest<Id>, 'params' | 'query'>,
) => Promise<Result>;

/**
 * Creates the handler of an operation that apps poll. The caller's own row is read together with the operation's rows.
 * @param read is called before the caller is known to be a user, so it must read only rows of `userId`.
 */
export const withUser = <Id extends OperationId, User extends Caller, Rows, Services>(
  _operation: Id,
  read: Read<Id, { user: User; rows: Rows } | undefined>,
  answer: (
    request: Omit<OperationRequest<Id>, 'user'> & { user: User; rows: Rows },
    services: Services,
  ) => Promise<Reply<Id>>,
): Handler<Id, Services> & { read: CallerRead } =>
  Object.assign(answer as unknown as Handler<Id, Services>, { read: read as CallerRead });

/**
 * Adds the caller to the rows that `read` returns. Each row has the time at which the caller closed the account. If `read` returns no
 * row, a second statement reads the caller.
 */
export const withUserRow =
  <Id extends OperationId, Rows extends OwnRow[] | OwnRow | undefined>(
    read: Read<Id, Rows>,
  ): Read<Id, { user: Caller; rows: Rows } | undefined> =>
  async (db, userId, request) => {
    const rows = await read(db, userId, request);
    const [row] = [rows].flat() as OwnRow[];
    const user = row ? { id: userId, closedAt: row.callerClosedAt } : await findCaller(db, { userId });
    return user && { user, rows };
  };

type OwnRow = { callerClosedAt: Date | null };

export const ok = <Content>(body: Content, headers?: Record<string, string>) => ({
  status: 200 as const,
  body,
  ...(headers && { headers }),
});
/** A success without a body. */
export const noContent = () => ({ status: 204 as const, body: null });
export const created = <Made>(body: Made) => ({ status: 201 as const, body });
