// The seams at which faults change what the provider does. The provider knows only these functions, and no fault.
import type { ServerResponse } from 'node:http';
import type { Call, Reply } from './provider/operation.ts';
import type { Resource, Rows } from './store/rows.ts';

/** The values of a new row. The store adds `seq` and the defaults. */
export type NewRow<Table extends keyof Rows> = Omit<Partial<Rows[Table]>, 'seq'> & { uuid: string };

/** The cause of a new row: the call that creates it, or the conversion or payout that moves the money. */
export interface Cause {
  call?: Call;
  uuid?: string;
}

/** When to send each copy of a callback. */
export interface Fate {
  /** In milliseconds from now. Empty for a lost callback. */
  delaysMs: number[];
  /** Whether the only copy waits until a later callback has overtaken it. */
  isDelayed: boolean;
}

export interface Seams {
  /** A valid call was received. `work` lets the provider handle it. */
  callReceived(response: ServerResponse, call: Call, work: () => Reply): Promise<void>;
  /** The provider handles a call, in the call's transaction. */
  callHandled(call: Call, work: () => Reply): Reply;
  /** A row is about to be inserted. Returns the values that are stored. */
  rowCreated<Table extends keyof Rows>(table: Table, row: NewRow<Table>, cause: Cause): NewRow<Table>;
  /** A row is about to be updated to these values. Returns the values that are stored. */
  rowChanged<Table extends Resource>(table: Table, before: Rows[Table], values: Partial<Rows[Table]>): object;
  /** The outcome of a conversion or of an attempt at a payout is decided. */
  outcomeDecided<Outcome>(table: 'transfers' | 'payouts', outcome: Outcome, currency: string): Outcome;
  /** The body of a resource is about to leave the provider, in a control's answer or in a callback. */
  bodySent<Body extends object>(body: Body): Body;
  /** A callback is stored. It is sent as the fate says. */
  callbackStored(event: string): Fate;
}
