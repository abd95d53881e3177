import { describeRelyingParty } from './support/describe-relying-party.ts';
import { runs, supportPath } from './support/relying-party.ts';

const isPresent = runs('ruby', ['-e', "require 'openid_connect'; require 'webrick'"]);

describeRelyingParty({
  name: 'openid_connect (Ruby)',
  missing: isPresent ? undefined : 'no ruby with openid_connect and webrick',
  prepare: async () => ['ruby', supportPath('ruby/relying_party.rb')],
});
