// The decisions that a tester can take about a resource, by the name in the address: `POST /sandbox/payouts/<uuid>/complete`.

import type { SandboxContext } from '../context.ts';
import { VERIFICATION_FAILURES } from '../magic.ts';
import { readAmount } from '../money.ts';
import { activateNow } from '../provider/accounts.ts';
import { decideContestation } from '../provider/contestations.ts';
import { endVerification } from '../provider/owners.ts';
import { endPayout, refundPart } from '../provider/payouts.ts';
import { existing } from '../provider/resources.ts';
import { endTransfer } from '../provider/transfers.ts';
import { postponePlanned } from '../schedule.ts';
import type { Resource } from '../store/rows.ts';
import { delayIn, oneOf, textOr } from './values.ts';

/**
 * Takes the decision.
 * @returns the resource afterwards.
 * @throws a refusal that says why the decision is not possible.
 */
type Action = (context: SandboxContext, uuid: string, body: Record<string, unknown>) => object;

const DEFAULT_DELAY_MS = 60_000;

/** Postpones the planned steps: the resource stays in its state for longer. */
const delay =
  (resource: Resource): Action =>
  (context, uuid, body) => {
    existing(context, resource, uuid);
    return { uuid, planned: postponePlanned(context, uuid, delayIn(body, 'forMs', DEFAULT_DELAY_MS)) };
  };

const verification =
  (status: 'COMPLETED' | 'FAILED'): Action =>
  (context, uuid, body) =>
    endVerification(context, uuid, endIn(status, body), {
      fullName: textOr(body['full_name'], 'Sandbox Person'),
      email: textOr(body['email'], 'person@example.com'),
    });

const endIn = (status: 'COMPLETED' | 'FAILED', body: Record<string, unknown>) =>
  status === 'COMPLETED'
    ? { status }
    : { status, failureCode: oneOf(VERIFICATION_FAILURES, body, 'failure_code', 'other') };

const optional = (value: unknown): string | undefined => textOr(value, '') || undefined;

const amountIn = (context: SandboxContext, uuid: string, body: Record<string, unknown>): number =>
  readAmount(textOr(body['amount'], ''), existing(context, 'payouts', uuid).currency, 'amount');

export const ACTIONS: Record<Resource, ReadonlyMap<string, Action>> = {
  owners: new Map([
    ['complete', verification('COMPLETED')],
    ['fail', verification('FAILED')],
    ['delay', delay('owners')],
  ]),
  accounts: new Map([
    ['activate', activateNow],
    ['delay', delay('accounts')],
  ]),
  transfers: new Map([
    ['complete', (context, uuid) => endTransfer(context, uuid, 'COMPLETED')],
    ['fail', (context, uuid) => endTransfer(context, uuid, 'FAILED')],
    ['delay', delay('transfers')],
  ]),
  payouts: new Map([
    ['complete', (context, uuid) => endPayout(context, uuid, 'COMPLETED')],
    ['fail', (context, uuid) => endPayout(context, uuid, 'FAILED')],
    ['error', (context, uuid) => endPayout(context, uuid, 'ERROR')],
    ['refund', (context, uuid) => endPayout(context, uuid, 'REFUNDED')],
    ['refund-part', (context, uuid, body) => refundPart(context, uuid, amountIn(context, uuid, body))],
    ['accept', (context, uuid, body) => decideContestation(context, uuid, true, optional(body['amount']))],
    ['reject', (context, uuid) => decideContestation(context, uuid, false, undefined)],
    ['delay', delay('payouts')],
  ]),
};

export const isResource = (text: string): text is Resource => Object.hasOwn(ACTIONS, text);
