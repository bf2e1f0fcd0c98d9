// The type of a request from its arrival to its response, with the properties that each step adds.
import type { Request } from 'express';
import type { Operation } from 'openapi-backend';
import type { Language } from '../domain/language.ts';
import type { Caller } from '../tables/users/statements.ts';
import type { CallerRead, OperationId } from './operation.ts';
import type { Turn } from './request-shares.ts';

/** An operation of the contract, prepared for requests. */
export type ApiOperation = Operation & {
  operationId: OperationId;
  needsSession: boolean;
  /** Returns whether the response with this status has sentences for the user. */
  hasSentences: (status: number) => boolean;
  /** Returns the path parameters. @throws URIError if an escape in the path cannot be decoded. */
  paramsIn: (path: string) => Record<string, string>;
  /** Validates a request and returns the handler's input. @throws Refusal `invalid_request`, URIError */
  inputOf: (request: ApiRequest) => Input;
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
  language: Language;
};

/** Waits for a turn. @param user a user's id, or the identity of a caller who is signing in. */
export type TakeTurn = (user: string) => Promise<void>;

/** Express's request with the properties that the steps before the handler add. */
export type ApiRequest = Request & {
  /** The id that this service chose. */
  id: string;
  /** The id that the client sent, if it has at most 128 letters, digits, dots, underscores and hyphens. */
  clientRequestId: string | undefined;
  /** The client's IPv4 address, or the first 64 bits of its IPv6 address. */
  address: string;
  /** Undefined if the contract has no operation for the request. */
  operation: ApiOperation | undefined;
  /** The caller has shown the secret of an operation without sessions. */
  hasPassedGate?: boolean;
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
