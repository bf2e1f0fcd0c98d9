// The version of this service, as package.json and the contract have it.
import project from '../../package.json' with { type: 'json' };

export const { version } = project;
