import type { EN } from './en.ts';

/** Key of a text. */
export type TextKey = keyof typeof EN;

/** All texts in one language. A missing or surplus key does not compile; a test compares the names in braces. */
export type Texts = Readonly<Record<TextKey, string>>;

/** Names that a text has in braces. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** A value for each name in the braces of a text. */
export type TextValues<Key extends TextKey> = Readonly<Record<NamesIn<(typeof EN)[Key]>, string>>;

/** A text without names takes no values. */
export type ValuesArgument<Key extends TextKey> = [NamesIn<(typeof EN)[Key]>] extends [never]
  ? []
  : [values: TextValues<Key>];
