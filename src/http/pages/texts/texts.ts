import type { EN } from './en.ts';

/** Key of a text. */
export type TextKey = keyof typeof EN;

/** All texts in one language. A missing or extra key does not compile; a test compares the placeholders. */
export type Texts = Readonly<Record<TextKey, string>>;

/** Names of the placeholders of a text. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A value for each placeholder of a text. */
export type TextValues<Key extends TextKey> = Readonly<Record<NamesIn<(typeof EN)[Key]>, string>>;

/** Argument list for the values of a text; empty for a text without placeholders. */
export type ValuesArgument<Key extends TextKey> = [NamesIn<(typeof EN)[Key]>] extends [never]
  ? []
  : [values: TextValues<Key>];
