// The bank's answer to whether the name on the account is right, before a withdrawal. The bank is asked once for each account, because
// its answer can cost the person tokens.
import { type BankDetails, type BankDetailsCheck, PonteError } from '@ponte/client';
import { useEffect, useState } from 'preact/hooks';
import { accountIn } from './intents.ts';
import { ponte } from './session.ts';

/** The service waits six seconds for the bank. */
const TIMEOUT_MS = 10_000;

type NamedAccount = { account: string; result: BankDetailsCheck | null; error: unknown };

export type NameCheck = {
  /** Null until the bank has answered, and if it does not. */
  result: BankDetailsCheck | null;
  error: unknown;
  /** The check whose result the person accepts by going on. Undefined if there is none. */
  acceptedCheckId: string | undefined;
  again: () => void;
};

/** @param isWanted whether the screen shows the result now. */
export function useNameCheck(to: BankDetails, isWanted: boolean): NameCheck {
  const account = accountIn(to);
  const [last, setLast] = useState<NamedAccount | null>(null);
  const latest = last?.account === account ? last : null;
  useEffect(() => {
    if (!isWanted || latest !== null) return undefined;
    let isLeft = false;
    const end = (result: BankDetailsCheck | null, error: unknown): void => {
      if (!isLeft) setLast({ account, result, error });
    };
    ponte.checkBankDetails({ currency: to.currency }, { timeoutMs: TIMEOUT_MS }).then(
      (result) => end(result, null),
      (fault: unknown) => end(null, fault),
    );
    return () => {
      isLeft = true;
    };
  }, [account, isWanted, latest === null]);
  const { result = null, error = null } = latest ?? {};
  const unanswered = error instanceof PonteError ? error.checkId : null;
  return {
    result,
    error,
    acceptedCheckId: result?.checkId ?? unanswered ?? undefined,
    again: () => setLast(null),
  };
}
