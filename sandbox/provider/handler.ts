// The type of a handler: it receives a validated call, and returns a reply.
import type { SandboxContext } from '../context.ts';
import type { Call, Reply } from './operation.ts';

/** A handler. It runs inside one transaction, which a thrown refusal rolls back. */
export type Operation<Body = never> = (context: SandboxContext, call: Call<Body>) => Reply;
