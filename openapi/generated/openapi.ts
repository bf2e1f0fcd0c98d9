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
         * Is the process up?
         * @description Is the process alive? It asks nobody, the database included, so it is `ok` whenever the process can answer. Needs no session. Whether it can do its work is for its operators: `GET /ready` on the port of the metrics.
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
         * @description Exchanges the ID token of the phone's native sign-in for a session token. The first sign-in creates the user; later
         *     ones find them again. Safe to repeat: each call answers a fresh session, and earlier ones stay valid until they
         *     expire.
         *
         *     `homeCurrency` null in the answer means that the user has not chosen one yet: show that screen first.
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
         * The home screen
         * @description Profile, identity check, balance and deposit instructions in one answer. The balance is the provider's, a few
         *     seconds old at most; call again when the app comes to the foreground and after a payment or withdrawal.
         *
         *     On 502 the balance could not be read: keep showing what was there before, and say that it may be out of date.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Close the account
         * @description Closes the account at once and for good, and opens an erasure request. What the law does not make us keep is deleted
         *     now; identity check, transactions and bank details follow after six years. Payments under way still run to their end.
         *
         *     Money that is left in a closed account reaches the user only through support. So ask twice: send
         *     `unlessMoneyIsLeft=true` first, which answers 409 `account_holds_money` while money is left, and 502 if the balance
         *     cannot be read. An account that is closed already answers 200. Repeating the call answers the same again; every other
         *     operation answers 403 `account_closed` from now on.
         */
        delete: operations["closeAccount"];
        options?: never;
        head?: never;
        /**
         * Choose the home currency, change the name
         * @description Send one field or both. The home currency is chosen once: sending the same value again is fine, another one is
         *     refused with 409, and then nothing else in the body is applied either. The answer is the `user` of `GET /me`.
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
         * Exercise a right over one's own data
         * @description Records a request under the GDPR; people at support work on it and answer within 30 days. For erasure, close the
         *     account instead. Send an `Idempotency-Key`, or a repetition makes a second request. Ten may be open at a time.
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
         * Begin the identity check
         * @description Answers the address of the provider's hosted widget, which asks for everything; no personal data passes through this
         *     API. One check per user: calling again (after a 502, or because the address has expired) continues the same one with
         *     a working address. Once there is an outcome the address is null and `status` tells it. After `failed`,
         *     `POST /kyc/restart` begins another attempt.
         *
         *     Can be called before the home currency is chosen. The body may be empty.
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
         * Try a failed identity check again
         * @description Begins the next attempt after `failed` and answers the address of the provider's hosted widget, as `POST /kyc/start`
         *     does. The check is `pending` again. The reason of the failure, `failureCode` of `GET /kyc/status`, says whether
         *     another attempt makes sense.
         *
         *     Calling again (after a 502, or without an answer) continues the attempt that is under way with a working address;
         *     concurrent calls begin one attempt. If the provider has approved the failed attempt by now, `status` is `completed`.
         *     The body may be empty.
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
         * How the identity check stands
         * @description Poll it after the user comes back from the widget, until `status` is no longer `pending` and, after `completed`,
         *     until `hasActiveAccount` is true. While pending, each call asks the provider.
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
         * The saved accounts
         * @description At most one per currency, masked. An empty array means that none is saved. With `reveal=true` the values are whole
         *     and the answer must not be stored anywhere.
         */
        get: operations["listBankDetails"];
        put?: never;
        /**
         * Save where withdrawals go
         * @description One account per currency: saving again for the same currency overwrites (200 instead of 201). Withdrawals accepted
         *     before keep going to the account they were accepted for. Shortly after each saving the bank is asked whether name
         *     and account match; reload `GET /bank-details` to see the outcome.
         */
        post: operations["saveBankDetails"];
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
         * What moved the user's money
         * @description Deposits, payments and withdrawals, newest first, a page at a time (see *Lists* above).
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
         * One transaction
         * @description Poll this one to follow a withdrawal: it is over when `status` is `completed` or `failed`. A completed withdrawal
         *     can still become `failed` days later, when the receiving bank sends the money back; reload the list now and then.
         *     For a payment, `GET /pix/payments/{id}` tells more.
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
         * @description Says what it costs in the home currency to let somebody receive an amount of reais, and holds that price for 60
         *     seconds. Show `sourceAmount` and a countdown. A quote moves nothing and need not be cancelled; ask for as many as
         *     you like. On 502 no price could be had: try again after a moment.
         */
        post: operations["createPixQuote"];
        delete?: never;
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
         * The user's PIX payments
         * @description Newest first, a page at a time (see *Lists* above).
         */
        get: operations["listPixPayments"];
        put?: never;
        /**
         * Confirm a payment
         * @description Uses up a quote and pays. From the 201 on, the payment is carried to an end whatever happens to the app: poll
         *     `GET /pix/payments/{id}` until its status is final.
         *
         *     No answer arrived? Send exactly the same again: the same quote and recipient answer the same payment with 200, also
         *     after the quote has expired. A quote never pays twice.
         *
         *     On 409 `quote_expired` nothing was paid. Ask for a new quote, show its price, and let the user confirm again;
         *     never confirm a new price on the user's behalf. An unknown quote, or somebody else's, is a 404.
         *
         *     On 503 `overloaded` nothing was paid either: accepted payments wait for too long already. Before that, a user with more than ten
         *     payments in `converting` or `paying` gets 429 `too_many_unfinished`. Both leave the quote unused: wait as long as `Retry-After`
         *     says, and send the same again. A payment that was accepted before is answered all the same.
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
         * Follow a payment
         * @description Poll it from the confirmation on. Most payments take seconds. Which statuses are final, and what to show for each,
         *     is said at `PixPaymentStatus`. Reading it never changes anything and asks nobody.
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
         * Send a failed payout again
         * @description For a payment in `payout_failed`: the reais, already converted, are sent to the same recipient once more. The answer
         *     is the payment, now `paying`; go on polling. Pressed again while it is paying, the answer is simply the payment: two
         *     taps never pay twice. The body may be empty.
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
         * The user's withdrawals
         * @description Newest first, a page at a time (see *Lists* above).
         */
        get: operations["listWithdraws"];
        put?: never;
        /**
         * Send money to the user's own bank
         * @description Sends an amount of the home currency to the account saved for that currency, by FPS (GBP) or SEPA (EUR). From the
         *     201 on it is carried to an end: poll `GET /transactions/{id}` with the withdrawal's `id`, or reload the list.
         *
         *     Send an `Idempotency-Key`. Without one, the same amount to the same account within 60 seconds is taken for a
         *     repetition and answers the first withdrawal (200), unless that one has failed.
         *
         *     If the operator requires a match, a withdrawal to details with the `validationStatus` `no_match` is refused with 409
         *     `bank_details_mismatch`. A check that has not run yet, or that the bank did not answer, refuses nothing.
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
         * Take an event from the provider
         * @description The callback address given to the provider. An event is stored, acknowledged, and worked on afterwards, so 200 says
         *     that it is safe here, not that it had an effect. A repetition of an event is acknowledged the same way and changes
         *     nothing, as does an event that has no meaning here. A wrong secret looks like any path that does not exist, and so
         *     does a callback that does not pass the signature scheme, where one is in force.
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
         * @description The process can answer.
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
         * @description Stable names to branch on. A client should treat a name that it does not know like the status it came with.
         *
         *     | Code | Status | What to do |
         *     |---|---|---|
         *     | `invalid_request` | 400 | `details` says where: let the user correct an entry that has a `code`; fix the request otherwise |
         *     | `malformed_json` | 400 | Send readable JSON, in UTF-8 |
         *     | `unauthorized` | 401 | Sign in again |
         *     | `invalid_id_token` | 401 | Get a fresh ID token from the phone, try once more |
         *     | `account_closed` | 403 | Sign out |
         *     | `not_found` | 404 | Reload |
         *     | `method_not_allowed` | 405 | Fix the app |
         *     | `home_currency_already_set` | 409 | It cannot change: reload `GET /me` |
         *     | `home_currency_required` | 409 | Let the user choose it first: `PATCH /me` |
         *     | `account_holds_money` | 409 | Only with `unlessMoneyIsLeft`: say what is left, and close without it if the user insists |
         *     | `account_not_active` | 409 | `details` says which step is missing: `/verification` (`not started`, `pending` or `failed`) or `/account` (`not active`). Follow `GET /kyc/status` |
         *     | `bank_details_required` | 409 | Ask for the bank account first: `POST /bank-details` |
         *     | `bank_details_mismatch` | 409 | The bank says that name and account do not belong together: let the user correct them, `POST /bank-details` |
         *     | `not_retryable` | 409 | Reload the payment; it is in another state by now |
         *     | `not_restartable` | 409 | Reload `GET /kyc/status`. If it is still `failed`, the provider allows no other attempt: refer the user to support |
         *     | `quote_expired` | 409 | New quote, show the new price, let the user confirm again |
         *     | `quote_already_used` | 409 | That quote paid somebody else: start over with a new quote |
         *     | `too_many_data_requests` | 409 | Ten are open: wait for an answer to one of them |
         *     | `payload_too_large` | 413 | Fix the app |
         *     | `unsupported_media_type` | 415 | Send `application/json` |
         *     | `unsupported_content_encoding` | 415 | Send the body as it is, not compressed |
         *     | `insufficient_funds` | 422 | Offer a deposit or a smaller amount |
         *     | `amount_not_supported` | 422 | Ask for another amount: too small or too large for the provider |
         *     | `idempotency_key_reused` | 422 | New intention, new key |
         *     | `too_many_requests` | 429 | Nothing happened: wait as long as `Retry-After` says, then repeat, fewer at a time |
         *     | `too_many_unfinished` | 429 | Nothing happened: wait until some of the user's payments are final, then repeat with the same quote |
         *     | `internal_error` | 500 | Wait, then repeat as described under *Repeating safely* |
         *     | `provider_unavailable` | 502 | Nothing happened: wait, then repeat |
         *     | `balance_unconfirmed` | 502 | Nothing happened: an earlier payment is not confirmed yet. Wait a few seconds, then repeat |
         *     | `identity_provider_unavailable` | 502 | Nothing happened: wait, then repeat |
         *     | `unavailable` | 503 | Wait, then repeat |
         *     | `overloaded` | 503 | Nothing happened: wait as long as `Retry-After` says, then repeat with the same quote |
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "malformed_json" | "unauthorized" | "invalid_id_token" | "account_closed" | "not_found" | "method_not_allowed" | "home_currency_already_set" | "home_currency_required" | "account_holds_money" | "account_not_active" | "bank_details_required" | "bank_details_mismatch" | "not_retryable" | "not_restartable" | "quote_expired" | "quote_already_used" | "too_many_data_requests" | "payload_too_large" | "unsupported_media_type" | "unsupported_content_encoding" | "insufficient_funds" | "amount_not_supported" | "idempotency_key_reused" | "too_many_requests" | "too_many_unfinished" | "internal_error" | "provider_unavailable" | "balance_unconfirmed" | "identity_provider_unavailable" | "unavailable" | "overloaded";
        /**
         * @description Names the fault in something that the user typed, so that an app can mark the field in its own words. An entry without
         *     it is a fault of the app. The list will grow: a client treats a name that it does not know like a missing one.
         *
         *     | Code | What is wrong |
         *     |---|---|
         *     | `invalid_pix_key` | It is not a PIX key of the given type. The form and the check digits of a CPF or CNPJ are checked |
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
        /** @description One faulty place in the request, or one missing step before it. `message` is for developers; `code` lets an app tell the user. */
        ErrorDetail: {
            /** @description Where: `/body/amountBrl`, `/query/limit`, `/path/id`, `/headers/idempotency-key`, `/method`; or the step that is missing: `/verification`, `/account`. */
            path: string;
            /** @description What is wrong there. */
            message: string;
            code?: components["schemas"]["ErrorDetailCode"];
        };
        /** @description What went wrong, for the user, for the app, and for support. */
        ApiError: {
            /** @description A sentence to show to the user, in English; only for an expired quote the bare word `quote_expired`. */
            error: string;
            code: components["schemas"]["ErrorCode"];
            /** @description The `X-Request-Id` of this response. Give it to support. */
            requestId: string;
            /** @description The faulty places of the request. An entry with a `code` names something that the user mistyped; the app's programmer has to change the others. Only with status 400, 405, 413 and 415. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /**
         * @description Which of the phone's two sign-ins made the ID token. Each makes a user of its own; they are never joined.
         * @enum {string}
         */
        IdentityProvider: "identity_provider_a" | "identity_provider_b";
        /** @description Proof from an identity provider of who is signing in. */
        SessionRequest: {
            provider: components["schemas"]["IdentityProvider"];
            /** @description The ID token, a JWT, exactly as the phone's sign-in gave it. */
            idToken: string;
            /** @description The nonce that the app gave to the phone's sign-in, character by character: an app that gave a hash sends the hash. The token is refused unless its `nonce` is the same. Leave it out if the sign-in had none; the token's nonce is then ignored. */
            nonce?: string;
        };
        /**
         * @description The currency that the user holds, ISO 4217. Null until `PATCH /me` has chosen it; never changes after that.
         * @enum {string|null}
         */
        HomeCurrencyOrNull: "GBP" | "EUR" | null;
        /** @description What the app needs to know of the user right after signing in. */
        SessionUser: {
            /**
             * Format: uuid
             * @description The user's id here, also the `sub` claim of the session token.
             */
            id: string;
            /** @description E-mail address as the identity provider gave it, possibly a private relay address. Null when it gave none or did not vouch for it. */
            email: string | null;
            homeCurrency: components["schemas"]["HomeCurrencyOrNull"];
            /** @description What to call the user. Empty until the sign-in or the user gave a name. */
            displayName: string;
        };
        /** @description A fresh session and the user it is for. */
        Session: {
            /** @description JWT (HS256) to send as the bearer token. Keep it in the phone's secure storage. The `exp` claim says when it ends. */
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
             * @description The user's id here, also the `sub` claim of the session token.
             */
            id: string;
            /** @description E-mail address as the identity provider gave it, possibly a private relay address. Null when it gave none or did not vouch for it. */
            email: string | null;
            homeCurrency: components["schemas"]["HomeCurrencyOrNull"];
            /** @description What to call the user. Empty until the sign-in or the user gave a name. */
            displayName: string;
            /**
             * Format: date-time
             * @description First sign-in, ISO 8601 UTC.
             */
            createdAt: string;
        };
        /**
         * @description `pending` until there is an outcome, also before the check was started; `completed`; or `failed`, which the provider may still turn into `completed` later, and which `POST /kyc/restart` turns into `pending` again.
         * @enum {string}
         */
        KycStatus: "pending" | "completed" | "failed";
        /**
         * @description How thorough the completed check was. Null unless the status is `completed`.
         * @enum {string|null}
         */
        KycLevel: "basic" | "standard" | "enhanced" | null;
        /** @description How the identity check stands. */
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
        /** @description The money at the provider. Null until a home currency is chosen. */
        Balance: {
            currency: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description Minor units of `currency` (pence or cents). 0 before the account is active.
             */
            amount: number;
        } | null;
        /** @description Where to send money to fill the wallet: an account in the user's own name. Null until that account is active. GBP has `accountNumber` and `sortCode`, EUR has `iban` and `bic`. */
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
        /** @description Everything the home screen shows. */
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
             * @description When the records that the law makes us keep will be deleted too, ISO 8601 UTC: six years after closing.
             */
            hardDeletionScheduledFor: string;
        };
        /** @description The fields to change; at least one. */
        UserUpdate: {
            homeCurrency?: components["schemas"]["HomeCurrency"];
            /** @description The new name, 0 to 200 characters, without control characters and without characters that change the direction of text. Can be changed at any time. */
            displayName?: string;
        };
        /**
         * @description The right that the user exercises. Erasure is not among them because closing the account is how it is asked for.
         * @enum {string}
         */
        DataRequestType: "access" | "rectification" | "portability" | "restriction" | "objection";
        /** @description What the user asks for. */
        DataRequestInput: {
            type: components["schemas"]["DataRequestType"];
            /** @description Anything the user wants to add, in their own words. No length limit of its own; anything but U+0000. */
            notes?: string;
        };
        /** @description The request as it was received. */
        DataRequest: {
            /**
             * Format: uuid
             * @description Quote it when talking to support.
             */
            id: string;
            type: components["schemas"]["DataRequestType"];
            /** @description `open` when the request is made; support moves it on by hand. */
            status: string;
            /**
             * Format: date-time
             * @description ISO 8601 UTC. The answer is due 30 days later.
             */
            receivedAt: string;
        };
        /** @description Nothing to say. All personal data goes into the hosted widget, never through this API. */
        KycStartRequest: Record<string, never>;
        /** @description Where to send the user, or the outcome if there is one already. */
        KycStart: {
            /**
             * Format: uri
             * @description Address of the hosted widget, always `https:` (on a developer's machine also `http://localhost`); open it in the system's browser view. Null once there is an outcome.
             */
            verificationUrl: string | null;
            /**
             * Format: date-time
             * @description Until when the address works, ISO 8601 UTC. Call `POST /kyc/start` for a new one. Null once there is an outcome.
             */
            expiresAt: string | null;
            status: components["schemas"]["KycStatus"];
        };
        /**
         * @description Why the identity check failed, as a stable name to branch on. Null unless `status` is `failed`, and where the provider
         *     does not say why. The list will grow: a client treats a name that it does not know like `other`.
         *
         *     | Code | What to tell the user |
         *     |---|---|
         *     | `document_unreadable` | The document could not be read: take a sharper picture, then try again |
         *     | `document_expired` | The document has expired: try again with a valid one |
         *     | `name_mismatch` | The name differs from the one on the document: try again with the name as it stands there |
         *     | `not_eligible` | The provider does not accept this person: do not offer another attempt |
         *     | `other` | It did not work: try again, and ask support if it fails once more |
         * @enum {string|null}
         */
        KycFailureCode: "document_unreadable" | "document_expired" | "name_mismatch" | "not_eligible" | "other" | null;
        /** @description How the identity check and the account that follows it stand. */
        KycState: {
            status: components["schemas"]["KycStatus"];
            level: components["schemas"]["KycLevel"];
            /** @description True once the home-currency account can receive money. It follows `completed` by seconds or minutes. */
            hasActiveAccount: boolean;
            /**
             * Format: date-time
             * @description When the check was first started, ISO 8601 UTC; a restart does not change it. Null before `POST /kyc/start`, while `status` is `pending` although nothing is under way.
             */
            startedAt?: string | null;
            failureCode?: components["schemas"]["KycFailureCode"];
        };
        /**
         * @description What the bank said when asked whether name and account belong together, shortly after each saving. Null until it was asked, and for a withdrawal to details that were replaced since. `no_match` and `close_match` are worth a second look by the user. Some operators refuse a withdrawal after `no_match`, with 409 `bank_details_mismatch`.
         * @enum {string|null}
         */
        BankValidationStatus: "match" | "close_match" | "no_match" | "unavailable" | null;
        /** @description A saved account in the United Kingdom. Masked, unless it was asked for with `reveal=true`. */
        GbpBankDetails: {
            /**
             * Format: uuid
             * @description Stays the same when the details are overwritten.
             */
            id: string;
            /**
             * @description Always `GBP`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "GBP";
            /** @description Name on the account. */
            accountHolderName: string;
            /** @description Four asterisks and the last four digits; all eight digits when revealed. */
            accountNumber: string;
            /** @description The sort code with its middle pair masked, `NN-**-NN`; whole when revealed. */
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
        /** @description A saved account in the SEPA area. Masked, unless it was asked for with `reveal=true`. */
        EurBankDetails: {
            /**
             * Format: uuid
             * @description Stays the same when the details are overwritten.
             */
            id: string;
            /**
             * @description Always `EUR`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "EUR";
            /** @description Name on the account. */
            accountHolderName: string;
            /** @description First and last four characters, asterisks between; whole when revealed. Never any spaces. */
            iban: string;
            /** @description First four characters, then asterisks; whole when revealed. */
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
        /** @description A saved bank account; `currency` says which of the two forms it is. */
        BankDetails: components["schemas"]["GbpBankDetails"] | components["schemas"]["EurBankDetails"];
        /** @description An account in the United Kingdom, reached by FPS. */
        GbpBankDetailsRequest: {
            /**
             * @description Always `GBP`. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            currency: "GBP";
            /** @description Name on the account, 1 to 140 characters. The bank is asked whether it matches. */
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
            /** @description Name on the account, 1 to 140 characters. The bank is asked whether it matches. */
            accountHolderName: string;
            /** @description The IBAN; spaces and lower case are fine. Country, length and check digits are verified, else 400. */
            iban: string;
            /** @description The bank's BIC, 8 or 11 characters; lower case is fine. Its form is verified, else 400. */
            bic: string;
        };
        /** @description The user's bank account; `currency` says which of the two forms it is. */
        BankDetailsRequest: components["schemas"]["GbpBankDetailsRequest"] | components["schemas"]["EurBankDetailsRequest"];
        /**
         * @description Money in (`deposit`), to a PIX recipient (`payment`), or to the user's own bank (`withdraw`).
         * @enum {string}
         */
        TransactionType: "deposit" | "payment" | "withdraw";
        /**
         * @description `pending`: under way; `settling`: handed to the bank; `completed`: arrived; `failed`: it did not, see `failureReason`. Poll while it is one of the first two.
         * @enum {string}
         */
        TransactionStatus: "pending" | "settling" | "completed" | "failed";
        /**
         * @description Who is on the other side, to tell one line of a list from another. Null if nothing is known, as for a deposit without a
         *     reference.
         *
         *     | Kind | `name` | `account` | `reference` |
         *     |---|---|---|---|
         *     | `payment` | the recipient's name, if the app gave it | the PIX key, masked | null |
         *     | `withdraw` | the holder of the user's own bank account | the account number or IBAN, masked | null |
         *     | `deposit` | null | null | the payer's words |
         */
        CounterpartyOrNull: {
            /** @description A name as the user entered or scanned it. */
            name: string | null;
            /** @description A PIX key, account number or IBAN in which asterisks hide enough that only its owner recognises it: `529******25`, `****5678`. `GET /pix/payments/{id}` has the whole key. */
            account: string | null;
            /** @description What the payer wrote with a deposit, without control and direction characters. It comes from outside, so show it as plain text. */
            reference: string | null;
        } | null;
        /**
         * @description Why it went wrong, as a stable name to branch on; `failureReason` says the same in a sentence. Null unless something went
         *     wrong. The list will grow: a client treats a name that it does not know like `under_review`, and shows `failureReason`.
         *
         *     | Code | What happened |
         *     |---|---|
         *     | `insufficient_funds` | The balance no longer covered it when it was carried out; nothing was taken |
         *     | `quote_expired` | The quote ended before the payment could start; nothing was taken |
         *     | `conversion_failed` | The conversion did not go through; nothing was taken for good |
         *     | `account_not_active` | An account that it needs was not active at that moment |
         *     | `amount_mismatch` | Another amount was converted than was asked for; support looks into it |
         *     | `payout_failed` | The recipient was not paid: offer the retry |
         *     | `recipient_unknown` | The key leads to no account: say so, and advise against a retry, which pays the same key. Support can return the money |
         *     | `payout_returned` | The recipient's bank returned the payment; support looks into it |
         *     | `refunded` | What was paid is back in the balance |
         *     | `withdraw_failed` | The withdrawal did not go through; the money is in the balance |
         *     | `withdraw_returned` | The user's bank returned the withdrawal; the money is back in the balance |
         *     | `under_review` | Support looks into it |
         *     | `provider_rejected` | The conversion was rejected for a reason that the user cannot change; nothing was taken. Offer a new quote, and the support team if it happens again |
         * @enum {string|null}
         */
        FailureCode: "insufficient_funds" | "quote_expired" | "conversion_failed" | "account_not_active" | "amount_mismatch" | "payout_failed" | "recipient_unknown" | "payout_returned" | "refunded" | "withdraw_failed" | "withdraw_returned" | "under_review" | "provider_rejected" | null;
        /** @description One movement of the user's money, the same shape for all three kinds. */
        Transaction: {
            /**
             * Format: uuid
             * @description For a withdrawal, the withdraw's id too; a payment names it as `transactionId`.
             */
            id: string;
            type: components["schemas"]["TransactionType"];
            status: components["schemas"]["TransactionStatus"];
            /** @description Currency of `sourceAmount`, ISO 4217. */
            sourceCurrency: string;
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency`; what left the balance, or came in for a deposit. Includes the spread.
             */
            sourceAmount: number;
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency` that the payment took from the balance and still holds while nothing is under way: the exact debit, while the payment is `payout_failed`, or `manual_review` without a settlement. Null otherwise, and where the debit is not known.
             */
            heldAmount: number | null;
            /** @description Currency of `destAmount`, ISO 4217 (`BRL` for a payment). Null for deposits and withdrawals, which convert nothing. */
            destCurrency: string | null;
            /**
             * Format: int64
             * @description Minor units of `destCurrency` that the recipient gets. Null for deposits and withdrawals.
             */
            destAmount: number | null;
            /** @description Units of `destCurrency` for one of `sourceCurrency`, without the spread. Null for deposits and withdrawals. */
            fxRate: number | null;
            counterparty?: components["schemas"]["CounterpartyOrNull"];
            /** @description Name of the payment provider that carries the movement. */
            provider: string;
            /** @description A sentence for the user. Null unless it failed. */
            failureReason: string | null;
            failureCode: components["schemas"]["FailureCode"];
            /**
             * Format: uuid
             * @description The PIX payment behind a `payment`, for `GET /pix/payments/{id}`. Null for deposits and withdrawals.
             */
            pixPaymentId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601 UTC. Null until it arrived.
             */
            completedAt: string | null;
        };
        /** @description What the recipient is to get. */
        PixQuoteRequest: {
            /** @description Reais to be received, at least one centavo, with at most two decimals (`150`, `19.99`). More decimals are refused with 400; the rule is not written as `multipleOf`, because binary fractions would break it for sound amounts. The maximum is the last centavo below 2 ** 46 reais: from there on two neighbouring centavos can be the same JSON number in a client or here, and nobody could tell which one was meant. */
            amountBrl: number;
        };
        /** @description A price that holds for 60 seconds, for one payment. */
        PixQuote: {
            /** @description Hand it to `POST /pix/payments`. Opaque. */
            quoteId: string;
            /** @description Reais for one unit of the home currency, to 8 decimals, without the spread. */
            rate: number;
            sourceCurrency: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency` that the payment will cost, spread included. Show this one.
             */
            sourceAmount: number;
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency` that the service takes, included in `sourceAmount`. Exact: `sourceAmount` is the reais divided by `rate`, rounded up to the minor unit, plus `feeAmount`. If `rate` was rounded so far that `sourceAmount` is less than that quotient, `feeAmount` is 0. It follows `serviceSpreadBps`, and also has what the market moved while the price was made.
             */
            feeAmount?: number;
            /** @description Reais for one unit of the home currency with `feeAmount` included: the reais divided by `sourceAmount`, rounded half to even to 8 decimals. Below a cost of a million units of the home currency, `sourceAmount` times this rate, rounded to the centavo, is what the recipient gets. */
            effectiveRate?: number;
            /** @description The service's spread in basis points (100 is 1 %). */
            serviceSpreadBps: number;
            /**
             * Format: date-time
             * @description ISO 8601 UTC, at most 60 seconds ahead. Count down to it.
             */
            expiresAt: string;
            /** @description Whether the balance, less what is promised to other payments and withdrawals, covers `sourceAmount`. Null unless the balance was read in the last ten minutes and is not known to have changed since, because a quote does not ask the provider for it. It is a hint for the screen before the user confirms; only `POST /pix/payments` decides. */
            sufficientFunds?: boolean | null;
        };
        /**
         * @description Where the payment is.
         *
         *     | Status | Meaning | For the app |
         *     |---|---|---|
         *     | `quoted` | Priced, not yet begun | poll |
         *     | `converting` | The home currency is being turned into reais | poll |
         *     | `paying` | The reais are on their way to the recipient | poll |
         *     | `completed` | Received; `endToEndId` and `voucherId` prove it | final, unless the recipient's bank returns it |
         *     | `refunding` | It could not be paid; the money is coming back | poll |
         *     | `refunded` | The user has back exactly what was paid | final |
         *     | `payout_failed` | The reais did not reach the recipient and wait for the user | offer the retry, except for `recipient_unknown`; support can return the money |
         *     | `manual_review` | Support has to look at it | final for the app: show how to reach support, and `settlement` once there is one |
         *     | `failed` | It ended before any money moved for good | final |
         *     | `conversion_failed` | From earlier versions; no longer happens | final |
         * @enum {string}
         */
        PixPaymentStatus: "quoted" | "converting" | "paying" | "completed" | "refunding" | "refunded" | "payout_failed" | "manual_review" | "failed" | "conversion_failed";
        /**
         * @description What kind of PIX key it is: `cpf` (a person's tax number), `cnpj` (a company's), `phone`, `email`, or `evp` (a random key, UUID text).
         * @enum {string}
         */
        PixKeyType: "cpf" | "cnpj" | "phone" | "email" | "evp";
        /** @description What support has settled with the user outside this service after the payment ended in `manual_review`. Null until an operator has recorded it, and for every other payment. */
        SettlementOrNull: {
            /**
             * Format: int64
             * @description Minor units of `currency` that the user got.
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
        /** @description One PIX payment, from confirmation to the recipient. */
        PixPayment: {
            /**
             * Format: uuid
             * @description The payment's id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The row in `GET /transactions` that follows this payment.
             */
            transactionId: string;
            status: components["schemas"]["PixPaymentStatus"];
            /** @description What the recipient gets, in reais, decimal text with two places. */
            amountBrl: string;
            sourceCurrency?: components["schemas"]["HomeCurrency"];
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency` that the payment costs, `feeAmount` included. Exactly the `sourceAmount` of its quote and of its transaction, also after the money came back.
             */
            sourceAmount?: number;
            /**
             * Format: int64
             * @description Minor units of `sourceCurrency` that the service takes, included in `sourceAmount`. Exactly the `feeAmount` of its quote: `sourceAmount` is `amountBrl` divided by `exchangeRate`, rounded up to the minor unit, plus `feeAmount`.
             */
            feeAmount?: number;
            /** @description Reais for one unit of the home currency, decimal text, without the spread; the quote's `rate`. */
            exchangeRate: string;
            /** @description The recipient's key in canonical form: digits of a CPF, `+` and digits of a phone, lower-case e-mail. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description As given when the payment was made, else null. */
            recipientName: string | null;
            /** @description The provider's receipt. Null until the recipient was paid. */
            voucherId: string | null;
            /** @description The id under which every Brazilian bank finds this payment, usually 32 characters starting with `E`. Null until the recipient was paid. */
            endToEndId: string | null;
            /** @description A sentence for the user. Null unless something went wrong. */
            failureReason: string | null;
            failureCode: components["schemas"]["FailureCode"];
            settlement: components["schemas"]["SettlementOrNull"];
            /**
             * Format: date-time
             * @description When the quote behind it ran out, ISO 8601 UTC.
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Last change of state, ISO 8601 UTC.
             */
            updatedAt: string;
        };
        /** @description The quote that the user accepted, and who is to be paid. */
        PixPaymentRequest: {
            /** @description From `POST /pix/quote`. */
            quoteId: string;
            /** @description The recipient's key as typed or scanned; it is checked by its type and stored in its canonical form. A CPF or CNPJ may carry its punctuation, a phone number must start with `+`, an e-mail may be in any case. A key that cannot be right (check digits included) is refused with 400. */
            pixKey: string;
            pixKeyType: components["schemas"]["PixKeyType"];
            /** @description The recipient's name if a PIX QR code was scanned, 1 to 140 characters, without control characters and without characters that change the direction of text. Leave it out otherwise. */
            recipientName?: string;
        };
        /** @description The payment exists and is under way. */
        PixPaymentAccepted: {
            /**
             * Format: uuid
             * @description The row in `GET /transactions` that follows this payment.
             */
            transactionId: string;
            /**
             * Format: uuid
             * @description Poll `GET /pix/payments/{id}` with it.
             */
            pixPaymentId: string;
            status: components["schemas"]["PixPaymentStatus"];
        };
        /** @description Nothing to say; the recipient and the amount stay as they were. */
        RetryRequest: Record<string, never>;
        /** @description Money on its way to the user's own bank. */
        Withdraw: {
            /**
             * Format: uuid
             * @description Also the id of its transaction: poll `GET /transactions/{id}`.
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
            /** @description Name of the payment provider that carries it. */
            provider: string;
            /** @description How long it usually takes, in seconds from `createdAt`. Not a promise. By FPS two hours. By SEPA 24 hours of TARGET business days, which begin and end at midnight in Frankfurt: 86400 from Monday to Thursday, with the weekend from Friday, and until the end of the next business day from a weekend or a holiday of TARGET. */
            expectedSettlementSeconds: number;
            bankValidationStatus?: components["schemas"]["BankValidationStatus"];
            /**
             * Format: date-time
             * @description ISO 8601 UTC.
             */
            createdAt: string;
        };
        /** @description How much to send to the user's own bank. */
        WithdrawRequest: {
            /**
             * Format: int64
             * @description Minor units of the home currency (pence or cents).
             */
            amount: number;
        };
        /** @description Whatever the provider sends, as long as it is a JSON object. It is kept as it came; events without a meaning here are kept too and change nothing. */
        WebhookEvent: {
            [key: string]: unknown;
        };
        /** @description The event is stored, now or by an earlier delivery. */
        WebhookAccepted: {
            /**
             * @description Always `received`.
             * @enum {string}
             */
            status: "received";
        };
    };
    responses: {
        /** @description The request does not match this contract. `details` names each faulty place: `/body/...`, `/query/...`, `/path/...` or `/headers/...`; a name that is repeated there is cut at 100 characters. A body whose lists and objects lie more than 64 deep in one another, or that holds more than 100,000 values, is refused too. A fault in the app; repeating it unchanged gives the same answer */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description A fault of ours. What went wrong is in our log under `requestId`. Whether anything happened is not known: repeat a write only in the ways described under *Repeating safely* */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The service is starting, stopping, or cannot reach its database. Repeat after a moment */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The ID token was not accepted: expired, signed by somebody else, made for another app, or without the `nonce` that was sent. Ask the phone for a fresh one, once; if that is refused too, the app is configured wrongly */
        InvalidIdToken: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The user has closed this account. Nothing more can be done with it; sign out */
        AccountClosed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The body is larger than this operation takes: `x-max-bytes` of its request body; where that is missing, what the server is configured with, 10 MiB unless told otherwise. The rest of it is not read, and the connection may be closed */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Too many requests of this user are in progress: eight are carried out at the same time and thirty-two wait. Nothing of this one was carried out. Wait as long as `Retry-After` says and repeat it, with fewer at a time */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The identity provider's keys could not be read, so the ID token could be neither accepted nor refused. Repeat with the same ID token while it is valid */
        IdentityProviderUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description No session token, or one that has expired or was not signed here. Drop the token and sign in again */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The banking provider did not answer, or not sensibly. Nothing was created and no money moved: repeat after a moment */
        ProviderUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description This `Idempotency-Key` was already used with another body. Make a new key for a new intention */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description There is no such thing, or it belongs to somebody else; the two are not told apart */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description Nothing of this request was carried out, and the quote is not used up: wait as long as `Retry-After` says and repeat it. `too_many_unfinished`: accepted payments wait at the moment, and more than ten of this user's are `converting` or `paying`. `too_many_requests`: too many requests of this user are in progress, as for every operation */
        TooManyPayments: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description The banking provider did not answer, or has not yet confirmed an earlier payment that the balance depends on. Nothing was created and no money moved: repeat after a moment */
        BalanceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
        /** @description `overloaded`: accepted payments wait for too long, because more are offered than can be carried out. Nothing of this one was created and no money moved: wait as long as `Retry-After` says and repeat it, with the same quote. `unavailable`: the service is starting, stopping, or cannot reach its database. Repeat after a moment; a repetition never pays twice */
        PaymentsUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiError"];
            };
        };
    };
    parameters: {
        /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
        "X-Request-Id": string;
        /**
         * @description `true` refuses with 409 `account_holds_money` while the account has a balance, a payment or withdrawal that is not final, or a payment in `manual_review` without a settlement. Send it first, and ask the user before closing without it.
         * @example true
         */
        unlessMoneyIsLeft: boolean;
        /** @description A key chosen by the app (a random UUID does well): new for each intention of the user, the same for each repetition of it. The same key with the same body answers what the first request created; with another body it is refused with 422 `idempotency_key_reused`. Only successful requests are remembered, so after an error the key can be used again. Keys belong to one user and one operation. 1 to 255 visible ASCII characters. */
        "Idempotency-Key": string;
        /**
         * @description `true` answers the values unmasked, for the moment in which the user edits them. Each use is recorded. Ask only after the user has unlocked the screen, and keep nothing.
         * @example false
         */
        reveal: boolean;
        /**
         * @description How many items to answer at most.
         * @example 50
         */
        limit: number;
        /**
         * @description Where the page starts. Taken from the `Link` header of the page before; never made up. A cursor that this service did not give is refused with 400.
         * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
         */
        cursor: string;
        /**
         * @description The transaction's id. For a withdrawal it is the id that `POST /withdraws` answered.
         * @example 0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46
         */
        transactionId: string;
        /**
         * @description The payment's id, answered as `pixPaymentId` when it was created.
         * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
         */
        pixPaymentId: string;
        /**
         * @description The secret shared with the provider. Compared in constant time; anything else is answered with 404.
         * @example 3f1c9a7e5b2d4860a1c3e5f7092b4d6e
         */
        webhookSecret: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies this request in the server's logs: what the client sent in the same header, if it is 1 to 128 letters, digits, dots, dashes or underscores, and otherwise an id made here. Log it in the app too; an error repeats it as `requestId`. */
        "X-Request-Id": string;
        /**
         * @description After how many seconds to repeat the request
         * @example 1
         */
        "Retry-After": number;
        /** @description `no-store` when the values are revealed: keep them out of every cache, the app's own included. */
        "Cache-Control": string;
        /** @description Address of the next page, marked `rel="next"` (RFC 8288). Absent on the last page. Follow it unchanged: the cursor in it is opaque. */
        Link: string;
    };
    pathItems: never;
}
export type Health = components['schemas']['Health'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorDetailCode = components['schemas']['ErrorDetailCode'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
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
export type TransactionType = components['schemas']['TransactionType'];
export type TransactionStatus = components['schemas']['TransactionStatus'];
export type CounterpartyOrNull = components['schemas']['CounterpartyOrNull'];
export type FailureCode = components['schemas']['FailureCode'];
export type Transaction = components['schemas']['Transaction'];
export type PixQuoteRequest = components['schemas']['PixQuoteRequest'];
export type PixQuote = components['schemas']['PixQuote'];
export type PixPaymentStatus = components['schemas']['PixPaymentStatus'];
export type PixKeyType = components['schemas']['PixKeyType'];
export type SettlementOrNull = components['schemas']['SettlementOrNull'];
export type PixPayment = components['schemas']['PixPayment'];
export type PixPaymentRequest = components['schemas']['PixPaymentRequest'];
export type PixPaymentAccepted = components['schemas']['PixPaymentAccepted'];
export type RetryRequest = components['schemas']['RetryRequest'];
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
export type ResponseTooManyPayments = components['responses']['TooManyPayments'];
export type ResponseBalanceUnavailable = components['responses']['BalanceUnavailable'];
export type ResponsePaymentsUnavailable = components['responses']['PaymentsUnavailable'];
export type ParameterXRequestId = components['parameters']['X-Request-Id'];
export type ParameterUnlessMoneyIsLeft = components['parameters']['unlessMoneyIsLeft'];
export type ParameterIdempotencyKey = components['parameters']['Idempotency-Key'];
export type ParameterReveal = components['parameters']['reveal'];
export type ParameterLimit = components['parameters']['limit'];
export type ParameterCursor = components['parameters']['cursor'];
export type ParameterTransactionId = components['parameters']['transactionId'];
export type ParameterPixPaymentId = components['parameters']['pixPaymentId'];
export type ParameterWebhookSecret = components['parameters']['webhookSecret'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderCacheControl = components['headers']['Cache-Control'];
export type HeaderLink = components['headers']['Link'];
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user, as of now */
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
                 * @description `true` refuses with 409 `account_holds_money` while the account has a balance, a payment or withdrawal that is not final, or a payment in `manual_review` without a settlement. Send it first, and ask the user before closing without it.
                 * @example true
                 */
                unlessMoneyIsLeft?: components["parameters"]["unlessMoneyIsLeft"];
            };
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed, now or by an earlier call */
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
            /** @description Money is left, and the request has `unlessMoneyIsLeft=true`. The account stays open */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description Another home currency was chosen before. Reload `GET /me` and show that one */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description A key chosen by the app (a random UUID does well): new for each intention of the user, the same for each repetition of it. The same key with the same body answers what the first request created; with another body it is refused with 422 `idempotency_key_reused`. Only successful requests are remembered, so after an error the key can be used again. Keys belong to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description This key made this request before; here it is again */
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
            /** @description Ten of the user's requests are open. Nothing was recorded */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description Under way, or decided */
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description Under way again, or decided */
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
            /** @description The check has not failed, or the provider allows no other attempt. Reload its status */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now */
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
                 * @description `true` answers the values unmasked, for the moment in which the user edits them. Each use is recorded. Ask only after the user has unlocked the screen, and keep nothing.
                 * @example false
                 */
                reveal?: components["parameters"]["reveal"];
            };
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is saved */
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description Overwritten */
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
            /** @description The details cannot be right. `code` in `details` names what was mistyped */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    listTransactions: {
        parameters: {
            query?: {
                /**
                 * @description How many items to answer at most.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Where the page starts. Taken from the `Link` header of the page before; never made up. A cursor that this service did not give is refused with 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The transaction's id. For a withdrawal it is the id that `POST /withdraws` answered.
                 * @example 0198c2f5-0c6f-7b8e-8f21-5e0b7a1d9c46
                 */
                id: components["parameters"]["transactionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The provider makes no price for this amount */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    listPixPayments: {
        parameters: {
            query?: {
                /**
                 * @description How many items to answer at most.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Where the page starts. Taken from the `Link` header of the page before; never made up. A cursor that this service did not give is refused with 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
            /** @description This quote already made this payment; here it is again, with the status it has by now */
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
            /** @description Accepted and under way */
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
            /** @description Not with this quote, or not yet. Nothing was paid by this request */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance does not cover it. The quote is not used up */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The payment's id, answered as `pixPaymentId` when it was created.
                 * @example 0198c2f5-0c6d-7a52-a3f8-91c4e2d7b650
                 */
                id: components["parameters"]["pixPaymentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As of now */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
    retryPixPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key chosen by the app (a random UUID does well): new for each intention of the user, the same for each repetition of it. The same key with the same body answers what the first request created; with another body it is refused with 422 `idempotency_key_reused`. Only successful requests are remembered, so after an error the key can be used again. Keys belong to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The payment's id, answered as `pixPaymentId` when it was created.
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
            /** @description On its way again */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
            /** @description The payment is in a state that has nothing to retry. Reload it */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                 * @description How many items to answer at most.
                 * @example 50
                 */
                limit?: components["parameters"]["limit"];
                /**
                 * @description Where the page starts. Taken from the `Link` header of the page before; never made up. A cursor that this service did not give is refused with 400.
                 * @example eyJ0IjoiMjAyNi0wMy0wMlQwOTozMDowMC4wMDBaIn0
                 */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
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
                /** @description A key chosen by the app (a random UUID does well): new for each intention of the user, the same for each repetition of it. The same key with the same body answers what the first request created; with another body it is refused with 422 `idempotency_key_reused`. Only successful requests are remembered, so after an error the key can be used again. Keys belong to one user and one operation. 1 to 255 visible ASCII characters. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 5000
                 *     }
                 */
                "application/json": components["schemas"]["WithdrawRequest"];
            };
        };
        responses: {
            /** @description A repetition; the original withdrawal, with the status it has by now */
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
                     *       "createdAt": "2026-03-02T12:40:00.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdraw"];
                };
            };
            /** @description Accepted and under way */
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
                     *       "createdAt": "2026-03-02T12:40:00.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdraw"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["AccountClosed"];
            /** @description Something is missing or to be corrected first. Nothing was sent */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance does not cover it, or the key belongs to another request. Nothing was sent */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiError"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BalanceUnavailable"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveProviderWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description An id for this request, made by the app, so that its log and the server's can be laid side by side: 1 to 128 letters, digits, dots, hyphens and underscores. The answer repeats it. Where it is left out or has another form, the server makes one. */
                "X-Request-Id"?: components["parameters"]["X-Request-Id"];
            };
            path: {
                /**
                 * @description The secret shared with the provider. Compared in constant time; anything else is answered with 404.
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
