// Values that may be replaced are bound to a version of their row. Values that were sealed before rows had versions still open, and
// are resealed.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { replaceBankDetails } from '../../src/onboarding/save-bank-details.ts';
import { createDataKeys } from '../../src/security/data-keys.ts';
import { encryptionContexts, type ReplacedColumn } from '../../src/security/encryption-contexts.ts';
import { SealBroken, UNVERSIONED } from '../../src/security/envelope.ts';
import { createPlaintextCache } from '../../src/security/plaintext-cache.ts';
import { resealUnversioned } from '../../src/security/reseal.ts';
import { createSealer, type Sealer } from '../../src/security/sealer.ts';
import { opsAside } from '../ops/support.ts';
import { must } from '../support/person.ts';
import { replacedColumns, sealedValues, unbindAll } from '../support/unversioned.ts';
import { useWorld } from '../support/use-world.ts';
import { makeVera, vera, type WholePerson } from '../support/whole-person.ts';

let whole: WholePerson;

const { world, app, db } = useWorld({ env: { USDC_ACCOUNTS_ENABLED: 'true' } });
beforeAll(async () => {
  whole = await makeVera(world);
});

/** Opens only values that are bound to the version of their row. */
const strictSealer = () =>
  createSealer(createDataKeys(db(), app().config.masterKeys), createPlaintextCache(), {
    opensUnversioned: false,
  });
const unbind = () => unbindAll(db(), app().config.masterKeys);

/** The opened value of each row, with its column and the id of the row. */
async function openedValues(): Promise<string[]> {
  const sealer = strictSealer();
  const opened: string[] = [];
  for (const { name, context, value } of await sealedValues(db()))
    opened.push(`${name} ${context.row}: ${await sealer.open(context, value)}`);
  return opened.toSorted();
}

const rotate = () => opsAside(world, 'keys', 'rotate', '--reason', 'bind values');
const forms = async () => new Set((await sealedValues(db())).map(({ value }) => value[0]));

const contexts = Object.entries(encryptionContexts).map(([name, context]) =>
  name === 'webhookPayload'
    ? encryptionContexts.webhookPayload('row', new Date())
    : (context as typeof encryptionContexts.bankDetails)('user', 'row', 1),
);

/** The table that holds the values of a column. The payloads of processed callbacks have moved to another table. */
const placeOf = (table: string) => (table === 'webhook_events' ? 'webhook_payloads' : table);

test('every sealed column has an encryption context, except that of payloads that have moved', async () => {
  const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' and table_name not like 'webhook_payloads%'
    `.execute(db());
  expect(contexts.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(
    rows.map(({ name }) => name).toSorted(),
  );
});

test.each(contexts)('$table.$column is bound to a version if it may be replaced', async (context) => {
  const { table, column, version } = context;
  const { rows } = await sql<{ form: number }>`
      select distinct get_byte(${sql.ref(column)}, 0) as form from ${sql.table(placeOf(table))}
      where octet_length(${sql.ref(column)}) > 0`.execute(db());
  expect(rows).toEqual([{ form: version === null ? UNVERSIONED : 2 }]);
  expect(version !== null).toBe(replacedColumns.includes(`${table}.${column}` as ReplacedColumn));
});

test('unversioned values open until that is switched off, and `keys rotate` binds them to versions', async () => {
  const before = await openedValues();
  const count = await unbind();
  expect(await forms()).toEqual(new Set([UNVERSIONED]));
  const { api } = whole.person;
  const query = { params: { query: { reveal: true } } };
  expect(must(await api.GET('/bank-details', query))).toContainEqual(
    expect.objectContaining({ iban: vera.iban }),
  );
  expect(must(await api.GET('/me')).deposit).not.toBeNull();
  await expect(openedValues()).rejects.toThrow(SealBroken);

  const said = await rotate();
  expect([said.code, said.out]).toEqual([
    0,
    expect.stringContaining(`${count} sealed values are bound to a version of their row now.`),
  ]);
  expect(await forms()).toEqual(new Set([2]));
  expect(await openedValues()).toEqual(before);
  expect((await rotate()).out).toContain('Nothing changed.');
});

test('unversioned values are resealed in any number of calls, each of which may be interrupted', async () => {
  const count = await unbind();
  const stopped = new AbortController();
  const first = await resealUnversioned(app(), {
    onProgress: () => stopped.abort(),
    signal: stopped.signal,
  });
  expect(first.resealed).toBeGreaterThan(0);
  expect(first.resealed).toBeLessThan(count);
  const rest = await Promise.all([resealUnversioned(app()), resealUnversioned(app())]);
  expect(first.resealed + rest.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(count);
  expect(await forms()).toEqual(new Set([2]));
});

test('unversioned values stay as they are saved if a save happens between reading and resealing', async () => {
  const count = await unbind();
  const details = {
    currency: 'GBP',
    accountHolderName: vera.fullName,
    accountNumber: vera.accountNumber,
    sortCode: '60-16-13',
  } as const;
  let isSaved = false;
  const sealer: Sealer = {
    ...app().sealer,
    seal: async (context, text) => {
      if (!isSaved && context.row === 'GBP') {
        isSaved = true;
        await replaceBankDetails(app(), whole.person.userId, details, 'a save');
      }
      return app().sealer.seal(context, text);
    },
  };
  expect(await resealUnversioned({ ...app(), sealer })).toEqual({ resealed: count - 1, broken: [] });
  expect(isSaved).toBe(true);
  const opened = await openedValues();
  expect(opened).toContain(`bank_details.details_sealed GBP: ${JSON.stringify(details)}`);
  expect(opened).toHaveLength(count);
});

test('unversioned values that do not open are named, and do not prevent the others from being resealed', async () => {
  const count = await unbind();
  const { userId } = whole.person;
  const flip = () =>
    sql`update kyc_verifications set identity_sealed = set_byte(identity_sealed, 20, get_byte(identity_sealed, 20) # 1)
        where id = ${userId}`.execute(db());
  await flip();
  const said = await rotate();
  expect([said.code, said.err]).toEqual([
    1,
    expect.stringContaining(`do not open: kyc_verifications.identity_sealed ${userId}`),
  ]);
  await flip();
  expect(await resealUnversioned(app())).toEqual({ resealed: 1, broken: [] });
  expect(await openedValues()).toHaveLength(count);
});
