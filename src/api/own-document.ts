// The contract in its strict form, for our own responses. The published one is open, because it will grow and clients
// must accept new properties; our responses today have no undeclared property.

/**
 * Closes every object schema that does not say whether it is open. Removes the mappings of discriminators, which the
 * validator rejects and which only repeat the names of the schemas.
 */
export function closedDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedDocument);
  if (typeof value !== 'object' || value === null) return value;
  const own = Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, child]) => [
      name,
      name === 'discriminator' ? unmapped(child as { propertyName: string }) : closedDocument(child),
    ]),
  );
  return own['type'] === 'object' && 'properties' in own ? { additionalProperties: false, ...own } : own;
}

const unmapped = ({ propertyName }: { propertyName: string }) => ({ propertyName });
