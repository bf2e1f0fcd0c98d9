// Generated from openapi/openapi.yaml by scripts/generate.ts; change that, not this.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is alive
         * @description Returns `ok` whenever the process can answer. It does not check the database or any other system, and it needs no session. Operators check whether the service is ready with `GET /ready` on the metrics port.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Exchanges the ID token of the phone's native sign-in for a session token. The first sign-in creates the user. Later
         *     sign-ins return the same user. You can repeat the call safely: each call returns a new session token, and earlier
         *     tokens stay valid until they expire.
         *
         *     If `homeCurrency` is null, the user has not chosen a currency yet. Show that screen first.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the data of the home screen
         * @description Returns the profile, the identity check, the balance and the deposit instructions. The balance is the provider's and
         *     at most a few seconds old. Call it again when the app comes to the foreground, and after a payment or a withdrawal.
         *
         *     A 502 means that the balance could not be read. Keep showing the last one, and say that it may be out of date.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Close the account
         * @description Closes the account immediately and permanently, and creates an erasure request. Data that the law does not require
         *     us to keep is deleted now. The identity check, transactions and bank details are deleted after six years. Payments
         *     in progress still run to their end.
         *
         *     If money is left in a closed account, the user can get it only through support. So call it twice: first with
         *     `unlessMoneyIsLeft=true`, which returns 409 `account_holds_money` if money is left or has just moved, and 502 if the
         *     balance cannot be read. If the account is already closed, it returns 200. You can repeat the call: it returns the same response. Every
         *     other operation then returns 403 `account_closed`.
         */
        delete: operations["closeAccount"];
        options?: never;
        head?: never;
        /**
         * Choose the home currency, change the name
         * @description Send one field or both. The home currency can be set once. Sending the same value again is allowed. Another value returns 409, and then no other field of the body is applied. The response is the `user` of `GET /me`.
         */
        patch: operations["updateMe"];
        trace?: never;
    };
    "/me/data-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a right over personal data
         * @description Records a request under the GDPR. Support answers it within 30 days. To request erasure, close the account instead. Send an `Idempotency-Key`; without one, a repeated call creates a second request. A user can have ten open requests.
         */
        post: operations["createDataRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kyc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start the identity check
         * @description Returns the URL of the provider's hosted widget. The widget asks for all personal data, so none of it passes through
         *     this API. A user has one check. If you call it again, for example after a 502 or because the URL has expired, it
         *     continues the same check and returns a working URL. When the check has an outcome, the URL is null and `status`
         *     shows the outcome. After `failed`, call `POST /kyc/restart` for another attempt.
         *
         *     You can call it before the user has chosen a home currency. The body may be empty.
         */
        post: operations["startKyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kyc/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed identity check
         * @description Starts the next attempt after `failed` and returns the URL of the provider's hosted widget, like `POST /kyc/start`.
         *     The status is `pending` again. `failureCode` of `GET /kyc/status` says whether another attempt makes sense.
         *
         *     If you call it again, for example after a 502, it continues the current attempt and returns a working URL.
         *     Concurrent calls start one attempt. If the provider has approved the failed attempt in the meantime, `status` is
         *     `completed`. The body may be empty.
         */
        post: operations["restartKyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/kyc/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of the identity check
         * @description Poll it after the user returns from the widget, until `status` is not `pending`. After `completed`, poll until `hasActiveAccount` is true. While the check is pending, each call asks the provider.
         */
        get: operations["getKycStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bank-details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the saved bank accounts
         * @description Returns at most one account per currency, masked. The array is empty if none is saved. With `reveal=true` the values are not masked. Do not store that response.
         */
        get: operations["listBankDetails"];
        put?: never;
        /**
         * Save the bank account for withdrawals
         * @description Saves one account per currency. A second call for the same currency replaces the account and returns 200 instead of 201. Earlier withdrawals still go to the account that was saved when they were accepted. Shortly after each call, the bank is asked whether the name matches the account. Call `GET /bank-details` to see the result.
         */
        post: operations["saveBankDetails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bank-details/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the name on a saved bank account
         * @description Asks the bank now whether the saved name belongs to the saved account. Call it before each withdrawal and show the result:
         *     a withdrawal to the wrong account is hard to get back. The response comes within about six seconds. A check moves no
         *     money and promises nothing, and a withdrawal is still needed.
         *
         *     After a `close_match`, the bank can suggest the name on the account: let the user take it, change the details, or go on.
         *     Whatever the result is, the user can go on: send its `checkId` with `POST /withdraws` as `acceptedCheckId`. On 502
         *     `name_check_unavailable` and 429 `lookup_budget_spent`, the error has the `checkId`.
         *
         *     Checks use the tokens of the look-ups of recipients, because a bank's answer can name a person. A user has 100 tokens
         *     and gets 2 back each minute. `match` and `close_match` cost 1 token, `no_match` costs 20, and other results cost none. A
         *     check needs 1 token. Without one, the bank is not asked. The response is then the last answer for these details that
         *     counts still, or 429 `lookup_budget_spent`, whose `checkId` lets the user go on like that of a 502. A token is back
         *     within ten minutes.
         *
         *     On 409 `not_offered`, the user can still withdraw: tell them that the name could not be checked.
         */
        post: operations["checkBankDetails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the transactions
         * @description Returns deposits, payments and withdrawals, newest first, one page at a time (see *Lists* above). Filters can be combined: an item matches all of them. With a filter, a page can be short or empty and still have a next page.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a transaction
         * @description Poll it to follow a withdrawal until `status` is `completed` or `failed`. A completed withdrawal can become `failed` days later, if the receiving bank returns the money, so reload the list from time to time. For a payment, `GET /pix/payments/{id}` has more detail.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Price a payment
         * @description Returns the price in the home currency for an amount of reais, and holds it for 60 seconds. Show `sourceAmount` and a countdown. A quote moves no money and does not need to be cancelled. You can request as many as you like. On 502 no price is available: try again after a moment.
         */
        post: operations["createPixQuote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a PIX code
         * @description Returns what a PIX code asks for: the recipient, the amount, and whether the amount is fixed. Show them before the user
         *     confirms. A dynamic code has only the address of a charge, and the banking provider fetches the charge. Request a quote for
         *     the amount, and send the `codeId` with `POST /pix/payments`. Reading a code moves no money and promises nothing.
         *
         *     An app can read the key and the amount of a static code by itself. Then `POST /pix/recipients/lookup` names the owner of the
         *     key, as for a key that the user typed. This operation accepts static codes as well.
         *
         *     A code names a person. So it takes tokens from the same budget as `POST /pix/recipients/lookup`: 1 for a code that can be
         *     paid, which comes back when the payout is ordered, 1 for one that is expired, paid or cancelled, and 20 for a text that leads
         *     to nobody. Check the text on the phone before you send it.
         *
         *     After 409 `not_offered`, hide dynamic codes: they cannot be paid.
         */
        post: operations["readPixCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/recipients/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up a recipient
         * @description Returns who owns a PIX key. Show the name, the tax number and the institution before the user confirms the payment:
         *     PIX cannot undo a payment to the wrong recipient. Send the `lookupId` with `POST /pix/payments`, and the payment
         *     keeps the name that the user saw. A look-up moves no money and promises nothing.
         *
         *     PIX limits how often a user may look up recipients. A user has 100 tokens and gets 2 back each minute. A key that
         *     exists costs 1 token, which comes back when the payout to it is ordered. A key that does not exist costs 20. A
         *     look-up needs 1 token. Without one, the response is 429 `lookup_budget_spent`. Look up a key once, when the user
         *     has completed it, and not while they type.
         *
         *     On 409 `not_offered`, 429 `lookup_budget_spent` and 502 `lookup_unavailable`, the user can still pay: tell them that
         *     the name could not be checked.
         */
        post: operations["lookUpPixRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recipients that were paid
         * @description Returns whom the user has paid, the last one first, one page at a time (see *Lists* above). Payments to the same key
         *     are one recipient. A recipient is listed once a payment to it is completed.
         *
         *     To pay a recipient again, look the key up with `POST /pix/recipients/lookup` and show the result: the key may belong
         *     to somebody else by now. The name in this list is that of an earlier payment.
         */
        get: operations["listPixRecipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/recipients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a recipient from the list
         * @description Removes a recipient from `GET /pix/recipients`. The payments to it stay. A later payment to the same key brings the
         *     recipient back, under the same id.
         *
         *     An id that does not exist, belongs to another user, or was removed already returns 404. If no response arrives,
         *     repeat the request: a 404 then means that the recipient is removed.
         */
        delete: operations["removePixRecipient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the PIX payments
         * @description Returns the newest payments first, one page at a time (see *Lists* above). Filters can be combined: an item matches all of them. With a filter, a page can be short or empty and still have a next page.
         */
        get: operations["listPixPayments"];
        put?: never;
        /**
         * Confirm a payment
         * @description Uses a quote and starts the payment. After a 201, the payment reaches a final status even if the app disconnects.
         *     Poll `GET /pix/payments/{id}` until the status is final.
         *
         *     If no response arrives, send the same request again. The same quote and recipient return the same payment with 200,
         *     even after the quote has expired. A quote never pays twice.
         *
         *     On 409 `quote_expired`, nothing was paid. Request a new quote, show its price, and let the user confirm again. Never
         *     confirm a new price on the user's behalf. A quote, look-up or code that does not exist or belongs to another user
         *     returns 404.
         *
         *     On 409 `lookup_expired`, nothing was paid. Look the key up again, and let the user confirm the name that it shows.
         *
         *     With a `codeId`, the payment pays the charge of a PIX code. On 409 `code_outdated`, nothing was paid: read the code
         *     again. A charge that expires within ten minutes is refused with 409 `code_expires_soon`, because it could expire
         *     before the money arrives. A charge is paid once, whoever pays it: else 409 `code_already_used`.
         *
         *     On 422 `payout_not_allowed`, nothing was paid, because a limit of the banking provider stops this payment, such as
         *     the one at night. `payoutFailure` says which limit, and from when the payment is possible. Not every provider tells
         *     limits before a payment: then a payment that is above one becomes `payout_failed`.
         *
         *     On 503 `overloaded`, nothing was paid, because accepted payments already wait for too long. Before that happens, a
         *     user with more than ten payments in `converting` or `paying` gets 429 `too_many_unfinished`. Both leave the quote
         *     unused: wait for `Retry-After` seconds and send the same request again. A payment that was already accepted is still
         *     returned.
         */
        post: operations["createPixPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a payment
         * @description Poll it after the confirmation. Most payments take seconds. `PixPaymentStatus` says which statuses are final and what to show for each. The call changes nothing and does not ask the provider.
         */
        get: operations["getPixPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/payments/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the receipt of a payment
         * @description Returns what the user can show to the recipient of a completed payment. It has no rate, no fee and no home currency, and the key is masked. The names are those that the identity check and the look-up of the recipient reported: a name that the user typed is not on a receipt.
         */
        get: operations["getPixReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/payments/{id}/contestation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the contestation of a payment
         * @description Returns the contestation with its status. The call changes nothing and does not ask the provider. A payment that was not contested returns 404.
         */
        get: operations["getPixContestation"];
        put?: never;
        /**
         * Contest a payment
         * @description Tells the recipient's bank that a completed payment was a fraud, and asks for the money. Brazil's return mechanism allows
         *     this for 80 days after the payment. It is not for a payment to the wrong recipient.
         *
         *     A payment is contested once. Repeating the request with the same body returns the contestation with 200. After 201, poll
         *     `GET /pix/payments/{id}` or `GET /pix/payments/{id}/contestation` when the user opens the payment: banks take up to weeks.
         *
         *     If all of the money comes back, the payment becomes `manual_review`, and support settles it with the user. If a part comes
         *     back, the payment stays `completed`, and `returnedAmountBrl` has the sum. Support converts it to the balance.
         */
        post: operations["contestPixPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pix/payments/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed payout
         * @description Sends the reais of a payment in `payout_failed` to the same recipient again. They are already converted. The response is the payment, now `paying`: continue polling. If the payment is already `paying`, the call returns it unchanged, so two taps never pay twice. The body may be empty.
         */
        post: operations["retryPixPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/withdraws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the withdrawals
         * @description Returns the newest withdrawals first, one page at a time (see *Lists* above).
         */
        get: operations["listWithdraws"];
        put?: never;
        /**
         * Send money to the user's own bank
         * @description Sends an amount of the home currency to the account that is saved for that currency, by FPS (GBP) or SEPA (EUR).
         *     After a 201, the withdrawal reaches a final status. Poll `GET /transactions/{id}` with the withdrawal's `id`, or
         *     reload the list.
         *
         *     Send an `Idempotency-Key`. Without one, the same amount to the same account within 60 seconds counts as a repeated
         *     request and returns the first withdrawal with 200, unless that one has failed.
         *
         *     The operator can require a check of the name before each withdrawal. Check it (`POST /bank-details/checks`), show the
         *     result, and send the withdrawal. After a `match`, the withdrawal needs nothing. Any other result must be accepted by the
         *     user: send its `checkId` as `acceptedCheckId`. Without one of these, the response is 409 `name_check_required`. A check
         *     counts for 15 minutes, and only for the details that it was made for. If the banking provider offers no checks, none is
         *     required.
         *
         *     The operator can require that the name matches. Then a withdrawal to details with the `validationStatus` `no_match`
         *     returns 409 `bank_details_mismatch`, also if the user has accepted it. If the check has not run yet, or the bank did not answer, the withdrawal is
         *     accepted.
         */
        post: operations["createWithdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/provider/{secret}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event from the provider
         * @description The provider sends its callbacks to this URL. The service stores an event, acknowledges it, and processes it later. So 200 means that the event is stored, not that it changed anything. A repeated event, and an event that the service does not use, also return 200 and change nothing. A wrong secret returns the same 404 as a path that does not exist. So does a callback without a valid signature, if signatures are required.
         */
        post: operations["receiveProviderWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The process is alive.
         * @example {
         *       "status": "ok"
         *     }
         */
        Health: {
            /**
             * @description Always `ok`.
             * @enum {string}
             */
            status: "ok";
        };
        /**
         * @description A stable code for the error. If your client does not know a code, handle the error by its HTTP status.
         *
         *     | Code | Status | What to do |
         *     |---|---|---|
         *     | `invalid_request` | 400 | Read `details`: let the user correct an entry that has a `code`; otherwise fix the request |
         *     | `malformed_json` | 400 | Send valid JSON in UTF-8 |
         *     | `unauthorized` | 401 | Sign in again |
         *     | `invalid_id_token` | 401 | Get a new ID token from the phone and try once more |
         *     | `account_closed` | 403 | Sign out |
         *     | `not_found` | 404 | Reload |
         *     | `pix_key_unknown` | 404 | The key leads to no account: let the user check it |
         *     | `method_not_allowed` | 405 | Fix the app |
         *     | `home_currency_already_set` | 409 | It cannot change: reload `GET /me` |
         *     | `home_currency_required` | 409 | Let the user choose it first: `PATCH /me` |
         *     | `account_holds_money` | 409 | Only with `unlessMoneyIsLeft`: show what is left. If the user insists, close without the parameter |
         *     | `account_not_active` | 409 | `details` names the missing step: `/verification` (`not started`, `pending` or `failed`) or `/account` (`not active`). Poll `GET /kyc/status` |
         *     | `bank_details_required` | 409 | Ask for the bank account first: `POST /bank-details` |
         *     | `bank_details_mismatch` | 409 | The bank says that the name does not match the account: let the user correct them, `POST /bank-details` |
         *     | `name_check_required` | 409 | Check the name first: `POST /bank-details/checks`. Show the result. Unless it is `match`, let the user accept it, and send its `checkId` as `acceptedCheckId` |
         *     | `not_retryable` | 409 | Reload the payment: it is in another state |
         *     | `not_restartable` | 409 | Reload `GET /kyc/status`. If it is still `failed`, the provider allows no further attempt: refer the user to support |
         *     | `payment_not_completed` | 409 | The payment has no receipt yet, or never: reload it |
         *     | `payment_returned` | 409 | The recipient's bank returned the payment: reload it, and show no receipt |
         *     | `not_contestable` | 409 | The payment is not completed, is 80 days old, or the banking provider refuses: reload it |
         *     | `already_contested` | 409 | The payment was contested with other words: show `GET /pix/payments/{id}/contestation` |
         *     | `quote_expired` | 409 | Request a new quote, show the new price, and let the user confirm again |
         *     | `quote_already_used` | 409 | The quote was used for another recipient: start again with a new quote |
         *     | `lookup_expired` | 409 | Look the key up again, show the name, and let the user confirm again |
         *     | `code_expired` | 409 | The charge of the code has expired: the user asks the recipient for a new code |
         *     | `code_already_paid` | 409 | The charge of the code is paid: tell the user |
         *     | `code_cancelled` | 409 | The recipient has cancelled the charge: tell the user |
         *     | `code_outdated` | 409 | Read the code again, show what it asks for, and let the user confirm again |
         *     | `code_expires_soon` | 409 | The charge expires before the payment would surely arrive: the user asks the recipient for a new code |
         *     | `code_already_used` | 409 | A payment of this or another user pays the charge, or has paid it: show the user's own payments |
         *     | `not_offered` | 409 | The banking provider does not have this: hide it. The user can go on without it |
         *     | `too_many_data_requests` | 409 | The user has ten open requests: wait for an answer to one of them |
         *     | `payload_too_large` | 413 | Fix the app |
         *     | `unsupported_media_type` | 415 | Send `application/json` |
         *     | `unsupported_content_encoding` | 415 | Send the body uncompressed |
         *     | `insufficient_funds` | 422 | Offer a deposit or a smaller amount |
         *     | `payout_not_allowed` | 422 | A limit of the banking provider stops this payment. `payoutFailure` says which, and whether it ends |
         *     | `amount_not_supported` | 422 | Ask for another amount: this one is too small or too large for the provider |
         *     | `idempotency_key_reused` | 422 | Create a new key for each action of the user |
         *     | `lookup_of_another_key` | 422 | Look up the key that is paid, show the name, and let the user confirm again |
         *     | `code_not_pix` | 422 | The text is not a PIX code: let the user scan another one |
         *     | `code_not_supported` | 422 | The code is of PIX Saque, Troco or Automático: tell the user |
         *     | `code_damaged` | 422 | Let the user scan or copy the code again |
         *     | `code_of_another_key` | 422 | Send the key that the code has |
         *     | `code_of_another_amount` | 422 | The amount of the code is fixed: request a quote for it, and let the user confirm again |
         *     | `too_many_requests` | 429 | The request did nothing: wait for `Retry-After` seconds and repeat it, with fewer concurrent requests |
         *     | `too_many_unfinished` | 429 | The request did nothing: wait until some of the user's payments are final, then repeat it with the same quote |
         *     | `lookup_budget_spent` | 429 | Nobody was asked: the user can pay a recipient without the name, withdraw without the check (`checkId` is its number), or wait for `Retry-After` seconds |
         *     | `internal_error` | 500 | Wait, then repeat as described under *Repeating safely* |
         *     | `provider_unavailable` | 502 | The request did nothing: wait, then repeat it |
         *     | `balance_unconfirmed` | 502 | The request did nothing, because an earlier payment is not confirmed yet: wait a few seconds, then repeat it |
         *     | `lookup_unavailable` | 502 | The request cost no tokens: wait, then repeat it, or let the user pay without the name |
         *     | `name_check_unavailable` | 502 | The request cost no tokens. Offer another try, or let the user withdraw without the check: `checkId` is its number |
         *     | `code_unavailable` | 502 | The request cost no tokens: wait, then repeat it |
         *     | `identity_provider_unavailable` | 502 | The request did nothing: wait, then repeat it |
         *     | `unavailable` | 503 | Wait, then repeat |
         *     | `recovery_underway` | 503 | The request did nothing, but an earlier one without an answer may have: wait for `Retry-After` seconds, then repeat it with the same quote or `Idempotency-Key` |
         *     | `overloaded` | 503 | The request did nothing: wait for `Retry-After` seconds, then repeat it with the same quote |
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "malformed_json" | "unauthorized" | "invalid_id_token" | "account_closed" | "not_found" | "pix_key_unknown" | "method_not_allowed" | "home_currency_already_set" | "home_currency_required" | "account_holds_money" | "account_not_active" | "bank_details_required" | "bank_details_mismatch" | "name_check_required" | "not_retryable" | "not_restartable" | "payment_not_completed" | "payment_returned" | "not_contestable" | "already_contested" | "quote_expired" | "quote_already_used" | "lookup_expired" | "code_expired" | "code_already_paid" | "code_cancelled" | "code_outdated" | "code_expires_soon" | "code_already_used" | "not_offered" | "too_many_data_requests" | "payload_too_large" | "unsupported_media_type" | "unsupported_content_encoding" | "insufficient_funds" | "payout_not_allowed" | "amount_not_supported" | "idempotency_key_reused" | "lookup_of_another_key" | "code_not_pix" | "code_not_supported" | "code_damaged" | "code_of_another_key" | "code_of_another_amount" | "too_many_requests" | "too_many_unfinished" | "lookup_budget_spent" | "internal_error" | "provider_unavailable" | "balance_unconfirmed" | "lookup_unavailable" | "name_check_unavailable" | "code_unavailable" | "identity_provider_unavailable" | "unavailable" | "recovery_underway" | "overloaded";
        /**
         * @description Names the problem with a value that the user typed, so that an app can mark the field and show its own text. An entry
         *     without a code is an error of the app. New codes will be added: treat a code that your client does not know as
         *     missing.
         *
         *     | Code | Problem |
         *     |---|---|
         *     | `invalid_pix_key` | The value is not a PIX key of the given type. The form and the check digits of a CPF or CNPJ are checked |
         *     | `invalid_iban` | The country, the length, the characters or the check digits of the IBAN are wrong |
         *     | `iban_outside_sepa` | The IBAN is valid, but SEPA does not reach its country |
         *     | `invalid_bic` | A BIC has 8 or 11 characters |
         *     | `invalid_sort_code` | A sort code has the form `NN-NN-NN` |
         *     | `invalid_account_number` | An account number has eight digits |
         *     | `invalid_name` | The name is empty or too long, or has characters that are not allowed in it |
         *     | `invalid_amount` | The amount is zero, negative or too large, or has too many decimals |
         * @enum {string}
         */
        ErrorDetailCode: "invalid_pix_key" | "invalid_iban" | "iban_outside_sepa" | "invalid_bic" | "invalid_sort_code" | "invalid_account_number" | "invalid_name" | "invalid_amount";
        /** @description A wrong place in the request, or a step that is missing before it. `message` is for developers. An app shows its own text for a `code`. */
        ErrorDetail: {
            /** @description A place: `/body/amountBrl`, `/query/limit`, `/path/id`, `/headers/idempotency-key`, `/method`; or a missing step: `/verification`, `/account`. */
            path: string;
            /** @description The problem with this place. */
            message: string;
            code?: components["schemas"]["ErrorDetailCode"];
        };
        /**
         * @description A stable code for the reason why a payout failed. New codes will be added: treat a code that your client does not know
         *     like `other`, and go by `retryHelps`.
         *
         *     | Code | Reason |
         *     |---|---|
         *     | `recipient_unknown` | The PIX key belongs to no account |
         *     | `limit_reached` | A limit for PIX payments was reached. `limit` names it |
         *     | `account_blocked` | The recipient's account cannot receive money |
         *     | `name_mismatch` | The recipient's name does not match the account |
         *     | `recipient_bank_unavailable` | The recipient's bank could not be reached |
         *     | `code_expired` | The payment code has expired |
         *     | `other` | Any other reason |
         * @enum {string}
         */
        PayoutFailureCode: "recipient_unknown" | "limit_reached" | "account_blocked" | "name_mismatch" | "recipient_bank_unavailable" | "code_expired" | "other";
        /**
         * @description The limit of `limit_reached`. Null for every other code, and if the provider names no limit. New limits will be added:
         *     treat a limit that your client does not know like null.
         *
         *     | Limit | What it bounds |
         *     |---|---|
         *     | `per_payment` | The amount of one payment |
         *     | `day` | The payments of one day |
         *     | `night` | The payments at night, when a lower limit applies |
         * @enum {string|null}
         */
        PayoutLimitOrNull: "per_payment" | "day" | "night" | null;
        /** @description Why the payout of a payment failed, or with 422 `payout_not_allowed` why it would fail, and what helps. Limits are those of the banking provider. */
        PayoutFailure: {
            code: components["schemas"]["PayoutFailureCode"];
            limit: components["schemas"]["PayoutLimitOrNull"];
            /** @description Whether a retry, or another confirmation, can succeed. It pays the same amount to the same key. Offer it only if this is true. The retry itself is never refused because of this. */
            retryHelps: boolean;
            /**
             * Format: date-time
             * @description When a retry can succeed at the earliest, ISO 8601 UTC. Offer the retry from then on. Null if the provider names no time.
             */
            retryFrom: string | null;
        };
        /** @description An error, with a sentence for the user, a code for the app, and an id for support. */
        ApiError: {
            /** @description A sentence that can be shown to the user, in English unless `Accept-Language` chose another language. For an expired quote it is the word `quote_expired`, in every language. */
            error: string;
            code: components["schemas"]["ErrorCode"];
            /** @description The `X-Request-Id` of this response. Give it to support. */
            requestId: string;
            /** @description The wrong places of the request, with status 400, 405, 413 and 415. An entry with a `code` names a field that the user mistyped. An entry without a `code` is an error of the app. With some codes of 409, an entry names the step that is missing. */
            details?: components["schemas"]["ErrorDetail"][];
            payoutFailure?: components["schemas"]["PayoutFailure"];
            /**
             * Format: uuid
             * @description With `name_check_unavailable`, and with `lookup_budget_spent` of `POST /bank-details/checks`: the check without an answer. If the user accepts that, send it to `POST /withdraws` as `acceptedCheckId`, within 15 minutes.
             */
            checkId?: string;
        };
        /**
         * @description The sign-in of the phone that issued the ID token. The same person has one user for each sign-in; two users are never merged.
         * @enum {string}
         */
        IdentityProvider: "identity_provider_a" | "identity_provider_b";
        /** @description The ID token of a sign-in. */
        SessionRequest: {
            provider: components["schemas"]["IdentityProvider"];
            /** @description The ID token, a JWT, exactly as the phone's sign-in returned it. */
            idToken: string;
            /** @description The nonce that the app passed to the phone's sign-in, character for character. If the app passed a hash, send the hash. The token is refused unless its `nonce` is the same. Omit it if the sign-in had none. The nonce of the token is then ignored. */
            nonce?: string;
        };
        /**
         * @description The currency that the user holds, ISO 4217. Null until `PATCH /me` sets it. It never changes after that.
         * @enum {string|null}
         */
        HomeCurrencyOrNull: "GBP" | "EUR" | null;
        /** @description The data of the user that the app needs after a sign-in. */
        SessionUser: {
            /**
             * Format: uuid
             * @description The id of the user, also the `sub` claim of the session token.
             */
            id: string;
            /** @description The e-mail address from the identity provider. It can be a private relay address. Null if the identity provider sent none or has not verified it. */
            email: string | null;
            homeCurrency: components["schemas"]["HomeCurrencyOrNull"];
            /** @description The name of the user. Empty until the sign-in or the user provides one. */
            displayName: string;
        };
        /** @description A new session token and its user. */
        Session: {
            /** @description A JWT (HS256) to send as the bearer token. Store it in the phone's secure storage. Its `exp` claim says when it expires. */
            sessionToken: string;
            user: components["schemas"]["SessionUser"];
        };
        /**
         * @description The user's profile.
         * @example {
         *       "id": "0198c2f4-7b1e-7c3a-9d52-3f6a1c8e4b07",
         *       "email": "ana@example.org",
         *       "homeCurrency": "GBP",
         *       "displayName": "Ana Souza",
         *       "createdAt": "2026-03-02T09:30:00.000Z"
         *     }
         */
        User: {
            /**
             * Format: uuid
             * @description The id of the user, also the `sub` claim of the session token.
             */
            id: string;
            /** @description The e-mail address from the identity provider. It can be a private relay address. Null if the identity provider sent none or has not verified it. */
            email: string | null;
            homeCurrency: components["schemas"]["HomeCurrencyOrNull"];
            /** @description The name of the user. Empty until the sign-in or the user provides one. */
            displayName: string;
            /**
             * Format: date-time
             * @description When the user first signed in, ISO 8601 UTC.
             */
            createdAt: string;
        };
        /**
         * @description `pending`: no outcome yet, or not started. `completed`: the user is verified. `failed`: the check failed. The provider can still change `failed` to `completed`, and `POST /kyc/restart` changes it to `pending`.
         * @enum {string}
         */
        KycStatus: "pending" | "completed" | "failed";
        /**
         * @description How thorough the completed check was. Null unless the status is `completed`.
         * @enum {string|null}
         */
        KycLevel: "basic" | "standard" | "enhanced" | null;
        /** @description The status of the identity check. */
        Kyc: {
            status: components["schemas"]["KycStatus"];
            level: components["schemas"]["KycLevel"];
            /**
             * Format: date-time
             * @description When the check was completed, ISO 8601 UTC. Null unless `status` is `completed`.
             */
            completedAt: string | null;
        };
        /**
         * @description The currency that the user holds, ISO 4217.
         * @enum {string}
         */
        HomeCurrency: "GBP" | "EUR";
        /** @description The balance at the provider. Null until the user has chosen a home currency. */
        Balance: {
            currency: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description Minor units of `currency` (pence or cents). 0 before the account is active.
             */
            amount: number;
        } | null;
        /** @description The account that receives deposits, in the user's own name. Null until that account is active. GBP has `accountNumber` and `sortCode`; EUR has `iban` and `bic`. */
        DepositInstructions: {
            currency: components["schemas"]["HomeCurrency"];
            /** @description Name on the account. */
            accountHolderName: string;
            /** @description GBP only: the account number, digits. */
            accountNumber?: string;
            /** @description GBP only: the sort code, `NN-NN-NN`. */
            sortCode?: string;
            /** @description EUR only: the IBAN, without spaces. */
            iban?: string;
            /** @description EUR only: the bank's BIC. */
            bic?: string;
        } | null;
        /** @description The data of the home screen. */
        Me: {
            user: components["schemas"]["User"];
            kyc: components["schemas"]["Kyc"];
            balance: components["schemas"]["Balance"];
            deposit: components["schemas"]["DepositInstructions"];
        };
        /** @description The account is closed. */
        AccountClosure: {
            /**
             * @description Always `closed`.
             * @enum {string}
             */
            status: "closed";
            /**
             * Format: date-time
             * @description When the records that the law requires us to keep are deleted: six years after closing. ISO 8601 UTC.
             */
            hardDeletionScheduledFor: string;
        };
        /** @description The fields to change, at least one. */
        UserUpdate: {
            homeCurrency?: components["schemas"]["HomeCurrency"];
            /** @description The new name, 0 to 200 characters. Control characters, and characters that are invisible or change the direction of text are not allowed, except the joiners of Arabic and Indic scripts and of emoji. It can be changed at any time. */
            displayName?: string;
        };
        /**
         * @description The right that the user requests. Erasure is not a value: to request it, close the account.
         * @enum {string}
         */
        DataRequestType: "access" | "rectification" | "portability" | "restriction" | "objection";
        /** @description The right that the user requests. */
        DataRequestInput: {
            type: components["schemas"]["DataRequestType"];
            /** @description Additional information in the user's own words. No length limit other than that of the body. U+0000 is not allowed. */
            notes?: string;
        };
        /** @description The recorded request. */
        DataRequest: {
            /**
             * Format: uuid
             * @description The id of the request, for support.
             */
            id: string;
            type: components["schemas"]["DataRequestType"];
            /** @description `open` when the request is created. Support changes it. */
            status: string;
            /**
             * Format: date-time
             * @description ISO 8601 UTC. The answer is due 30 days later.
             */
            receivedAt: string;
        };
        /** @description An empty object. The user enters personal data in the hosted widget, never through this API. */
        KycStartRequest: Record<string, never>;
        /** @description The URL to send the user to, or the outcome if there is one. */
        KycStart: {
            /**
             * Format: uri
             * @description URL of the hosted widget. It begins with `https:`, or on a developer's machine with `http://localhost`. Open it in the system's browser view. Null if the check has an outcome.
             */
            verificationUrl: string | null;
            /**
             * Format: date-time
             * @description When the URL expires, ISO 8601 UTC. Call `POST /kyc/start` for a new one. Null if the check has an outcome.
             */
            expiresAt: string | null;
            status: components["schemas"]["KycStatus"];
        };
        /**
         * @description A stable code for the reason why the identity check failed. Null unless `status` is `failed`, and if the provider
         *     gives no reason. New codes will be added: treat a code that your client does not know like `other`.
         *
         *     | Code | What to tell the user |
         *     |---|---|
         *     | `document_unreadable` | The document could not be read: take a sharper picture and try again |
         *     | `document_expired` | The document has expired: try again with a valid one |
         *     | `name_mismatch` | The name differs from the name on the document: try again with the name on the document |
         *     | `not_eligible` | The provider does not accept this person: do not offer another attempt |
         *     | `other` | The check failed: try again, and contact support if it fails once more |
         * @enum {string|null}
         */
        KycFailureCode: "document_unreadable" | "document_expired" | "name_mismatch" | "not_eligible" | "other" | null;
        /** @description The status of the identity check and of the account that is opened after it. */
        KycState: {
            status: components["schemas"]["KycStatus"];
            level: components["schemas"]["KycLevel"];
            /** @description Whether the home-currency account can receive money. It becomes true seconds or minutes after `completed`. */
            hasActiveAccount: boolean;
            /**
             * Format: date-time
             * @description When the check was first started, ISO 8601 UTC. A restart does not change it. Null before `POST /kyc/start`; `status` is already `pending` then.
             */
            startedAt?: string | null;
            failureCode?: components["schemas"]["KycFailureCode"];
        };
        /**
         * @description The bank's answer to whether the name matches the account. The bank is asked shortly after the details are saved. Null until it has been asked, and for a withdrawal to details that have been replaced since. After `no_match` or `close_match`, ask the user to check the details. `not_possible`: the bank cannot check names of this account. After `unavailable`, saving the same details asks the bank again; after another answer it does so once a minute. Some operators refuse a withdrawal after `no_match`, with 409 `bank_details_mismatch`.
         * @enum {string|null}
         */
        BankValidationStatus: "match" | "close_match" | "no_match" | "not_possible" | "unavailable" | null;
        /** @description A saved account in the United Kingdom. Masked unless the request has `reveal=true`. */
        GbpBankDetails: {
            /**
             * Format: uuid
             * @description It does not change when the details are replaced.
             */
            id: string;
            /**
             * @description Always `GBP`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "GBP";
            /** @description Name on the account. */
            accountHolderName: string;
            /** @description Four asterisks and the last four digits; all eight digits if revealed. */
            accountNumber: string;
            /** @description The sort code with its middle pair masked, `NN-**-NN`; the whole sort code if revealed. */
            sortCode: string;
            /**
             * Format: date-time
             * @description When the bank was last asked about these details, ISO 8601 UTC. Null until then.
             */
            validatedAt: string | null;
            validationStatus: components["schemas"]["BankValidationStatus"];
            /**
             * Format: date-time
             * @description When details for this currency were first saved, ISO 8601 UTC.
             */
            createdAt: string;
        };
        /** @description A saved account in the SEPA area. Masked unless the request has `reveal=true`. */
        EurBankDetails: {
            /**
             * Format: uuid
             * @description It does not change when the details are replaced.
             */
            id: string;
            /**
             * @description Always `EUR`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "EUR";
            /** @description Name on the account. */
            accountHolderName: string;
            /** @description The first and last four characters, with asterisks between them; the whole IBAN if revealed. Without spaces. */
            iban: string;
            /** @description The first four characters, then asterisks; the whole BIC if revealed. */
            bic: string;
            /**
             * Format: date-time
             * @description When the bank was last asked about these details, ISO 8601 UTC. Null until then.
             */
            validatedAt: string | null;
            validationStatus: components["schemas"]["BankValidationStatus"];
            /**
             * Format: date-time
             * @description When details for this currency were first saved, ISO 8601 UTC.
             */
            createdAt: string;
        };
        /** @description A saved bank account. `currency` selects one of two forms. */
        BankDetails: components["schemas"]["GbpBankDetails"] | components["schemas"]["EurBankDetails"];
        /** @description An account in the United Kingdom that FPS reaches. */
        GbpBankDetailsRequest: {
            /**
             * @description Always `GBP`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "GBP";
            /** @description Name on the account, 1 to 140 characters. The bank is asked whether it matches. Control characters, and characters that are invisible or change the direction of text are not allowed. */
            accountHolderName: string;
            /** @description Eight digits, leading zeros included. */
            accountNumber: string;
            /** @description The sort code, `NN-NN-NN`. */
            sortCode: string;
        };
        /** @description An account in the SEPA area. */
        EurBankDetailsRequest: {
            /**
             * @description Always `EUR`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "EUR";
            /** @description Name on the account, 1 to 140 characters. The bank is asked whether it matches. Control characters, and characters that are invisible or change the direction of text are not allowed. */
            accountHolderName: string;
            /** @description The IBAN as typed or pasted. Spaces, hyphens and lower case are allowed. The country, the length and the check digits must be valid. */
            iban: string;
            /** @description The bank's BIC, 8 or 11 characters. Lower case is allowed. */
            bic: string;
        };
        /** @description The user's bank account. `currency` selects one of two forms. */
        BankDetailsRequest: components["schemas"]["GbpBankDetailsRequest"] | components["schemas"]["EurBankDetailsRequest"];
        /** @description The saved bank account to check. */
        BankDetailsCheckRequest: {
            currency: components["schemas"]["HomeCurrency"];
        };
        /**
         * @description The bank's answer to whether the name belongs to the account.
         *
         *     | Status | What the app says |
         *     |---|---|
         *     | `match` | The name is right |
         *     | `close_match` | The name is similar. If `suggestedName` is not null, the bank says that the account belongs to that name |
         *     | `no_match` | The account belongs to somebody else |
         *     | `not_possible` | The bank cannot check names of this account |
         *     | `unavailable` | The bank did not answer |
         * @enum {string}
         */
        NameCheckStatus: "match" | "close_match" | "no_match" | "not_possible" | "unavailable";
        /** @description The bank's answer to whether the name belongs to the saved account. */
        BankDetailsCheck: {
            /**
             * Format: uuid
             * @description If the user accepts a result other than `match`, send it to `POST /withdraws` as `acceptedCheckId`. After a `match` it is not needed.
             */
            checkId: string;
            validationStatus: components["schemas"]["NameCheckStatus"];
            /** @description The name on the account, as the bank suggests it. Only for `close_match`, and null if the bank suggests none. To use it, save the details with this name (`POST /bank-details`), and check them again. It is deleted after a day. */
            suggestedName: string | null;
            /**
             * Format: date-time
             * @description Until when a withdrawal can use the check, ISO 8601 UTC: 15 minutes after the bank was asked. Saving other details ends it earlier.
             */
            expiresAt: string;
        };
        /**
         * @description `deposit`: money in. `payment`: money to a PIX recipient. `withdraw`: money to the user's own bank.
         * @enum {string}
         */
        TransactionType: "deposit" | "payment" | "withdraw";
        /**
         * @description `pending`: in progress. `settling`: sent to the bank. `completed`: arrived. `failed`: see `failureReason`. Poll while the status is `pending` or `settling`.
         * @enum {string}
         */
        TransactionStatus: "pending" | "settling" | "completed" | "failed";
        /**
         * @description The other party of the transaction, for display in a list. Null if it is unknown, for example for a deposit without a
         *     reference.
         *
         *     | Type | `name` | `account` | `reference` |
         *     |---|---|---|---|
         *     | `payment` | the recipient's name, if the app sent it | the PIX key, masked | null |
         *     | `withdraw` | the holder of the user's own bank account | the account number or IBAN, masked | null |
         *     | `deposit` | null | null | the payer's reference |
         */
        CounterpartyOrNull: {
            /** @description The name that the user entered or scanned. */
            name: string | null;
            /** @description A PIX key, account number or IBAN, masked so that only its owner recognises it: `529******25`, `****5678`. `GET /pix/payments/{id}` has the whole key. */
            account: string | null;
            /** @description The reference that the payer wrote with the deposit, without control and direction characters. Show it as plain text, because another person wrote it. */
            reference: string | null;
        } | null;
        /**
         * @description A stable code for the reason of a failure. `failureReason` is the sentence for it, or for the `payoutFailure` of a
         *     payment that has one. Null unless something failed. New codes will be added: treat a code that your client does not
         *     know like `under_review`, and show `failureReason`.
         *
         *     | Code | Reason |
         *     |---|---|
         *     | `insufficient_funds` | The balance was too low when the money was to be taken; nothing was taken |
         *     | `quote_expired` | The quote expired before the payment could start; nothing was taken |
         *     | `conversion_failed` | The conversion failed; the user has lost nothing |
         *     | `account_not_active` | An account that the payment needs was not active |
         *     | `amount_mismatch` | A conversion delivered another amount than requested; support handles it |
         *     | `payout_failed` | The recipient was not paid: offer the retry, unless `payoutFailure` says that it does not help |
         *     | `recipient_unknown` | The PIX key belongs to no account: say so, and advise against a retry, which pays the same key. Support can return the money |
         *     | `payout_returned` | The recipient's bank returned the payment; support handles it |
         *     | `refunded` | The amount that was paid is back in the balance |
         *     | `withdraw_failed` | The withdrawal failed; the money is in the balance |
         *     | `withdraw_returned` | The user's bank returned the withdrawal; the money is back in the balance |
         *     | `under_review` | Support handles it |
         *     | `provider_rejected` | The conversion was rejected for a reason that the user cannot change; nothing was taken. Offer a new quote, and refer the user to support if it happens again |
         * @enum {string|null}
         */
        FailureCode: "insufficient_funds" | "quote_expired" | "conversion_failed" | "account_not_active" | "amount_mismatch" | "payout_failed" | "recipient_unknown" | "payout_returned" | "refunded" | "withdraw_failed" | "withdraw_returned" | "under_review" | "provider_rejected" | null;
        /** @description A movement of the user's money. Deposits, payments and withdrawals have the same fields. */
        Transaction: {
            /**
             * Format: uuid
             * @description The id of the transaction. A withdrawal has the same id. A payment names it as `transactionId`.
             */
            id: string;
            type: components["schemas"]["TransactionType"];
            status: components["schemas"]["TransactionStatus"];
            /** @description Currency of `sourceAmount`, ISO 4217. */
            sourceCurrency: string;
            /**
             * Format: int64
             * @description The amount that left the balance, or entered it with a deposit, in minor units of `sourceCurrency`. It includes the spread.
             */
            sourceAmount: number;
            /**
             * Format: int64
             * @description The amount that a payment has taken from the balance and holds while it waits, in minor units of `sourceCurrency`: the exact debit while the payment is `payout_failed`, or `manual_review` without a settlement, less what a late conversion has restored to the balance. Null otherwise, once the debit was restored, and if the debit is unknown.
             */
            heldAmount: number | null;
            /** @description Currency of `destAmount`, ISO 4217 (`BRL` for a payment). Null for deposits and withdrawals, which convert nothing. */
            destCurrency: string | null;
            /**
             * Format: int64
             * @description The amount that the recipient gets, in minor units of `destCurrency`. Null for deposits and withdrawals.
             */
            destAmount: number | null;
            /** @description What the recipient's bank has returned of a completed PIX payment, in reais: decimal text with two places. Null if nothing came back. The transaction stays `completed`. It is not in the balance until support has converted it. */
            returnedAmountBrl?: string | null;
            /** @description Units of `destCurrency` for one of `sourceCurrency`, without the spread. Null for deposits and withdrawals. */
            fxRate: number | null;
            counterparty?: components["schemas"]["CounterpartyOrNull"];
            /** @description Name of the payment provider. */
            provider: string;
            /** @description A sentence for the user. Null unless the transaction failed. */
            failureReason: string | null;
            failureCode: components["schemas"]["FailureCode"];
            /**
             * Format: uuid
             * @description The id of the PIX payment, for `GET /pix/payments/{id}`. Null for deposits and withdrawals.
             */
            pixPaymentId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the money arrived, ISO 8601 UTC. Null before that.
             */
            completedAt: string | null;
        };
        /** @description The amount that the recipient gets. */
        PixQuoteRequest: {
            /** @description Reais, at least one centavo, with at most two decimals (`150`, `19.99`). More decimals return 400. The contract has no `multipleOf`, because binary fractions would break that rule for valid amounts. The maximum is the last centavo below 2 ** 46 reais. Above it, two neighbouring centavos can be the same JSON number in a client or here. */
            amountBrl: number;
        };
        /** @description A price for one payment, held for 60 seconds. */
        PixQuote: {
            /** @description Send it to `POST /pix/payments`. Opaque. */
            quoteId: string;
            /** @description Reais for one unit of the home currency, to 8 decimals, without the spread. */
            rate: number;
            sourceCurrency: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description The cost of the payment in minor units of `sourceCurrency`, including the spread. Show this amount.
             */
            sourceAmount: number;
            /**
             * Format: int64
             * @description The fee in minor units of `sourceCurrency`, included in `sourceAmount`: `sourceAmount` is the reais divided by `rate`, rounded up to the minor unit, plus `feeAmount`. If the rounded `rate` makes that quotient larger than `sourceAmount`, `feeAmount` is 0. The fee depends on `serviceSpreadBps`, and also includes movements of the market while the price was made.
             */
            feeAmount?: number;
            /** @description Reais for one unit of the home currency, with `feeAmount` included: the reais divided by `sourceAmount`, rounded half to even to 8 decimals. For a cost below one million units of the home currency, `sourceAmount` times this rate, rounded to the centavo, is the amount that the recipient gets. */
            effectiveRate?: number;
            /** @description The service's spread in basis points (100 is 1 %). */
            serviceSpreadBps: number;
            /**
             * Format: date-time
             * @description When the price expires, ISO 8601 UTC: at most 60 seconds ahead. Show a countdown to it.
             */
            expiresAt: string;
            /** @description Whether the balance covers `sourceAmount`, after other payments and withdrawals in progress. Null unless the balance was read in the last ten minutes and is not known to have changed since, because a quote does not read it from the provider. It is a hint for the screen before the confirmation. Only `POST /pix/payments` decides. */
            sufficientFunds?: boolean | null;
        };
        /** @description The code that the user wants to pay. */
        PixCodeRequest: {
            /** @description The text of the QR code, as scanned or pasted ("copia e cola"). Spaces at its ends, other kinds of spaces and hyphens, and invisible marks are accepted. */
            code: string;
        };
        /**
         * @description The type of a PIX key: `cpf` (a person's tax number), `cnpj` (a company's tax number), `phone`, `email`, or `evp` (a random key, as UUID text).
         * @enum {string}
         */
        PixKeyType: "cpf" | "cnpj" | "phone" | "email" | "evp";
        /** @description What a PIX code asks to be paid, and to whom. */
        PixCode: {
            /**
             * Format: uuid
             * @description Send it to `POST /pix/payments`, with `pixKey` and `pixKeyType`.
             */
            codeId: string;
            /**
             * @description A `dynamic` code has a charge, which is paid once. A `static` code can be paid again and again.
             * @enum {string}
             */
            kind: "static" | "dynamic";
            /** @description The recipient's key, in canonical form. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description The name of the person or company. Show it before the user confirms. */
            recipientName: string;
            /** @description The bank or payment institution that holds the account. */
            institution: string;
            /** @description The amount in reais, as text with two decimals. Null if the payer decides. */
            amountBrl: string | null;
            /** @description Whether only `amountBrl` can be paid. Otherwise the user may change the amount. */
            isAmountFixed: boolean;
            /**
             * Format: date-time
             * @description Until when `POST /pix/payments` accepts the `codeId`, ISO 8601 UTC: 15 minutes ahead. It is earlier, or even past, if the charge expires soon: a payment needs ten minutes until then. Later, read the code again.
             */
            expiresAt: string;
        };
        /** @description The key of the person or company that the user wants to pay. */
        PixRecipientLookupRequest: {
            /** @description The key as typed, pasted or scanned, by the rules of `PixPaymentRequest`. An invalid key returns 400 and costs no tokens. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
        };
        /** @description The owner of a PIX key, as the directory of PIX names them. */
        PixRecipientLookup: {
            /**
             * Format: uuid
             * @description Send it to `POST /pix/payments`, with the same key.
             */
            lookupId: string;
            /** @description The name of the person or company. Show it before the user confirms. */
            recipientName: string;
            /** @description The tax number, with asterisks in place of hidden digits: a person's CPF as `***.982.247-**`. A company's CNPJ may be complete, because it is public. */
            taxIdMasked: string;
            /** @description The bank or payment institution that holds the account. */
            institution: string;
            /**
             * Format: date-time
             * @description Until when `POST /pix/payments` accepts the look-up, ISO 8601 UTC: 15 minutes ahead. Later, look the key up again.
             */
            expiresAt: string;
        };
        /** @description A recipient whom the user has paid. */
        PixRecipient: {
            /**
             * Format: uuid
             * @description The id of the recipient. The same key of the same user always has the same id.
             */
            id: string;
            /** @description The name of the last payment that has one: from the look-up, or from the request. It may be out of date. Null if no payment to the recipient has a name. */
            recipientName: string | null;
            /** @description The key in canonical form, as in `PixPayment`. Look it up before you pay it again. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /**
             * Format: date-time
             * @description When the last payment was completed, ISO 8601 UTC.
             */
            lastPaidAt: string;
        };
        /**
         * @description The status of a payment.
         *
         *     | Status | Meaning | In the app |
         *     |---|---|---|
         *     | `quoted` | Priced, not started | poll |
         *     | `converting` | The home currency is being converted to reais | poll |
         *     | `paying` | The reais are being sent to the recipient | poll |
         *     | `completed` | The recipient has the money; `endToEndId` and `voucherId` prove it | final, unless the recipient's bank returns it |
         *     | `refunding` | The payment could not be made; the money is being returned | poll |
         *     | `refunded` | The exact amount that was paid is in the balance again | final |
         *     | `payout_failed` | The reais did not reach the recipient and are held for the user | offer the retry, except for `recipient_unknown`; support can return the money |
         *     | `manual_review` | Support handles the payment | final for the app: show how to reach support, and `settlement` if there is one |
         *     | `failed` | The payment failed and the user has lost nothing | final |
         *     | `conversion_failed` | From earlier versions; no longer used | final |
         * @enum {string}
         */
        PixPaymentStatus: "quoted" | "converting" | "paying" | "completed" | "refunding" | "refunded" | "payout_failed" | "manual_review" | "failed" | "conversion_failed";
        /**
         * @description The status of the payment's contestation, as in `ContestationStatus`. Null if the payment was not contested. New statuses may be added: treat one that your client does not know like `open`.
         * @enum {string|null}
         */
        ContestationStatusOrNull: "open" | "accepted" | "rejected" | null;
        /** @description What support settled with the user outside this service, after the payment ended in `manual_review`. Null until an operator records it, and for every other payment. */
        SettlementOrNull: {
            /**
             * Format: int64
             * @description The amount that the user got, in minor units of `currency`.
             */
            amount: number;
            /**
             * @description The user's home currency, or `BRL`.
             * @enum {string}
             */
            currency: "GBP" | "EUR" | "BRL";
            /**
             * Format: date-time
             * @description When it was recorded, ISO 8601 UTC.
             */
            at: string;
        } | null;
        /** @description A PIX payment. */
        PixPayment: {
            /**
             * Format: uuid
             * @description The payment's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The transaction of this payment in `GET /transactions`.
             */
            transactionId: string;
            status: components["schemas"]["PixPaymentStatus"];
            /** @description The amount that the recipient gets, in reais: decimal text with two places. */
            amountBrl: string;
            sourceCurrency?: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description The cost of the payment in minor units of `sourceCurrency`, including `feeAmount`. It equals the `sourceAmount` of its quote and of its transaction, also after the money was returned.
             */
            sourceAmount?: number;
            /**
             * Format: int64
             * @description The fee in minor units of `sourceCurrency`, included in `sourceAmount`. It equals the `feeAmount` of the quote: `sourceAmount` is `amountBrl` divided by `exchangeRate`, rounded up to the minor unit, plus `feeAmount`.
             */
            feeAmount?: number;
            /** @description Reais for one unit of the home currency, without the spread: decimal text, the `rate` of the quote. */
            exchangeRate: string;
            /** @description The recipient's key in canonical form: the digits of a CPF, `+` and the digits of a phone number, a lower-case e-mail address. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description The name from the request that created the payment. Null if it had none. */
            recipientName: string | null;
            /** @description The provider's receipt. Null until the recipient is paid. */
            voucherId: string | null;
            /** @description The id by which every Brazilian bank finds this payment, usually 32 characters that begin with `E`. Null until the recipient is paid. */
            endToEndId: string | null;
            /** @description A sentence for the user. Null unless something failed. */
            failureReason: string | null;
            failureCode: components["schemas"]["FailureCode"];
            payoutFailure?: components["schemas"]["PayoutFailure"];
            /** @description What the recipient's bank has returned of a completed payment, in reais: decimal text with two places. Null if nothing came back. The payment stays `completed`. It is not in the balance until support has converted it. */
            returnedAmountBrl?: string | null;
            contestationStatus?: components["schemas"]["ContestationStatusOrNull"];
            settlement: components["schemas"]["SettlementOrNull"];
            /**
             * Format: date-time
             * @description When the quote expired or expires, ISO 8601 UTC.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the state last changed, ISO 8601 UTC.
             */
            updatedAt: string;
        };
        /** @description The quote that the user accepted, the recipient, and the look-up or the code that named the recipient. */
        PixPaymentRequest: {
            /** @description From `POST /pix/quote`. */
            quoteId: string;
            /** @description The recipient's key as typed, pasted or scanned. It is checked by its type and stored in canonical form. A CPF, CNPJ or phone number may have punctuation, a phone number must begin with `+`, and an e-mail address may have any case. Spaces at the ends, other kinds of spaces and hyphens, and the invisible marks around a contact's number are accepted. An invalid key, including wrong check digits, returns 400. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description The recipient's name from a scanned PIX QR code, 1 to 140 characters. Control characters, and characters that are invisible or change the direction of text are not allowed. Omit it if no code was scanned. */
            recipientName?: string;
            /**
             * Format: uuid
             * @description From `POST /pix/recipients/lookup`, with the same key. The payment then keeps the name that the user saw, in place of `recipientName`. An expired look-up returns 409 `lookup_expired`. Once the payment is accepted, its look-up does not matter any more.
             */
            lookupId?: string;
            /**
             * Format: uuid
             * @description From `POST /pix/codes`, with its key and, if its amount is fixed, with a quote for its amount. The payment then keeps the name that the user saw. A charge is paid once: while another payment of any user pays it or has paid it, the response is 409 `code_already_used`. Once the payment is accepted, its code does not matter any more.
             */
            codeId?: string;
        };
        /** @description The payment is created and in progress. */
        PixPaymentAccepted: {
            /**
             * Format: uuid
             * @description The transaction of this payment in `GET /transactions`.
             */
            transactionId: string;
            /**
             * Format: uuid
             * @description The id of the payment. Poll `GET /pix/payments/{id}` with it.
             */
            pixPaymentId: string;
            status: components["schemas"]["PixPaymentStatus"];
        };
        /** @description The receipt of a completed payment. The payer can give it to the recipient, so it shows nothing of what the payment cost. */
        PixReceipt: {
            /** @description The amount that the recipient got, in reais: decimal text with two places. */
            amountBrl: string;
            /** @description What the recipient's bank has returned since, in reais: decimal text with two places. Null if nothing came back. */
            returnedAmountBrl?: string | null;
            /** @description The user's name by the identity check. Null if it is unknown. */
            payerName: string | null;
            /** @description The institution that sent the payment. Null if the operator of the service has not configured it. */
            payerInstitution: string | null;
            /** @description The recipient's name that the user saw in the look-up. Null for a payment without a look-up. */
            recipientName: string | null;
            /** @description The bank or payment institution of the recipient, from the look-up. Null for a payment without a look-up. */
            recipientInstitution: string | null;
            /** @description The recipient's key, with asterisks in place of hidden characters: a CPF as `***.982.247-**`, a phone number by its country and its last four digits, an e-mail address by its first letter and its domain, a random key by its two ends. A CNPJ is complete, because it is public. */
            pixKeyMasked: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description The id by which every Brazilian bank finds this payment. Null if the provider has not reported it. */
            endToEndId: string | null;
            /**
             * Format: date-time
             * @description When the payment was completed, ISO 8601 UTC.
             */
            completedAt: string;
            /** @description The same time on the clocks of São Paulo, to the second and with the offset, for example `2026-03-02T09:00:31-03:00`. Show it without converting it. */
            completedAtSaoPaulo: string;
        };
        /**
         * @description What became of the contestation. `accepted` and `rejected` are final.
         *
         *     | Status | What to tell the user |
         *     |---|---|
         *     | `open` | The recipient's bank examines the payment, which can take weeks |
         *     | `accepted` | Money comes back, all of it or a part. It may take some days |
         *     | `rejected` | No money comes back |
         * @enum {string}
         */
        ContestationStatus: "open" | "accepted" | "rejected";
        /**
         * @description The kind of the fraud. A payment to the wrong recipient is none: it cannot be contested.
         *
         *     | Reason | What happened |
         *     |---|---|
         *     | `scam` | Somebody deceived the user into paying |
         *     | `unauthorised` | Somebody else made the payment |
         *     | `coercion` | Somebody forced the user to pay |
         * @enum {string}
         */
        ContestationReason: "scam" | "unauthorised" | "coercion";
        /** @description The contestation of a payment. */
        Contestation: {
            /**
             * Format: uuid
             * @description The contested payment.
             */
            paymentId: string;
            status: components["schemas"]["ContestationStatus"];
            reason: components["schemas"]["ContestationReason"];
            /** @description What the user wrote. */
            description: string;
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the recipient's bank decided, ISO 8601 UTC. Null until then.
             */
            resolvedAt: string | null;
        };
        /** @description Why the user contests the payment. */
        ContestationRequest: {
            reason: components["schemas"]["ContestationReason"];
            /** @description What happened, in the user's own words. Line breaks become spaces. Characters that hide or reorder text return 400. At most 1,000 characters remain. */
            description: string;
        };
        /** @description An empty object. The recipient and the amount do not change. */
        RetryRequest: Record<string, never>;
        /**
         * @description The result of the check of the name (`POST /bank-details/checks`) that this withdrawal was accepted with. A result other than `match` was accepted by the user if the request had its `acceptedCheckId`. Null if there was no check, or if the operator does not use checks for withdrawals.
         * @enum {string|null}
         */
        NameCheckStatusOrNull: "match" | "close_match" | "no_match" | "not_possible" | "unavailable" | null;
        /** @description A withdrawal to the user's own bank. */
        Withdraw: {
            /**
             * Format: uuid
             * @description The id of the withdrawal and of its transaction. Poll `GET /transactions/{id}` with it.
             */
            id: string;
            /**
             * @description Always `withdraw`.
             * @enum {string}
             */
            type: "withdraw";
            status: components["schemas"]["TransactionStatus"];
            sourceCurrency: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency`.
             */
            sourceAmount: number;
            /** @description Name of the payment provider. */
            provider: string;
            /** @description The usual duration in seconds from `createdAt`. It is not a promise. FPS: two hours. SEPA: 24 hours of TARGET business days, which begin and end at midnight in Frankfurt. So it is 86400 from Monday to Thursday, includes the weekend from Friday, and lasts until the end of the next business day from a weekend or a TARGET holiday. */
            expectedSettlementSeconds: number;
            bankValidationStatus?: components["schemas"]["BankValidationStatus"];
            nameCheck?: components["schemas"]["NameCheckStatusOrNull"];
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
        };
        /** @description The amount to send to the user's own bank, and the check of the name that the user accepted. */
        WithdrawRequest: {
            /**
             * Format: int64
             * @description Minor units of the home currency (pence or cents).
             */
            amount: number;
            /**
             * Format: uuid
             * @description The `checkId` of `POST /bank-details/checks` whose result the user saw and accepted. Needed if the operator requires checks and the result is not `match`. Once the withdrawal is accepted, its check does not matter any more: a repeated request may have another one, or none.
             */
            acceptedCheckId?: string;
        };
        /** @description Any JSON object that the provider sends. It is stored unchanged. Events that the service does not use are stored as well and change nothing. */
        WebhookEvent: {
            [key: string]: unknown;
        };
        /** @description The event is stored by this delivery or an earlier one. */
        WebhookAccepted: {
            /**
             * @description Always `received`.
             * @enum {string}
             */
            status: "received";
        };
    };
    responses: {
        /** @description The request does not match this contract. `details` names each wrong place once, and at most 20 of them: `/body/...`, `/query/...`, `/path/...` or `/headers/...`. Of a body above 32 KiB, it names only the first. The check digits of an IBAN or a PIX key and the country of an IBAN are checked once everything else is right. A name that is repeated there is cut at 100 characters. A body with lists and objects nested more than 64 levels deep, or with more than 100,000 values, is also refused. Fix the app: the same request gets the same answer */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The service failed. Its log has the cause under `requestId`. It is unknown whether the request had an effect. Repeat a write only as described under *Repeating safely* */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The service is starting or stopping, or cannot reach its database. Repeat the request after a moment */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The ID token was not accepted. It has expired, is signed by another party, was issued for another app, or does not have the `nonce` that was sent. Get a new token from the phone and try once more. If that token is also refused, the app is configured wrongly */
        InvalidIdToken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The user has closed this account. Sign out */
        AccountClosed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is larger than the `x-max-bytes` of this operation's request body. Operations without `x-max-bytes` use the server's limit, which is 10 MiB unless the operator changes it. The server does not read the rest of the body and may close the connection */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is not `application/json`, or it is compressed (`Content-Encoding`) */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description This user has too many requests in progress: eight are processed concurrently and 32 can wait. This request did nothing. Wait for `Retry-After` seconds and repeat it, with fewer concurrent requests */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The identity provider's keys could not be read, so the ID token was neither accepted nor refused. Repeat the request with the same ID token while it is valid */
        IdentityProviderUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The session token is missing, has expired, or was not signed by this service. Delete the token and sign in again */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The banking provider gave no usable answer. Nothing was created and no money moved. Repeat the request after a moment */
        ProviderUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description This `Idempotency-Key` was already used with another body. Create a new key for each action of the user */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The object does not exist or belongs to another user. The response is the same in both cases */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description This request did nothing. `lookup_budget_spent`: the user has asked for too many names. `Retry-After` is the number of seconds until one token is left. `too_many_requests`: this user has too many requests in progress, as for every operation */
        LookupBudgetSpent: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description This request did nothing, and the quote is not used. Wait for `Retry-After` seconds and repeat it. `too_many_unfinished`: accepted payments are waiting, and this user has more than ten payments in `converting` or `paying`. `too_many_requests`: this user has too many requests in progress, as for every operation */
        TooManyPayments: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The banking provider did not answer, or has not yet confirmed an earlier payment that the balance depends on. Nothing was created and no money moved. Repeat the request after a moment */
        BalanceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description `overloaded`: accepted payments wait for too long, because users confirm more than the service can make. Nothing was created and no money moved. Wait for `Retry-After` seconds and repeat the request with the same quote. `recovery_underway`: the database was restored, and the service finds out whether a payment of the user is missing. Wait and repeat in the same way. `unavailable`: the service is starting or stopping, or cannot reach its database. Repeat the request after a moment. A repeated request never pays twice */
        PaymentsUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description `recovery_underway`: the database was restored, and the service finds out whether a withdrawal or payment of the user is missing. Wait for `Retry-After` seconds and repeat the request with the same `Idempotency-Key`. `unavailable`: the service is starting or stopping, or cannot reach its database. Repeat the request after a moment */
        WithdrawalsUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Content-Language": components["headers"]["Content-Language"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: {
        /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
        "X-Request-Id": string;
        /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
        "Accept-Language": string;
        /**
         * @description `true` returns 409 `account_holds_money` if the account has a balance, a payment or withdrawal that is not final, or a payment in `manual_review` that was neither settled nor restored, and if money moved during the call. Send it first, and ask the user before you close the account without it.
         * @example true
         */
        unlessMoneyIsLeft: boolean;
        /** @description A key that the app chooses, for example a random UUID. Create a new key for each action of the user, and send the same key when you repeat the request. The same key with the same body returns what the first request created. With another body, it returns 422 `idempotency_key_reused`. Only successful requests are remembered, so you can use the key again after an error. A key belongs to one user and one operation. 1 to 255 visible ASCII characters. */
        "Idempotency-Key": string;
        /**
         * @description `true` returns the values unmasked, for a screen on which the user edits them. Each use is recorded. Send it only after the user has unlocked the screen, and do not store the response.
         * @example false
         */
        reveal: boolean;
        /**
         * @description Maximum number of items in the response.
         * @example 50
         */
        limit: number;
        /**
         * @description Start of the page. Take it from the `Link` header of the previous page. Any other value returns 400.
         * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
         */
        cursor: string;
        /**
         * @description Only transactions of this type. Repeat the parameter for several types (`type=deposit&type=withdraw`).
         * @example [
         *       "deposit"
         *     ]
         */
        transactionType: components["schemas"]["TransactionType"][];
        /**
         * @description Only transactions with this status. Repeat the parameter for several statuses (`status=pending&status=settling`).
         * @example [
         *       "completed"
         *     ]
         */
        transactionStatus: components["schemas"]["TransactionStatus"][];
        /**
         * @description The beginning of a period: only items whose `createdAt` is this instant or later. It is a date-time of RFC 3339 with an offset, to at most nine decimals of a second (`2026-03-01T00:00:00-03:00`). A date alone returns 400, because the day depends on the time zone, which the app chooses. Write `+` as `%2B`. After `to`, it returns 400.
         * @example 2026-03-01T00:00:00-03:00
         */
        from: string;
        /**
         * @description The end of a period, which is not part of it: only items whose `createdAt` is before this instant. The form is that of `from`. So the `to` of one month is the `from` of the next, and no item is in both.
         * @example 2026-04-01T00:00:00-03:00
         */
        to: string;
        /**
         * @description Only items whose `sourceAmount` is this or more, in minor units of the home currency. Above `maxAmount`, it returns 400.
         * @example 1000
         */
        minAmount: number;
        /**
         * @description Only items whose `sourceAmount` is this or less, in minor units of the home currency.
         * @example 5000
         */
        maxAmount: number;
        /**
         * @description The id of the transaction. A withdrawal has the id that `POST /withdraws` returned.
         * @example 0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46
         */
        transactionId: string;
        /**
         * @description The id of the recipient in `GET /pix/recipients`.
         * @example 6f1c3f0e-58f2-5b7a-9c64-2f7a1d0b9e35
         */
        pixRecipientId: string;
        /**
         * @description Only payments with this status. Repeat the parameter for several statuses (`status=converting&status=paying`).
         * @example [
         *       "completed"
         *     ]
         */
        pixPaymentStatus: components["schemas"]["PixPaymentStatus"][];
        /**
         * @description Only payments whose `amountBrl` is this or more: reais as decimal text with at most two places. Above `maxAmountBrl`, it returns 400.
         * @example 150.00
         */
        minAmountBrl: string;
        /**
         * @description Only payments whose `amountBrl` is this or less: reais as decimal text with at most two places.
         * @example 200.00
         */
        maxAmountBrl: string;
        /**
         * @description The id of the payment: `pixPaymentId` in the response that created it.
         * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
         */
        pixPaymentId: string;
        /**
         * @description The secret that the provider knows. It is compared in constant time. Any other value returns 404.
         * @example 3f1c9a7e5b2d4860a1c3e5f7092b4d6e
         */
        webhookSecret: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies this request in the server's logs. It is the value that the client sent in the same header, if that has 1 to 128 letters, digits, dots, dashes or underscores. Otherwise the server creates it. Log it in the app as well. An error repeats it as `requestId`. */
        "X-Request-Id": string;
        /** @description The language of the sentences in this response, `en` or `pt-BR`. The request's `Accept-Language` chose it, so the response also has `Vary: Accept-Language`. New languages will be added. */
        "Content-Language": string;
        /**
         * @description Number of seconds to wait before repeating the request
         * @example 1
         */
        "Retry-After": number;
        /** @description `no-store` if the values are revealed: do not store them in any cache, including the app's own. */
        "Cache-Control": string;
        /** @description URL of the next page, with `rel="next"` (RFC 8288). Absent on the last page, and only there. Use it unchanged: the cursor in it is opaque. */
        Link: string;
    };
    pathItems: never;
}
export type Health = components['schemas']['Health'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorDetailCode = components['schemas']['ErrorDetailCode'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type PayoutFailureCode = components['schemas']['PayoutFailureCode'];
export type PayoutLimitOrNull = components['schemas']['PayoutLimitOrNull'];
export type PayoutFailure = components['schemas']['PayoutFailure'];
export type ApiError = components['schemas']['ApiError'];
export type IdentityProvider = components['schemas']['IdentityProvider'];
export type SessionRequest = components['schemas']['SessionRequest'];
export type HomeCurrencyOrNull = components['schemas']['HomeCurrencyOrNull'];
export type SessionUser = components['schemas']['SessionUser'];
export type Session = components['schemas']['Session'];
export type User = components['schemas']['User'];
export type KycStatus = components['schemas']['KycStatus'];
export type KycLevel = components['schemas']['KycLevel'];
export type Kyc = components['schemas']['Kyc'];
export type HomeCurrency = components['schemas']['HomeCurrency'];
export type Balance = components['schemas']['Balance'];
export type DepositInstructions = components['schemas']['DepositInstructions'];
export type Me = components['schemas']['Me'];
export type AccountClosure = components['schemas']['AccountClosure'];
export type UserUpdate = components['schemas']['UserUpdate'];
export type DataRequestType = components['schemas']['DataRequestType'];
export type DataRequestInput = components['schemas']['DataRequestInput'];
export type DataRequest = components['schemas']['DataRequest'];
export type KycStartRequest = components['schemas']['KycStartRequest'];
export type KycStart = components['schemas']['KycStart'];
export type KycFailureCode = components['schemas']['KycFailureCode'];
export type KycState = components['schemas']['KycState'];
export type BankValidationStatus = components['schemas']['BankValidationStatus'];
export type GbpBankDetails = components['schemas']['GbpBankDetails'];
export type EurBankDetails = components['schemas']['EurBankDetails'];
export type BankDetails = components['schemas']['BankDetails'];
export type GbpBankDetailsRequest = components['schemas']['GbpBankDetailsRequest'];
export type EurBankDetailsRequest = components['schemas']['EurBankDetailsRequest'];
export type BankDetailsRequest = components['schemas']['BankDetailsRequest'];
export type BankDetailsCheckRequest = components['schemas']['BankDetailsCheckRequest'];
export type NameCheckStatus = components['schemas']['NameCheckStatus'];
export type BankDetailsCheck = components['schemas']['BankDetailsCheck'];
export type TransactionType = components['schemas']['TransactionType'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type CounterpartyOrNull = components['schemas']['CounterpartyOrNull'];
export type FailureCode = components['schemas']['FailureCode'];
export type Transaction = components['schemas']['Transaction'];
export type PixQuoteRequest = components['schemas']['PixQuoteRequest'];
export type PixQuote = components['schemas']['PixQuote'];
export type PixCodeRequest = components['schemas']['PixCodeRequest'];
export type PixKeyType = components['schemas']['PixKeyType'];
export type PixCode = components['schemas']['PixCode'];
export type PixRecipientLookupRequest = components['schemas']['PixRecipientLookupRequest'];
export type PixRecipientLookup = components['schemas']['PixRecipientLookup'];
export type PixRecipient = components['schemas']['PixRecipient'];
export type PixPaymentStatus = components['schemas']['PixPaymentStatus'];
export type ContestationStatusOrNull = components['schemas']['ContestationStatusOrNull'];
export type SettlementOrNull = components['schemas']['SettlementOrNull'];
export type PixPayment = components['schemas']['PixPayment'];
export type PixPaymentRequest = components['schemas']['PixPaymentRequest'];
export type PixPaymentAccepted = components['schemas']['PixPaymentAccepted'];
export type PixReceipt = components['schemas']['PixReceipt'];
export type ContestationStatus = components['schemas']['ContestationStatus'];
export type ContestationReason = components['schemas']['ContestationReason'];
export type Contestation = components['schemas']['Contestation'];
export type ContestationRequest = components['schemas']['ContestationRequest'];
export type RetryRequest = components['schemas']['RetryRequest'];
export type NameCheckStatusOrNull = components['schemas']['NameCheckStatusOrNull'];
export type Withdraw = components['schemas']['Withdraw'];
export type WithdrawRequest = components['schemas']['WithdrawRequest'];
export type WebhookEvent = components['schemas']['WebhookEvent'];
export type WebhookAccepted = components['schemas']['WebhookAccepted'];
export type ResponseBadRequest = components['responses']['BadRequest'];
export type ResponseInternalError = components['responses']['InternalError'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseInvalidIdToken = components['responses']['InvalidIdToken'];
export type ResponseAccountClosed = components['responses']['AccountClosed'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseIdentityProviderUnavailable = components['responses']['IdentityProviderUnavailable'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseProviderUnavailable = components['responses']['ProviderUnavailable'];
export type ResponseIdempotencyKeyReused = components['responses']['IdempotencyKeyReused'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseLookupBudgetSpent = components['responses']['LookupBudgetSpent'];
export type ResponseTooManyPayments = components['responses']['TooManyPayments'];
export type ResponseBalanceUnavailable = components['responses']['BalanceUnavailable'];
export type ResponsePaymentsUnavailable = components['responses']['PaymentsUnavailable'];
export type ResponseWithdrawalsUnavailable = components['responses']['WithdrawalsUnavailable'];
export type ParameterXRequestId = components['parameters']['X-Request-Id'];
export type ParameterAcceptLanguage = components['parameters']['Accept-Language'];
export type ParameterUnlessMoneyIsLeft = components['parameters']['unlessMoneyIsLeft'];
export type ParameterIdempotencyKey = components['parameters']['Idempotency-Key'];
export type ParameterReveal = components['parameters']['reveal'];
export type ParameterLimit = components['parameters']['limit'];
export type ParameterCursor = components['parameters']['cursor'];
export type ParameterTransactionType = components['parameters']['transactionType'];
export type ParameterTransactionStatus = components['parameters']['transactionStatus'];
export type ParameterFrom = components['parameters']['from'];
export type ParameterTo = components['parameters']['to'];
export type ParameterMinAmount = components['parameters']['minAmount'];
export type ParameterMaxAmount = components['parameters']['maxAmount'];
export type ParameterTransactionId = components['parameters']['transactionId'];
export type ParameterPixRecipientId = components['parameters']['pixRecipientId'];
export type ParameterPixPaymentStatus = components['parameters']['pixPaymentStatus'];
export type ParameterMinAmountBrl = components['parameters']['minAmountBrl'];
export type ParameterMaxAmountBrl = components['parameters']['maxAmountBrl'];
export type ParameterPixPaymentId = components['parameters']['pixPaymentId'];
export type ParameterWebhookSecret = components['parameters']['webhookSecret'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderContentLanguage = components['headers']['Content-Language'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderCacheControl = components['headers']['Cache-Control'];
export type HeaderLink = components['headers']['Link'];
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is alive */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "provider": "identity_provider_a",
                 *       "idToken": "eyJhbGciOiJSUzI1NiIsImtpZCI6ImExIn0.eyJzdWIiOiIwMDE5NDIuN2IifQ.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["SessionRequest"];
            };
        };
        responses: {
            /** @description Signed in */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["InvalidIdToken"];
            403: components["responses"]["AccountClosed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["IdentityProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current data of the user */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    closeAccount: {
        parameters: {
            query?: {
                /**
                 * @description `true` returns 409 `account_holds_money` if the account has a balance, a payment or withdrawal that is not final, or a payment in `manual_review` that was neither settled nor restored, and if money moved during the call. Send it first, and ask the user before you close the account without it.
                 * @example true
                 */
                unlessMoneyIsLeft?: components["parameters"]["unlessMoneyIsLeft"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed by this call or an earlier one */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "closed",
                     *       "hardDeletionScheduledFor": "2032-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountClosure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Money is left or has just moved, and the request has `unlessMoneyIsLeft=true`. The account stays open */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description The profile after the change */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f4-7b1e-7c3a-9d52-3f6a1c8e4b07",
                     *       "email": "ana@example.org",
                     *       "homeCurrency": "GBP",
                     *       "displayName": "Ana Souza",
                     *       "createdAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description Another home currency is already set. Reload `GET /me` and show it */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createDataRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the app chooses, for example a random UUID. Create a new key for each action of the user, and send the same key when you repeat the request. The same key with the same body returns what the first request created. With another body, it returns 422 `idempotency_key_reused`. Only successful requests are remembered, so you can use the key again after an error. A key belongs to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "access",
                 *       "notes": "Please include the transactions of last year."
                 *     }
                 */
                "application/json": components["schemas"]["DataRequestInput"];
            };
        };
        responses: {
            /** @description The request that this key created earlier */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-3e91-7d0b-8a67-b4f1c02e9d75",
                     *       "type": "access",
                     *       "status": "open",
                     *       "receivedAt": "2026-03-02T11:05:20.914Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DataRequest"];
                };
            };
            /** @description Received */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-3e91-7d0b-8a67-b4f1c02e9d75",
                     *       "type": "access",
                     *       "status": "open",
                     *       "receivedAt": "2026-03-02T11:05:20.914Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DataRequest"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The user has ten open requests. Nothing was recorded */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    startKyc: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["KycStartRequest"];
            };
        };
        responses: {
            /** @description In progress, or already decided */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStart"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    restartKyc: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["KycStartRequest"];
            };
        };
        responses: {
            /** @description In progress again, or already decided */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStart"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The check has not failed, or the provider allows no further attempt. Reload its status */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKycStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current status */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycState"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    listBankDetails: {
        parameters: {
            query?: {
                /**
                 * @description `true` returns the values unmasked, for a screen on which the user edits them. Each use is recorded. Send it only after the user has unlocked the screen, and do not store the response.
                 * @example false
                 */
                reveal?: components["parameters"]["reveal"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The saved accounts */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BankDetails"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    saveBankDetails: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BankDetailsRequest"];
            };
        };
        responses: {
            /** @description Replaced */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-1a7c-7e29-a0d4-58b3f6c1e290",
                     *       "currency": "EUR",
                     *       "accountHolderName": "João Lima",
                     *       "iban": "DE89**************3000",
                     *       "bic": "COBA*******",
                     *       "validatedAt": null,
                     *       "validationStatus": null,
                     *       "createdAt": "2026-03-02T10:15:42.120Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BankDetails"];
                };
            };
            /** @description Saved */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-1a7b-7d18-9fc3-47a2e5b0d18f",
                     *       "currency": "GBP",
                     *       "accountHolderName": "Ana Souza",
                     *       "accountNumber": "****6819",
                     *       "sortCode": "60-**-13",
                     *       "validatedAt": null,
                     *       "validationStatus": null,
                     *       "createdAt": "2026-03-02T10:15:40.003Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BankDetails"];
                };
            };
            /** @description The details are not valid. `code` in `details` names the field that the user mistyped */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    checkBankDetails: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currency": "EUR"
                 *     }
                 */
                "application/json": components["schemas"]["BankDetailsCheckRequest"];
            };
        };
        responses: {
            /** @description The bank's answer. If the user has no token left, it is the last one that counts still */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BankDetailsCheck"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The name cannot be checked, or not yet. This request cost no tokens */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The bank was not asked. `lookup_budget_spent`: the user has asked for too many names. `Retry-After` is the number of seconds until one token is left, and `checkId` lets the user withdraw without the check. `too_many_requests`: this user has too many requests in progress, as for every operation */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            500: components["responses"]["InternalError"];
            /** @description The banking provider gave no usable answer in time. This request cost no tokens. `checkId` lets the user withdraw without the check */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in the response.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page. Any other value returns 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Only transactions of this type. Repeat the parameter for several types (`type=deposit&type=withdraw`).
                 * @example [
                 *       "deposit"
                 *     ]
                 */
                type?: components["parameters"]["transactionType"];
                /**
                 * @description Only transactions with this status. Repeat the parameter for several statuses (`status=pending&status=settling`).
                 * @example [
                 *       "completed"
                 *     ]
                 */
                status?: components["parameters"]["transactionStatus"];
                /**
                 * @description The beginning of a period: only items whose `createdAt` is this instant or later. It is a date-time of RFC 3339 with an offset, to at most nine decimals of a second (`2026-03-01T00:00:00-03:00`). A date alone returns 400, because the day depends on the time zone, which the app chooses. Write `+` as `%2B`. After `to`, it returns 400.
                 * @example 2026-03-01T00:00:00-03:00
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description The end of a period, which is not part of it: only items whose `createdAt` is before this instant. The form is that of `from`. So the `to` of one month is the `from` of the next, and no item is in both.
                 * @example 2026-04-01T00:00:00-03:00
                 */
                to?: components["parameters"]["to"];
                /**
                 * @description Only items whose `sourceAmount` is this or more, in minor units of the home currency. Above `maxAmount`, it returns 400.
                 * @example 1000
                 */
                minAmount?: components["parameters"]["minAmount"];
                /**
                 * @description Only items whose `sourceAmount` is this or less, in minor units of the home currency.
                 * @example 5000
                 */
                maxAmount?: components["parameters"]["maxAmount"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46",
                     *         "type": "withdraw",
                     *         "status": "settling",
                     *         "sourceCurrency": "GBP",
                     *         "sourceAmount": 5000,
                     *         "heldAmount": null,
                     *         "destCurrency": null,
                     *         "destAmount": null,
                     *         "fxRate": null,
                     *         "counterparty": {
                     *           "name": "Ada Silva",
                     *           "account": "****5678",
                     *           "reference": null
                     *         },
                     *         "provider": "provider",
                     *         "failureReason": null,
                     *         "failureCode": null,
                     *         "pixPaymentId": null,
                     *         "createdAt": "2026-03-02T12:40:00.250Z",
                     *         "completedAt": null
                     *       },
                     *       {
                     *         "id": "0198c2f5-0c6e-7f63-b409-a2d5f3e8c761",
                     *         "type": "payment",
                     *         "status": "completed",
                     *         "sourceCurrency": "GBP",
                     *         "sourceAmount": 2127,
                     *         "heldAmount": null,
                     *         "destCurrency": "BRL",
                     *         "destAmount": 15000,
                     *         "fxRate": 7.12345678,
                     *         "counterparty": {
                     *           "name": "Padaria Estrela",
                     *           "account": "529******25",
                     *           "reference": null
                     *         },
                     *         "provider": "provider",
                     *         "failureReason": null,
                     *         "failureCode": null,
                     *         "pixPaymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *         "createdAt": "2026-03-02T12:00:20.000Z",
                     *         "completedAt": "2026-03-02T12:00:31.845Z"
                     *       },
                     *       {
                     *         "id": "0198c2f4-f3b0-7a11-8e5d-6c7f90a1b2d3",
                     *         "type": "deposit",
                     *         "status": "completed",
                     *         "sourceCurrency": "GBP",
                     *         "sourceAmount": 25000,
                     *         "heldAmount": null,
                     *         "destCurrency": null,
                     *         "destAmount": null,
                     *         "fxRate": null,
                     *         "counterparty": {
                     *           "name": null,
                     *           "account": null,
                     *           "reference": "Savings"
                     *         },
                     *         "provider": "provider",
                     *         "failureReason": null,
                     *         "failureCode": null,
                     *         "pixPaymentId": null,
                     *         "createdAt": "2026-03-02T11:58:02.310Z",
                     *         "completedAt": "2026-03-02T11:58:02.310Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Transaction"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the transaction. A withdrawal has the id that `POST /withdraws` returned.
                 * @example 0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46
                 */
                id: components["parameters"]["transactionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state of the transaction */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPixQuote: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amountBrl": 150
                 *     }
                 */
                "application/json": components["schemas"]["PixQuoteRequest"];
            };
        };
        responses: {
            /** @description The price */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quoteId": "quote_0198c2f5-0b11-7c9d-86e2-f3a4b5c6d7e8",
                     *       "rate": 7.12345678,
                     *       "sourceCurrency": "GBP",
                     *       "sourceAmount": 2127,
                     *       "feeAmount": 21,
                     *       "effectiveRate": 7.05218618,
                     *       "serviceSpreadBps": 100,
                     *       "expiresAt": "2026-03-02T12:01:00.000Z",
                     *       "sufficientFunds": true
                     *     }
                     */
                    "application/json": components["schemas"]["PixQuote"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The user has not chosen a home currency yet */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The provider does not price this amount */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    readPixCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "00020126470014br.gov.bcb.pix2525pix.sandbox.example/fixed5204000053039865802BR5911Loja Aurora6009Sao Paulo62070503***63046205"
                 *     }
                 */
                "application/json": components["schemas"]["PixCodeRequest"];
            };
        };
        responses: {
            /** @description What the code asks for */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PixCode"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The code cannot be paid any more, or codes cannot be read, or not yet */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The text is not a code that can be paid. It cost 20 tokens */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["LookupBudgetSpent"];
            500: components["responses"]["InternalError"];
            /** @description The banking provider gave no usable answer, or could not reach the charge. This request cost no tokens. Repeat it after a moment */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    lookUpPixRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pixKey": "529.982.247-25",
                 *       "pixKeyType": "cpf"
                 *     }
                 */
                "application/json": components["schemas"]["PixRecipientLookupRequest"];
            };
        };
        responses: {
            /** @description The owner of the key */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "lookupId": "0198c2f4-f0a2-7b31-9c55-6e1d2f3a4b5c",
                     *       "recipientName": "Joana Lima",
                     *       "taxIdMasked": "***.982.247-**",
                     *       "institution": "Banco Estrela",
                     *       "expiresAt": "2026-03-02T12:15:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PixRecipientLookup"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The key leads to no account. It cost 20 tokens. Let the user check it */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description Recipients cannot be looked up, or not yet. This request cost no tokens */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["LookupBudgetSpent"];
            500: components["responses"]["InternalError"];
            /** @description The banking provider gave no usable answer. This request cost no tokens. Repeat it after a moment, or let the user pay without it */
            502: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    listPixRecipients: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in the response.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page. Any other value returns 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "6f1c3f0e-58f2-5b7a-9c64-2f7a1d0b9e35",
                     *         "recipientName": "Joana Lima",
                     *         "pixKey": "52998224725",
                     *         "pixKeyType": "cpf",
                     *         "lastPaidAt": "2026-03-02T12:00:31.845Z"
                     *       },
                     *       {
                     *         "id": "0b9e2f7a-1d64-59c7-a5b8-6f1c3f0e58f2",
                     *         "recipientName": null,
                     *         "pixKey": "padaria@pix.example",
                     *         "pixKeyType": "email",
                     *         "lastPaidAt": "2026-02-27T18:12:04.310Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PixRecipient"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    removePixRecipient: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the recipient in `GET /pix/recipients`.
                 * @example 6f1c3f0e-58f2-5b7a-9c64-2f7a1d0b9e35
                 */
                id: components["parameters"]["pixRecipientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPixPayments: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in the response.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page. Any other value returns 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Only payments with this status. Repeat the parameter for several statuses (`status=converting&status=paying`).
                 * @example [
                 *       "completed"
                 *     ]
                 */
                status?: components["parameters"]["pixPaymentStatus"];
                /**
                 * @description The beginning of a period: only items whose `createdAt` is this instant or later. It is a date-time of RFC 3339 with an offset, to at most nine decimals of a second (`2026-03-01T00:00:00-03:00`). A date alone returns 400, because the day depends on the time zone, which the app chooses. Write `+` as `%2B`. After `to`, it returns 400.
                 * @example 2026-03-01T00:00:00-03:00
                 */
                from?: components["parameters"]["from"];
                /**
                 * @description The end of a period, which is not part of it: only items whose `createdAt` is before this instant. The form is that of `from`. So the `to` of one month is the `from` of the next, and no item is in both.
                 * @example 2026-04-01T00:00:00-03:00
                 */
                to?: components["parameters"]["to"];
                /**
                 * @description Only items whose `sourceAmount` is this or more, in minor units of the home currency. Above `maxAmount`, it returns 400.
                 * @example 1000
                 */
                minAmount?: components["parameters"]["minAmount"];
                /**
                 * @description Only items whose `sourceAmount` is this or less, in minor units of the home currency.
                 * @example 5000
                 */
                maxAmount?: components["parameters"]["maxAmount"];
                /**
                 * @description Only payments whose `amountBrl` is this or more: reais as decimal text with at most two places. Above `maxAmountBrl`, it returns 400.
                 * @example 150.00
                 */
                minAmountBrl?: components["parameters"]["minAmountBrl"];
                /**
                 * @description Only payments whose `amountBrl` is this or less: reais as decimal text with at most two places.
                 * @example 200.00
                 */
                maxAmountBrl?: components["parameters"]["maxAmountBrl"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *         "transactionId": "0198c2f5-0c6e-7f63-b409-a2d5f3e8c761",
                     *         "status": "completed",
                     *         "amountBrl": "150.00",
                     *         "sourceCurrency": "GBP",
                     *         "sourceAmount": 2127,
                     *         "feeAmount": 21,
                     *         "exchangeRate": "7.12345678",
                     *         "pixKey": "52998224725",
                     *         "pixKeyType": "cpf",
                     *         "recipientName": null,
                     *         "voucherId": "vch_8f31c2",
                     *         "endToEndId": "E1234567820260302120031aB3dE5fG7",
                     *         "failureReason": null,
                     *         "failureCode": null,
                     *         "settlement": null,
                     *         "expiresAt": "2026-03-02T12:01:00.000Z",
                     *         "createdAt": "2026-03-02T12:00:20.000Z",
                     *         "updatedAt": "2026-03-02T12:00:31.845Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PixPayment"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPixPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PixPaymentRequest"];
            };
        };
        responses: {
            /** @description The payment that this quote made earlier, with its current status */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transactionId": "0198c2f5-0c6e-7f63-b409-a2d5f3e8c761",
                     *       "pixPaymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "status": "paying"
                     *     }
                     */
                    "application/json": components["schemas"]["PixPaymentAccepted"];
                };
            };
            /** @description Accepted and in progress */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transactionId": "0198c2f5-0c6e-7f63-b409-a2d5f3e8c761",
                     *       "pixPaymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "status": "converting"
                     *     }
                     */
                    "application/json": components["schemas"]["PixPaymentAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            /** @description The payment cannot be made with this quote, or not yet. This request paid nothing */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance is too low, a limit stops the payment, or the look-up or the code does not fit it. The quote is not used */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyPayments"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BalanceUnavailable"];
            503: components["responses"]["PaymentsUnavailable"];
        };
    };
    getPixPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the payment: `pixPaymentId` in the response that created it.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current state of the payment */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PixPayment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPixReceipt: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the payment: `pixPaymentId` in the response that created it.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The receipt */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PixReceipt"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            /** @description The payment has no receipt. Reload it */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPixContestation: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the payment: `pixPaymentId` in the response that created it.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contestation */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "paymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "status": "accepted",
                     *       "reason": "scam",
                     *       "description": "The shop does not exist. It stopped answering after I had paid.",
                     *       "createdAt": "2026-03-09T18:20:00.000Z",
                     *       "resolvedAt": "2026-03-17T14:03:12.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contestation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    contestPixPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the payment: `pixPaymentId` in the response that created it.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "scam",
                 *       "description": "The shop does not exist. It stopped answering after I had paid."
                 *     }
                 */
                "application/json": components["schemas"]["ContestationRequest"];
            };
        };
        responses: {
            /** @description The payment was contested before, with this body */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "paymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "status": "open",
                     *       "reason": "scam",
                     *       "description": "The shop does not exist. It stopped answering after I had paid.",
                     *       "createdAt": "2026-03-09T18:20:00.000Z",
                     *       "resolvedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Contestation"];
                };
            };
            /** @description The payment is contested */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "paymentId": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "status": "open",
                     *       "reason": "scam",
                     *       "description": "The shop does not exist. It stopped answering after I had paid.",
                     *       "createdAt": "2026-03-09T18:20:00.000Z",
                     *       "resolvedAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Contestation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            /** @description The payment cannot be contested. Nothing was stored */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    retryPixPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the app chooses, for example a random UUID. Create a new key for each action of the user, and send the same key when you repeat the request. The same key with the same body returns what the first request created. With another body, it returns 422 `idempotency_key_reused`. Only successful requests are remembered, so you can use the key again after an error. A key belongs to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The id of the payment: `pixPaymentId` in the response that created it.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RetryRequest"];
            };
        };
        responses: {
            /** @description The payout is sent again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650",
                     *       "transactionId": "0198c2f5-0c6e-7f63-b409-a2d5f3e8c761",
                     *       "status": "paying",
                     *       "amountBrl": "150.00",
                     *       "sourceCurrency": "GBP",
                     *       "sourceAmount": 2127,
                     *       "feeAmount": 21,
                     *       "exchangeRate": "7.12345678",
                     *       "pixKey": "52998224725",
                     *       "pixKeyType": "cpf",
                     *       "recipientName": null,
                     *       "voucherId": null,
                     *       "endToEndId": null,
                     *       "failureReason": null,
                     *       "failureCode": null,
                     *       "settlement": null,
                     *       "expiresAt": "2026-03-02T12:01:00.000Z",
                     *       "createdAt": "2026-03-02T12:00:20.000Z",
                     *       "updatedAt": "2026-03-02T12:09:10.554Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PixPayment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            404: components["responses"]["NotFound"];
            /** @description The payment is in a state that cannot be retried. Reload it */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWithdraws: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of items in the response.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page. Any other value returns 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46",
                     *         "type": "withdraw",
                     *         "status": "completed",
                     *         "sourceCurrency": "GBP",
                     *         "sourceAmount": 5000,
                     *         "provider": "provider",
                     *         "expectedSettlementSeconds": 7200,
                     *         "bankValidationStatus": "match",
                     *         "nameCheck": "match",
                     *         "createdAt": "2026-03-02T12:40:00.250Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Withdraw"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWithdraw: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key that the app chooses, for example a random UUID. Create a new key for each action of the user, and send the same key when you repeat the request. The same key with the same body returns what the first request created. With another body, it returns 422 `idempotency_key_reused`. Only successful requests are remembered, so you can use the key again after an error. A key belongs to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawRequest"];
            };
        };
        responses: {
            /** @description A repeated request: the original withdrawal, with its current status */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46",
                     *       "type": "withdraw",
                     *       "status": "completed",
                     *       "sourceCurrency": "GBP",
                     *       "sourceAmount": 5000,
                     *       "provider": "provider",
                     *       "expectedSettlementSeconds": 7200,
                     *       "bankValidationStatus": "match",
                     *       "nameCheck": "match",
                     *       "createdAt": "2026-03-02T12:40:00.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdraw"];
                };
            };
            /** @description Accepted and in progress */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46",
                     *       "type": "withdraw",
                     *       "status": "settling",
                     *       "sourceCurrency": "GBP",
                     *       "sourceAmount": 5000,
                     *       "provider": "provider",
                     *       "expectedSettlementSeconds": 7200,
                     *       "bankValidationStatus": "match",
                     *       "nameCheck": "match",
                     *       "createdAt": "2026-03-02T12:40:00.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdraw"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description The user has no such check. Nothing was sent */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            /** @description A step is missing, or details must be corrected first. Nothing was sent */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance is too low, or the key belongs to another request. Nothing was sent */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Language": components["headers"]["Content-Language"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BalanceUnavailable"];
            503: components["responses"]["WithdrawalsUnavailable"];
        };
    };
    receiveProviderWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id that the app gives to this request, to find it in the server's logs: 1 to 128 letters, digits, dots, hyphens and underscores. The response repeats it. If it is missing or has another form, the server creates one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
                /** @description The languages that the user reads, as phones and browsers send them, for example `pt-BR, en;q=0.5`. They choose the language of `error` and `failureReason` (see *Languages*): English or Brazilian Portuguese. English if it is missing, or names neither. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /**
                 * @description The secret that the provider knows. It is compared in constant time. Any other value returns 404.
                 * @example 3f1c9a7e5b2d4860a1c3e5f7092b4d6e
                 */
                secret: components["parameters"]["webhookSecret"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payout.updated",
                 *       "data": {
                 *         "uuid": "7d9f2c1e-4b6a-4e8d-9c03-5f1a2b3c4d5e",
                 *         "status": "COMPLETED"
                 *       },
                 *       "updated_at": "2026-03-02T12:00:31.512Z"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Stored */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "received"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookAccepted"];
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
}

/** The operations that need no session: their `security` is empty. */
export type PublicOperationId = 'getHealth' | 'createSession' | 'receiveProviderWebhook';
