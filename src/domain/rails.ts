// How each home currency leaves the wallet, and how long banks may take for it.

export const rails = {
  GBP: { rail: 'FPS', expectedSettlementSeconds: 7_200 },
  EUR: { rail: 'SEPA', expectedSettlementSeconds: 86_400 },
} as const;

export type Rail = (typeof rails)[keyof typeof rails]['rail'];
