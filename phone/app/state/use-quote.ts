// A price and its remaining time. When it expires, the phone requests another one, at most three times: it must not continue all
// day for a person who left.
import type { PixQuote } from '@ponte/client';
import { useEffect, useState } from 'preact/hooks';
import { endOf } from '../quote-life.ts';
import { price, runningPriceOf } from './price.ts';
import { ponte } from './session.ts';

const MAX_RENEWALS = 3;
const TICK_MS = 250;

export type Priced = {
  quote: PixQuote | null;
  error: unknown;
  /** The remaining seconds. 0 if the price has expired and the person must request another one. */
  secondsLeft: number;
  /** How many prices were requested automatically after the first. */
  renewals: number;
  renew: () => void;
};

export function useQuote(amountBrl: number): Priced {
  const [shown, setShown] = useState<{ quote: PixQuote; endsAtMs: number } | null>(() =>
    runningPriceOf(amountBrl, Date.now()),
  );
  const [error, setError] = useState<unknown>(null);
  const [requests, setRequests] = useState({ times: 0, renewals: 0 });
  const [nowMs, setNow] = useState(Date.now());

  useEffect(() => {
    if (shown !== null) return undefined;
    let isLeft = false;
    const received = (quote: PixQuote): void => {
      if (isLeft) return;
      setNow(Date.now());
      const endsAtMs = endOf(quote.expiresAt, Date.now());
      setShown({ quote, endsAtMs });
      price.set({ amountBrl, quote, endsAtMs });
    };
    ponte.quote(amountBrl).then(received, (fault: unknown) => isLeft || setError(fault));
    return () => {
      isLeft = true;
    };
  }, [amountBrl, requests.times]);

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);

  const ask = (renewals: number): void => {
    setShown(null);
    price.set(null);
    setError(null);
    setRequests(({ times }) => ({ times: times + 1, renewals }));
  };
  const hasEnded = shown !== null && nowMs >= shown.endsAtMs;
  useEffect(() => {
    if (hasEnded && !document.hidden && requests.renewals < MAX_RENEWALS) ask(requests.renewals + 1);
  }, [hasEnded]);

  const leftMs = shown === null ? 0 : shown.endsAtMs - nowMs;
  return {
    quote: shown?.quote ?? null,
    error,
    secondsLeft: Math.max(0, Math.ceil(leftMs / 1_000)),
    renewals: requests.renewals,
    renew: () => ask(0),
  };
}
