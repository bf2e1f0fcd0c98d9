// Generated from openapi/provider.yaml by scripts/generate.ts; change that, not this.
export interface paths {
    "/v1/accounts/owners/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Find an owner by its handle
         * @description Sees every creation that was answered before.
         */
        get: operations["findOwners"];
        put?: never;
        /**
         * Create an owner
         * @description Opens a verification on the provider's own pages. While the owner is PENDING a repeat hands out a fresh verification address.
         */
        post: operations["createOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/owners/{uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        /**
         * Get an owner
         * @description The owner with the state of its verification.
         */
        get: operations["getOwner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an owner's callback address
         * @description Callbacks that are still to be delivered go to the new address.
         */
        patch: operations["updateOwner"];
        trace?: never;
    };
    "/v1/accounts/owners/{uuid}/restart/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a failed verification again
         * @description Returns to PENDING with a fresh address of the hosted page. An attempt that was already made answers the owner as it is; anything but FAILED is refused with 409. Optional: a provider without it answers 404, 405 or 501.
         */
        post: operations["restartOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Find an account by its handle
         * @description Sees every creation that was answered before.
         */
        get: operations["findAccounts"];
        put?: never;
        /**
         * Open an account
         * @description Starts in PROVISIONING and becomes ACTIVE a little later.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        /**
         * Get an account
         * @description The account with its balance and, once active, how to pay into it.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an account's callback address
         * @description Callbacks that are still to be delivered go to the new address.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/v1/accounts/{uuid}/movements/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        /**
         * List an account's movements
         * @description Oldest first and append-only, so a cursor once given never misses anything.
         */
        get: operations["listMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/movements/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * List the movements of all accounts in a window
         * @description Optional for a provider. Ordered by (`created_at`, `uuid`). A movement is listed at most 5 minutes after its time.
         */
        get: operations["listCompanyMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{uuid}/movements/{movement_uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
                /** @description The movement's id. */
                movement_uuid: components["parameters"]["movementUuid"];
            };
            cookie?: never;
        };
        /**
         * Get a movement
         * @description One movement of this account. Movements never change.
         */
        get: operations["getMovement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold an exchange rate
         * @description Exactly one of the two amounts is given. Anchored on the destination, the source amount is rounded up; anchored on the source, the destination amount is rounded down. A limit on the source amount, allowed with a destination amount only, asks the company to bear the difference up to its cap.
         */
        post: operations["createQuote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/internal_transfers/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Find a transfer by its handle, or list them all
         * @description With `origin_id` at most one; without it every transfer, oldest first. With a window (optional for a provider) those that changed in it, ordered by (`updated_at`, `uuid`), each listed at most 5 minutes after its time.
         */
        get: operations["findInternalTransfers"];
        put?: never;
        /**
         * Convert at a quote
         * @description Debits the source at once, and credits it back should the transfer fail.
         */
        post: operations["createInternalTransfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/internal_transfers/{uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        /**
         * Get a transfer
         * @description The transfer as it now is.
         */
        get: operations["getInternalTransfer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a transfer's callback address
         * @description Callbacks that are still to be delivered go to the new address.
         */
        patch: operations["updateInternalTransfer"];
        trace?: never;
    };
    "/v1/payouts/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * Find a payout by its handle, or list them all
         * @description With `origin_id` at most one; without it every payout, oldest first. With a window (optional for a provider) those that changed in it, ordered by (`updated_at`, `uuid`), each listed at most 5 minutes after its time.
         */
        get: operations["findPayouts"];
        put?: never;
        /**
         * Pay out
         * @description Debits the source at once, and credits it back on FAILED, ERROR and REFUNDED.
         */
        post: operations["createPayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payouts/{uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        /**
         * Get a payout
         * @description The payout as it now is, with the number of its latest attempt.
         */
        get: operations["getPayout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a payout's callback address
         * @description Callbacks that are still to be delivered go to the new address.
         */
        patch: operations["updatePayout"];
        trace?: never;
    };
    "/v1/payouts/{uuid}/reissue/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a failed payout again
         * @description Debits again under the same handle and returns to PENDING. An attempt that was already made answers the payout as it is; anything but FAILED or ERROR is refused.
         */
        post: operations["reissuePayout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pix_key_lookups/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up the owner of a PIX key
         * @description Asks the directory of PIX on behalf of a customer. A key that leads to no account is UNKNOWN, never 404. Optional: a provider without it answers 404, 405 or 501. 429 if the company's budget of look-ups is spent.
         */
        post: operations["createPixKeyLookup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/br_codes/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a PIX code
         * @description Reads the text of a PIX code (BR Code) on behalf of a customer. The provider fetches the charge that a dynamic code points to; nobody else does. A code that cannot be paid is 422 `rejected`, and `reason` says why: `expired`, `already_paid`, `cancelled`, `not_pix`, `not_supported`, `damaged` or `unavailable`. Optional: a provider without it answers 404, 405 or 501.
         */
        post: operations["createBrCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payouts/{uuid}/contestations/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Contest a payout
         * @description Asks the recipient's bank to return a completed payout for fraud. A payout has at most one contestation. Another one, and one of a payout that is not COMPLETED or is 80 days old, is refused with 409. Money that comes back is a refund of the payout. Optional: a provider without it answers 404, 405 or 501.
         */
        post: operations["createContestation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payouts/{uuid}/contestations/{contestation_uuid}/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
                /** @description The contestation's id. */
                contestation_uuid: components["parameters"]["contestationUuid"];
            };
            cookie?: never;
        };
        /**
         * Get a contestation
         * @description The contestation as it is now. When it changes, `payout.updated` is sent about its payout.
         */
        get: operations["getContestation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payout_checks/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the limits of a payout
         * @description Says whether a limit would stop this payout now. It creates and reserves nothing, and promises nothing. The balance of the account does not matter. Optional: a provider without it answers 404, 405 or 501.
         */
        post: operations["createPayoutCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bank_account_validations/": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare a name with an account
         * @description Asks the receiving bank. Nothing is stored.
         */
        post: operations["createBankAccountValidation"];
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
         * Format: uuid
         * @description An id given by the provider.
         * @example 0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60
         */
        Uuid: string;
        /**
         * Format: uuid
         * @description The cursor of the next page; null on the last one.
         */
        CursorOrNull: string | null;
        /**
         * @description An id chosen by the caller, which makes a write safe to repeat.
         * @example payment-1-payout
         */
        Handle: string;
        /**
         * @description Decimal text in major units; six places for USDC, two for the other currencies.
         * @example 250.00
         */
        Amount: string;
        /** @description As an amount, where there is one. */
        AmountOrNull: string | null;
        /**
         * @description How much of the destination currency one unit of the source buys, before any markup.
         * @example 7.10120000
         */
        Rate: string;
        /**
         * @description Hundredths of a per cent.
         * @example 100
         */
        BasisPoints: number;
        /**
         * Format: date-time
         * @description UTC, with milliseconds.
         * @example 2026-11-21T10:00:00.000Z
         */
        Time: string;
        /**
         * Format: date-time
         * @description UTC, with milliseconds.
         */
        TimeOrNull: string | null;
        /** @description Text where there is something to say. */
        TextOrNull: string | null;
        /**
         * Format: uri
         * @description Where callbacks about this resource go.
         * @example https://ponte.test/hook
         */
        CallbackUrl: string;
        /**
         * @description The currencies that an account can hold.
         * @enum {string}
         */
        Currency: "GBP" | "EUR" | "USDC" | "BRL";
        /**
         * @description The scheme of a payout: PIX pays BRL, FPS pays GBP, SEPA pays EUR.
         * @enum {string}
         */
        Rail: "PIX" | "FPS" | "SEPA";
        /**
         * @description What kind of key names the recipient.
         * @enum {string}
         */
        PixKeyType: "cpf" | "cnpj" | "phone" | "email" | "evp";
        /** @description A new address for callbacks. */
        CallbackUpdate: {
            callback_url: components["schemas"]["CallbackUrl"];
        };
        /**
         * @description How far the verification is.
         * @enum {string}
         */
        OwnerStatus: "PENDING" | "COMPLETED" | "FAILED";
        /**
         * @description How thorough the verification was; null until it is completed.
         * @enum {string|null}
         */
        OwnerLevelOrNull: "BASIC" | "STANDARD" | "ENHANCED" | null;
        /** @description A person to be verified on the provider's own pages. */
        OwnerCreate: {
            external_id: components["schemas"]["Handle"];
            /**
             * @description The provider collects the person's data itself.
             * @enum {string}
             */
            mode: "hosted";
            callback_url?: components["schemas"]["CallbackUrl"];
        };
        /** @description The next attempt of a failed verification. */
        OwnerRestart: {
            external_id: components["schemas"]["Handle"];
            /** @description One more than the owner's present attempt. */
            attempt: number;
        };
        /** @description A person and the state of the verification. */
        Owner: {
            uuid: components["schemas"]["Uuid"];
            external_id: components["schemas"]["Handle"];
            status: components["schemas"]["OwnerStatus"];
            level: components["schemas"]["OwnerLevelOrNull"];
            /**
             * Format: uri
             * @description The page where the person is verified; null once that is over.
             */
            verification_url: string | null;
            verification_url_expires_at: components["schemas"]["TimeOrNull"];
            full_name: components["schemas"]["TextOrNull"];
            email: components["schemas"]["TextOrNull"];
            completed_at: components["schemas"]["TimeOrNull"];
            /** @description The number of the present attempt. Left out where the provider cannot restart a verification. */
            attempt?: number;
            /** @description Why a FAILED verification failed: `document_unreadable`, `document_expired`, `name_mismatch`, `not_eligible` or `other`. Null or left out where the provider does not say. */
            failure_code?: string | null;
            updated_at: components["schemas"]["Time"];
        };
        /** @description Owners found. */
        OwnerPage: {
            results: components["schemas"]["Owner"][];
        };
        /**
         * @description Only an active account takes part in anything.
         * @enum {string}
         */
        AccountStatus: "PROVISIONING" | "ACTIVE";
        /** @description How to pay in. A GBP account has a number and a sort code, a EUR account an IBAN and a BIC; null for others and until active. */
        DepositInstructions: {
            /** @description The name to give the paying bank. */
            account_holder_name: string;
            /** @description GBP only. */
            account_number?: string;
            /** @description GBP only, NN-NN-NN. */
            sort_code?: string;
            /** @description EUR only. */
            iban?: string;
            /** @description EUR only. */
            bic?: string;
        } | null;
        /** @description An account in one currency for a verified owner. */
        AccountCreate: {
            external_id: components["schemas"]["Handle"];
            owner_uuid: components["schemas"]["Uuid"];
            currency: components["schemas"]["Currency"];
            callback_url?: components["schemas"]["CallbackUrl"];
        };
        /** @description An account in one currency. */
        Account: {
            uuid: components["schemas"]["Uuid"];
            external_id: components["schemas"]["Handle"];
            owner_uuid: components["schemas"]["Uuid"];
            currency: components["schemas"]["Currency"];
            status: components["schemas"]["AccountStatus"];
            balance: components["schemas"]["Amount"];
            deposit_instructions: components["schemas"]["DepositInstructions"];
            updated_at: components["schemas"]["Time"];
        };
        /** @description Accounts found. */
        AccountPage: {
            results: components["schemas"]["Account"][];
        };
        /**
         * @description Into the account or out of it.
         * @enum {string}
         */
        MovementDirection: "CREDIT" | "DEBIT";
        /**
         * @description What moved the money. Only a DEPOSIT came from outside.
         * @enum {string}
         */
        MovementKind: "DEPOSIT" | "INTERNAL_TRANSFER" | "PAYOUT" | "PAYOUT_REFUND";
        /** @description One change of an account's balance. `source_reference` is any text of a deposit's payer. Of a transfer or payout it is the caller's handle, the provider's uuid, or null, and a provider may mix them. */
        Movement: {
            uuid: components["schemas"]["Uuid"];
            account_uuid: components["schemas"]["Uuid"];
            direction: components["schemas"]["MovementDirection"];
            kind: components["schemas"]["MovementKind"];
            amount: components["schemas"]["Amount"];
            currency: components["schemas"]["Currency"];
            source_reference: components["schemas"]["TextOrNull"];
            created_at: components["schemas"]["Time"];
        };
        /** @description A page of movements, oldest first. */
        MovementPage: {
            results: components["schemas"]["Movement"][];
            next: components["schemas"]["CursorOrNull"];
        };
        /** @description Two currencies and exactly one amount. */
        QuoteCreate: {
            source_currency: components["schemas"]["Currency"];
            destination_currency: components["schemas"]["Currency"];
            source_amount?: components["schemas"]["Amount"];
            destination_amount?: components["schemas"]["Amount"];
            markup_bps?: components["schemas"]["BasisPoints"];
            max_source_amount?: components["schemas"]["Amount"];
            subsidy_cap_bps?: components["schemas"]["BasisPoints"];
        };
        /** @description A rate held for sixty seconds. */
        Quote: {
            uuid: components["schemas"]["Uuid"];
            source_currency: components["schemas"]["Currency"];
            source_amount: components["schemas"]["Amount"];
            destination_currency: components["schemas"]["Currency"];
            destination_amount: components["schemas"]["Amount"];
            rate: components["schemas"]["Rate"];
            markup_bps: components["schemas"]["BasisPoints"];
            subsidy_amount: components["schemas"]["Amount"];
            expires_at: components["schemas"]["Time"];
        };
        /**
         * @description COMPLETED and FAILED are final.
         * @enum {string}
         */
        InternalTransferStatus: "PENDING" | "COMPLETED" | "FAILED";
        /** @description A conversion at a quote. */
        InternalTransferCreate: {
            origin_id: components["schemas"]["Handle"];
            quote_uuid: components["schemas"]["Uuid"];
            source_account_uuid: components["schemas"]["Uuid"];
            destination_account_uuid: components["schemas"]["Uuid"];
            callback_url?: components["schemas"]["CallbackUrl"];
        };
        /** @description A conversion between two accounts. */
        InternalTransfer: {
            uuid: components["schemas"]["Uuid"];
            origin_id: components["schemas"]["Handle"];
            quote_uuid: components["schemas"]["Uuid"];
            status: components["schemas"]["InternalTransferStatus"];
            source_account_uuid: components["schemas"]["Uuid"];
            destination_account_uuid: components["schemas"]["Uuid"];
            source_amount: components["schemas"]["Amount"];
            destination_amount: components["schemas"]["Amount"];
            rate: components["schemas"]["Rate"];
            failure_reason: components["schemas"]["TextOrNull"];
            updated_at: components["schemas"]["Time"];
        };
        /** @description A page of transfers, oldest first. */
        InternalTransferPage: {
            results: components["schemas"]["InternalTransfer"][];
            next: components["schemas"]["CursorOrNull"];
        };
        /** @description A recipient in Brazil, named by a PIX key in canonical form. */
        PixDestination: {
            /** @description The key. */
            pix_key: string;
            pix_key_type: components["schemas"]["PixKeyType"];
            recipient_name: components["schemas"]["TextOrNull"];
        };
        /** @description A bank account in the United Kingdom. */
        FpsDestination: {
            /** @description Whose account it is. */
            account_holder_name: string;
            /** @description Eight digits. */
            account_number: string;
            /** @description NN-NN-NN. */
            sort_code: string;
        };
        /** @description A bank account in the euro area. */
        SepaDestination: {
            /** @description Whose account it is. */
            account_holder_name: string;
            /** @description Upper case and without spaces. */
            iban: string;
            /** @description Eight or eleven characters. */
            bic: string;
        };
        /** @description Where a payout goes. Its form follows from the rail. */
        Destination: components["schemas"]["PixDestination"] | components["schemas"]["FpsDestination"] | components["schemas"]["SepaDestination"];
        /**
         * @description REFUNDED can follow COMPLETED. FAILED and ERROR can be issued again.
         * @enum {string}
         */
        PayoutStatus: "PENDING" | "COMPLETED" | "FAILED" | "ERROR" | "REFUNDED";
        /** @description Money to leave an account. */
        PayoutCreate: {
            origin_id: components["schemas"]["Handle"];
            source_account_uuid: components["schemas"]["Uuid"];
            amount: components["schemas"]["Amount"];
            currency: components["schemas"]["Currency"];
            rail: components["schemas"]["Rail"];
            destination: components["schemas"]["Destination"];
            /**
             * Format: uuid
             * @description The look-up that named the recipient of a PIX payout. An expired or unknown one never refuses the payout.
             */
            lookup_uuid?: string;
            /**
             * Format: uuid
             * @description The code that a PIX payout pays. The amount must be the code's if that is fixed. At most one payout of a charge is PENDING or COMPLETED: another one is 422 `rejected` with the reason `already_paid`, and one of an expired charge has the reason `expired`.
             */
            br_code_uuid?: string;
            callback_url?: components["schemas"]["CallbackUrl"];
        };
        /** @description The next attempt of a failed payout. */
        PayoutReissue: {
            origin_id: components["schemas"]["Handle"];
            /** @description One more than the payout's own. */
            attempt: number;
        };
        /** @description Money that left an account, or was meant to. */
        Payout: {
            uuid: components["schemas"]["Uuid"];
            origin_id: components["schemas"]["Handle"];
            /** @description Counts from one. */
            attempt: number;
            status: components["schemas"]["PayoutStatus"];
            source_account_uuid: components["schemas"]["Uuid"];
            amount: components["schemas"]["Amount"];
            currency: components["schemas"]["Currency"];
            rail: components["schemas"]["Rail"];
            destination: components["schemas"]["Destination"];
            end_to_end_id: components["schemas"]["TextOrNull"];
            voucher_id: components["schemas"]["TextOrNull"];
            failure_reason: components["schemas"]["TextOrNull"];
            /** @description Why a FAILED or ERROR payout did not arrive: `recipient_unknown` if the destination leads to no account, `limit_reached`, `account_blocked`, `name_mismatch`, `recipient_bank_unavailable`, `code_expired` or `other`. Null or left out where the provider does not say. */
            failure_code?: string | null;
            /** @description The limit of a payout with `limit_reached`: `per_payment`, `day` or `night`. Null or left out where the provider does not say. */
            failure_limit?: string | null;
            /** @description From when a payout with `limit_reached` can arrive, as a time. Null or left out where the provider does not say, and if it never can. */
            retry_from?: string | null;
            /**
             * Format: uuid
             * @description The look-up that the creation named. Null or left out if it named none.
             */
            lookup_uuid?: string | null;
            /**
             * Format: uuid
             * @description The code that the creation named. Null or left out if it named none.
             */
            br_code_uuid?: string | null;
            /** @description The parts of a COMPLETED payout that came back. Each credits the source account with a movement of kind PAYOUT_REFUND. Once all has come back, the status is REFUNDED. Left out by a provider without partial returns. */
            refunds?: components["schemas"]["PayoutRefund"][];
            updated_at: components["schemas"]["Time"];
        };
        /** @description A part of a payout that came back. */
        PayoutRefund: {
            movement_uuid: components["schemas"]["Uuid"];
            amount: components["schemas"]["Amount"];
            created_at: components["schemas"]["Time"];
        };
        /** @description Why the payer contests the payout. */
        ContestationCreate: {
            origin_id: components["schemas"]["Handle"];
            /**
             * @description The kind of the fraud.
             * @enum {string}
             */
            reason: "scam" | "unauthorised" | "coercion";
            /** @description What happened, in the payer's words. */
            description: string;
        };
        /**
         * @description ACCEPTED if money comes back. The last two are final.
         * @enum {string}
         */
        ContestationStatus: "OPEN" | "ACCEPTED" | "REJECTED";
        /** @description The contestation of a payout. */
        Contestation: {
            uuid: components["schemas"]["Uuid"];
            origin_id: components["schemas"]["Handle"];
            status: components["schemas"]["ContestationStatus"];
            refunded_amount: components["schemas"]["Amount"];
            resolved_at: components["schemas"]["TimeOrNull"];
            updated_at: components["schemas"]["Time"];
        };
        /** @description A page of payouts, oldest first. */
        PayoutPage: {
            results: components["schemas"]["Payout"][];
            next: components["schemas"]["CursorOrNull"];
        };
        /** @description The payout, without the handle that its creation will have. */
        PayoutCheckCreate: {
            source_account_uuid: components["schemas"]["Uuid"];
            amount: components["schemas"]["Amount"];
            currency: components["schemas"]["Currency"];
            rail: components["schemas"]["Rail"];
            destination: components["schemas"]["Destination"];
            /**
             * Format: uuid
             * @description The look-up that named the recipient.
             */
            lookup_uuid?: string;
            /**
             * Format: uuid
             * @description The code that the payout pays.
             */
            br_code_uuid?: string;
            callback_url?: components["schemas"]["CallbackUrl"];
        };
        /** @description Whether the payout is allowed now. The other properties are null when it is. */
        PayoutCheck: {
            /** @description False if a limit would stop the payout. */
            allowed: boolean;
            /** @description The limit: `per_payment`, `day` or `night`. Null or left out where the provider does not say. */
            limit?: string | null;
            /** @description The amount that the limit allows. */
            limit_amount?: string | null;
            /** @description When the limit ends, as a time. Null or left out where the provider does not say, and if it never ends. */
            resets_at?: string | null;
        };
        /** @description A key, and the customer who asks for its owner. */
        PixKeyLookupCreate: {
            owner_uuid: components["schemas"]["Uuid"];
            /** @description The key in canonical form. */
            pix_key: string;
            pix_key_type: components["schemas"]["PixKeyType"];
        };
        /**
         * @description UNKNOWN if no account has the key.
         * @enum {string}
         */
        PixKeyLookupStatus: "FOUND" | "UNKNOWN";
        /** @description The owner of a key. The last five properties are null when UNKNOWN. */
        PixKeyLookup: {
            uuid: components["schemas"]["Uuid"];
            status: components["schemas"]["PixKeyLookupStatus"];
            pix_key: components["schemas"]["TextOrNull"];
            pix_key_type: components["schemas"]["TextOrNull"];
            recipient_name: components["schemas"]["TextOrNull"];
            recipient_tax_id: components["schemas"]["TextOrNull"];
            institution_name: components["schemas"]["TextOrNull"];
            expires_at: components["schemas"]["TimeOrNull"];
        };
        /** @description The text of a code, and the customer who wants to pay it. */
        BrCodeCreate: {
            owner_uuid: components["schemas"]["Uuid"];
            /** @description The text in the QR code. */
            payload: string;
        };
        /**
         * @description A DYNAMIC code points to a charge.
         * @enum {string}
         */
        BrCodeKind: "STATIC" | "DYNAMIC";
        /** @description What a code asks to be paid. */
        BrCode: {
            uuid: components["schemas"]["Uuid"];
            kind: components["schemas"]["BrCodeKind"];
            /**
             * Format: uuid
             * @description The charge. The same for everybody who reads a code of it; null if STATIC.
             */
            charge_uuid: string | null;
            /** @description The recipient's key in canonical form. */
            pix_key: string;
            pix_key_type: components["schemas"]["PixKeyType"];
            /** @description Who is paid. */
            recipient_name: string;
            /** @description The institution that holds the recipient's account. */
            institution_name: string;
            amount: components["schemas"]["AmountOrNull"];
            /** @description Whether only this amount can be paid. */
            amount_is_fixed: boolean;
            txid: components["schemas"]["TextOrNull"];
            expires_at: components["schemas"]["TimeOrNull"];
        };
        /** @description A bank account in the United Kingdom. */
        GbpBankAccountValidationCreate: {
            /**
             * @description Always GBP.
             * @enum {string}
             */
            currency: "GBP";
            /** @description The name to compare. */
            account_holder_name: string;
            /** @description Eight digits. */
            account_number: string;
            /** @description NN-NN-NN. */
            sort_code: string;
        };
        /** @description A bank account in the euro area. */
        EurBankAccountValidationCreate: {
            /**
             * @description Always EUR.
             * @enum {string}
             */
            currency: "EUR";
            /** @description The name to compare. */
            account_holder_name: string;
            /** @description Upper case and without spaces. */
            iban: string;
            /** @description Eight or eleven characters. */
            bic: string;
        };
        /** @description The bank details to check. */
        BankAccountValidationCreate: components["schemas"]["GbpBankAccountValidationCreate"] | components["schemas"]["EurBankAccountValidationCreate"];
        /**
         * @description UNAVAILABLE when the bank does not answer. NOT_POSSIBLE, which a provider may not have, when the bank cannot check names of this account.
         * @enum {string}
         */
        BankAccountValidationStatus: "MATCH" | "CLOSE_MATCH" | "NO_MATCH" | "NOT_POSSIBLE" | "UNAVAILABLE";
        /** @description What the receiving bank said. */
        BankAccountValidation: {
            status: components["schemas"]["BankAccountValidationStatus"];
            matched_name?: components["schemas"]["TextOrNull"];
        };
        /** @description What is posted to a callback address. */
        Callback: {
            /** @description account.status_updated, movement.created, internal_transfer.updated or payout.updated; other names may appear at any time. */
            event: string;
            /** @description The whole resource as it was when this was written. */
            data: {
                [key: string]: unknown;
            };
            updated_at: components["schemas"]["Time"];
        };
        /**
         * @description What went wrong, for programs.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "unauthorized" | "not_found" | "origin_id_conflict" | "quote_expired" | "quote_consumed" | "insufficient_funds" | "account_not_active" | "rejected" | "rate_limited" | "unavailable";
        /** @description Why it was not done. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Why it was `rejected`, for programs. Optional. */
            reason?: string;
        };
    };
    responses: {
        /** @description The owner as it now is. */
        Owner: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *       "external_id": "user-1",
                 *       "status": "PENDING",
                 *       "level": null,
                 *       "verification_url": "http://127.0.0.1:4010/verify/0f8fad5b",
                 *       "verification_url_expires_at": "2026-11-21T11:00:00.000Z",
                 *       "full_name": null,
                 *       "email": null,
                 *       "completed_at": null,
                 *       "attempt": 1,
                 *       "failure_code": null,
                 *       "updated_at": "2026-11-21T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Owner"];
            };
        };
        /** @description One owner, or none. */
        OwnerPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *           "external_id": "user-1",
                 *           "status": "PENDING",
                 *           "level": null,
                 *           "verification_url": "http://127.0.0.1:4010/verify/0f8fad5b",
                 *           "verification_url_expires_at": "2026-11-21T11:00:00.000Z",
                 *           "full_name": null,
                 *           "email": null,
                 *           "completed_at": null,
                 *           "attempt": 1,
                 *           "failure_code": null,
                 *           "updated_at": "2026-11-21T10:00:00.000Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["OwnerPage"];
            };
        };
        /** @description The account as it now is. */
        Account: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *       "external_id": "user-1-gbp",
                 *       "owner_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *       "currency": "GBP",
                 *       "status": "ACTIVE",
                 *       "balance": "120.00",
                 *       "deposit_instructions": {
                 *         "account_holder_name": "Ada Silva",
                 *         "account_number": "10000001",
                 *         "sort_code": "04-00-75"
                 *       },
                 *       "updated_at": "2026-11-21T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Account"];
            };
        };
        /** @description One account, or none. */
        AccountPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *           "external_id": "user-1-gbp",
                 *           "owner_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *           "currency": "GBP",
                 *           "status": "ACTIVE",
                 *           "balance": "120.00",
                 *           "deposit_instructions": {
                 *             "account_holder_name": "Ada Silva",
                 *             "account_number": "10000001",
                 *             "sort_code": "04-00-75"
                 *           },
                 *           "updated_at": "2026-11-21T10:00:00.000Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AccountPage"];
            };
        };
        /** @description The movement. */
        Movement: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a64",
                 *       "account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *       "direction": "CREDIT",
                 *       "kind": "DEPOSIT",
                 *       "amount": "120.00",
                 *       "currency": "GBP",
                 *       "source_reference": "Salary",
                 *       "created_at": "2026-11-21T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Movement"];
            };
        };
        /** @description Movements, oldest first. */
        MovementPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a64",
                 *           "account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *           "direction": "CREDIT",
                 *           "kind": "DEPOSIT",
                 *           "amount": "120.00",
                 *           "currency": "GBP",
                 *           "source_reference": "Salary",
                 *           "created_at": "2026-11-21T10:00:00.000Z"
                 *         }
                 *       ],
                 *       "next": null
                 *     }
                 */
                "application/json": components["schemas"]["MovementPage"];
            };
        };
        /** @description The quote. Good for one transfer. */
        Quote: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a65",
                 *       "source_currency": "GBP",
                 *       "source_amount": "35.56",
                 *       "destination_currency": "BRL",
                 *       "destination_amount": "250.00",
                 *       "rate": "7.10120000",
                 *       "markup_bps": 100,
                 *       "subsidy_amount": "0.00",
                 *       "expires_at": "2026-11-21T10:01:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Quote"];
            };
        };
        /** @description The transfer as it now is. */
        InternalTransfer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a66",
                 *       "origin_id": "payment-1-conversion",
                 *       "quote_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a65",
                 *       "status": "COMPLETED",
                 *       "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *       "destination_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a62",
                 *       "source_amount": "35.56",
                 *       "destination_amount": "250.00",
                 *       "rate": "7.10120000",
                 *       "failure_reason": null,
                 *       "updated_at": "2026-11-21T10:00:01.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["InternalTransfer"];
            };
        };
        /** @description Transfers, oldest first. */
        InternalTransferPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a66",
                 *           "origin_id": "payment-1-conversion",
                 *           "quote_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a65",
                 *           "status": "COMPLETED",
                 *           "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *           "destination_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a62",
                 *           "source_amount": "35.56",
                 *           "destination_amount": "250.00",
                 *           "rate": "7.10120000",
                 *           "failure_reason": null,
                 *           "updated_at": "2026-11-21T10:00:01.000Z"
                 *         }
                 *       ],
                 *       "next": null
                 *     }
                 */
                "application/json": components["schemas"]["InternalTransferPage"];
            };
        };
        /** @description The payout as it now is. */
        Payout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a67",
                 *       "origin_id": "payment-1-payout",
                 *       "attempt": 1,
                 *       "status": "COMPLETED",
                 *       "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a62",
                 *       "amount": "250.00",
                 *       "currency": "BRL",
                 *       "rail": "PIX",
                 *       "destination": {
                 *         "pix_key": "52998224725",
                 *         "pix_key_type": "cpf",
                 *         "recipient_name": null
                 *       },
                 *       "end_to_end_id": "E9999999920261121100012345678901",
                 *       "voucher_id": "V-0199F0C46F2E",
                 *       "failure_reason": null,
                 *       "failure_code": null,
                 *       "failure_limit": null,
                 *       "retry_from": null,
                 *       "updated_at": "2026-11-21T10:00:02.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Payout"];
            };
        };
        /** @description Payouts, oldest first. */
        PayoutPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "results": [
                 *         {
                 *           "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a67",
                 *           "origin_id": "payment-1-payout",
                 *           "attempt": 1,
                 *           "status": "COMPLETED",
                 *           "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a62",
                 *           "amount": "250.00",
                 *           "currency": "BRL",
                 *           "rail": "PIX",
                 *           "destination": {
                 *             "pix_key": "52998224725",
                 *             "pix_key_type": "cpf",
                 *             "recipient_name": null
                 *           },
                 *           "end_to_end_id": "E9999999920261121100012345678901",
                 *           "voucher_id": "V-0199F0C46F2E",
                 *           "failure_reason": null,
                 *           "failure_code": null,
                 *           "failure_limit": null,
                 *           "retry_from": null,
                 *           "updated_at": "2026-11-21T10:00:02.000Z"
                 *         }
                 *       ],
                 *       "next": null
                 *     }
                 */
                "application/json": components["schemas"]["PayoutPage"];
            };
        };
        /** @description Whether a limit would stop the payout. */
        PayoutCheck: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayoutCheck"];
            };
        };
        /** @description The contestation as it is now. */
        Contestation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a6c",
                 *       "origin_id": "payment-1-contestation",
                 *       "status": "OPEN",
                 *       "refunded_amount": "0.00",
                 *       "resolved_at": null,
                 *       "updated_at": "2026-11-21T10:00:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["Contestation"];
            };
        };
        /** @description What the directory says about the key. */
        PixKeyLookup: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PixKeyLookup"];
            };
        };
        /** @description What the code says. */
        BrCode: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BrCode"];
            };
        };
        /** @description What the receiving bank said. */
        BankAccountValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "MATCH"
                 *     }
                 */
                "application/json": components["schemas"]["BankAccountValidation"];
            };
        };
        /** @description The request is not one this contract knows. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "invalid_request",
                 *       "detail": "amount must be greater than zero"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Wrong credentials or the wrong company. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unauthorized",
                 *       "detail": "wrong credentials"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such resource. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "not_found",
                 *       "detail": "no such account"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The handle has other content, the quote is spent, or the resource is in another state. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Understood, and not done. Nothing was created. */
        Refused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too many calls. */
        RateLimited: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "rate_limited",
                 *       "detail": "slow down"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not now. The outcome of a write is unknown until it is looked up by its handle. */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "unavailable",
                 *       "detail": "try again later"
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description The company on whose behalf the call is made. A wrong one is 401.
         * @example sandbox-company
         */
        companyId: string;
        /** @description The provider's own id of the resource. */
        uuid: components["schemas"]["Uuid"];
        /** @description The movement's id. */
        movementUuid: components["schemas"]["Uuid"];
        /** @description The contestation's id. */
        contestationUuid: components["schemas"]["Uuid"];
        /** @description The handle that the creation carried. */
        externalId: components["schemas"]["Handle"];
        /** @description The handle that the creation carried. Without it everything is listed. */
        originId: components["schemas"]["Handle"];
        /** @description The id of the last item already seen. */
        after: components["schemas"]["Uuid"];
        /** @description The first time of a window; changes from this time on. */
        updatedFrom: string;
        /** @description The end of a window; changes before this time. */
        updatedTo: string;
        /** @description The first time of a window; creations from this time on. */
        createdFrom: string;
        /** @description The end of a window; creations before this time. */
        createdTo: string;
        /** @description How many items a page holds at most. */
        limit: number;
    };
    requestBodies: {
        CallbackUpdate: {
            content: {
                /**
                 * @example {
                 *       "callback_url": "https://ponte.test/hook"
                 *     }
                 */
                "application/json": components["schemas"]["CallbackUpdate"];
            };
        };
    };
    headers: {
        /**
         * @description Seconds to wait, where the provider knows.
         * @example 5
         */
        RetryAfter: string;
    };
    pathItems: never;
}
export type Uuid = components['schemas']['Uuid'];
export type CursorOrNull = components['schemas']['CursorOrNull'];
export type Handle = components['schemas']['Handle'];
export type Amount = components['schemas']['Amount'];
export type AmountOrNull = components['schemas']['AmountOrNull'];
export type Rate = components['schemas']['Rate'];
export type BasisPoints = components['schemas']['BasisPoints'];
export type Time = components['schemas']['Time'];
export type TimeOrNull = components['schemas']['TimeOrNull'];
export type TextOrNull = components['schemas']['TextOrNull'];
export type CallbackUrl = components['schemas']['CallbackUrl'];
export type Currency = components['schemas']['Currency'];
export type Rail = components['schemas']['Rail'];
export type PixKeyType = components['schemas']['PixKeyType'];
export type CallbackUpdate = components['schemas']['CallbackUpdate'];
export type OwnerStatus = components['schemas']['OwnerStatus'];
export type OwnerLevelOrNull = components['schemas']['OwnerLevelOrNull'];
export type OwnerCreate = components['schemas']['OwnerCreate'];
export type OwnerRestart = components['schemas']['OwnerRestart'];
export type Owner = components['schemas']['Owner'];
export type OwnerPage = components['schemas']['OwnerPage'];
export type AccountStatus = components['schemas']['AccountStatus'];
export type DepositInstructions = components['schemas']['DepositInstructions'];
export type AccountCreate = components['schemas']['AccountCreate'];
export type Account = components['schemas']['Account'];
export type AccountPage = components['schemas']['AccountPage'];
export type MovementDirection = components['schemas']['MovementDirection'];
export type MovementKind = components['schemas']['MovementKind'];
export type Movement = components['schemas']['Movement'];
export type MovementPage = components['schemas']['MovementPage'];
export type QuoteCreate = components['schemas']['QuoteCreate'];
export type Quote = components['schemas']['Quote'];
export type InternalTransferStatus = components['schemas']['InternalTransferStatus'];
export type InternalTransferCreate = components['schemas']['InternalTransferCreate'];
export type InternalTransfer = components['schemas']['InternalTransfer'];
export type InternalTransferPage = components['schemas']['InternalTransferPage'];
export type PixDestination = components['schemas']['PixDestination'];
export type FpsDestination = components['schemas']['FpsDestination'];
export type SepaDestination = components['schemas']['SepaDestination'];
export type Destination = components['schemas']['Destination'];
export type PayoutStatus = components['schemas']['PayoutStatus'];
export type PayoutCreate = components['schemas']['PayoutCreate'];
export type PayoutReissue = components['schemas']['PayoutReissue'];
export type Payout = components['schemas']['Payout'];
export type PayoutRefund = components['schemas']['PayoutRefund'];
export type ContestationCreate = components['schemas']['ContestationCreate'];
export type ContestationStatus = components['schemas']['ContestationStatus'];
export type Contestation = components['schemas']['Contestation'];
export type PayoutPage = components['schemas']['PayoutPage'];
export type PayoutCheckCreate = components['schemas']['PayoutCheckCreate'];
export type PayoutCheck = components['schemas']['PayoutCheck'];
export type PixKeyLookupCreate = components['schemas']['PixKeyLookupCreate'];
export type PixKeyLookupStatus = components['schemas']['PixKeyLookupStatus'];
export type PixKeyLookup = components['schemas']['PixKeyLookup'];
export type BrCodeCreate = components['schemas']['BrCodeCreate'];
export type BrCodeKind = components['schemas']['BrCodeKind'];
export type BrCode = components['schemas']['BrCode'];
export type GbpBankAccountValidationCreate = components['schemas']['GbpBankAccountValidationCreate'];
export type EurBankAccountValidationCreate = components['schemas']['EurBankAccountValidationCreate'];
export type BankAccountValidationCreate = components['schemas']['BankAccountValidationCreate'];
export type BankAccountValidationStatus = components['schemas']['BankAccountValidationStatus'];
export type BankAccountValidation = components['schemas']['BankAccountValidation'];
export type Callback = components['schemas']['Callback'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type Error = components['schemas']['Error'];
export type ResponseOwner = components['responses']['Owner'];
export type ResponseOwnerPage = components['responses']['OwnerPage'];
export type ResponseAccount = components['responses']['Account'];
export type ResponseAccountPage = components['responses']['AccountPage'];
export type ResponseMovement = components['responses']['Movement'];
export type ResponseMovementPage = components['responses']['MovementPage'];
export type ResponseQuote = components['responses']['Quote'];
export type ResponseInternalTransfer = components['responses']['InternalTransfer'];
export type ResponseInternalTransferPage = components['responses']['InternalTransferPage'];
export type ResponsePayout = components['responses']['Payout'];
export type ResponsePayoutPage = components['responses']['PayoutPage'];
export type ResponsePayoutCheck = components['responses']['PayoutCheck'];
export type ResponseContestation = components['responses']['Contestation'];
export type ResponsePixKeyLookup = components['responses']['PixKeyLookup'];
export type ResponseBrCode = components['responses']['BrCode'];
export type ResponseBankAccountValidation = components['responses']['BankAccountValidation'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseRefused = components['responses']['Refused'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ParameterCompanyId = components['parameters']['companyId'];
export type ParameterUuid = components['parameters']['uuid'];
export type ParameterMovementUuid = components['parameters']['movementUuid'];
export type ParameterContestationUuid = components['parameters']['contestationUuid'];
export type ParameterExternalId = components['parameters']['externalId'];
export type ParameterOriginId = components['parameters']['originId'];
export type ParameterAfter = components['parameters']['after'];
export type ParameterUpdatedFrom = components['parameters']['updatedFrom'];
export type ParameterUpdatedTo = components['parameters']['updatedTo'];
export type ParameterCreatedFrom = components['parameters']['createdFrom'];
export type ParameterCreatedTo = components['parameters']['createdTo'];
export type ParameterLimit = components['parameters']['limit'];
export type RequestBodyCallbackUpdate = components['requestBodies']['CallbackUpdate'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
    findOwners: {
        parameters: {
            query: {
                /** @description The handle that the creation carried. */
                external_id: components["parameters"]["externalId"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OwnerPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createOwner: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_id": "user-1",
                 *       "mode": "hosted",
                 *       "callback_url": "https://ponte.test/hook"
                 *     }
                 */
                "application/json": components["schemas"]["OwnerCreate"];
            };
        };
        responses: {
            200: components["responses"]["Owner"];
            201: components["responses"]["Owner"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOwner: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Owner"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOwner: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["CallbackUpdate"];
        responses: {
            200: components["responses"]["Owner"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    restartOwner: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_id": "user-1",
                 *       "attempt": 2
                 *     }
                 */
                "application/json": components["schemas"]["OwnerRestart"];
            };
        };
        responses: {
            200: components["responses"]["Owner"];
            201: components["responses"]["Owner"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    findAccounts: {
        parameters: {
            query: {
                /** @description The handle that the creation carried. */
                external_id: components["parameters"]["externalId"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AccountPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_id": "user-1-gbp",
                 *       "owner_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *       "currency": "GBP",
                 *       "callback_url": "https://ponte.test/hook"
                 *     }
                 */
                "application/json": components["schemas"]["AccountCreate"];
            };
        };
        responses: {
            200: components["responses"]["Account"];
            201: components["responses"]["Account"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Account"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["CallbackUpdate"];
        responses: {
            200: components["responses"]["Account"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMovements: {
        parameters: {
            query?: {
                /** @description The id of the last item already seen. */
                after?: components["parameters"]["after"];
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MovementPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCompanyMovements: {
        parameters: {
            query?: {
                /** @description The first time of a window; creations from this time on. */
                created_from?: components["parameters"]["createdFrom"];
                /** @description The end of a window; creations before this time. */
                created_to?: components["parameters"]["createdTo"];
                /** @description The id of the last item already seen. */
                after?: components["parameters"]["after"];
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MovementPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMovement: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
                /** @description The movement's id. */
                movement_uuid: components["parameters"]["movementUuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Movement"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createQuote: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteCreate"];
            };
        };
        responses: {
            201: components["responses"]["Quote"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    findInternalTransfers: {
        parameters: {
            query?: {
                /** @description The handle that the creation carried. Without it everything is listed. */
                origin_id?: components["parameters"]["originId"];
                /** @description The first time of a window; changes from this time on. */
                updated_from?: components["parameters"]["updatedFrom"];
                /** @description The end of a window; changes before this time. */
                updated_to?: components["parameters"]["updatedTo"];
                /** @description The id of the last item already seen. */
                after?: components["parameters"]["after"];
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["InternalTransferPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createInternalTransfer: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "origin_id": "payment-1-conversion",
                 *       "quote_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a65",
                 *       "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *       "destination_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a62",
                 *       "callback_url": "https://ponte.test/hook"
                 *     }
                 */
                "application/json": components["schemas"]["InternalTransferCreate"];
            };
        };
        responses: {
            200: components["responses"]["InternalTransfer"];
            201: components["responses"]["InternalTransfer"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInternalTransfer: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["InternalTransfer"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateInternalTransfer: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["CallbackUpdate"];
        responses: {
            200: components["responses"]["InternalTransfer"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    findPayouts: {
        parameters: {
            query?: {
                /** @description The handle that the creation carried. Without it everything is listed. */
                origin_id?: components["parameters"]["originId"];
                /** @description The first time of a window; changes from this time on. */
                updated_from?: components["parameters"]["updatedFrom"];
                /** @description The end of a window; changes before this time. */
                updated_to?: components["parameters"]["updatedTo"];
                /** @description The id of the last item already seen. */
                after?: components["parameters"]["after"];
                /** @description How many items a page holds at most. */
                limit?: components["parameters"]["limit"];
            };
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PayoutPage"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayoutCreate"];
            };
        };
        responses: {
            200: components["responses"]["Payout"];
            201: components["responses"]["Payout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Payout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["CallbackUpdate"];
        responses: {
            200: components["responses"]["Payout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    reissuePayout: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "origin_id": "payment-1-payout",
                 *       "attempt": 2
                 *     }
                 */
                "application/json": components["schemas"]["PayoutReissue"];
            };
        };
        responses: {
            200: components["responses"]["Payout"];
            201: components["responses"]["Payout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPixKeyLookup: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "owner_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *       "pix_key": "52998224725",
                 *       "pix_key_type": "cpf"
                 *     }
                 */
                "application/json": components["schemas"]["PixKeyLookupCreate"];
            };
        };
        responses: {
            200: components["responses"]["PixKeyLookup"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createBrCode: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "owner_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a60",
                 *       "payload": "00020126470014br.gov.bcb.pix2525pix.sandbox.example/fixed5204000053039865802BR5911Loja Aurora6009Sao Paulo62070503***63046205"
                 *     }
                 */
                "application/json": components["schemas"]["BrCodeCreate"];
            };
        };
        responses: {
            200: components["responses"]["BrCode"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createContestation: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "origin_id": "payment-1-contestation",
                 *       "reason": "scam",
                 *       "description": "The shop does not exist."
                 *     }
                 */
                "application/json": components["schemas"]["ContestationCreate"];
            };
        };
        responses: {
            200: components["responses"]["Contestation"];
            201: components["responses"]["Contestation"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    getContestation: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path: {
                /** @description The provider's own id of the resource. */
                uuid: components["parameters"]["uuid"];
                /** @description The contestation's id. */
                contestation_uuid: components["parameters"]["contestationUuid"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Contestation"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPayoutCheck: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "source_account_uuid": "0199f0c4-6f2e-7a51-9d3b-1c2d3e4f5a61",
                 *       "amount": "150.00",
                 *       "currency": "BRL",
                 *       "rail": "PIX",
                 *       "destination": {
                 *         "pix_key": "52998224725",
                 *         "pix_key_type": "cpf",
                 *         "recipient_name": null
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PayoutCheckCreate"];
            };
        };
        responses: {
            200: components["responses"]["PayoutCheck"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createBankAccountValidation: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The company on whose behalf the call is made. A wrong one is 401.
                 * @example sandbox-company
                 */
                "x-company-id": components["parameters"]["companyId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BankAccountValidationCreate"];
            };
        };
        responses: {
            200: components["responses"]["BankAccountValidation"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["Refused"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
}
