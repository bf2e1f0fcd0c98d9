// Authorisation of operations without a session, in two steps: before the body is read and before it is parsed.
import type { IncomingHttpHeaders } from 'node:http';
import type { App } from '../app.ts';
import type { OperationId } from './operation.ts';

/** What is known of a request before its body is read. */
export type Asked = { params: Record<string, string>; headers: IncomingHttpHeaders; requestId: string };

/** What an operation requires of its callers where it requires no session. Each step throws a Refusal. */
export type Gate = {
  /** By the address and the headers alone: no body is read from callers who fail here. */
  beforeBody: (asked: Asked, app: App) => Promise<void>;
  /** With the bytes as received, none of them parsed. */
  beforeParsing: (asked: Asked & { rawBody: Buffer }, app: App) => Promise<void>;
};
export type Gates = Partial<Record<OperationId, Gate>>;
