// Mutations that would cost users money or privacy. Each replaces a few words of the source, and names the test that must detect
// it. A text that is missing, or not unique, stops the proof: then the mutation must be written again.

export type Edit = { file: string; find: string; replace: string };

export type Mutation = {
  name: string;
  harm: string;
  edits: Edit[];
  /** The test file, and the titles of its tests that must fail. Any unique part of a title is enough. */
  caughtBy: { file: string; titles: string[] };
};

const machineTest = 'test/machines/pix-payment.test.ts';
const machine = 'machines/pix-payment.machine.ts';
const outboxTest = 'test/outbox/planted.test.ts';

export const mutations: Mutation[] = [
  {
    name: 'a quote may be used twice',
    harm: 'Two concurrent confirmations pay the merchant twice for one quote.',
    edits: [
      {
        file: 'src/tables/migrations/baseline/pix_payments.sql',
        find: '  constraint pix_payments_quote_id_user_id_unique unique (quote_id, user_id),\n',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/database/keys.test.ts', titles: ['one payment for each quote'] },
  },
  {
    name: 'several users may own one object of the provider',
    harm: 'One user is verified by another’s identity, or sees and spends the money on another’s account.',
    edits: [
      {
        file: 'src/reports/as-expected.ts',
        find: '(await findObjectUser(tx, object))?.userId === object.userId',
        replace: '(await findObjectUser(tx, object)) !== undefined',
      },
    ],
    caughtBy: {
      file: 'test/flows/another-persons-objects.test.ts',
      titles: ['an identity verifies one person only'],
    },
  },
  {
    name: 'the end of a period is part of it',
    harm: 'A movement is in two months of the user’s accounts, and is counted twice.',
    edits: [{ file: 'src/api/paging.ts', find: 'id: LOWEST_ID }', replace: 'id: LIST_START.id }' }],
    caughtBy: {
      file: 'test/flows/filtered-lists.test.ts',
      titles: ['from=2026-03-01T00:03:00Z&to=2026-03-01T00:05:00Z lists what matches'],
    },
  },
  {
    name: 'the highest amount of a filter is excluded',
    harm: 'A user who looks for a movement of a known amount does not find it.',
    edits: [{ file: 'src/tables/paging.ts', find: '<= ${max}::bigint', replace: '< ${max}::bigint' }],
    caughtBy: {
      file: 'test/flows/filtered-lists.test.ts',
      titles: ['minAmount=300&maxAmount=300 lists what matches'],
    },
  },
  {
    name: 'an empty page ends a list',
    harm: 'A user does not find a movement that other movements have followed, and takes it for lost.',
    edits: [
      {
        file: 'src/api/paging.ts',
        find: ': read.find(({ isLast = false }) => isLast)',
        replace: ': rows.length > 0 ? read.find(({ isLast = false }) => isLast) : undefined',
      },
    ],
    caughtBy: {
      file: 'test/flows/filtered-lists.test.ts',
      titles: ['rows at the edges of what a page reads are each listed once'],
    },
  },
  {
    name: 'the client takes an empty page for the end of a list',
    harm: 'The accountant’s table of a year lacks what lies behind the page.',
    edits: [
      {
        file: 'packages/client/src/pages.ts',
        find: 'cursor = nextCursor(link);',
        replace: 'cursor = items.length > 0 ? nextCursor(link) : undefined;',
      },
    ],
    caughtBy: {
      file: 'test/client/csv.test.ts',
      titles: ['a year is read from its beginning to its end'],
    },
  },
  {
    name: 'a limit is not minded before a payment',
    harm: 'The user’s money is converted although the recipient cannot be paid.',
    edits: [
      { file: 'src/payments/confirm.ts', find: '        assertAllowed(await payoutCheck);\n', replace: '' },
    ],
    caughtBy: {
      file: 'test/flows/payout-checks.test.ts',
      titles: ['is refused for the limit night, and nothing is reserved'],
    },
  },
  {
    name: 'a limit refuses a payment that was accepted',
    harm: 'The app tells the user that nothing was paid, and the user pays twice.',
    edits: [
      {
        file: 'src/payments/confirm.ts',
        find: '  return reserve<Accepted>(\n',
        replace: '  assertAllowed(await payoutCheck);\n  return reserve<Accepted>(\n',
      },
    ],
    caughtBy: {
      file: 'test/flows/payout-checks.test.ts',
      titles: ['a confirmation returns the payment that a concurrent one made'],
    },
  },
  {
    name: 'a check without an answer refuses a payment',
    harm: 'A provider without checks stops every payment.',
    edits: [
      {
        file: 'src/provider/check-payout.ts',
        find: '      if (error instanceof OutcomeUnknown || error instanceof ProviderRefusal) return null;\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/payout-checks.test.ts',
      titles: ['a provider without checks refuses nothing, and is not asked for each payment'],
    },
  },
  {
    name: 'a user without tokens may look up recipients',
    harm: 'Somebody tries keys without end and collects the names of strangers.',
    edits: [
      {
        file: 'src/tables/name-budgets/statements.ts',
        find: ' and full_at <= now() + make_interval(secs => ${sql.lit(ONE_TOKEN_LEFT_SECONDS)})',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipient-lookup.test.ts',
      titles: [
        'a user without a token waits for one',
        'forty concurrent look-ups over two processes spend exactly what they cost',
      ],
    },
  },
  {
    name: 'the token of a look-up comes back with every payout',
    harm: 'A user who pays often looks up more strangers than PIX allows.',
    edits: [
      {
        file: 'src/tables/pix-lookups/statements.ts',
        find: ' and token_returned_at is null',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipient-lookup.test.ts',
      titles: ['a key that exists costs one token, which comes back once when the payout is ordered'],
    },
  },
  {
    name: 'a payment finds the look-up of another user',
    harm: 'The answer tells a stranger that the id of a look-up exists.',
    edits: [
      {
        file: 'src/tables/pix-lookups/statements.ts',
        find: "selectFrom('PixLookup').selectAll().where(equals({ id, userId }))",
        replace: "selectFrom('PixLookup').selectAll().where(equals({ id }))",
      },
    ],
    caughtBy: {
      file: 'test/flows/recipient-lookup.test.ts',
      titles: ['a payment takes only a valid look-up of its user and its key'],
    },
  },
  {
    name: 'a payment takes an expired look-up',
    harm: 'A payment goes to somebody who took over the key after the user saw another name.',
    edits: [
      {
        file: 'src/payments/look-up-recipient.ts',
        find: "  if (isExpired(lookup.expiresAt, now)) throw new Refusal('lookup_expired');\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipient-lookup.test.ts',
      titles: ['a payment takes only a valid look-up of its user and its key'],
    },
  },
  {
    name: 'a withdrawal needs no consent to a name that does not match',
    harm: 'Money goes to somebody else’s account although the operator requires that the user sees and accepts this.',
    edits: [
      {
        file: 'src/payments/withdrawals/name-check.ts',
        find: "newest?.validationStatus === 'match'",
        replace: 'newest !== undefined',
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['after no_match needs the check that the user accepted, and keeps its result'],
    },
  },
  {
    name: 'a check of other details counts',
    harm: 'A user checks one account, saves another one, and the money goes there without a check.',
    edits: [
      {
        file: 'src/tables/name-checks/statements.ts',
        find: "['id', 'validationStatus'])\n      .where(equals({ userId, bankDetailsId, bankDetailsVersion }))",
        replace: "['id', 'validationStatus'])\n      .where(equals({ userId, bankDetailsId }))",
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['needs another check if the details were replaced, or if the check has expired'],
    },
  },
  {
    name: 'a user without tokens gets no check to accept',
    harm: 'If checks are required, a user who has checked several names cannot withdraw for ten minutes.',
    edits: [
      {
        file: 'src/onboarding/check-bank-details.ts',
        find: '{ retryAfterSeconds, checkId }',
        replace: '{ retryAfterSeconds }',
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['asks nobody, is stored once, and can be accepted'],
    },
  },
  {
    name: 'a check of other details answers a user without tokens',
    harm: 'The app shows a match for an account that nobody has checked.',
    edits: [
      {
        file: 'src/tables/name-checks/statements.ts',
        find: '      .selectAll()\n      .where(equals({ userId, bankDetailsId, bankDetailsVersion }))',
        replace: '      .selectAll()\n      .where(equals({ userId, bankDetailsId }))',
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['is not one of other details'],
    },
  },
  {
    name: 'a bank names the owner of an account to somebody who did not know the name',
    harm: 'Whoever has a number of an account learns who it belongs to.',
    edits: [
      {
        file: 'src/provider/mapping.ts',
        find: "status === 'CLOSE_MATCH' ? canonicalName",
        replace: "status !== 'UNAVAILABLE' ? canonicalName",
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['of Ada Mismatch tells no name, although the provider has one'],
    },
  },
  {
    name: 'a withdrawal waits for a check that the provider does not have',
    harm: 'No user of this provider can withdraw.',
    edits: [
      {
        file: 'src/payments/withdrawals/name-check.ts',
        find: ' && !(await areAbsent(services, wanted))',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/name-checks.test.ts',
      titles: ['is not offered if the provider answers 404'],
    },
  },
  {
    name: 'a removed recipient comes back with the payments of before',
    harm: 'A user removes a recipient, and the next read of the list shows them again.',
    edits: [
      {
        file: 'src/payments/recipients/remove.ts',
        find: '  await noteRecipients({ db, sealer }, userId);\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['a payment that was completed before a removal does not bring the recipient back'],
    },
  },
  {
    name: 'a user removes a recipient of another user',
    harm: 'A stranger who knows the id of a recipient changes the list of its user.',
    edits: [
      {
        file: 'src/tables/pix-recipients/statements.ts',
        find: "db.deleteFrom('PixRecipient').where(equals({ id, userId })),",
        replace: "db.deleteFrom('PixRecipient').where(equals({ id })),",
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['an unknown, a removed and another user’s recipient are 404, and stay as they are'],
    },
  },
  {
    name: 'a payment without a name removes the name of its recipient',
    harm: 'A user no longer recognises whom a key in the list belongs to.',
    edits: [
      {
        file: 'src/tables/pix-recipients/statements.ts',
        find: 'coalesce(excluded.named_payment_id, known.named_payment_id)',
        replace: 'excluded.named_payment_id',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['a recipient has the last name, which a payment without a name does not remove'],
    },
  },
  {
    name: 'a payment that failed lists its recipient as paid',
    harm: 'A user pays a key again that never led to an account.',
    edits: [
      {
        file: 'src/tables/pix-payments/statements.ts',
        find: "where user_id = ${userId} and state = 'completed' and recipient_id is null",
        replace: 'where user_id = ${userId} and recipient_id is null',
      },
      {
        file: 'src/tables/pix-payments/statements.ts',
        find: "equals({ userId, state: 'completed', recipientId: null })",
        replace: 'equals({ userId, recipientId: null })',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['a payment that did not reach its recipient lists nobody'],
    },
  },
  {
    name: 'only one page of the payments of before is read',
    harm: 'Users who pay a lot never see whom they paid before the list existed.',
    edits: [
      {
        file: 'src/payments/recipients/note.ts',
        find: 'if (payments.length < WITHOUT_RECIPIENT_PAGE) return;',
        replace: 'return;',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['more earlier payments than one statement reads are all listed'],
    },
  },
  {
    name: 'the recipients of different users have the same ids',
    harm: 'The ids in the database tell which users pay the same person.',
    edits: [
      {
        file: 'src/payments/recipients/note.ts',
        find: "uuidV5(await sealer.fingerprint(userId, 'pix-recipient', `${pixKeyType}:${pixKey}`), userId)",
        replace: 'uuidV5(`${pixKeyType}:${pixKey}`, uuidV5.URL)',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['the id of a recipient needs the data key of the user'],
    },
  },
  {
    name: 'a closed account keeps the list of its recipients',
    harm: 'Data that only the app needed is kept for six years.',
    edits: [
      {
        file: 'src/privacy/close-account.ts',
        find: '  await deleteRecipientsOfUser(tx, { userId });\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/recipients.test.ts',
      titles: ['the list of a closed account is deleted, and nothing brings it back'],
    },
  },
  {
    name: 'a payment that was returned keeps its receipt',
    harm: 'A payer shows a merchant the receipt of money that the payer has back.',
    edits: [
      {
        file: 'src/payments/receipt.ts',
        find: "if (statusOf(state) === 'completed') return;",
        replace: "if (statusOf(state) === 'completed' || failure === 'payout_returned') return;",
      },
    ],
    caughtBy: {
      file: 'test/flows/receipt.test.ts',
      titles: ['a payment that the recipient’s bank has returned has no receipt'],
    },
  },
  {
    name: 'a receipt shows the name that the payer typed',
    harm: 'A payer shows a receipt that names somebody whom the bank did not name.',
    edits: [
      {
        file: 'src/payments/receipt.ts',
        find: '(lookupId === null && codeId === null) || name === null',
        replace: 'name === null',
      },
    ],
    caughtBy: {
      file: 'test/flows/receipt.test.ts',
      titles: ['a receipt without a look-up does not show the name that the payer typed'],
    },
  },
  {
    name: 'a receipt shows the ends of a CPF',
    harm: 'A receipt shows the digits of a CPF that its masked form hides, so whoever sees both knows the CPF.',
    edits: [
      {
        file: 'src/domain/masking.ts',
        find: "  return type === 'cpf' ? maskTaxId(key) : maskPixKey(key, type);",
        replace: '  return maskPixKey(key, type);',
      },
    ],
    caughtBy: {
      file: 'test/flows/receipt.test.ts',
      titles: ['a receipt without a look-up does not show the name that the payer typed'],
    },
  },
  {
    name: 'a user sees the receipt of another user',
    harm: 'A stranger who knows the id of a payment reads who paid whom.',
    edits: [
      {
        file: 'src/tables/pix-payments/statements.ts',
        find: "equals({ 'payment.userId': userId, 'payment.id': id })",
        replace: "equals({ 'payment.id': id })",
      },
    ],
    caughtBy: {
      file: 'test/flows/receipt.test.ts',
      titles: ['the payment of another user and an unknown payment have no receipt'],
    },
  },
  {
    name: 'a late refusal ends the next attempt at a verification',
    harm: 'A user who tries again sees a failure, while the provider still checks the new document.',
    edits: [
      {
        file: 'machines/kyc.machine.ts',
        find: "'attempt' in event && event.attempt >= context.attempt",
        replace: "'attempt' in event",
      },
      {
        file: 'src/reports/recency.ts',
        find: "  if (isReplacedAttempt(applied, snapshot)) return 'older';\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/kyc-restart.test.ts',
      titles: ['a late report that the first attempt failed changes nothing after a restart'],
    },
  },
  {
    name: 'a callback may be stored twice',
    harm: 'A repeated callback is processed again and again, and storing one fails permanently.',
    edits: [
      {
        file: 'src/tables/migrations/Migration20261126182934.ts',
        find: 'add constraint webhook_events_provider_identity_unique unique using index webhook_events_provider_identity_unique;',
        replace: 'alter column identity set statistics 100;',
      },
    ],
    caughtBy: { file: 'test/database/keys.test.ts', titles: ['one event for each callback'] },
  },
  {
    name: 'a callback is acknowledged before it is stored',
    harm: 'A crash in between loses the callback of a deposit permanently, because it is not sent again.',
    edits: [
      {
        file: 'src/webhooks/receive.ts',
        find: 'await storeCallback({',
        replace: 'void storeCallback({',
      },
    ],
    caughtBy: { file: 'test/flows/acknowledged.test.ts', titles: ['acknowledged when it is stored'] },
  },
  {
    name: 'handles are random',
    harm: 'A payout whose response was lost is created again under another handle, and the merchant is paid twice.',
    edits: [
      {
        file: 'src/domain/handles.ts',
        find: 'return uuidV5(`${internalId}:${purpose}`, namespace);',
        replace: 'return uuidV5(`${internalId}:${purpose}:${Math.random()}`, namespace);',
      },
    ],
    caughtBy: { file: 'test/domain/handles.test.ts', titles: ['is the same in every release'] },
  },
  {
    name: 'a deposit is booked as its callback says',
    harm: 'An attacker with the webhook secret writes any amount into any user’s list.',
    edits: [
      {
        file: 'src/provider/callback.ts',
        find: "isUuid(accountRef) ? { kind: 'movement', providerRef, accountRef } : null",
        replace:
          "isUuid(accountRef) ? ({ kind: 'movement', providerRef, accountRef, amountMinor: Math.round(Number(textAt(data, 'amount')) * 100) } as never) : null",
      },
      {
        file: 'src/webhooks/dispatch.ts',
        find: 'services.provider.getMovement(resource.accountRef, resource.providerRef),',
        replace:
          'services.provider.getMovement(resource.accountRef, resource.providerRef).then((movement) => ({ ...movement, amountMinor: (resource as any).amountMinor })),',
      },
    ],
    caughtBy: { file: 'test/flows/lying-movements.test.ts', titles: ['what the provider says it is'] },
  },
  {
    name: 'money that came back counts as a deposit',
    harm: 'A failed conversion shows people a deposit that nobody made.',
    edits: [
      {
        file: 'src/provider/events.ts',
        find: "direction !== 'credit' || purpose !== 'deposit'",
        replace: "direction !== 'credit'",
      },
    ],
    caughtBy: {
      file: 'test/flows/lying-movements.test.ts',
      titles: ['money that came back is not a deposit'],
    },
  },
  {
    name: 'the way back begins while leg 2 may still go through',
    harm: 'The user is refunded and the merchant paid as well: the company pays twice.',
    edits: [
      {
        file: 'src/effects/start-requoted-conversion.ts',
        find: 'inFlightUntil: untilFreshQuotesAreOver(leg)',
        replace: 'inFlightUntil: async () => null',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-conversions.test.ts',
      titles: ['arrives 50 s late, though its repetition was rejected'],
    },
  },
  {
    name: 'a leg-2 quote is used before it is stored',
    harm: 'After a crash, a request in flight is unknown, and the money is also returned.',
    edits: [
      {
        file: 'src/effects/committed-quotes.ts',
        find: 'if (row === null || row.seq !== effect.seq) return false;',
        replace: 'if (row === null || row.seq !== effect.seq) return false;\n    if (row) return true;',
      },
    ],
    caughtBy: {
      file: 'test/flows/two-hop.test.ts',
      titles: ['takes another quote when its own has expired'],
    },
  },
  {
    name: 'a dead process keeps its work',
    harm: 'A payment whose process died makes no progress.',
    edits: [
      {
        file: 'src/outbox/leases.ts',
        find: '  await releaseOrphanedLeases(db);\n  return deleted === 1;',
        replace: '  return deleted === 1;',
      },
    ],
    caughtBy: {
      file: outboxTest,
      titles: ['the effect of a dead process is due, and counts as possibly sent'],
    },
  },
  {
    name: 'a live process counts as dead',
    harm: 'Two processes run one effect concurrently, again and again.',
    edits: [
      {
        file: 'src/tables/processes/statements.ts',
        find: 'equals({ id, heartbeat })',
        replace: 'equals({ id })',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['a process that has written a newer heartbeat keeps its leases'] },
  },
  {
    name: 'a commit that the server rolled back counts as made',
    harm: 'A payment is accepted, and no row of it exists.',
    edits: [
      {
        file: 'src/platform/database/db-transaction.ts',
        find: 'if (passedOver === null) return results;',
        replace: 'return results;',
      },
    ],
    caughtBy: {
      file: 'test/database/transaction.test.ts',
      titles: ['a failed statement fails the transaction even if the decision'],
    },
  },
  {
    name: 'a claim ignores who has the lease',
    harm: 'Every process runs every effect: the provider is asked several times for one payment.',
    edits: [
      {
        file: 'src/tables/effects/work.ts',
        find: 'where leased_by is null and due_at <= ${now} and (due_at, id) >',
        replace: 'where due_at <= ${now} and (due_at, id) >',
      },
      {
        file: 'src/tables/effects/work.ts',
        find: 'and id = any(${ids}::uuid[]) and leased_by is null and due_at <= ${now}',
        replace: 'and id = any(${ids}::uuid[]) and due_at <= ${now}',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['a row that is leased to one process is not claimed by another'] },
  },
  {
    name: 'payments are accepted however long others wait',
    harm: 'Payments beyond the capacity are accepted and fail a minute later.',
    edits: [
      {
        file: 'src/payments/confirm.ts',
        find: '  await services.overload.assertAccepts(() => countUnfinished(services.db, user.id));\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/outbox/overload.test.ts',
      titles: [
        'accepted payments are answered as before while new ones are refused and create nothing, until the wait is short again',
      ],
    },
  },
  {
    name: 'one person’s payments count as an overload',
    harm: 'One user with many payments makes the service refuse all other users.',
    edits: [
      {
        file: 'src/tables/payment-waits.ts',
        find: 'where pieces <= ${sql.lit(MAX_UNDER_WAY)} and',
        replace: 'where',
      },
    ],
    caughtBy: {
      file: 'test/outbox/payment-waits.test.ts',
      titles: ['unclaimed conversions of three users with a pile each do not count as waiting'],
    },
  },
  {
    name: 'a completion ignores the lease’s token',
    harm: 'A process that was paused ends an effect that another process is running: its outcome is lost.',
    edits: [
      {
        file: 'src/tables/effects/statements.ts',
        find: 'heldRefusal: null })\n    .where(isOpen(params)),',
        replace:
          "heldRefusal: null })\n    .where(equals(pick(params, 'id', 'userId'))).where('status', '=', 'queued'),",
      },
    ],
    caughtBy: {
      file: outboxTest,
      titles: [
        'an outcome is written only with the token of the latest lease',
        'a process that was declared dead can no longer write an outcome',
      ],
    },
  },
  {
    name: 'a take-over does not change the token',
    harm: 'A process that was paused decides about an effect, and the one that took it over decides again.',
    edits: [
      {
        file: 'src/tables/effects/work.ts',
        find: `set leased_by = null, lease_token = lease_token + 1, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where leased_by is not null and leased_by <> all`,
        replace: `set leased_by = null, due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where leased_by is not null and leased_by <> all`,
      },
    ],
    caughtBy: {
      file: outboxTest,
      titles: ['a process that was declared dead can no longer write an outcome'],
    },
  },
  {
    name: 'work is handed off before the commit',
    harm: 'A payout is sent for a decision that is then rolled back.',
    edits: [
      {
        file: 'src/outbox/hand-off.ts',
        find: '        return decide(Object.assign(tx, { handOff }));\n',
        replace:
          '        return decide(Object.assign(tx, { handOff })).finally(() => handOff.committed());\n',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['work that could not be committed is not handed off'] },
  },
  {
    name: 'a process without a heartbeat begins work',
    harm: 'It continues work that other processes have claimed: each effect runs twice.',
    edits: [
      {
        file: 'src/outbox/engine.ts',
        find: '!isStopping && heartbeat.ageMs() < config.processDeadAfterMs * MAX_HEARTBEAT_AGE_SHARE,',
        replace: '!isStopping,',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['a process without a recent heartbeat begins no work'] },
  },
  {
    name: 'work is ordered outside the transaction that decides it',
    harm: 'A decision without its work never moves; work without its decision moves money nobody promised.',
    edits: [
      {
        file: 'src/start/create-app.ts',
        find: 'const db = dbOf(orm);',
        replace: 'const db = ((globalThis as any).outside = dbOf(orm));',
      },
      {
        file: 'src/outbox/enqueue.ts',
        find: 'insertEffect(tx, {',
        replace: 'insertEffect((globalThis as any).outside, {',
      },
    ],
    caughtBy: {
      file: 'test/outbox/ordering.test.ts',
      titles: ['a decision that is not committed emits no work'],
    },
  },
  {
    name: 'a stale callback is applied',
    harm: 'A late callback returns a payment to an earlier state.',
    edits: [
      {
        file: 'src/reports/recency.ts',
        find: 'snapshot.updatedAt > applied.snapshotUpdatedAt',
        replace: 'snapshot.updatedAt > new Date(0)',
      },
    ],
    caughtBy: { file: 'test/flows/webhooks.test.ts', titles: ['an older snapshot is stale'] },
  },
  {
    name: 'work acts for a row that has moved on',
    harm: 'A payout ordered before a refund is still sent after it.',
    edits: [
      {
        file: 'src/effects/run.ts',
        find: 'isWanted: latest === effect.seq',
        replace: 'isWanted: latest !== null',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['an effect whose subject has a newer transition is superseded'] },
  },
  {
    name: 'a return after completion is ignored',
    harm: 'The merchant’s bank sends the money back, and the user never learns of it.',
    edits: [
      {
        file: machine,
        find: "      on: { 'off-ramp.refunded': { guard: 'paidExactly', target: 'manual_review', actions: payoutReturned } },\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: machineTest,
      titles: ['completed: off-ramp.refunded leads to manual_review'],
    },
  },
  {
    name: 'a completed payment can fail',
    harm: 'A late failure offers a retry of a payment that the merchant has already received.',
    edits: [
      {
        file: machine,
        find: "      on: { 'off-ramp.refunded': { guard: 'paidExactly', target: 'manual_review', actions: payoutReturned } },\n",
        replace:
          "      on: { 'off-ramp.refunded': { target: 'manual_review', actions: payoutReturned }, 'off-ramp.failed': { target: 'payout_failed', actions: ['endAttempt', 'recordReason'] } },\n",
      },
    ],
    caughtBy: { file: machineTest, titles: ['in completed: every other event is refused'] },
  },
  {
    name: 'a conversion may deliver another amount',
    harm: 'The payout uses the money of other payments, or the merchant receives too little.',
    edits: [
      {
        file: machine,
        find: "'destinationAmountMinor' in event && event.destinationAmountMinor === context.amountBrlMinor;",
        replace: "'destinationAmountMinor' in event && context.amountBrlMinor > 0;",
      },
    ],
    caughtBy: {
      file: machineTest,
      titles: ['converting.leg2: leg2.completed, one short leads to manual_review'],
    },
  },
  {
    name: 'a conversion may take more than was quoted',
    harm: 'The user pays more than was agreed to, and the app shows no error.',
    edits: [
      {
        file: machine,
        find: 'event.sourceAmountMinor <= context.quotedSourceMinor',
        replace: 'event.sourceAmountMinor > 0',
      },
    ],
    caughtBy: {
      file: machineTest,
      // For leg 1, the invariant of the next state stops the transition before this test can fail.
      titles: ['converting.direct: direct.completed for more leads to manual_review'],
    },
  },
  {
    name: 'a payout may be in another currency',
    harm: 'A payment of reais is completed by the same number of pounds.',
    edits: [
      {
        file: machine,
        find: " && event.currency === 'BRL'",
        replace: '',
      },
    ],
    caughtBy: { file: machineTest, titles: ['in paying: every other event is refused'] },
  },
  {
    name: 'a payout may go to somebody else',
    harm: 'A payment is completed although another recipient has the money.',
    edits: [
      {
        file: 'src/reports/as-expected.ts',
        find: 'numbersOf(payout.destination) !== numbersOf(ordered.destination)',
        replace: 'false',
      },
    ],
    caughtBy: { file: 'test/flows/not-as-ordered.test.ts', titles: ['to another key', 'to another account'] },
  },
  {
    name: 'a refund may restore another amount',
    harm: 'The user sees a full refund that did not happen.',
    edits: [
      {
        file: machine,
        find: "'destinationAmountMinor' in event && event.destinationAmountMinor === context.homeDebitMinor;",
        replace: "'destinationAmountMinor' in event && context.amountBrlMinor > 0;",
      },
    ],
    caughtBy: {
      file: machineTest,
      titles: ['refunding: reverse.completed, one short leads to manual_review'],
    },
  },
  {
    name: 'a payout that arrives during a return completes the payment',
    harm: 'The merchant is paid, and the user gets the money back as well.',
    edits: [
      {
        file: machine,
        find: "guard: 'paidExactlyAnyway',\n          target: 'manual_review',\n          actions: ['recordReceipt', needsSupport],",
        replace:
          "guard: 'paidExactlyAnyway',\n          target: 'completed',\n          actions: 'recordReceipt',",
      },
    ],
    caughtBy: { file: machineTest, titles: ['returning: off-ramp.completed leads to manual_review'] },
  },
  {
    name: 'a return does not ask whether the payout failed',
    harm: 'The merchant is paid, and the user gets the money back as well.',
    edits: [
      {
        file: 'src/effects/payout-money.ts',
        find: "if (status !== 'failed') return",
        replace: "if (status === 'pending') return",
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['a payout that the provider now reports as completed is not returned'],
    },
  },
  {
    name: 'a return does not ask for the credit of the payout',
    harm: 'The return spends the reais of another payment of the user.',
    edits: [
      {
        file: 'src/effects/payout-money.ts',
        find: 'if (uncredited !== null) return',
        replace: 'if (uncredited !== null && uncredited.length < 0) return',
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['if no movement shows that the payout was credited back'],
    },
  },
  {
    name: 'a return counts the credit of another failed payout of its amount',
    harm: 'Of two failed payouts of which one was credited, both are returned.',
    edits: [
      {
        file: 'src/effects/payout-movements.ts',
        find: 'debits - credits !==',
        replace: 'Math.min(debits - credits, 0) !==',
      },
    ],
    caughtBy: {
      file: 'test/flows/return-evidence.test.ts',
      titles: ['two failed payouts of which no movement shows the credited one'],
    },
  },
  {
    name: 'one operator decides which payout a credit belongs to',
    harm: 'One operator spends the reais of another payment.',
    edits: [
      {
        file: 'ops/actions/return-payment.ts',
        find: 'if (by === null || !isOperatorName(by) || by === operator) return false;',
        replace: 'if (by === null || !isOperatorName(by)) return false;',
      },
    ],
    caughtBy: {
      file: 'test/flows/return-evidence.test.ts',
      titles: ['two operators decide which payout a credit belongs to'],
    },
  },
  {
    name: 'a refused repetition of a return deletes its quote',
    harm: 'The first request is executed after an operator has settled the payment: it is paid twice.',
    edits: [
      {
        file: 'src/effects/committed-quotes.ts',
        find: 'quote.isReused && lastUnknownAt !== null',
        replace: 'quote.isReused && lastUnknownAt === undefined',
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['the quote of an unanswered return survives the refusal quote_expired'],
    },
  },
  {
    name: 'a return does not wait a day',
    harm: 'A payout that its bank completes late is paid, and the user gets the money back as well.',
    edits: [
      {
        file: 'ops/actions/return-payment.ts',
        find: 'failedAt + config.returnAfterMs',
        replace: 'failedAt',
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['is not returned in the first 24 hours'],
    },
  },
  {
    name: 'one operator settles a payment alone',
    harm: 'Nobody checks the amount that the user is recorded to have received.',
    edits: [
      {
        file: 'ops/actions/settle-payment.ts',
        find: 'proposal === null || !isOperatorName(proposal.by) || proposal.by === operator',
        replace: 'proposal === null || !isOperatorName(proposal.by)',
      },
    ],
    caughtBy: { file: 'test/ops/settle.test.ts', titles: ['one operator cannot settle a payment alone'] },
  },
  {
    name: 'an account with money in it is closed although the app asked to keep it',
    harm: 'The user no longer sees the money, and only support can send it.',
    edits: [
      {
        file: 'src/privacy/close-account.ts',
        find: ' && (await holdsMoney({ db, provider }, userId))',
        replace: " && userId === ''",
      },
    ],
    caughtBy: {
      file: 'test/flows/closing-with-money.test.ts',
      titles: ['an account with a balance stays open if the app asks'],
    },
  },
  {
    name: 'a retry counts as two attempts',
    harm: 'The provider refuses an attempt that skips a number, and the payout can never be retried.',
    edits: [
      {
        file: machine,
        find: 'payoutAttempt: context.payoutAttempt + 1,',
        replace: 'payoutAttempt: context.payoutAttempt + (context.payoutAttempt > 0 ? 2 : 1),',
      },
    ],
    caughtBy: { file: machineTest, titles: ['payout_failed: retry leads to paying'] },
  },
  {
    name: 'the balance is reserved without the lock',
    harm: 'Several concurrent requests spend the same money.',
    edits: [
      {
        file: 'src/ledger/reserve.ts',
        find: '        lockUser(tx, userId),',
        replace:
          "        tx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow(),",
      },
    ],
    caughtBy: {
      file: 'test/flows/confirming.test.ts',
      titles: ['only after another process has committed its reservation'],
    },
  },
  {
    name: 'reserved money counts as available',
    harm: 'A second payment is accepted with the money of the first, and fails after its 2xx.',
    edits: [
      {
        file: 'src/ledger/reserve.ts',
        find: '        reservedSince(tx, userId, version),',
        replace: '        reservedSince(tx, userId, version).then(({ now }) => ({ totalMinor: 0, now })),',
      },
    ],
    caughtBy: {
      file: 'test/flows/confirming.test.ts',
      titles: ['payments that together exceed the balance'],
    },
  },
  {
    name: 'a refusal is believed while an earlier request is in flight',
    harm: 'The user sees a failure, and the money still leaves.',
    edits: [
      {
        file: 'src/effects/in-flight.ts',
        find: 'lastUnknownAt && later(lastUnknownAt, LONGEST_UNANSWERED_MS)',
        replace: 'lastUnknownAt && null',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-requests.test.ts',
      titles: ['arrives 90 s late'],
    },
  },
  {
    name: 'an unknown outcome counts as a refusal',
    harm: 'A payment whose response was lost is shown as failed while the money is moving.',
    edits: [
      {
        file: 'src/provider/create-or-adopt.ts',
        find: 'if (!(error instanceof ProviderRefusal)) throw error;',
        replace: "if (!(error instanceof ProviderRefusal)) return { refusal: 'rejected' };",
      },
    ],
    caughtBy: {
      file: 'test/flows/unknown-outcomes.test.ts',
      titles: ['a rotated password fails no payment'],
    },
  },
  {
    name: 'a repeated withdrawal request makes two withdrawals',
    harm: 'A user who taps twice withdraws the money twice.',
    edits: [
      {
        file: 'src/payments/withdrawals/create.ts',
        find: 'now.plus(-REPETITION_WITHIN_MS)',
        replace: 'now.plus(REPETITION_WITHIN_MS)',
      },
    ],
    caughtBy: {
      file: 'test/flows/withdraws.test.ts',
      titles: ['without a key returns the original for a minute'],
    },
  },
  {
    name: 'a payout is taken from the home account',
    harm: 'The reais stay in their account, and the merchant is paid in the user’s pounds or not at all.',
    edits: [
      {
        file: 'src/effects/start-payout.ts',
        find: "sourceAccountRef: accountRefsIn(payment.refs).of('BRL'),",
        replace: "sourceAccountRef: accountRefsIn(payment.refs).of('GBP'),",
      },
    ],
    caughtBy: {
      file: 'test/flows/pix-payment.test.ts',
      titles: ['is converting immediately, completed soon'],
    },
  },
  {
    name: 'the balance outlives a debit',
    harm: 'Users see money that they no longer have.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: 'changesHomeBalance(resource, snapshot) && invalidateBalance(',
        replace: "changesHomeBalance(resource, snapshot) && resource.kind === 'owner' && invalidateBalance(",
      },
    ],
    caughtBy: {
      file: 'test/flows/pix-payment.test.ts',
      titles: ['is converting immediately, completed soon'],
    },
  },
  {
    name: 'an ID token for another app signs in',
    harm: 'A token that a user gave to any other app opens their wallet.',
    edits: [
      {
        file: 'src/security/id-token.ts',
        find: '          issuer: issuers,\n          audience: audiences,\n',
        replace: '          issuer: issuers,\n',
      },
    ],
    caughtBy: { file: 'test/api-security/tokens.test.ts', titles: ['with another audience is refused'] },
  },
  {
    name: 'a payment can be read by anybody who has its id',
    harm: 'Other users see whom a user pays, and how much.',
    edits: [
      {
        file: 'src/tables/pix-payments/statements.ts',
        find: '.select(callerClosedAt(userId))\n    .where(equals({ userId, id })),',
        replace: '.select(callerClosedAt(userId))\n    .where(equals({ id })),',
      },
    ],
    caughtBy: {
      file: 'test/api-security/ids.test.ts',
      titles: ['an id of another user, of any kind, is answered byte for byte like an unknown id'],
    },
  },
  {
    name: 'an Idempotency-Key is shared by all users',
    harm: 'Two users whose apps choose the same key get one response: one of them gets nothing, or the other’s.',
    edits: [
      {
        file: 'src/tables/idempotency-keys/statements.ts',
        find: 'equals({ userId, operation, key })',
        replace: 'equals({ operation, key })',
      },
    ],
    caughtBy: { file: 'test/flows/data-requests.test.ts', titles: ['belongs to one user'] },
  },
  {
    name: 'a refused payment keeps its money reserved',
    harm: 'The money of a payment that failed can never be spent again.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: '(payment.state in',
        replace: "(payment.state = 'failed' or payment.state in",
      },
    ],
    caughtBy: {
      file: 'test/flows/confirming.test.ts',
      titles: ['the money of an earlier payment whose conversion was refused'],
    },
  },
  {
    name: 'a refused withdrawal keeps its money reserved',
    harm: 'The money of a withdrawal that failed can never be spent again.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: 'or withdraw.state in',
        replace: "or withdraw.state = 'failed' or withdraw.state in",
      },
    ],
    caughtBy: {
      file: 'test/flows/withdraws.test.ts',
      titles: ['of a refused withdrawal is free for the next'],
    },
  },
  {
    name: 'only the first committed quote counts as in flight',
    harm: 'The money goes back while the last request may still go through: the company pays twice.',
    edits: [
      {
        file: 'src/tables/conversion-quotes/statements.ts',
        find: 'select max(created_at + ${boundedLife}) as "endsAt" from conversion_quotes\n    where payment_id = ${paymentId} and user_id = ${userId} and leg = ${leg}`',
        replace:
          'select min(created_at + ${boundedLife}) as "endsAt" from conversion_quotes\n    where payment_id = ${paymentId} and user_id = ${userId} and leg = ${leg}`',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-conversions.test.ts',
      titles: ['waits for the end of the last unanswered quote, not of the first'],
    },
  },
  {
    name: 'only the first unanswered request counts as in flight',
    harm: 'The user sees a failure, and the provider executes the last request.',
    edits: [
      {
        file: 'src/tables/effects/statements.ts',
        find: 'coalesce(${params.unknownAt}, last_unknown_at)',
        replace: 'coalesce(last_unknown_at, ${params.unknownAt})',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-requests.test.ts',
      titles: ['count from its last unanswered request, not from the first'],
    },
  },
  {
    name: 'a try after a dead process counts as the first',
    harm: 'The dead process’s request is not looked up: the payment is shown as failed, and its money has left.',
    edits: [
      {
        file: 'src/tables/effects/work.ts',
        find: `due_at = now(),
      attempts = attempts + 1, last_unknown_at = now()
    where leased_by is not null and leased_by <> all`,
        replace: `due_at = now()
    where leased_by is not null and leased_by <> all`,
      },
    ],
    caughtBy: {
      file: outboxTest,
      titles: ['the effect of a dead process is due, and counts as possibly sent'],
    },
  },
  {
    name: 'a try after one without a record counts as the first',
    harm: 'A payment whose outcome could not be stored is shown as failed, and its money has left.',
    edits: [
      {
        file: 'src/tables/effects/work.ts',
        find: 'lease_token = lease_token + 1, attempts = attempts + 1, last_unknown_at = now()\n    where id',
        replace: 'lease_token = lease_token + 1\n    where id',
      },
    ],
    caughtBy: { file: outboxTest, titles: ['whose outcome could not be recorded counts as possibly sent'] },
  },
  {
    name: 'the company bears any change of the market',
    harm: 'When the market falls, the company completes every refund at any cost.',
    edits: [
      {
        file: 'src/start/config.ts',
        find: 'MAKE_WHOLE_CAP_BPS: basisPoints({ default: 100 })',
        replace: 'MAKE_WHOLE_CAP_BPS: basisPoints({ default: 10_000 })',
      },
    ],
    caughtBy: {
      file: 'test/flows/two-hop.test.ts',
      titles: ['three percent, which is more than the company bears, goes to manual_review'],
    },
  },
  {
    name: 'an Idempotency-Key holds for every payment',
    harm: 'A retry of one payment gets 200 and never runs, because another payment was retried before.',
    edits: [
      {
        file: 'src/api/idempotency.ts',
        find: 'JSON.stringify([params ?? null, ',
        replace: 'JSON.stringify([null, ',
      },
    ],
    caughtBy: {
      file: 'test/flows/pix-payment.test.ts',
      titles: ['of a retry belongs to one payment'],
    },
  },
  {
    name: 'a refetched resource may be another one',
    harm: 'One user’s payment completes or fails because of a report about another’s.',
    edits: [
      {
        file: 'src/provider/client.ts',
        find: 'requested[key]?.toLowerCase() === mapped[key]?.toLowerCase()',
        replace: "key === 'providerRef' || requested[key]?.toLowerCase() === mapped[key]?.toLowerCase()",
      },
    ],
    caughtBy: {
      file: 'test/provider/refetched.test.ts',
      titles: [
        'another owner than',
        'another account than',
        'another movement than',
        'another transfer than',
        'another payout than',
      ],
    },
  },
  {
    name: 'an answer about an earlier attempt ends the re-issue',
    harm: 'The merchant is never paid, and the payment stays in paying permanently.',
    edits: [
      {
        file: 'src/effects/start-payout.ts',
        find: 'if (payout.attempt >= payoutAttempt)',
        replace: 'if (payout.attempt > 0)',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-requests.test.ts',
      titles: ['answers with the previous attempt'],
    },
  },
  {
    name: 'the balance outlives a refund',
    harm: 'Users whose payment was refunded see a balance without the money.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: "if (resource.leg !== null && creditsHome.has(resource.leg)) return snapshot.status === 'completed';",
        replace: 'if (resource.leg !== null && creditsHome.has(resource.leg)) return false;',
      },
    ],
    caughtBy: {
      file: 'test/ledger/read.test.ts',
      titles: ['when the money of a payment has come back'],
    },
  },
  {
    name: 'the balance outlives a late withdrawal',
    harm: 'Users whose withdrawal was returned and then paid after all see a balance that still has its money.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: "const isCompletedConversion = snapshot.kind === 'transfer' && snapshot.status === 'completed';",
        replace: "const isCompletedConversion = snapshot.status === 'completed';",
      },
    ],
    caughtBy: {
      file: 'test/ledger/read.test.ts',
      titles: ['whose money had come back is paid after all'],
    },
  },
  {
    name: 'a balance is cached although money moved while it was read',
    harm: 'Users see money that they no longer have, or do not see new money.',
    edits: [
      {
        file: 'src/tables/users/statements.ts',
        find: 'equals({ id: params.userId, balanceVersion: params.balanceVersion })',
        replace: 'equals({ id: params.userId })',
      },
    ],
    caughtBy: {
      file: 'test/ledger/read.test.ts',
      titles: ['when money has moved since it was requested'],
    },
  },
  {
    name: 'a quote’s expiry is not checked again under the lock',
    harm: 'A delayed confirmation sells at an expired price.',
    edits: [
      {
        file: 'src/payments/confirm.ts',
        find: 'commit: async (tx, now) => {\n        assertUnexpired(quote, now);\n',
        replace: 'commit: async (tx, now) => {\n',
      },
    ],
    caughtBy: {
      file: 'test/flows/confirming.test.ts',
      titles: ['a quote that expires while the balance is read'],
    },
  },
  {
    name: 'a refusal is applied to a row that has moved on',
    harm: 'A payout that is being issued again is shown as failed, and the user retries a payout in flight.',
    edits: [
      {
        file: 'src/effects/fail-definitively.ts',
        find: 'row !== null && row.seq === effect.seq',
        replace: 'row !== null',
      },
    ],
    caughtBy: {
      file: 'test/flows/late-requests.test.ts',
      titles: ['a run that another attempt has overtaken'],
    },
  },
  {
    name: 'a debit that became known while the balance was read is not counted',
    harm: 'Two payments of the same money are accepted, and the second one fails.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: 'resource.debited_balance_version > ${version}',
        replace: 'resource.debited_balance_version > ${version} + 1000000',
      },
    ],
    caughtBy: {
      file: 'test/ledger/known-meanwhile.test.ts',
      titles: ['another one took the money while its balance was read'],
    },
  },
  {
    name: 'postponing ignores who has the lease',
    harm: 'A run that lost its lease ends another one’s, and both send the request.',
    edits: [
      {
        file: 'src/tables/effects/statements.ts',
        find: '      leasedBy: null,\n    })\n    .where(isOpen(params)),',
        replace:
          "      leasedBy: null,\n    })\n    .where(equals(pick(params, 'id', 'userId'))).where('status', '=', 'queued'),",
      },
    ],
    caughtBy: { file: 'test/outbox/stale-leases.test.ts', titles: ['does not postpone the effect'] },
  },
  {
    name: 'an effect is locked without its lease',
    harm: 'A run that lost its lease commits a quote, and the money moves in both directions.',
    edits: [
      {
        file: 'src/tables/effects/statements.ts',
        find: "selectFrom('Effect').selectAll().where(isOpen(params)).forNoKeyUpdate()",
        replace:
          "selectFrom('Effect').selectAll().where(equals(pick(params, 'id', 'userId'))).where('status', '=', 'queued').forNoKeyUpdate()",
      },
    ],
    caughtBy: { file: 'test/outbox/stale-leases.test.ts', titles: ['cannot lock the effect'] },
  },
  {
    name: 'a callback is closed without its lease',
    harm: 'A callback that another process is still trying counts as processed.',
    edits: [
      {
        file: 'src/tables/webhook-events/statements.ts',
        find: 'where id = ${params.id} and lease_token = ${params.leaseToken}\n      returning',
        replace: 'where id = ${params.id}\n      returning',
      },
    ],
    caughtBy: {
      file: 'test/outbox/stale-leases.test.ts',
      titles: ['a callback is not closed by a run without its lease'],
    },
  },
  {
    name: 'a callback is postponed without its lease',
    harm: 'A callback that was processed is processed again and again.',
    edits: [
      {
        file: 'src/tables/webhook-events/statements.ts',
        find: "leasedBy: null })\n    .where(equals(pick(params, 'id', 'leaseToken'))),",
        replace: "leasedBy: null })\n    .where(equals(pick(params, 'id'))),",
      },
    ],
    caughtBy: {
      file: 'test/outbox/stale-leases.test.ts',
      titles: ['a callback is not postponed by a run without its lease'],
    },
  },
  {
    name: 'the nightly run closes twins',
    harm: 'Nobody looks at a second payout of one withdrawal: its money is lost.',
    edits: [
      {
        file: 'src/tables/discrepancies/statements.ts',
        find: "in ('contradicted_state', 'not_as_ordered')",
        replace: "in ('contradicted_state', 'not_as_ordered', 'twin')",
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/overtaken.test.ts',
      titles: ['a later snapshot ends a discrepancy of the kind twin'],
    },
  },
  {
    name: 'the next try is planned by the clock of the process',
    harm: 'A process whose clock is ahead leaves a payment for minutes; one that is behind floods the provider.',
    edits: [
      {
        file: 'src/effects/postpone.ts',
        find: '{ db, log }: { db: Db; log: Log },',
        replace: '{ db, log, clock }: { db: Db; log: Log; clock: { now: () => Date } },',
      },
      {
        file: 'src/effects/postpone.ts',
        find: 'delayMs: isExhausted ? null : delayMs,',
        replace: 'delayMs: isExhausted ? null : delayMs + clock.now().getTime() - Date.now(),',
      },
    ],
    caughtBy: { file: 'test/flows/clocks-differ.test.ts', titles: ['plans the next attempt of an effect'] },
  },
  {
    name: 'a poll without an answer is the last one',
    harm: 'A payout whose callback was lost stays unfinished until the night.',
    edits: [
      {
        file: 'src/reports/poll-resource.ts',
        find: 'pollInMs: resource.nextPollAt && pollDelayMs(pollCount),',
        replace: 'pollInMs: resource.nextPollAt && pollCount > 9 ? pollDelayMs(pollCount) : null,',
      },
    ],
    caughtBy: {
      file: 'test/reports/unanswered-poll.test.ts',
      titles: ['was not answered is followed by another one'],
    },
  },
  {
    name: 'work that waited in memory counts as fresh',
    harm: 'An effect runs although its payment is in a later state.',
    edits: [
      {
        file: 'src/outbox/run.ts',
        find: 'committed !== undefined && performance.now() - sinceMs < FRESH_MS',
        replace: 'committed !== undefined && performance.now() - sinceMs < FRESH_MS * 1e9',
      },
    ],
    caughtBy: {
      file: 'test/outbox/hand-off.test.ts',
      titles: ['committed work that has waited in memory for more than a second is read again'],
    },
  },
  {
    name: 'an unanswered request is dated by the clock of the process',
    harm: 'If clocks differ, a refusal is believed while the first request can still move money.',
    edits: [
      {
        file: 'src/effects/postpone.ts',
        find: '{ db, log }: { db: Db; log: Log },',
        replace: '{ db, log, clock }: { db: Db; log: Log; clock: { now: () => Date } },',
      },
      {
        file: 'src/effects/postpone.ts',
        find: "    assertLeased('effect', id, postponed);\n",
        replace:
          "    assertLeased('effect', id, postponed);\n    if (mayHaveActed(error)) await tx.updateTable('Effect').set({ lastUnknownAt: clock.now() }).where('id', '=', id).execute();\n",
      },
    ],
    caughtBy: {
      file: 'test/flows/clocks-differ.test.ts',
      titles: ['a withdrawal waits for the first request'],
    },
  },
  {
    name: 'a refusal is held without the lease',
    harm: 'A run that lost its lease stops the other one from sending, and the payment fails a minute later.',
    edits: [
      {
        file: 'src/tables/effects/statements.ts',
        find: "heldRefusal: params.refusal })\n    .where(equals(pick(params, 'id', 'userId', 'leaseToken'))),",
        replace: "heldRefusal: params.refusal })\n    .where(equals(pick(params, 'id', 'userId'))),",
      },
    ],
    caughtBy: {
      file: 'test/outbox/stale-leases.test.ts',
      titles: ['a run without its lease stores no pending refusal'],
    },
  },
  {
    name: 'a process frees the leases of others',
    harm: 'Two processes run one effect concurrently.',
    edits: [
      {
        file: 'src/tables/effects/work.ts',
        find: 'and id = any(${ids}::uuid[]) and leased_by = ${owner}',
        replace: 'and id = any(${ids}::uuid[])',
      },
    ],
    caughtBy: {
      file: 'test/outbox/stale-leases.test.ts',
      titles: ['a process releases its own leases only'],
    },
  },
  {
    name: 'a poll that lost its lease frees that of another',
    harm: 'Several processes ask the provider about one payout, again and again.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: "equals(pick(params, 'handle', 'userId', 'leaseToken'))",
        replace: "equals(pick(params, 'handle', 'userId'))",
      },
    ],
    caughtBy: { file: 'test/reports/unanswered-poll.test.ts', titles: ['leaves that lease alone'] },
  },
  {
    name: 'a required match of name and account is not required',
    harm: 'Money goes to an account that the bank reported as somebody else’s, although the operator has configured to refuse that.',
    edits: [
      {
        file: 'src/payments/withdrawals/name-check.ts',
        find: "requiresBankMatch && answers.includes('no_match')",
        replace: 'requiresBankMatch && answers.includes(null)',
      },
    ],
    caughtBy: {
      file: 'test/flows/bank-match.test.ts',
      titles: ['a withdrawal to details that do not match is refused'],
    },
  },
  {
    name: 'a report locks the user after the payment',
    harm: 'A report and a closing or a return end in a deadlock, which delays one of them by a second.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: 'mayMoveMoney && lockUserRow(tx, { userId: identity.userId }),',
        replace: 'lockUserRow && null,',
      },
    ],
    caughtBy: {
      file: 'test/database/lock-order.test.ts',
      titles: ['waits for the lock of the user without a lock of its own'],
    },
  },
  {
    name: 'an event with other figures resolves a discrepancy',
    harm: 'The provider paid another amount than we recorded, and no operator ever sees that.',
    edits: [
      {
        file: 'src/tables/discrepancies/statements.ts',
        find: "            and taken.event_data @> (discrepancies.event_data - 'differs')\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/overtaken.test.ts',
      titles: ['an event with other figures'],
    },
  },
  {
    name: 'a quote is valid at its end',
    harm: 'A payment is sold at a price that the provider no longer locks.',
    edits: [
      { file: 'src/domain/quote-life.ts', find: '=> now >= expiresAt;', replace: '=> now > expiresAt;' },
    ],
    caughtBy: { file: 'test/domain/quote-life.test.ts', titles: ['a quote has expired at its end'] },
  },
  {
    name: 'a scan of movements overwrites the position of another process',
    harm: 'A position moves past a deposit that could not be recorded, and the deposit is never found.',
    edits: [
      {
        file: 'src/tables/provider-accounts/statements.ts',
        find: "\n    .where('movementsCursor', 'is not distinct from', params.from)",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['a scan of movements does not overwrite the position'],
    },
  },
  {
    name: 'a debit whose request is in flight counts as never sent',
    harm: 'A user with enough money is told that it is insufficient, because one debit is subtracted twice.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: ' and effects.leased_by is null and effects.attempts = 0',
        replace: ' and effects.attempts = 0',
      },
    ],
    caughtBy: {
      file: 'test/flows/unknown-outcomes.test.ts',
      titles: ['a debit whose first request is in flight may have left the balance'],
    },
  },
  {
    name: 'a scan of a list passes what could not be applied',
    harm: 'A returned payout whose report failed once is never scanned again: the user’s money stays hidden.',
    edits: [
      {
        file: 'src/jobs/reconciliation/scan-list.ts',
        find: ' || failed.has(snapshot.providerRef)',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['a list scan does not pass what could not be applied'],
    },
  },
  {
    name: 'an object of a slice that could not be applied is left out',
    harm: 'A returned payout whose report failed once stays completed for a week.',
    edits: [
      {
        file: 'src/jobs/reconciliation/list-slices.ts',
        find: 'return objects.filter(({ snapshot }) => failed.has(snapshot.providerRef));',
        replace: 'return failed.size === objects.length ? objects : [];',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['a payout of a slice that cannot be applied becomes a slice'],
    },
  },
  {
    name: 'a window of movements that ends later than now counts as recent',
    harm: 'Deposits that no window has listed are found a week later.',
    edits: [
      {
        file: 'src/jobs/reconciliation/scan-deposits.ts',
        find: 'if (plannedTo === null || isPlannedAhead(plannedTo, now)) return false;',
        replace: 'if (plannedTo === null) return false;',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['if the last window of movements ends later than now'],
    },
  },
  {
    name: 'a gap in a list of movements is forgotten on the next page',
    harm: 'A deposit that could not be read is never recorded.',
    edits: [
      {
        file: 'src/reports/scan-movements.ts',
        find: 'hasGap ? undefined : page.items',
        replace: 'page.items',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['does not pass a movement without a uuid on an earlier page'],
    },
  },
  {
    name: 'an unreadable object counts as applied when it can be read',
    harm: 'A returned payout whose report failed is never fetched again.',
    edits: [
      {
        file: 'src/jobs/reconciliation/refetch-unreadable.ts',
        find: 'return (await applyListed(context, list, [object])).size === 0;',
        replace: 'await applyListed(context, list, [object]);\n    return true;',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/unreadable.test.ts',
      titles: ['stays open while it can be read and not applied'],
    },
  },
  {
    name: 'an upper-case handle belongs to nobody',
    harm: 'Operators look for a payout that is only behind, and adopt it a second time.',
    edits: [
      {
        file: 'src/jobs/reconciliation/record-not-ordered.ts',
        find: 'behind.has(snapshot.handle.toLowerCase())',
        replace: 'behind.has(snapshot.handle)',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/not-ordered.test.ts',
      titles: ['belongs to an unfinished row'],
    },
  },
  {
    name: 'a withdrawal that recovery adopts sends its payout again',
    harm: 'A pending withdrawal is paid twice.',
    edits: [
      {
        file: 'ops/recovery/adopt-withdraw.ts',
        find: 'snapshot.updatedAt, takenOver);',
        replace: 'snapshot.updatedAt, withdraw);',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/not-ordered.test.ts',
      titles: ['a pending withdrawal that recovery adopts'],
    },
  },
  {
    name: 'the reconciliation returns money while a twin is unresolved',
    harm: 'A payment is refunded although its twin has paid the merchant.',
    edits: [
      {
        file: 'src/jobs/reconciliation/recover-refund.ts',
        find: '    if (await subjectHasUnresolvedTwin(tx, row)) return;\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['waits until an operator has chosen between twins'],
    },
  },
  {
    name: 'any credit on an account of the user is listed as a deposit',
    harm: 'Users see money that they cannot spend.',
    edits: [
      {
        file: 'src/reports/apply-movement.ts',
        find: "event?.kind === 'deposit.received' && account.currency === account.homeCurrency ? event : null",
        replace: "event?.kind === 'deposit.received' ? event : null",
      },
    ],
    caughtBy: { file: 'test/flows/lying-movements.test.ts', titles: ['is not listed as a deposit'] },
  },
  {
    name: 'a twin leaves the kept balance as it is',
    harm: 'Users see money that a second conversion has taken.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: '  if (twins.length > 0 && mayMoveMoney) await invalidateBalance(tx, resource.userId);\n',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/flows/twins.test.ts', titles: ['a failed conversion does not fail the payment'] },
  },
  {
    name: 'a list shows no twin with the same figures',
    harm: 'A second payout of one payment is never seen.',
    edits: [
      {
        file: 'src/jobs/reconciliation/apply-listed.ts',
        find: 'ours.providerRef !== snapshot.providerRef || ',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/flows/twins.test.ts', titles: ['a twin in a list of the provider is found'] },
  },
  {
    name: 'an object whose time moved back is polled no more',
    harm: 'A returned payout stays completed until the provider changes it again.',
    edits: [
      {
        file: 'src/reports/apply-reported.ts',
        find: 'recordDiscrepancy(tx, identity, steppedBack(snapshot, subject.state), cause, now);\n      await keepPolling(tx, resource);',
        replace: 'recordDiscrepancy(tx, identity, steppedBack(snapshot, subject.state), cause, now);',
      },
    ],
    caughtBy: {
      file: 'test/flows/twins.test.ts',
      titles: ['an object that is final and whose time moved back'],
    },
  },
  {
    name: 'the choice of the operator who comes last counts',
    harm: 'Two operators choose different twins, and the state of the wrong one is applied.',
    edits: [
      {
        file: 'ops/actions/follow-object.ts',
        find: '    if (locked.providerRef !== resource.providerRef)\n      throw',
        replace: '    if (locked.providerRef === null)\n      throw',
      },
    ],
    caughtBy: { file: 'test/flows/twins.test.ts', titles: ['another operator has chosen meanwhile'] },
  },
  {
    name: 'an operator may follow an object of another handle',
    harm: 'The report of another payment ends this one.',
    edits: [
      {
        file: 'ops/actions/follow-object.ts',
        find: '  if (snapshot.handle.toLowerCase() !== resource.handle) throw notOurs;\n',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/flows/twins.test.ts', titles: ['does not answer or the uuid is unknown'] },
  },
  {
    name: 'the accounts are opened without the lock of the user',
    harm: 'A user who chooses the currency at that moment has no account until the night.',
    edits: [
      {
        file: 'src/effects/provision-accounts.ts',
        find: 'const user = await lockUserRow(tx, { userId: effect.userId });',
        replace:
          "const user = await tx.selectFrom('User').selectAll().where('id', '=', effect.userId).executeTakeFirst();",
      },
    ],
    caughtBy: {
      file: 'test/flows/kyc.test.ts',
      titles: ['committed only after the effect of the verification'],
    },
  },
  {
    name: 'a refused account counts as opened',
    harm: 'A verified user has no account until the night.',
    edits: [
      {
        file: 'src/effects/open-account.ts',
        find: "throw new OutcomeUnknown('createAccount', `refused with ${answer.refusal}`);",
        replace: "return { kind: 'done' };",
      },
    ],
    caughtBy: { file: 'test/flows/kyc.test.ts', titles: ['an account that the provider refuses to open'] },
  },
  {
    name: 'a refused retry counts as a failure',
    harm: 'A payment whose merchant was paid is shown as failed, and is paid or returned again.',
    edits: [
      {
        file: 'src/effects/start-payout.ts',
        find: "  if (existing && (await hasSucceeded(services, effect, existing))) return { kind: 'done' };\n",
        replace: '',
      },
    ],
    caughtBy: { file: 'test/flows/pix-payment.test.ts', titles: ['because the earlier payout has arrived'] },
  },
  {
    name: 'an object that fails in its own slice is forgotten',
    harm: 'A returned payout whose report failed twice stays completed for a week.',
    edits: [
      {
        file: 'src/jobs/reconciliation/list-slices.ts',
        find: '(isShort || failed.length === page.items.length)',
        replace: 'failed.length === page.items.length',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/reconcile.test.ts',
      titles: ['a payout of a slice that cannot be applied becomes a slice'],
    },
  },
  {
    name: 'a pending withdrawal that recovery adopts is not polled',
    harm: 'Without a callback the withdrawal never ends.',
    edits: [
      {
        file: 'ops/recovery/write.ts',
        find: 'nextPollAt: eventOf(snapshot) === null ? now : null',
        replace: 'nextPollAt: null',
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/not-ordered.test.ts',
      titles: ['a pending withdrawal that recovery adopts'],
    },
  },
  {
    name: 'recovery lists what an unfinished row will find',
    harm: 'A payment that is only behind is adopted as a second one.',
    edits: [
      {
        file: 'ops/recovery/find-lost.ts',
        find: '!behind.has(snapshot.handle.toLowerCase())',
        replace: "snapshot.handle !== ''",
      },
    ],
    caughtBy: {
      file: 'test/jobs/reconciliation/not-ordered.test.ts',
      titles: ['belongs to an unfinished row'],
    },
  },
  {
    name: 'former secrets are refused while the database does not answer',
    harm: 'Callbacks about money are turned away during a failover, and are not sent again.',
    edits: [
      {
        file: 'src/webhooks/secrets.ts',
        find: 'hashes = read().catch(() => before);',
        replace: 'hashes = read().catch(() => []);',
      },
    ],
    caughtBy: {
      file: 'test/webhooks/secrets.test.ts',
      titles: ['stay accepted while the database does not answer'],
    },
  },
  {
    name: 'a start with the former secret gives up a rotation',
    harm: 'Callbacks that were moved to the new secret are refused a week later.',
    edits: [
      {
        file: 'src/webhooks/secrets.ts',
        find: 'if ((await makeSecretCurrent(tx, { hash })) !== 1) return false;',
        replace: 'await makeSecretCurrent(tx, { hash });',
      },
    ],
    caughtBy: { file: 'test/webhooks/secrets.test.ts', titles: ['a rotation is shown as unfinished'] },
  },
  {
    name: 'a return may take any amount of BRL unseen',
    harm: 'A return takes the BRL of another payment, and no operator sees that.',
    edits: [
      {
        file: 'src/reports/discrepancies.ts',
        find: '      return event.sourceAmountMinor > row.amountBrlMinor ? row.amountBrlMinor : null;',
        replace: '      return null;',
      },
    ],
    caughtBy: {
      file: 'test/reports/discrepancies.test.ts',
      titles: ['centavos has the expected discrepancies'],
    },
  },
  {
    name: 'the balance outlives the choice between twins',
    harm: 'Users see money that a second withdrawal has taken.',
    edits: [
      {
        file: 'ops/actions/follow-object.ts',
        find: '    await invalidateBalance(tx, userId);\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/twins.test.ts',
      titles: ['choosing the followed object applies its blocked snapshot'],
    },
  },
  {
    name: 'a pending payout does not block a settlement',
    harm: 'The merchant is paid, and the same money is settled a second time outside.',
    edits: [
      {
        file: 'src/tables/provider-resources/statements.ts',
        find: "and user_id = ${params.userId} and snapshot_status = 'pending'\n      and not exists (",
        replace:
          "and user_id = ${params.userId} and snapshot_status = 'pending' and kind <> 'payout'\n      and not exists (",
      },
    ],
    caughtBy: { file: 'test/ops/settle.test.ts', titles: ['the payout of the payment is pending'] },
  },
  {
    name: 'callbacks that were not stored keep their room',
    harm: 'After an outage of the database every callback waits until a process claims it.',
    edits: [{ file: 'src/webhooks/store.ts', find: '    handOff.failed();\n', replace: '' }],
    caughtBy: {
      file: 'test/webhooks/stored-together.test.ts',
      titles: ['callbacks that the database refuses to store leave their room to others'],
    },
  },
  {
    name: 'a second return joins a payment',
    harm: 'The first return is lost from sight, and nobody asks whose BRL the second one took.',
    edits: [
      {
        file: 'ops/recovery/group-orphans.ts',
        find: '      parts.return === undefined &&\n',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/ops/recovery/group-orphans.test.ts', titles: ['a payment with two returns'] },
  },
  {
    name: 'a former secret that is still accepted is taken up again',
    harm: 'Callbacks are moved to a secret that is refused within seven days.',
    edits: [
      {
        file: 'ops/actions/rotate-webhook-secret.ts',
        find: "if (ours?.status === 'former')",
        replace:
          "if (ours?.status === 'former' && (ours.acceptedUntil === null || ours.acceptedUntil <= now))",
      },
    ],
    caughtBy: { file: 'test/webhooks/rotation.test.ts', titles: ['a former secret is not taken up again'] },
  },
  {
    name: 'the reconciliation counts a refund that began elsewhere',
    harm: 'After an incident operators search for a refund that the reconciliation did not begin.',
    edits: [
      {
        file: 'src/jobs/reconciliation/recover-refund.ts',
        find: 'if (corrected !== null) ',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/returns.test.ts',
      titles: ['a return that begins while the reconciliation looks it up'],
    },
  },
  {
    name: 'money is converted back while leg 2 has a twin',
    harm: 'The merchant is paid by the twin of leg 2, and the user gets the money back as well.',
    edits: [
      {
        file: 'src/effects/start-requoted-conversion.ts',
        find: "  if (leg === 'reverse') await assertNoTwin(services.db, effect);\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/two-hop.test.ts',
      titles: ['while the second conversion has an unresolved twin'],
    },
  },
  {
    name: 'an adoption does not look whether another one came first',
    harm: 'The recovery of the second operator breaks off, and the rest of the payments stays lost.',
    edits: [
      {
        file: 'ops/recovery/adopt-payment.ts',
        find: '    await claim(tx, userId, partsOf(parts));\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/ops/recovery.test.ts',
      titles: [
        'of two concurrent adoptions of a payment with its own id, one adopts it and the other finds its row',
        'of two concurrent adoptions of a payment with another id, one adopts it and the other finds its row',
        'of two concurrent adoptions of a payment whose amount is lost, one adopts it and the other finds its row',
      ],
    },
  },
  {
    name: 'work that waits for the provider counts as an overload',
    harm: 'While payouts hang, nobody can pay.',
    edits: [
      {
        file: 'src/outbox/payment-waits.ts',
        find: "    if (ofStage !== 'conversion' && heldUp.includes(typeOf[ofStage])) return 0;\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/outbox/payment-waits.test.ts',
      titles: ['what the provider holds up in another process does not count either'],
    },
  },
  {
    name: 'all operations of the provider share a circuit',
    harm: 'While one operation fails, users get 502 for all others.',
    edits: [
      {
        file: 'src/provider/availability.ts',
        find: 'const one = circuits.get(compartment);',
        replace: 'const [one] = circuits.values();',
      },
    ],
    caughtBy: {
      file: 'test/provider/circuit.test.ts',
      titles: ['the circuit of one operation opens if 503 persists'],
    },
  },
  {
    name: 'a request keeps its turn while it waits for the provider',
    harm: 'While the provider is slow, requests that do not need it wait as well.',
    edits: [{ file: 'src/api/request-shares.ts', find: '        hold(false);\n', replace: '' }],
    caughtBy: {
      file: 'test/api/request-shares.test.ts',
      titles: ['a request that waits for the provider gives its turn to another user'],
    },
  },
  {
    name: 'a connection whose request runs is closed for a newcomer',
    harm: 'A stranger who opens connections ends the payments of others.',
    edits: [
      {
        file: 'src/api/connections.ts',
        find: "unsent.some(isRunning) ? null : 'body'",
        replace: "'body'",
      },
    ],
    caughtBy: { file: 'test/api/connections.test.ts', titles: ['at the bound, unfinished headers'] },
  },
  {
    name: 'a body costs the bytes of its user from the first one',
    harm: 'A stranger who sends single bytes stops the sign-ins of others.',
    edits: [
      {
        file: 'src/api/byte-budget.ts',
        find: 'isBeyond || used <= limits.free',
        replace: 'isBeyond',
      },
    ],
    caughtBy: {
      file: 'test/api/slow-clients.test.ts',
      titles: ['bytes that were declared and did not arrive cost nothing'],
    },
  },
  {
    name: 'a withdrawal under a key has a random id',
    harm: 'After a restored backup, a client that repeats its withdrawal is paid twice.',
    edits: [
      {
        file: 'src/payments/withdrawals/create.ts',
        find: 'const id = withdrawIdOf(userId, idempotencyKey);',
        replace: 'const id = newId();',
      },
    ],
    caughtBy: {
      file: 'test/flows/restored-backup.test.ts',
      titles: ['a withdrawal that is repeated under its key after the restore is paid out once'],
    },
  },
  {
    name: 'a restored database promises money before the lists were compared',
    harm: 'After a restored backup, people who miss a payment make it again.',
    edits: [
      {
        file: 'src/ledger/nothing-lost.ts',
        find: '!recovery.isCompared || ',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/restored-backup.test.ts',
      titles: ['until the lists of the provider were compared nobody is promised money'],
    },
  },
  {
    name: 'two users pay one charge',
    harm: 'Two users pay the same charge. The second one gets nothing for the money.',
    edits: [
      {
        file: 'src/payments/claim-charge.ts',
        find: '!(await hasGivenUp(tx, claimant))',
        replace: 'claimant.userId === userId',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: [
        'a charge that another payment pays or has paid is refused to everybody',
        'of eight accounts that confirm one charge at the same time over two processes, exactly one pays',
      ],
    },
  },
  {
    name: 'a claim of a charge does not wait for a concurrent one',
    harm: 'Two users who confirm the same charge at the same time both pay it.',
    edits: [
      {
        file: 'src/payments/claim-charge.ts',
        find: 'if (!claimant && (await insertObjectUser(tx, claim)) === 1) return;',
        replace: 'if (!claimant && (await insertObjectUser(tx, claim)) >= 0) return;',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: [
        'of eight accounts that confirm one charge at the same time over two processes, exactly one pays',
      ],
    },
  },
  {
    name: 'a charge stays claimed after its payment has failed',
    harm: 'Nobody can pay a charge any more after the conversion of its first payment failed.',
    edits: [{ file: 'src/payments/claim-charge.ts', find: "    status === 'failed' ||\n", replace: '' }],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a charge is free again once its payment has failed'],
    },
  },
  {
    name: 'a payment pays another amount than its code fixes',
    harm: 'The bank of the recipient returns the money, and the user bears the price of the way back.',
    edits: [
      {
        file: 'src/payments/read-code.ts',
        find: 'code.isAmountFixed && code.amountBrlMinor !== amountBrlMinor',
        replace: 'code.isAmountFixed && code.amountBrlMinor === null',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a payment takes only a valid code of its user, its key and its fixed amount'],
    },
  },
  {
    name: 'a payment pays another key than its code has',
    harm: 'A payment shows the name of the code, and goes to somebody else.',
    edits: [
      {
        file: 'src/payments/read-code.ts',
        find: "  if (!isOfKey) throw new Refusal('code_of_another_key');\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a payment takes only a valid code of its user, its key and its fixed amount'],
    },
  },
  {
    name: 'a payment of a charge that expires soon is accepted',
    harm: 'The charge expires after the conversion, and the money can only be converted back.',
    edits: [
      {
        file: 'src/payments/read-code.ts',
        find: 'chargeExpiresAt.getTime() - now.getTime() < soonMs',
        replace: 'chargeExpiresAt.getTime() - now.getTime() < 0',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a charge that expires within ten minutes is not paid'],
    },
  },
  {
    name: 'a payment finds the code of another user',
    harm: 'The answer tells a stranger that the id of a code exists.',
    edits: [
      {
        file: 'src/tables/pix-codes/statements.ts',
        find: "selectFrom('PixCode').selectAll().where(equals({ id, userId }))",
        replace: "selectFrom('PixCode').selectAll().where(equals({ id }))",
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a payment takes only a valid code of its user, its key and its fixed amount'],
    },
  },
  {
    name: 'a payout does not name the code that it pays',
    harm: 'The provider does not know that the charge is paid, and the recipient waits for the money.',
    edits: [
      {
        file: 'src/effects/start-payout.ts',
        find: '    ...(code && { codeRef: code.providerCodeId }),\n',
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/codes.test.ts',
      titles: ['a user sees what a dynamic code asks for and pays it, and the payout names the code'],
    },
  },
  {
    name: 'a part that is as much as the payment is recorded',
    harm: 'A payout that names its whole amount as a part is converted, and settled as a whole afterwards.',
    edits: [
      {
        file: 'src/reports/partial-returns.ts',
        find: '    sumOf([...parts.values()]) < amountMinor &&\n',
        replace: '',
      },
    ],
    caughtBy: { file: 'test/flows/contestation.test.ts', titles: ['a part that is as much as the payout'] },
  },
  {
    name: 'a movement of another user counts as a part that came back',
    harm: 'A wrong answer of the provider gives a user the money of another one.',
    edits: [
      {
        file: 'src/reports/partial-returns.ts',
        find: "    if (!(await isObjectOf(tx, { providerRef: movementRef, kind: 'movement', userId })))\n      return refuse(['source account']);\n",
        replace: '',
      },
    ],
    caughtBy: {
      file: 'test/flows/contestation.test.ts',
      titles: ['a part that is a movement of another user'],
    },
  },
  {
    name: 'a payment may be contested after 80 days',
    harm: 'A user is told that the payment is contested, and the return mechanism takes none.',
    edits: [
      {
        file: 'src/payments/contest.ts',
        find: "  if (state !== 'completed' || !(await databaseClock.now(db)).isBefore(end))",
        replace: "  if (state !== 'completed' || (await databaseClock.now(db)).isBefore(new Date(0)))",
      },
    ],
    caughtBy: { file: 'test/flows/contestation.test.ts', titles: ['younger than 80 days is contested'] },
  },
  {
    name: 'a late report of a replaced conversion ends the present one',
    harm: 'A part is converted twice: a repeated report of the first failure lets an operator begin a third conversion.',
    edits: [
      {
        file: 'machines/payout-refund.machine.ts',
        find: "    isPresentAttempt: ({ context, event }) => 'attempt' in event && event.attempt === context.attempt,",
        replace: "    isPresentAttempt: ({ event }) => 'attempt' in event,",
      },
    ],
    caughtBy: {
      file: 'test/machines/payout-refund.test.ts',
      titles: ['a late failure of a replaced conversion changes nothing'],
    },
  },
];
