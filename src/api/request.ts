// The type of a request between its arrival and its handler, with the properties that earlier steps add.
import type { Request } from 'express';
import type { Operation } from 'openapi-backend';
import type { Caller } from '../platform/sql/users.ts';
import type { CallerRead, OperationId } from './operation.ts';
import type { Turn } from './request-shares.ts';

export type Matched = {
  id: OperationId;
  operation: Operation;
  needsSession: boolean;
  /** Returns the path parameters. @throws URIError if an escape in the path cannot be decoded. */
  paramsIn: (path: string) => Record<string, string>;
  /** Validates a request and returns the handler's input. @throws Refusal `invalid_request`, URIError */
  inputOf: (request: Admitted) => Input;
  /** Reads the operation's rows together with the user's row. Undefined if the operation has no such rows. */
  read: CallerRead | undefined;
};

/** The parts of a request, validated against the contract. */
export type Input = {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  rawBody: Buffer;
  idempotencyKey: string | null;
  requestId: string;
};

/** Waits for a turn. @param user a user's id, or the identity of a caller who is signing in. */
export type TakeTurn = (user: string) => Promise<void>;

/** Express's request with the properties that the steps before the handler add. */
export type Admitted = Request & {
  id: string;
  clientRequestId: string | undefined;
  /** The client's IPv4 address, or the first 64 bits of its IPv6 address. */
  address: string;
  /** The caller has shown the secret of an operation without sessions. */
  hasPassedGate?: boolean;
  /** The operation of the request; undefined if the contract has none for it. */
  matched?: Matched;
  user?: Caller;
  /** The operation's rows, if they were read together with the user's row. */
  rows?: unknown;
  input?: Input;
  rawBody?: Buffer;
  /** Undefined unless the request is in progress. */
  turn: Turn | undefined;
  /** Waits for a turn, unless the request already has one. @throws Refusal `too_many_requests` */
  takeTurn: TakeTurn;
};
