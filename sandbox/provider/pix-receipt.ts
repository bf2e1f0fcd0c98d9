// The receipt of a PIX payment: the scheme's end-to-end id and the provider's own voucher.

const ISPB = '99999999';

/** The end-to-end id: `E`, the bank's eight digits, the minute in UTC, and eleven characters that the serial makes unique. */
export function endToEndId(at: number, serial: number): string {
  const minute = new Date(at).toISOString().replace(/\D/g, '').slice(0, 12);
  return `E${ISPB}${minute}${serial.toString(36).toUpperCase().padStart(11, '0')}`;
}

export const voucherId = (uuid: string) => `V-${uuid.replaceAll('-', '').slice(-20).toUpperCase()}`;
