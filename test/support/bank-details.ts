// The bank accounts of the tests' people, as a user saves them.

export const gbp = {
  currency: 'GBP',
  accountHolderName: 'Ada Silva',
  accountNumber: '31926819',
  sortCode: '60-16-13',
} as const;

export const eur = {
  currency: 'EUR',
  accountHolderName: 'Ada Silva',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
} as const;
