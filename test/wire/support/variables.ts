/** Values that differ from run to run, by the names that stand for them in requests and recordings. */
export interface Variables {
  set(name: string, value: string): void;
  get(name: string): string;
  /** Replaces each `{{name}}` by its value. */
  fill(text: string): string;
  /** Replaces each value by its `{{name}}`, except values of `own`, which were captured from this text. */
  hide(text: string, own: readonly string[]): string;
}

/** Shortest value that is replaced; shorter ones could occur by chance. */
const MIN_HIDDEN_CHARACTERS = 12;

/** Creates an empty set of variables. */
export function createVariables(): Variables {
  const values = new Map<string, string>();
  /** Those that are replaced, the longest first. */
  let hideable: (readonly [string, string])[] = [];
  const get = (name: string): string => {
    const value = values.get(name);
    if (value === undefined)
      throw new Error(`expected a value of the variable ${name}, got none: did an earlier case fail?`);
    return value;
  };
  return {
    get,
    set(name, value) {
      values.set(name, value);
      hideable = [...values]
        .filter(([, { length }]) => length >= MIN_HIDDEN_CHARACTERS)
        .sort(([, one], [, other]) => other.length - one.length);
    },
    fill: (text) => text.replace(/\{\{([^{}]+)\}\}/g, (_, name: string) => get(name)),
    hide(text, own) {
      let hidden = text;
      for (const [name, value] of hideable) {
        if (hidden.includes(value) && !own.includes(name)) hidden = hidden.replaceAll(value, `{{${name}}}`);
      }
      return hidden;
    },
  };
}
