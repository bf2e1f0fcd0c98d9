// Defines the payment rail of each home currency, and how long banks may take on it.

export const rails = {
  GBP: { rail: 'FPS', expectedSettlementSeconds: 7_200 },
  EUR: { rail: 'SEPA', expectedSettlementSeconds: 86_400 },
} as const;

export type Rail = (typeof rails)[keyof typeof rails]['rail'];
