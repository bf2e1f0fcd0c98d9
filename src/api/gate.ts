// Authorises operations that need no session, in two steps: before the body is read and before it is parsed.
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId } from './operation.ts';

/** The parts of a request that are known before its body is read. */
export type GateInput = { params: Record<string, string>; headers: IncomingHttpHeaders; requestId: string };

/** The authorisation of an operation without a session. Each step throws a Refusal. */
export type Gate = {
  /** Checks the path and the headers. The body of a request that fails here is not read. */
  beforeBody: (asked: GateInput) => Promise<void>;
  /** Checks the body's bytes as received, before they are parsed. */
  beforeParsing: (asked: GateInput & { rawBody: Buffer }) => Promise<void>;
};
export type Gates = Partial<Record<OperationId, Gate>>;
