/** One of the words of a command line, understood as far as that goes without knowing the command. */
export type Word =
  | { readonly kind: 'operand'; readonly value: string }
  | {
      readonly kind: 'option';
      readonly name: string;
      /** As it was written, without the value. */
      readonly rawName: string;
      readonly value: string | undefined;
    };

export interface OptionShape {
  readonly name: string;
  readonly short?: string;
  readonly takesValue: boolean;
}

/**
 * Reads `--name value`, `--name=value`, `-n value`, `-nvalue` and switches written together as `-abn value`. An option
 * that is not known is one without a value; its name is what was written. Node's own reader does the same, but loading it takes
 * nearly a millisecond of every start.
 */
export function readWords(words: readonly string[], shapes: readonly OptionShape[]): readonly Word[] {
  const read: Word[] = [];
  const option = (name: string, rawName: string, value: string | undefined): void => {
    read.push({ kind: 'option', name, rawName, value });
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.length < 2 || !word.startsWith('-')) {
      read.push({ kind: 'operand', value: word });
    } else if (word.startsWith('--')) {
      const equals = word.indexOf('=', 3);
      const name = word.slice(2, equals < 0 ? undefined : equals);
      const takesNext = equals < 0 && shapes.some((shape) => shape.name === name && shape.takesValue);
      option(name, `--${name}`, equals < 0 ? (takesNext ? words[++at] : undefined) : word.slice(equals + 1));
    } else {
      for (let i = 1; i < word.length; i++) {
        const short = word[i]!;
        const shape = shapes.find((candidate) => candidate.short === short);
        const isLast = i === word.length - 1;
        const takesNext = shape?.takesValue === true && isLast;
        const takesRest = shape?.takesValue === true && !isLast;
        option(shape?.name ?? short, `-${short}`, takesNext ? words[++at] : takesRest ? word.slice(i + 1) : undefined);
        if (takesRest) break;
      }
    }
  }
  return read;
}
