// Which refusals of POST /pix/payments and POST /withdraws an honest client may receive, and with which status
// (specification, "Errors"; design, "Decisions where the specification is silent"). The clients of a run send valid
// requests of open accounts, so any other refusal is wrong.

/** Each is checked by an invariant: was it true? */
export const refusals: Record<string, number> = {
  quote_expired: 409,
  quote_already_used: 409,
  account_not_active: 409,
  bank_details_required: 409,
  home_currency_required: 409,
  insufficient_funds: 422,
};

/**
 * Temporary failures: nothing was created, and the client repeats the request. 408: the process was stopped while it read the body, so
 * the body came too slowly for it.
 */
export const passing = new Set([408, 429, 502, 503]);
