// A small client of the contract, written as an app's team would write it. It must compile strictly with types generated from the
// contract (see generated-clients.test.ts). It is never run.
import type createClient from 'openapi-fetch';
import type {
  ApiError,
  ErrorCode,
  FailureCode,
  PixPayment,
  paths,
  Transaction,
} from '../../../openapi/generated/openapi.ts';

type Api = ReturnType<typeof createClient<paths>>;

/** Returns the sentence for the user, and logs the details for support. An unknown code is not a fault of the app. */
export function shownFor({ error, code, requestId, details = [] }: ApiError): string {
  for (const { path, message } of details) console.warn(path, message);
  const sentences: Partial<Record<ErrorCode, string>> = { quote_expired: 'The price has changed.' };
  return `${sentences[code] ?? error} (${requestId})`;
}

export async function pay(api: Api, amountBrl: number, pixKey: string): Promise<PixPayment | string> {
  const headers = { 'X-Request-Id': 'made-by-the-app' };
  const quoted = await api.POST('/pix/quote', { body: { amountBrl }, params: { header: headers } });
  if (!quoted.data) return shownFor(quoted.error);
  const { quoteId } = quoted.data;
  const accepted = await api.POST('/pix/payments', { body: { quoteId, pixKey, pixKeyType: 'email' } });
  if (!accepted.data) return shownFor(accepted.error);
  const followed = await api.GET('/pix/payments/{id}', {
    params: { path: { id: accepted.data.pixPaymentId } },
  });
  return followed.data ?? shownFor(followed.error);
}

export function adviceFor(code: FailureCode): string {
  switch (code) {
    case null:
      return '';
    case 'payout_failed':
      return 'Try again';
    case 'insufficient_funds':
      return 'Deposit';
    // An unknown status is treated like this one.
    case 'under_review':
    default:
      return 'Ask support';
  }
}

export const lineFor = (one: Transaction): string =>
  [one.pixPaymentId, one.destAmount?.toFixed(0), adviceFor(one.failureCode), one.failureReason].join(' ');

// Forbidden uses do not compile: each line below must be refused.

// @ts-expect-error A code that the contract does not name.
export const unknown: ErrorCode = 'no_such_code';
// @ts-expect-error Null until it was paid.
export const receipt = (payment: PixPayment): string => payment.endToEndId;
// @ts-expect-error An error says which request it was.
export const incomplete: ApiError = { error: 'No.', code: 'not_found' };
// @ts-expect-error Withdrawals convert nothing.
export const converted = (one: Transaction): number => one.destAmount;
// @ts-expect-error An amount of money is a number.
export const asText = (api: Api) => api.POST('/withdraws', { body: { amount: '1000' } });
