// Files that the build and the tests read as texts: scripts/texts.cjs.
declare module '*.sh' {
  const text: string;
  export default text;
}
declare module '*.html' {
  const text: string;
  export default text;
}
declare module '*/fleet-view.js' {
  const text: string;
  export default text;
}
