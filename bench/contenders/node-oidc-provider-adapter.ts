/** A stored object in the form of the library. */
interface Payload {
  readonly grantId?: string;
  readonly uid?: string;
  consumed?: number;
}

/** Storage of one model. */
export interface MemoryAdapter {
  upsert(id: string, payload: Payload): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  findByUserCode(): Promise<undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/**
 * Makes in-memory storage without eviction. The bundled storage of node-oidc-provider evicts after a thousand
 * entries, fewer than the codes of one run.
 */
export function createMemoryAdapters(): (model: string) => MemoryAdapter {
  const entries = new Map<string, Payload>();
  const byGrant = new Map<string, string[]>();
  const sessions = new Map<string, string>();
  return (model) => {
    const keyOf = (id: string): string => `${model}:${id}`;
    return {
      async upsert(id, payload) {
        const key = keyOf(id);
        entries.set(key, payload);
        if (model === 'Session' && payload.uid !== undefined) sessions.set(payload.uid, key);
        if (payload.grantId === undefined) return;
        const members = byGrant.get(payload.grantId);
        if (members) members.push(key);
        else byGrant.set(payload.grantId, [key]);
      },
      find: async (id) => entries.get(keyOf(id)),
      findByUid: async (uid) => entries.get(sessions.get(uid) ?? ''),
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = entries.get(keyOf(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const key of byGrant.get(grantId) ?? []) entries.delete(key);
        byGrant.delete(grantId);
      },
    };
  };
}
