// The version of this service, from package.json. The contract has the same version.
import project from '../../package.json' with { type: 'json' };

export const { version } = project;
