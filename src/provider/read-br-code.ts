// Reads a PIX code. A provider may not read codes. Another answer that is of no use leaves the user without the code, and changes
// nothing.
import { OutcomeUnknown, ProviderRefusal, saysAbsent } from './errors.ts';
import type { BrCode, Provider } from './port.ts';

/** Why a code cannot be paid. */
const refusedReasons = [
  'expired',
  'already_paid',
  'cancelled',
  'not_pix',
  'not_supported',
  'damaged',
] as const;
export type CodeRefusal = (typeof refusedReasons)[number];

export type CodeRead =
  | { outcome: 'read'; code: BrCode }
  | { outcome: CodeRefusal }
  /** The provider, or the address that the code points to, gave no usable answer. */
  | { outcome: 'unavailable'; cause: unknown }
  /** The provider does not read codes. */
  | { outcome: 'unsupported' };

/** Reads a code. It does not throw for an answer of the provider. */
export async function readBrCode(
  provider: Provider,
  code: { ownerRef: string; text: string },
): Promise<CodeRead> {
  try {
    return { outcome: 'read', code: await provider.readBrCode(code) };
  } catch (cause) {
    if (cause instanceof OutcomeUnknown && saysAbsent(cause)) return { outcome: 'unsupported' };
    if (cause instanceof ProviderRefusal) {
      const outcome = refusedReasons.find((reason) => cause.code === 'rejected' && reason === cause.reason);
      return outcome === undefined ? { outcome: 'unavailable', cause } : { outcome };
    }
    if (cause instanceof OutcomeUnknown) return { outcome: 'unavailable', cause };
    throw cause;
  }
}
