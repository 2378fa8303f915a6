export type TokenType =
  | 'directive'
  | 'document start'
  | 'document end'
  | 'stream end'
  | 'block list'
  | 'block map'
  | 'block end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'plain'
  | 'quoted'
  | 'block';

export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
  /** Name, tag or text. */
  readonly value: string;
  /** Of the start. */
  readonly column: number;
  /** Set while the token may still become the begin of a key. */
  readonly key: PossibleKey | undefined;
}

/** Where a key without `?` may have begun. */
export interface PossibleKey {
  /** Number of the token in the text. */
  readonly number: number;
  isPossible: boolean;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  /** Whether nothing else can stand there. */
  readonly isRequired: boolean;
}
