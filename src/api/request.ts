// A request on its way to its handler, and what earlier steps added to it.
import type { Request } from 'express';
import type { Operation } from 'openapi-backend';
import type { Entity } from '../entities/rows.ts';
import type { Release } from '../fairness/shares.ts';
import type { OperationId, UserRowRead } from '../handlers/operation.ts';

/** An operation of the contract, and the function that parses its requests. */
export type Matched = {
  id: OperationId;
  operation: Operation;
  needsSession: boolean;
  /** @throws URIError where an escape in the path cannot be decoded. */
  paramsIn: (path: string) => Record<string, string>;
  /** @throws Refusal `invalid_request`, URIError */
  inputOf: (request: Admitted) => Input;
  /** Reads the operation's rows in the same packet as the user's row, if the operation has rows. */
  read: UserRowRead | undefined;
};

/** The parts of a request, valid by the contract. */
export type Input = {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  rawBody: Buffer;
  idempotencyKey: string | null;
  requestId: string;
};

/** @param user a user's id, or the identity of somebody who signs in. */
export type TakeTurn = (user: string) => Promise<void>;

/** Express's own, with what the steps before the handler added. */
export type Admitted = Request & {
  id: string;
  /** Undefined where the contract has no such operation. */
  matched?: Matched;
  user?: Entity<'User'>;
  /** Where the operation's rows were read with the user's row. */
  rows?: unknown;
  input?: Input;
  rawBody?: Buffer;
  /** Its turn among the requests of its user, while it has one. */
  turn?: Release;
  /** Waits for a turn, unless it has one already. @throws Refusal `too_many_requests` */
  takeTurn: TakeTurn;
};
