// The one spelling of a signed token, of identity providers and of ours: checked before anything is decoded.

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Decoders forgive padding, white space and stray bits at the end, and by each of them one signature would have many
 * tokens. Here a token is three parts of base64url (RFC 7515), each spelled as its bytes would be spelled again.
 */
export const isCompact = (token: string): boolean =>
  threeParts.test(token) && token.split('.').every(isCanonical);

const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;
