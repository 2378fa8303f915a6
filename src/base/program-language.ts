let isTypeScript = true;

/** The language of the program that reads hints: TypeScript, or any other one, through the Pulumi plugin. Classes are plain data there. */
export function setProgramLanguage(language: 'typescript' | 'any'): void {
  isTypeScript = language === 'typescript';
}

/** What a hint says to write: code in TypeScript, plain data in any other language. */
export function inProgram(typescript: string, otherwise: string): string {
  return isTypeScript ? typescript : otherwise;
}

/** Whether the components are those of one program; the plugin makes each of them in a program of its own. */
export function isOneProgram(): boolean {
  return isTypeScript;
}
