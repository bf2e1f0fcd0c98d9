// The client of Ponte's API, for Node, browsers and React Native.
export { isAccountNumber, isSortCode } from './bank-numbers.ts';
export { type BrCode, InvalidBrCode, readBrCode } from './br-code.ts';
export { isBic, isIban, isName, isPixKey, isSepaIban } from './checks.ts';
export { csvOf } from './csv.ts';
export { type KnownCode, type KnownDetailCode, PonteError, PonteUnreachable } from './errors.ts';
export { requestIdOf } from './exchange.ts';
export type { CallOptions, Options, RequestEvent, ResponseEvent } from './options.ts';
export { canonicalPixKey, type PixKeyType } from './pix-key.ts';
export { isPlainText } from './plain-text.ts';
export { createPonte, type Keyed, type Listed, type Ponte } from './ponte.ts';
export { hasEnded, isUnderWay } from './statuses.ts';
export type * from './types.ts';
export type { WaitOptions } from './wait.ts';
