/**
 * The sections of `.sh` files by their names. A section begins below a line `#: name`, and is what a script is put together of; nothing of it is changed.
 *
 * @returns the text of a section
 */
export function sectionsOf(...files: readonly string[]): (name: string) => string {
  const sections = new Map<string, string>();
  return (name) => {
    if (sections.size === 0) {
      files
        .flatMap((file) => file.split(/^#: (.+)\n/m).slice(1))
        .forEach((text, index, all) => index % 2 === 1 && sections.set(all[index - 1] ?? '', text));
    }
    const section = sections.get(name);
    if (section === undefined) {
      throw new Error(`no shell file has a section ${name}`);
    }
    return section;
  };
}
