declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** A stored object of the library. */
  export interface Model {
    save(): Promise<string>;
  }

  /** Scopes that a person has granted to a client. */
  export interface Grant extends Model {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
  }

  /** An OpenID provider: the part that the bench uses. */
  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (
      members: object,
    ) => Grant;
    readonly AuthorizationCode: new (
      members: object,
    ) => Model;
    readonly Client: { find(clientId: string): Promise<object | undefined> };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, string>> }>;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options: { mergeWithLastSubmission: boolean },
    ): Promise<void>;
    on(event: string, listener: (...values: unknown[]) => void): this;
  }
}
