// Converts the BRL of a partial return to the home currency, after an operator's command, with the quote that the command took. The
// handle is always looked up first: a row that was lost with a backup may have been converted before.
import { required } from '../domain/required.ts';
import { accountRefsIn } from '../ledger/account-refs.ts';
import { conversionHandle, payoutRefund } from '../lifecycle/payout-refund.ts';
import { createOrAdopt } from '../provider/create-or-adopt.ts';
import { findRefundToConvert } from '../tables/payout-refunds/statements.ts';
import { completeWith } from './complete.ts';
import type { EffectServices, KnownOutcome, RunningEffect } from './effect.ts';
import { failDefinitively, storePendingRefusal } from './fail-definitively.ts';
import { untilLockedQuoteIsOver } from './in-flight.ts';
import { assertNoTwin, lookUp } from './look-up.ts';
import { quoteConsumed } from './quote-consumed.ts';

export async function startPartialReturn(
  services: EffectServices,
  effect: RunningEffect,
): Promise<KnownOutcome> {
  const { subjectId: id, userId } = effect;
  const refund = required(await findRefundToConvert(services.db, { id, userId }), `the partial return ${id}`);
  const { attempt, homeCurrency, providerQuoteId, quotedAt, quoteLifeMs } = refund;
  if (providerQuoteId === null || quotedAt === null || quoteLifeMs === null)
    throw new Error(`the partial return ${id} is being converted without a quote`);
  const handle = conversionHandle(refund);
  const find = () => services.provider.findTransfer(handle);
  const { existing, lookedUpAt } = await lookUp(services, effect, handle, find, false);
  if (existing) return completeWith(services, effect, existing);
  await assertNoTwin(services.db, effect);

  const refuse = (why: string) =>
    failDefinitively(
      services,
      payoutRefund,
      effect,
      { type: 'partial.failed', attempt, attempted: false },
      {
        why,
        lookedUpAt,
        inFlightUntil: untilLockedQuoteIsOver({ receivedAt: quotedAt, lifeMs: quoteLifeMs }),
      },
    );
  if (effect.heldRefusal === 'quote_consumed') throw quoteConsumed();
  if (effect.heldRefusal !== null) return refuse(effect.heldRefusal);

  const accounts = accountRefsIn(refund.refs);
  const answer = await createOrAdopt({
    find,
    create: () =>
      services.provider.createTransfer({
        handle,
        quoteRef: providerQuoteId,
        sourceAccountRef: accounts.of('BRL'),
        destinationAccountRef: accounts.of(homeCurrency),
      }),
  });
  if ('snapshot' in answer) return completeWith(services, effect, answer.snapshot);
  if (answer.refusal !== 'quote_consumed') return refuse(answer.refusal);
  await storePendingRefusal(services.db, effect, answer.refusal);
  throw quoteConsumed();
}
