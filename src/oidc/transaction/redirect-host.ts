/** What a person is shown of a redirect URI: its host, or its scheme where a native app has none. */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === '' ? protocol.replace(/:$/, '') : host;
}
