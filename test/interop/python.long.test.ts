import { describeRelyingParty } from './support/describe-relying-party.ts';
import { runs, supportPath } from './support/relying-party.ts';

// Packages of the distribution belong to its own interpreter, which may not be the first in the path.
const interpreter = ['python3', '/usr/bin/python3'].find((program) =>
  runs(program, ['-c', 'import authlib.integrations.flask_client, requests']),
);

describeRelyingParty({
  name: 'Authlib in Flask (Python)',
  missing: interpreter === undefined ? 'no python3 with authlib, flask and requests' : undefined,
  prepare: async () => [interpreter ?? '', supportPath('python/relying_party.py')],
});
