import { type ApiObject, Include } from 'cdk8s';
import { type EdgeWarning, joinPath } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { isMap, type PlainMap } from '../base/plain-data.js';

/** Maps and lists of text, in which Kubernetes accepts no number. */
const TEXTS =
  /(?:^|\.)(?:metadata\.(?:annotations|labels)|matchLabels|nodeSelector|args|command)$|^(?:data|stringData)$|\.env\[\d+\]$/;

const HINT =
  'write the text in quotes in the file; one that is not yours: npx edge-nodepools post-render < FILE, and apply its output beside this app';

/**
 * Warns of values of a file that `Include` (and `Helm`) of cdk8s reads differently from Kubernetes: with the schema of YAML 1.1 of the package `yaml`
 * (cdk8s/lib/yaml.js, Yaml.load), where kubectl and Helm use sigs.k8s.io/yaml. Which file it was is not known afterwards, so this finds what that reader
 * makes of such values.
 */
export function includeLosses(apiObject: ApiObject, object: PlainMap): EdgeWarning[] {
  const search = new Search(groupKindOf(object) === 'CustomResourceDefinition.apiextensions.k8s.io');
  if (apiObject.node.scope instanceof Include) {
    search.visit(object, '', false);
  }
  return search.losses;
}

class Search {
  public readonly losses: EdgeWarning[] = [];

  /** @param isSchema whether numbers are those of a schema: of a field that is called args, or a bound */
  constructor(private readonly isSchema: boolean) {}

  /** @param isText whether Kubernetes accepts only text here */
  public visit(value: unknown, path: string, isText: boolean): void {
    const read =
      typeof value === 'number'
        ? this.number(value, isText)
        : typeof value === 'string'
          ? time(value, path)
          : undefined;
    if (read !== undefined) {
      this.add(path, read);
    } else if (Array.isArray(value)) {
      const holdsText = TEXTS.test(path);
      value.forEach((item, index) => this.visit(item, joinPath(path, index), holdsText));
    } else if (isMap(value) && value.type === 'Buffer' && Array.isArray(value.data)) {
      this.add(path, 'a list of bytes in place of the text of !!binary');
    } else if (isMap(value)) {
      const holdsText = TEXTS.test(path);
      for (const [key, item] of Object.entries(value)) {
        const at = joinPath(path, key);
        if (key === 'NaN') {
          this.add(at, 'the key NaN in place of a text such as e2');
        }
        this.visit(item, at, holdsText);
      }
    }
  }

  private number(value: number, isText: boolean): string | undefined {
    if (!Number.isFinite(value)) {
      return `${value} in place of a text such as . or e2`;
    }
    if (this.isSchema) {
      return undefined;
    }
    return isText
      ? `the number ${value} in place of a text such as ._8 or 22:22`
      : Number.isInteger(value) && !Number.isSafeInteger(value)
        ? `${value} in place of an integer that JavaScript cannot represent`
        : undefined;
  }

  private add(path: string, read: string): void {
    this.losses.push({
      code: 'EDGE_YAML',
      path,
      message: `cdk8s reads the file differently from Kubernetes: ${read}`,
      hint: HINT,
    });
  }
}

/** A Date, as it is printed. Fields of Kubernetes with a time also take that. */
function time(text: string, path: string): string | undefined {
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !/Time(?:stamp)?$/.test(path);
  return isDate ? `the time ${text} in place of a text such as ${text.slice(0, 10)}` : undefined;
}
