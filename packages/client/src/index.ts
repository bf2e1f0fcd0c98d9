// The client of Ponte's API, for Node, browsers and React Native.
export { type BrCode, InvalidBrCode, readBrCode } from './br-code.ts';
export { type KnownCode, PonteError, PonteUnreachable } from './errors.ts';
export { requestIdOf } from './exchange.ts';
export type { CallOptions, Options, RequestEvent, ResponseEvent } from './options.ts';
export { createPonte, type Keyed, type Listed, type Ponte } from './ponte.ts';
export { hasEnded, isUnderWay } from './statuses.ts';
export type * from './types.ts';
export type { WaitOptions } from './wait.ts';
