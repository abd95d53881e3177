// Rules: spec/operations.md#faults-and-warnings
import { describe, expect, it } from 'vitest';
import { envName } from '../../../src/config/settings/setting.ts';
import { faultsOf, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

describe('loadConfig, settings that depend on each other', () => {
  it('reports a fault that only quotes the name of a setting with a fault of its own', async () => {
    const flags = { 'engine.workers': 'many', baseUrl: 'https://ID.example/engine.workers' };
    const faults = await faultsOf({ flags });
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual(['baseUrl', 'engine.workers']);
  });

  it('reports no fault that only follows from another one, whether it names that setting or not', async () => {
    const flags = { 'signin.accessTokenTtlSeconds': 'many', 'keys.retireAfterSeconds': '60' };
    expect((await faultsOf({ flags })).map((fault) => fault.split(' ')[0])).toEqual([
      'signin.accessTokenTtlSeconds',
    ]);
  });

  it('refuses listed apps with a backchannel_logout_uri that is never called', async () => {
    const entry = {
      client_id: 'app_22222222222222222222222222222222',
      redirect_uris: ['https://shop.example/callback'],
      token_endpoint_auth_method: 'none',
      backchannel_logout_uri: 'https://127.0.0.1/out',
    };
    const flags = { 'apps.list': JSON.stringify([entry]), 'signin.allowLocalLogout': 'false' };
    expect(await faultsOf({ flags })).toEqual([
      expect.stringMatching(
        /^apps\.list .* app_2+: backchannel_logout_uri: "https:\/\/127\.0\.0\.1\/out" is /,
      ),
    ]);
    const allowed = { ...flags, 'signin.allowLocalLogout': 'true' };
    expect((await load({ flags: allowed })).config.apps.list).toHaveLength(1);
  });

  it('warns about settings that defeat each other', async () => {
    const flags = {
      'verify.maxResponses': '64',
      'engine.maxQueue': '10',
      'verify.deadlineMs': '30000',
      'verify.rateLimitBurst': '5',
    };
    const { warnings } = await load({ flags });
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual([
      'verify.maxResponses',
      'groth16.maxProofs',
      'verify.deadlineMs',
      'verify.rateLimitBurst',
    ]);
  });

  it.each([
    'http://localhost',
    'http://127.0.0.1:8080',
    'http://[::1]:8080/sign/in',
    'https://id.example',
    'https://id.example:8443/a/b',
    'https://xn--bcher-kva.example/%C3%BC',
  ])('accepts the public address %s', async (baseUrl) => {
    expect((await load({ flags: { baseUrl } })).config.baseUrl).toBe(baseUrl);
  });

  it.each([
    ['http://:80', 'expected an address that a browser can open, got "http://:80"'],
    ['https://id:word@id.example', 'expected no user name or password, got one'],
    ...['https://id.example/a;b', 'https://id.example//other.example', 'https://id.example/a/:b'].map(
      (text) => [
        text,
        `expected a path of one or more segments of letters, digits and -._~!$&'()*+,=@%, got ${JSON.stringify(text)}`,
      ],
    ),
    ...[
      ['https://ID.example', 'https://id.example'],
      ['https://id.example:443', 'https://id.example'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
      ['https://id.example/ü', 'https://id.example/%C3%BC'],
      ['https://id.example/a/../b', 'https://id.example/b'],
      ['https://id.example/a"b', 'https://id.example/a%22b'],
      ['https://id.example\\a', 'https://id.example/a'],
    ].map(([text, normal]) => [
      String(text),
      `expected the form that browsers and clients use, ${JSON.stringify(normal)}, since the issuer is compared byte for byte; got ${JSON.stringify(text)}`,
    ]),
    ...['http://id.example', 'http://192.168.1.7:8080', 'http://localhost.example'].map((text) => [
      text,
      `expected https, or http on localhost, 127.0.0.1 or [::1], got ${JSON.stringify(text)}`,
    ]),
  ])('refuses the public address %s', async (baseUrl, fault) => {
    expect(await faultsOf({ flags: { baseUrl: String(baseUrl) } })).toEqual([
      `baseUrl (PROOFGATE_BASE_URL): ${fault}`,
    ]);
  });

  it.each(['issuerUrl', 'verifyUrl'])('accepts any address as %s that can be served', async (key) => {
    for (const address of [
      'https://Id.example:443/a',
      'http://id.example',
      "https://id.example/a/%C3%BC/b,c'd",
    ]) {
      expect((await load({ flags: { [key]: address } })).values[key]).toBe(address);
    }
  });

  it.each(['baseUrl', 'issuerUrl', 'verifyUrl'])('refuses a %s that cannot be served', async (key) => {
    const faultOf = async (address: string): Promise<readonly string[]> =>
      await faultsOf({ flags: { [key]: address } });
    const fault = (text: string): string => `${key} (${envName(key)}): ${text}`;
    for (const address of [
      'https://id.example/a%2Fb',
      'https://id.example/a%2fb',
      'https://id.example/%41',
      'https://id.example/%zz',
      'https://id.example/a%',
      'https://id.example/%c3%bc',
      'https://id.example/%FF',
      'https://id.example/%C3',
      'https://id.example/a%20b',
      'https://id.example/%00',
      'https://id.example/%25C3',
    ]) {
      expect(await faultOf(address)).toEqual([
        fault(
          `expected percent-encoded UTF-8 with upper-case hex digits, and only for characters outside ASCII, got ${JSON.stringify(address)}`,
        ),
      ]);
    }
    for (const address of [
      'https://id.example/:a',
      'https://id.example/a/:txn/b',
      'https://id.example/a;b',
      'https://id.example/a//b',
      'https://id.example//a',
    ]) {
      expect(await faultOf(address)).toEqual([
        expect.stringContaining(fault('expected a path of one or more')),
      ]);
    }
    for (const address of [
      'https://id.example/a/../b',
      'https://id.example/./a',
      'https://id.example/a/..',
      'https://id.example/%2e%2e/a',
      'https://id.example/a\\b',
      'https://id.example/ü',
    ]) {
      expect(await faultOf(address)).toEqual([
        expect.stringMatching(
          /: expected the (path in the form|form) that browsers and clients (send|use), "/,
        ),
      ]);
    }
    for (const address of [
      'https://id.example/',
      'https://id.example/a/',
      'https://id.example/a?b',
      'https://id.example/a#b',
      'ftp://id.example/a',
      'id.example/a',
      '/a',
    ]) {
      expect(await faultOf(address)).toEqual([
        expect.stringContaining('an http or https URL without trailing slash, query and fragment'),
      ]);
    }
    expect(await faultOf('https://id:word@id.example')).toEqual([
      fault('expected no user name or password, got one'),
    ]);
    await load({ flags: { [key]: `https://id.example/${'a'.repeat(511)}` } });
    expect(await faultOf(`https://id.example/${'a'.repeat(512)}`)).toEqual([
      fault('expected a path of at most 512 characters, got 513'),
    ]);
  });

  it('refuses a refresh body limit above that of the listener, unless refresh is off', async () => {
    const flags = { 'http.bodyLimitBytes': '1048575' };
    expect(await faultsOf({ flags })).toEqual([
      expect.stringContaining(
        'http.bodyLimitBytes (PROOFGATE_HTTP_BODY_LIMIT_BYTES): expected at least refresh.bodyLimitBytes (1048576)',
      ),
    ]);
    await load({ flags: { ...flags, 'refresh.enabled': 'false' } });
    await load({ flags: { ...flags, 'refresh.bodyLimitBytes': '1048575' } });
  });

  it('refuses an issuer schema id above a u64', async () => {
    expect(await faultsOf({ flags: { 'refresh.issuerSchemaId': '18446744073709551616' } })).toEqual([
      expect.stringContaining('refresh.issuerSchemaId'),
    ]);
  });

  it('refuses a bridge quota per address that the largest message does not fit into', async () => {
    const flags = { 'bridge.bodyLimitBytes': '100000', 'bridge.maxBytesPerAddress': '104351' };
    expect(await faultsOf({ flags })).toEqual([
      'bridge.maxBytesPerAddress (PROOFGATE_BRIDGE_MAX_BYTES_PER_ADDRESS): expected at least bridge.bodyLimitBytes + 4352 (104352), else no message of that size could be sent; got 104351',
    ]);
    const { config } = await load({ flags: { 'bridge.bodyLimitBytes': '1000000' } });
    expect(config.bridge.maxBytesPerAddress).toBe(16_000_000);
  });

  it('refuses a bridge body limit above that of the listener, unless the bridge is off', async () => {
    const flags = { 'http.bodyLimitBytes': '65535', 'refresh.enabled': 'false' };
    expect(await faultsOf({ flags })).toEqual([
      'http.bodyLimitBytes (PROOFGATE_HTTP_BODY_LIMIT_BYTES): expected at least bridge.bodyLimitBytes (65536), since this setting bounds every body; got 65535',
    ]);
    const enough = { ...flags, 'http.bodyLimitBytes': '65536' };
    expect((await load({ flags: enough })).config.bridge.bodyLimitBytes).toBe(65_536);
    expect(
      (await load({ flags: { ...flags, 'bridge.enabled': 'false', 'signin.enabled': 'false' } })).config
        .bridge.enabled,
    ).toBe(false);
  });

  it('refuses sign-in without a bridge, unless another one is named', async () => {
    const flags = { 'bridge.enabled': 'false' };
    expect(await faultsOf({ flags })).toEqual([
      'bridge.enabled (PROOFGATE_BRIDGE_ENABLED): expected true, or another bridge in bridge.url, else no wallet could answer a sign-in',
    ]);
    const elsewhere = await load({ flags: { ...flags, 'bridge.url': 'https://bridge.example' } });
    expect(elsewhere.config.bridge.enabled).toBe(false);
  });

  it('refuses a publish lead that does not exceed the cache time of the key set', async () => {
    const flags = { 'keys.publishLeadSeconds': '3605' };
    expect(await faultsOf({ flags })).toEqual([
      'keys.publishLeadSeconds (PROOFGATE_KEYS_PUBLISH_LEAD_SECONDS): expected more than keys.jwksMaxAgeSeconds + storage.cacheSeconds (3605), else a key would sign before verifiers know it; got 3605',
    ]);
    const longer = await load({ flags: { 'keys.publishLeadSeconds': '3606' } });
    expect(longer.config.keys.publishLeadSeconds).toBe(3606);
    const uncached = { ...flags, 'storage.cacheSeconds': '4' };
    expect((await load({ flags: uncached })).config.keys.publishLeadSeconds).toBe(3605);
  });

  it.each(['signin.accessTokenTtlSeconds', 'signin.idTokenTtlSeconds'])(
    'refuses to remove retired keys before tokens of %s expire',
    async (ttl) => {
      const flags = { [ttl]: '6901' };
      expect(await faultsOf({ flags })).toEqual([
        'keys.retireAfterSeconds (PROOFGATE_KEYS_RETIRE_AFTER_SECONDS): expected at least the longest token lifetime + 300 (7201), else valid tokens would be refused; got 7200',
      ]);
      expect((await load({ flags: { [ttl]: '6900' } })).config.keys.retireAfterSeconds).toBe(7200);
    },
  );

  it.each(['keys.masterKey', 'keys.masterKeyPrevious', 'apps.secretHmacKey'])(
    'accepts only 32 bytes in base64 or base64url for %s',
    async (key) => {
      for (const text of [`${'A'.repeat(42)}w=`.replaceAll('A', '+'), `${'_-'.repeat(21)}w`]) {
        expect((await load({ env: { [envName(key)]: text } })).values[key]).toBe(text);
      }
      for (const text of ['A'.repeat(42), 'A'.repeat(44), '00'.repeat(32), `+${'A'.repeat(42)}`]) {
        expect(await faultsOf({ env: { [envName(key)]: text } })).toEqual([
          `${key} (${envName(key)}): expected 32 bytes in base64 or base64url, got (set, ${text.length} characters)   from env`,
        ]);
      }
    },
  );

  it('refuses one TLS file without the other', async () => {
    expect(await faultsOf({ flags: { 'tls.certFile': '/cert.pem' } })).toEqual([
      'tls.keyFile (PROOFGATE_TLS_KEY_FILE): expected tls.certFile and tls.keyFile together, got one of them',
    ]);
    expect(await faultsOf({ flags: { 'tls.keyFile': '/key.pem' } })).toEqual([
      'tls.certFile (PROOFGATE_TLS_CERT_FILE): expected tls.certFile and tls.keyFile together, got one of them',
    ]);
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0/8',
    '300.1.1.1',
    'fd00::/129',
    '::ffff:10.0.0.1',
    '0:0::ffff:a00:1/128',
    '1:2:3',
    '10.0.0.0/08',
  ])('refuses %s among the trusted proxies', async (block) => {
    expect(await faultsOf({ flags: { 'proxy.trusted': `10.0.0.0/8,${block},fd00::1` } })).toEqual([
      `proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected IP addresses or CIDR blocks, IPv4 in its own form, got "${block}"`,
    ]);
  });

  it('accepts trusted proxies as a list in the file, as JSON and separated by commas', async () => {
    const trusted = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1'];
    for (const text of [trusted.join(', '), JSON.stringify(trusted)]) {
      expect((await load({ flags: { 'proxy.trusted': text } })).config.proxy.trusted).toEqual(trusted);
    }
    await put('proofgate.config.json', { proxy: { trusted } });
    expect((await load()).config.proxy.trusted).toEqual(trusted);
    expect(await faultsOf({ flags: { 'proxy.trusted': '["10.0.0.0/8"' } })).toEqual([
      'proxy.trusted (PROOFGATE_PROXY_TRUSTED): expected IP addresses or CIDR blocks, separated by commas, got "[\\"10.0.0.0/8\\""   from flag',
    ]);
  });

  it('warns about a proxy header and PROXY when no proxy is trusted', async () => {
    const { warnings } = await load({ flags: { 'proxy.header': 'forwarded', 'proxy.protocolV2': 'true' } });
    expect(warnings).toEqual([
      'proxy.protocolV2 has no effect while proxy.trusted is empty',
      'proxy.header (forwarded) has no effect while proxy.trusted is empty',
    ]);
  });

  it('refuses PROXY together with TLS in the process', async () => {
    const flags = { 'tls.certFile': '/c.pem', 'tls.keyFile': '/k.pem', 'proxy.trusted': '::1' };
    expect(await faultsOf({ flags: { ...flags, 'proxy.protocolV2': 'true' } })).toEqual([
      'proxy.protocolV2 (PROOFGATE_PROXY_PROTOCOL_V2): expected false with tls.certFile: a proxy sends the PROXY header before the TLS handshake, where the listener cannot read it',
    ]);
  });
});
