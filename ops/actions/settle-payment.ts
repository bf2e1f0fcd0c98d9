// Records what was settled with the user of a payment in manual_review outside the service. The state stays, and no money moves here. It
// takes two operators: the first call proposes the figures, the second one confirms them.
import { isDeepStrictEqual } from 'node:util';
import { needsSupport } from '../../machines/states.ts';
import { parseDecimal } from '../../src/domain/money.ts';
import { advance } from '../../src/lifecycle/advance.ts';
import { pixPayment, settlementOf } from '../../src/lifecycle/pix-payment.ts';
import { type EnqueuingTx, transaction } from '../../src/outbox/hand-off.ts';
import type { Db } from '../../src/tables/orm.ts';
import {
  acknowledgeTransition,
  confirmSettlement,
  findPixPaymentById,
  findRestored,
  proposeSettlement,
} from '../../src/tables/pix-payments/statements.ts';
import type { Entity } from '../../src/tables/rows.ts';
import { lockUserRow } from '../../src/tables/users/statements.ts';
import { audit, changed, unchanged } from '../action.ts';
import { type ActionResult, type CommandCall, type CommandSpec, OpsFailure, UsageError } from '../command.ts';
import { amount, noSuchPayment, oneLine } from '../format.ts';
import { lockPayment } from '../lock-payment.ts';
import { isOperatorName } from '../options.ts';
import { assertUnblocked, blocked } from '../unblocked.ts';

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

async function run(call: CommandCall): Promise<ActionResult> {
  const figures = figuresIn(call.options);
  const { amountMinor, currency, reference } = figures;
  const { app, argument: id, operator, reason } = call;
  const now = app.clock.now();
  const unlocked = await findPixPaymentById(app.db, { id });
  if (!unlocked) throw new OpsFailure(noSuchPayment(id));
  const { userId } = unlocked;
  return transaction(app, async (tx) => {
    await lockUserRow(tx, { userId });
    const payment = await lockPayment(tx, id);
    const { state, sourceCurrency } = payment;
    if (settlementOf(payment)) return unchanged('The payment was settled before.');
    if (!needsSupport.pix_payment.includes(state))
      throw new OpsFailure(`The payment is ${state}: only manual_review is settled.`);
    if (currency !== sourceCurrency && currency !== 'BRL')
      throw new OpsFailure(`This payment is settled in ${sourceCurrency} or BRL.`);

    const proposal = proposalOf(payment);
    // Former versions accepted other names. Such a proposal must be repeated: its name may be another spelling of this operator's name.
    const isOwn = proposal === null || !isOperatorName(proposal.by) || proposal.by === operator;
    if (!isOwn && !isDeepStrictEqual(proposal.figures, figures))
      throw new OpsFailure(
        `${proposal.by} proposed ${textOf(proposal.figures)}. Confirm these figures, or let ${proposal.by} propose others.`,
      );
    await assertUnblocked(tx, payment);
    await assertHeld(tx, payment, figures);
    if (isOwn) await proposeSettlement(tx, { id, userId, ...figures, by: operator });
    else await confirm(tx, payment, figures, operator, now);
    await audit(tx, call, {
      target: id,
      userId,
      reason: `${isOwn ? 'proposed' : 'confirmed'} ${amount(amountMinor, currency)}, reference ${reference}: ${reason}`,
    });
    return changed(
      isOwn
        ? `It is proposed: ${textOf(figures)}. Another operator confirms it with the same call.`
        : `It is settled: ${textOf(figures)}. The user sees it, and the alarm has ended. No money was moved here.`,
    );
  });
}

type Figures = { amountMinor: number; currency: SettlementCurrency; reference: string };

const textOf = ({ amountMinor, currency, reference }: Figures): string =>
  `${amount(amountMinor, currency)}, ${oneLine(reference)}`;

/** @throws OpsFailure if the amount is more than the payment still holds for the user. */
async function assertHeld(
  tx: Db,
  { id, userId, sourceCurrency, sourceAmountMinor, homeDebitMinor, amountBrlMinor }: Entity<'PixPayment'>,
  { amountMinor, currency }: Figures,
): Promise<void> {
  const restoredMinor = (await findRestored(tx, { id, userId }))?.restoredMinor ?? 0;
  const debitMinor = homeDebitMinor ?? sourceAmountMinor;
  const heldMinor = debitMinor - restoredMinor;
  if (heldMinor <= 0)
    throw blocked(
      "the debit is back in the user's account, so nothing is left to settle. Acknowledge the payment instead",
    );
  const inHome = amount(heldMinor, sourceCurrency);
  if (currency === 'BRL' && restoredMinor > 0)
    throw blocked(`a part of the debit is back in the user's account. Settle the rest, at most ${inHome}`);
  if (amountMinor <= (currency === 'BRL' ? amountBrlMinor : heldMinor)) return;
  throw blocked(
    `${amount(amountMinor, currency)} is more than the payment holds, which is ${inHome}${restoredMinor > 0 ? '' : ` or ${amount(amountBrlMinor, 'BRL')}`}`,
  );
}

/** @throws UsageError if an option is not as its summary says. */
function figuresIn(options: CommandCall['options']): Figures {
  const currency = settlementCurrencies.find((one) => one === options['currency']);
  if (currency === undefined) throw new UsageError(`--currency takes ${settlementCurrencies.join(', ')}.`);
  const amountMinor = amountIn(String(options['amount']), currency);
  const reference = String(options['reference']).trim();
  if (reference === '') throw new UsageError('--reference must not be empty.');
  return { amountMinor, currency, reference };
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

/** Writes the settlement through the machine. A settled payment needs no further attention, so its new transition is acknowledged. */
async function confirm(
  tx: EnqueuingTx,
  payment: Entity<'PixPayment'>,
  { amountMinor, currency, reference }: Figures,
  operator: string,
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

function proposalOf(row: Entity<'PixPayment'>): { by: string; figures: Figures } | null {
  const { settlementProposedBy: by, settlementAmountMinor: amountMinor, settlementCurrency: currency } = row;
  if (amountMinor === null || currency === null || by === null) return null;
  return { by, figures: { amountMinor, currency, reference: row.settlementReference ?? '' } };
}
