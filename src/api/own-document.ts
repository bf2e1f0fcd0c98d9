// The contract as this service holds itself to it. The published one is open, because it will grow and clients must bear that;
// what we answer today has no property that it does not declare.

/**
 * Object schemas that do not say whether they are open are closed. Discriminators lose their mappings, which the validator does
 * not take and which only repeat the names of the schemas.
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
