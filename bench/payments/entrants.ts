// The three services that can be compared: this checkout's, the reference, and that of another checkout.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { makeReferencePayer } from '../reference/payments/people.ts';
import { createTables } from '../reference/payments/tables.ts';
import { createProvider, providerSettings } from '../reference/provider.ts';
import { createRowPool } from '../reference/query.ts';
import type { Entrant, Role } from './contender.ts';
import { payerOfService } from './people.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SANDBOX = 'sandbox/main.ts';

export const ourService = (roles: Role[]): Entrant => ({ name: 'service', roles, payersOf: payerOfService });

export const reference: Entrant = {
  name: 'reference',
  service: { root: ROOT, entry: 'bench/reference/payments/serve.ts', prepare: prepareReference },
  roles: ['all'],
  payersOf: (stack, env) => {
    const callbackUrl = `${stack.url}/webhooks/provider/${env['WEBHOOK_SECRET']}`;
    const around = { ...stack, callbackUrl, provider: createProvider(providerSettings(env)) };
    return (name) => makeReferencePayer(around, name);
  },
};

async function prepareReference(databaseUrl: string): Promise<void> {
  const db = createRowPool(databaseUrl);
  await createTables(db);
  await db.end();
}

/** @param hasOwnSandbox whether the sandbox is also that checkout's. */
export function otherCheckout(path: string, roles: Role[], hasOwnSandbox: boolean): Entrant {
  const root = resolve(path);
  const prepare = async (databaseUrl: string): Promise<void> => {
    const env = { ...process.env, DATABASE_URL: databaseUrl };
    execFileSync('npm', ['run', '--silent', 'db:migrate'], { cwd: root, env, stdio: 'ignore' });
  };
  return {
    name: 'checkout',
    service: { root, entry: 'src/start/serve.ts', prepare },
    roles,
    payersOf: payerOfService,
    ...(hasOwnSandbox && { sandbox: { root, entry: SANDBOX } }),
  };
}
