// PIX codes of charges that a test makes at the provider.
import type { World } from './world.ts';

export type Charge = {
  amount?: string;
  payerDecides?: 'yes';
  expiresInSeconds?: number;
  pixKey?: string;
};

/** Makes a charge, and returns the text of its code. Without other fields, it is R$ 10.00, which only an exact payment pays. */
export async function codeOfCharge({ sandboxUrl }: World, charge: Charge = {}): Promise<string> {
  const response = await fetch(`${sandboxUrl}/sandbox/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '10.00', ...charge }),
  });
  if (!response.ok) throw new Error(`the charge was refused: ${await response.text()}`);
  return ((await response.json()) as { code: string }).code;
}
