// Headings of the page, and the anchors that they get on the usual Markdown hosts.
import { ReflectionKind } from 'typedoc';

/** The entries of the package, as typedoc calls their modules, and the file in src of each: for cdk8s, and for Pulumi. */
export const DOORS = {
  index: 'index.ts',
  types: 'types.ts',
  checks: 'checks.ts',
  delivery: 'delivery.ts',
  'control-plane': 'control-plane.ts',
};
export const PULUMI_DOORS = {
  pulumi: 'pulumi/index.ts',
  'pulumi/control-plane': 'pulumi/control-plane.ts',
  'pulumi/delivery': 'pulumi/delivery.ts',
};

/** Heading of a symbol. Both entries have the same nouns, so those of the second say so. */
export function headingOf(symbol) {
  return isOfPulumi(symbol) ? `${symbol.name} (Pulumi)` : symbol.name;
}

/** The construct that has the name of a component. */
export function twinOf({ name, parent }) {
  return parent?.name in PULUMI_DOORS
    ? Object.keys(DOORS)
        .map((door) => parent.parent.getChildByName([door, name]))
        .find((twin) => twin !== undefined)
    : undefined;
}

/** Whether only an entry for Pulumi has it. */
function isOfPulumi({ parent }) {
  return parent?.name in PULUMI_DOORS;
}

/** Behind which door it is: `core`, `checks`, `delivery` or `control-plane`. */
export function doorOf({ parent }) {
  const last = parent.name.split('/').at(-1);
  return ['index', 'types', 'pulumi'].includes(last) ? 'core' : last;
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
