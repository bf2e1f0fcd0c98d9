// Records what was settled with the user of a payment in manual_review outside the service. The state stays, and no money moves here. It
// takes two operators: the first call proposes the figures, the second one confirms them.

import { needsSupport } from '../../../../machines/states.ts';
import type { Clock } from '../../../../src/domain/clock.ts';
import { parseDecimal } from '../../../../src/domain/money.ts';
import { advance } from '../../../../src/lifecycle/advance.ts';
import { pixPayment, settlementOf } from '../../../../src/lifecycle/pix-payment.ts';
import { inDbTransaction } from '../../../../src/platform/database/db-transaction.ts';
import type { Entity } from '../../../../src/platform/database/entities/rows.ts';
import type { Db } from '../../../../src/platform/database/orm.ts';
import { auditOperator, type By } from '../../../../src/platform/security/audit-operator.ts';
import {
  acknowledgeTransition,
  confirmSettlement,
  lockPixPaymentById,
  proposeSettlement,
} from '../../../../src/platform/sql/pix-payments.ts';
import { type CommandCall, type CommandSpec, OpsFailure, UsageError } from '../command.ts';
import { amount, noSuchPayment, oneLine } from '../format.ts';
import { printResult } from '../output.ts';

/** The currencies of settlements. Users never see USDC. */
const settlementCurrencies = ['GBP', 'EUR', 'BRL'] as const;
type SettlementCurrency = (typeof settlementCurrencies)[number];

export const paymentsSettleCommand: CommandSpec = {
  name: 'payments settle',
  summary: 'record an outside settlement of a payment in manual_review; takes two operators',
  argument: { name: 'paymentId', form: 'uuid' },
  options: {
    amount: { placeholder: '<amount>', summary: 'what the user got, such as 35.82', isRequired: true },
    currency: {
      placeholder: '<currency>',
      summary: "the user's home currency or BRL",
      isRequired: true,
      values: settlementCurrencies,
    },
    reference: {
      placeholder: '<text>',
      summary: 'where the settlement is found, such as the id of the bank transfer',
      isRequired: true,
    },
  },
  run,
};

async function run({ app, out, argument: id, options, operator, reason }: CommandCall): Promise<void> {
  const currency = settlementCurrencies.find((one) => one === options['currency']);
  if (currency === undefined) throw new UsageError(`--currency takes ${settlementCurrencies.join(', ')}.`);
  const amountMinor = amountIn(String(options['amount']), currency);
  const reference = String(options['reference']).trim();
  if (reference === '') throw new UsageError('--reference must not be empty.');
  const result = await settlePayment(app, id, { amountMinor, currency, reference }, { operator, reason });
  const figures = `${amount(amountMinor, currency)}, ${oneLine(reference)}`;
  switch (result.outcome) {
    case 'proposed':
      return printResult(out, {
        changed: true,
        sentence: `It is proposed: ${figures}. Another operator confirms it with the same call.`,
      });
    case 'settled':
      return printResult(out, {
        changed: true,
        sentence: `It is settled: ${figures}. The user sees it, and the alarm has ended. No money was moved here.`,
      });
    case 'settled_before':
      return printResult(out, { changed: false, sentence: 'The payment was settled before.' });
    case 'differs':
      throw new OpsFailure(
        `${result.by} proposed ${amount(result.amountMinor, result.currency)}, ${oneLine(result.reference)}. Confirm these figures, or let ${result.by} propose others.`,
      );
    case 'wrong_currency':
      throw new OpsFailure(`This payment is settled in ${result.allowed.join(' or ')}.`);
    case 'not_in_review':
      throw new OpsFailure(`The payment is ${result.state}: only manual_review is settled.`);
    case 'not_found':
      throw new OpsFailure(noSuchPayment(id));
  }
}

function amountIn(text: string, currency: SettlementCurrency): number {
  try {
    const minor = parseDecimal(text, currency);
    if (minor > 0) return minor;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new UsageError('--amount takes a positive amount with two decimal places, such as 35.82.');
}

type Figures = { amountMinor: number; currency: SettlementCurrency; reference: string };

type SettlementResult =
  | { outcome: 'proposed' | 'settled' | 'settled_before' | 'not_found' }
  | { outcome: 'not_in_review'; state: Entity<'PixPayment'>['state'] }
  | { outcome: 'wrong_currency'; allowed: SettlementCurrency[] }
  /** Another operator has proposed other figures. */
  | ({ outcome: 'differs'; by: string } & Figures);

/** Proposes a settlement, or confirms the proposal of another operator if the figures are the same. */
function settlePayment(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  figures: Figures,
  by: By,
): Promise<SettlementResult> {
  const now = clock.now();
  return inDbTransaction(db, async (tx): Promise<SettlementResult> => {
    const payment = await lockPixPaymentById(tx, { id });
    if (!payment) return { outcome: 'not_found' };
    const { userId, state, sourceCurrency } = payment;
    if (settlementOf(payment)) return { outcome: 'settled_before' };
    if (!needsSupport.pix_payment.includes(state)) return { outcome: 'not_in_review', state };
    const allowed: SettlementCurrency[] = [sourceCurrency, 'BRL'];
    if (!allowed.includes(figures.currency)) return { outcome: 'wrong_currency', allowed };

    const proposal = proposalOf(payment);
    const isOwn = proposal === null || isSameOperator(proposal.by, by.operator);
    if (!isOwn && !isSame(proposal, figures)) return { outcome: 'differs', ...proposal };
    if (isOwn) await proposeSettlement(tx, { id, userId, ...figures, by: by.operator });
    else await confirm(tx, payment, figures, by, now);
    const { amountMinor, currency, reference } = figures;
    await auditOperator(tx, {
      operator: by.operator,
      reason: `${isOwn ? 'proposed' : 'confirmed'} ${amount(amountMinor, currency)}, reference ${reference}: ${by.reason}`,
      action: 'payments settle',
      target: id,
      userId,
      now,
    });
    return { outcome: isOwn ? 'proposed' : 'settled' };
  });
}

/** Writes the settlement through the machine. A settled payment needs no further attention, so its new transition is acknowledged. */
async function confirm(
  tx: Db,
  payment: Entity<'PixPayment'>,
  { amountMinor, currency, reference }: Figures,
  { operator }: By,
  now: Date,
): Promise<void> {
  const { id, userId } = payment;
  const event = { type: 'settled', amountMinor, currency, at: now } as const;
  const settled = await advance(tx, pixPayment, payment, event, { kind: 'operator', id: operator }, now);
  if (settled === null) throw new Error(`the payment ${id} refuses its settlement`);
  await confirmSettlement(tx, { id, userId, by: operator });
  await acknowledgeTransition(tx, {
    id,
    userId,
    transition: settled.seq,
    at: now,
    reason: `settled: ${reference}`,
  });
}

function proposalOf(row: Entity<'PixPayment'>): ({ by: string } & Figures) | null {
  const { settlementAmountMinor, settlementCurrency, settlementReference, settlementProposedBy } = row;
  if (settlementAmountMinor === null || settlementCurrency === null || settlementProposedBy === null)
    return null;
  return {
    by: settlementProposedBy,
    amountMinor: settlementAmountMinor,
    currency: settlementCurrency,
    reference: settlementReference ?? '',
  };
}

const isSame = (one: Figures, other: Figures): boolean =>
  one.amountMinor === other.amountMinor &&
  one.currency === other.currency &&
  one.reference === other.reference;

/** Whether two names are one operator's, however they are written. */
const isSameOperator = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();
