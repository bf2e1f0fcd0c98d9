// The calls that an app makes with a generated client. Each generator has its own file next to this one, and the journey is the
// same for all.
import type { DepositInstructions } from '../../../harness/people/sandbox.ts';

export type App = {
  signIn: (idToken: string) => Promise<void>;
  chooseCurrency: () => Promise<void>;
  /** Returns the address of the hosted page. */
  startVerification: () => Promise<string | null>;
  hasActiveAccount: () => Promise<boolean>;
  depositInstructions: () => Promise<DepositInstructions | null>;
  /** Returns the balance in pence. */
  balance: () => Promise<number | null>;
  /** Returns the quote's id. */
  quote: (amountBrl: number) => Promise<string>;
  /** Returns the payment's id, or the code of the refusal. */
  pay: (quoteId: string) => Promise<{ id: string } | { code: string }>;
  payment: (id: string) => Promise<{ status: string; endToEndId: string | null }>;
  saveBankDetails: () => Promise<void>;
  /**
   * Returns the withdrawal's id.
   * @param key the `Idempotency-Key`.
   */
  withdraw: (amount: number, key: string) => Promise<string>;
  /** Returns the ids of a page of transactions. */
  transactions: (limit: number) => Promise<string[]>;
};

export type CreateApp = (baseUrl: string) => App;

export const RECIPIENT = { pixKey: '529.982.247-25', pixKeyType: 'cpf' } as const;
export const BANK_DETAILS = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '12345678',
  sortCode: '12-34-56',
} as const;

/** Compiles only if both types are the same. It checks what a generator must not lose, such as null. */
export type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/**
 * Returns the data of a success.
 * @throws an error with the answer otherwise.
 */
export function must<Data>(data: Data | undefined, answer: unknown): Data {
  if (data === undefined) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return data;
}
