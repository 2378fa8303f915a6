// Headings of the page, and the anchors that they get on the usual Markdown hosts.
import { ReflectionKind } from 'typedoc';

/** The module of src/pulumi/index.ts, as typedoc calls it. */
export const PULUMI = 'pulumi';

/** Heading of a symbol. Both entries have the same nouns, so those of the second say so. */
export function headingOf(symbol) {
  return symbol.parent?.name === PULUMI ? `${symbol.name} (Pulumi)` : symbol.name;
}

/** The construct that has the name of a component. */
export function twinOf({ name, parent }) {
  return parent?.name === PULUMI ? parent.parent.getChildByName(['index', name]) : undefined;
}

/** Where a reflection stands on the page. */
export function anchorOf(reflection) {
  if (reflection.kind === ReflectionKind.Method && reflection.flags.isStatic) {
    return slug(titleOfStatic(reflection));
  }
  return isTopLevel(reflection) ? slug(headingOf(reflection)) : anchorOf(reflection.parent);
}

/** Whether a reflection has a section of its own. */
export function isTopLevel({ parent }) {
  return parent === undefined || parent.isProject() || parent.kind === ReflectionKind.Module;
}

export function slug(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Heading of a static method. The first word keeps its anchor apart from those of symbols: X.mixin(props) and XMixinProps. */
export function titleOfStatic(method) {
  const [{ parameters = [] }] = method.signatures;
  const call = `${method.parent.name}.${method.name}(${parameters.map(({ name }) => name).join(', ')})`;
  return `Static: ${headingOf(method.parent).replace(method.parent.name, call)}`;
}
