// What an app does with a generated client: each generator's own file beside this one says how. The journey is the same for all.
import type { DepositInstructions } from '../../../scripts/journey/sandbox.ts';

export type App = {
  signIn: (idToken: string) => Promise<void>;
  chooseCurrency: () => Promise<void>;
  /** The hosted page's address. */
  startVerification: () => Promise<string | null>;
  hasActiveAccount: () => Promise<boolean>;
  depositInstructions: () => Promise<DepositInstructions | null>;
  /** Pence. */
  balance: () => Promise<number | null>;
  /** The quote's id. */
  quote: (amountBrl: number) => Promise<string>;
  /** The payment's id, or the code of the refusal. */
  pay: (quoteId: string) => Promise<{ id: string } | { code: string }>;
  payment: (id: string) => Promise<{ status: string; endToEndId: string | null }>;
  saveBankDetails: () => Promise<void>;
  /** The withdrawal's id. @param key the `Idempotency-Key`. */
  withdraw: (amount: number, key: string) => Promise<string>;
  /** A page of transactions, by their ids. */
  transactions: (limit: number) => Promise<string[]>;
};

export type CreateApp = (baseUrl: string) => App;

/** The recipient of every journey. */
export const RECIPIENT = { pixKey: '529.982.247-25', pixKeyType: 'cpf' } as const;
export const BANK_DETAILS = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '12345678',
  sortCode: '12-34-56',
} as const;

/** Compiles only where both types are the same: for what a generator must not lose, such as null. */
export type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** The data of a success. @throws with the answer otherwise. */
export function must<Data>(data: Data | undefined, answer: unknown): Data {
  if (data === undefined) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return data;
}
