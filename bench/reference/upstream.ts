// The references' one call to the provider: an account's balance.
import { Pool } from 'undici';

const pool = new Pool(process.env['PROVIDER_BASE_URL'] ?? '', { connections: 44 });
const authorization = `Basic ${Buffer.from('sandbox:sandbox-password').toString('base64')}`;

export async function readBalanceMinor(accountId: string): Promise<number> {
  const path = `/v1/accounts/${accountId}/`;
  const headers = { authorization, accept: 'application/json' };
  const { body } = await pool.request({ method: 'GET', path, headers });
  const { balance } = (await body.json()) as { balance: string };
  return Math.round(Number(balance) * 100);
}
