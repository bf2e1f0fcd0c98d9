// Makes payments, one after the other, and returns the functions that each of them runs. The observed service is in this process.
// Another process of the service receives the callbacks and runs the work, so neither is counted.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { query } from '../../harness/database/query.ts';
import { createPerson, join, reaches } from '../../harness/people/person.ts';
import { until } from '../../harness/people/until.ts';
import type { LocalStack } from '../../harness/stack/local-stack.ts';
import { startTemporaryStack } from '../../harness/stack/temporary-stack.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { readConfig } from '../../src/start/config.ts';
import { createLog } from '../../src/start/log.ts';
import { type Service, startService } from '../../src/start/start-service.ts';
import { onceToEnd } from '../ending.ts';
import type { FunctionRun } from './functions-run.ts';

/**
 * The pause before a request and after its answer. Before a request, it is longer than the service caches how long payments wait,
 * so that each payment reads it. After the answer, it is longer than it takes to write the log line and to notify the other
 * processes.
 */
const QUIET_MS = 600;

/** A busy machine makes everything slow. */
const PATIENCE_MS = 120_000;

const RECIPIENT = { pixKey: '529.982.247-25', pixKeyType: 'cpf', recipientName: 'Joana Lima' } as const;

/**
 * @param take returns the functions that ran since its last call.
 * @param isWhole whether the service in this process also runs the work, and is observed until the payment is completed.
 * @returns the functions that every one of three payments ran. A rare event, such as a new connection to the database, happens in
 *   at most one of them.
 */
export async function tracePayments(
  take: () => Promise<FunctionRun[]>,
  isWhole: boolean,
): Promise<FunctionRun[]> {
  const folder = temporaryFolder('trace');
  const stack = await startTemporaryStack(folder, {
    roles: isWhole ? [] : ['all'],
    env: { SANDBOX_SETTLE_MS: '0', SANDBOX_ACTIVATE_MS: '0' },
  });
  onceToEnd((code) => void stack.stop().finally(() => process.exit(code)));
  try {
    // The service's timers run code that does not belong to a request.
    if (!isWhole) mock.timers.enable({ apis: ['setInterval'] });
    const service = await startObserved(folder, isWhole);
    try {
      return await payRepeatedly(take, stack, service, isWhole);
    } finally {
      await service.stop();
    }
  } finally {
    mock.timers.reset();
    await stack.stop();
  }
}

/**
 * Starts the service with the settings that the stack left in its folder. Log lines are made, as in production, but not written.
 */
function startObserved(folder: string, isWhole: boolean): Promise<Service> {
  const config = readConfig(parseEnv(readFileSync(path.join(folder, 'stack.env'), 'utf8')));
  return startService(isWhole ? config : { ...config, role: 'api', port: 0 }, {
    log: createLog('info', { write: () => undefined }),
  });
}

async function payRepeatedly(
  take: () => Promise<FunctionRun[]>,
  { sandboxUrl, databaseUrl }: LocalStack,
  { url }: Service,
  isWhole: boolean,
): Promise<FunctionRun[]> {
  const person = createPerson({ url: url ?? '', sandboxUrl });
  await join(person, '500.00', { withinMs: PATIENCE_MS });
  const payments: FunctionRun[][] = [];
  // The first payment warms up the service.
  for (let nth = 0; nth <= 3; nth += 1) {
    const { quoteId } = await person.ponte.quote(50);
    await pause(QUIET_MS);
    await take();
    const { pixPaymentId } = await person.ponte.pay({ quoteId, ...RECIPIENT });
    if (isWhole) await isCompleted(databaseUrl, pixPaymentId);
    await pause(QUIET_MS);
    if (nth > 0) payments.push(await take());
    await reaches(person, pixPaymentId, 'completed', PATIENCE_MS);
  }
  return inAll(payments);
}

/** Waits by reading the database: a request for the payment would be counted. */
async function isCompleted(databaseUrl: string, id: string): Promise<void> {
  await until(
    () => query<{ state: string }>(databaseUrl, 'select state from pix_payments where id = $1', [id]),
    ([payment]) => payment?.state === 'completed',
    PATIENCE_MS,
  );
}

function inAll([first = [], ...others]: FunctionRun[][]): FunctionRun[] {
  const keys = others.map((runs) => new Set(runs.map(keyOf)));
  return first.filter((run) => keys.every((ran) => ran.has(keyOf(run))));
}

const keyOf = ({ file, start }: FunctionRun): string => `${file}:${start}`;
