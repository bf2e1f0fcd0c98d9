// The refusals that POST /pix/payments and POST /withdraws may give an honest client, with their statuses (the responses of
// openapi/paths). The clients of a run send valid requests of open accounts, so any other
// refusal is wrong.

/** An invariant checks that each of these refusals was true. */
export const refusals: Record<string, number> = {
  quote_expired: 409,
  quote_already_used: 409,
  code_already_used: 409,
  account_not_active: 409,
  bank_details_required: 409,
  home_currency_required: 409,
  insufficient_funds: 422,
};

/**
 * Temporary failures: nothing was created, and the client repeats the request. 408 occurs if the process was stopped while it read
 * the body, because the body then arrives too slowly.
 */
export const passing = new Set([408, 429, 502, 503]);
