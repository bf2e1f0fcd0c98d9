// Generated from openapi/openapi.yaml by scripts/generate.ts; change that, not this.

/** The fields that an answer always has, by its schema. */
const requiredFields = {
  "AccountClosure": [
    "status",
    "hardDeletionScheduledFor"
  ],
  "BankDetails": [
    "id",
    "currency",
    "accountHolderName",
    "validatedAt",
    "validationStatus",
    "createdAt"
  ],
  "BankDetailsCheck": [
    "checkId",
    "validationStatus",
    "suggestedName",
    "expiresAt"
  ],
  "Contestation": [
    "paymentId",
    "status",
    "reason",
    "description",
    "createdAt",
    "resolvedAt"
  ],
  "DataRequest": [
    "id",
    "type",
    "status",
    "receivedAt"
  ],
  "Health": [
    "status"
  ],
  "KycStart": [
    "verificationUrl",
    "expiresAt",
    "status"
  ],
  "KycState": [
    "status",
    "level",
    "hasActiveAccount"
  ],
  "Me": [
    "user",
    "kyc",
    "balance",
    "deposit"
  ],
  "PixCode": [
    "codeId",
    "kind",
    "pixKey",
    "pixKeyType",
    "recipientName",
    "institution",
    "amountBrl",
    "isAmountFixed",
    "expiresAt"
  ],
  "PixPayment": [
    "id",
    "transactionId",
    "status",
    "amountBrl",
    "exchangeRate",
    "pixKey",
    "pixKeyType",
    "recipientName",
    "voucherId",
    "endToEndId",
    "failureReason",
    "failureCode",
    "settlement",
    "expiresAt",
    "createdAt",
    "updatedAt"
  ],
  "PixPaymentAccepted": [
    "transactionId",
    "pixPaymentId",
    "status"
  ],
  "PixQuote": [
    "quoteId",
    "rate",
    "sourceCurrency",
    "sourceAmount",
    "serviceSpreadBps",
    "expiresAt"
  ],
  "PixReceipt": [
    "amountBrl",
    "payerName",
    "payerInstitution",
    "recipientName",
    "recipientInstitution",
    "pixKeyMasked",
    "pixKeyType",
    "endToEndId",
    "completedAt",
    "completedAtSaoPaulo"
  ],
  "PixRecipient": [
    "id",
    "recipientName",
    "pixKey",
    "pixKeyType",
    "lastPaidAt"
  ],
  "PixRecipientLookup": [
    "lookupId",
    "recipientName",
    "taxIdMasked",
    "institution",
    "expiresAt"
  ],
  "Session": [
    "sessionToken",
    "user"
  ],
  "Transaction": [
    "id",
    "type",
    "status",
    "sourceCurrency",
    "sourceAmount",
    "heldAmount",
    "destCurrency",
    "destAmount",
    "fxRate",
    "provider",
    "failureReason",
    "failureCode",
    "pixPaymentId",
    "createdAt",
    "completedAt"
  ],
  "User": [
    "id",
    "email",
    "homeCurrency",
    "displayName",
    "createdAt"
  ],
  "Withdraw": [
    "id",
    "type",
    "status",
    "sourceCurrency",
    "sourceAmount",
    "provider",
    "expectedSettlementSeconds",
    "createdAt"
  ]
} as const;

export { requiredFields };
