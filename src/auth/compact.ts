// The canonical encoding of a signed token, the identity providers' and ours: checked before anything is decoded.

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Decoders accept padding, white space and stray bits at the end, so one signature would have many tokens. Here a token
 * is three parts of base64url (RFC 7515), each equal to the encoding of its decoded bytes.
 */
export const isCompact = (token: string): boolean =>
  threeParts.test(token) && token.split('.').every(isCanonical);

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;
