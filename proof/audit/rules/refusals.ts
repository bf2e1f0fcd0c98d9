// What POST /pix/payments and POST /withdraws may refuse an honest client, and with which status (specification, "Errors";
// design, "Decisions where the specification is silent"). The clients of a run send valid requests of open accounts, so
// anything else that they are told is wrong.

/** Each is judged by an invariant: was it true? */
export const refusals: Record<string, number> = {
  quote_expired: 409,
  quote_already_used: 409,
  account_not_active: 409,
  bank_details_required: 409,
  home_currency_required: 409,
  insufficient_funds: 422,
};

/** They claim nothing but that it could not be done for now: nothing was created, and the client sends it again. */
export const passing = new Set([502, 503]);
