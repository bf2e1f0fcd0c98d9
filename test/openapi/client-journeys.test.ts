// Clients that the generators of client teams produce from the served document. They compile strictly, keep null, send
// `Idempotency-Key`, and walk the journey with the running service.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { fillInHostedPage, mintIdToken, sendMoney } from '../../harness/people/sandbox.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';
import type { App, CreateApp } from './clients/app.ts';
import { folder, type GeneratorName, generateClients, generatorNames } from './clients/generate.ts';

const adapters = resolve(import.meta.dirname, 'clients/adapters');

/** The adapters need generated files, so the project's own type check excludes them. */
const createAppOf = async (name: GeneratorName): Promise<CreateApp> =>
  ((await import(join(adapters, `${name}.ts`))) as { createApp: CreateApp }).createApp;

const { world } = useWorld();
beforeAll(async () => {
  await generateClients(world.url);
});

async function openAccount(app: App): Promise<void> {
  await app.signIn(await mintIdToken(world, 'b', { subject: randomUUID(), email: 'ada@example.com' }));
  await app.chooseCurrency();
  const address = await app.startVerification();
  await fillInHostedPage(world, address ?? '');
  await until(app.hasActiveAccount, (isActive) => isActive);
  const instructions = await until(app.depositInstructions, (found) => found !== null);
  await sendMoney(world, instructions ?? {}, '500.00');
  await until(app.balance, (pence) => pence === 50_000);
}

describe.each(generatorNames)('%s', (name) => {
  test('a generated client walks the journey: account, payment, withdrawal under a key, history', async () => {
    const app = (await createAppOf(name))(world.url);
    await openAccount(app);

    const quoteId = await app.quote(250);
    const made = await app.pay(quoteId);
    const id = 'id' in made ? made.id : made.code;
    expect(await app.pay(quoteId)).toEqual({ id });
    expect(await app.pay(`quote_${randomUUID()}`)).toEqual({ code: 'not_found' });
    const payment = await until(
      () => app.payment(id),
      ({ status }) => status === 'completed',
    );
    expect(payment.endToEndId).toMatch(/^E/);

    await app.saveBankDetails();
    const key = randomUUID();
    const withdrawal = await app.withdraw(10_000, key);
    expect(await app.withdraw(10_000, key)).toBe(withdrawal);
    // Without its own key, this request would be a repetition of the first.
    expect(await app.withdraw(10_000, randomUUID())).not.toBe(withdrawal);
    expect(await app.transactions(2)).toContain(withdrawal);
  });

  test('a generated client contains no control character', () => {
    const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true });
    const texts = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    expect(texts.length).toBeGreaterThan(0);
    for (const file of texts)
      expect([file, /(?![\n\t])\p{Cc}/u.test(readFileSync(file, 'utf8'))]).toEqual([file, false]);
  });
});

test('all generated clients and their users compile strictly', { timeout: 120_000 }, () => {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(adapters, 'tsconfig.json'),
    { noEmit: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => expect.fail(JSON.stringify(messageText)),
    },
  );
  const program = ts.createProgram(config?.fileNames ?? [], config?.options ?? {});
  const host = ts.createCompilerHost({});
  expect(ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host)).toBe('');
  expect(config?.options.strict).toBe(true);
  const compiled = program.getSourceFiles().map(({ fileName }) => fileName);
  for (const name of generatorNames)
    expect(compiled.some((file) => file.startsWith(join(folder, name)))).toBe(true);
});
