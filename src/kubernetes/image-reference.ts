import { joinPath, ProblemList } from '../base/errors.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { objectKind } from './group-kind.js';
import { nameOf } from './object.js';
import { podTracesIn } from './pod-traces.js';

/** An image, as a container runtime reads its name (distribution/reference, and the defaults of Docker that containerd has, too). */
export interface ImageReference {
  /** The name, as the manifest has it. */
  readonly name: string;
  /** Host of the registry, `docker.io` if the name has none. */
  readonly registry: string;
  /** Path in the registry. */
  readonly repository: string;
  /** The tag, `latest` if the name has neither tag nor digest.
   * @default - only a digest */
  readonly tag?: string;
  /** The digest, `sha256:…`.
   * @default - only a tag */
  readonly digest?: string;
}

const NAME = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;

/** Reads the name of an image; undefined if it is none. */
export function imageReference(name: string): ImageReference | undefined {
  const [, path = '', tag, digest] = NAME.exec(name) ?? [];
  const [first = '', ...rest] = path.split('/');
  // without a dot or a port it is a user of Docker Hub
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const inner = isHost ? rest.join('/') : path;
  const repository = isHost || inner.includes('/') ? inner : `library/${inner}`;
  if (!REPOSITORY.test(repository)) {
    return undefined;
  }
  return {
    name,
    registry: isHost ? first : 'docker.io',
    repository,
    ...(tag === undefined && digest !== undefined ? {} : { tag: tag ?? 'latest' }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The images of some objects, and what is not known of them. */
export interface FoundImages {
  /** Sorted, each once. */
  readonly images: readonly string[];
  /** Objects that do not name their images, `Prometheus a/b`, and fields that may: `ConfigMap a/b: data.image`. */
  readonly unknown: readonly string[];
}

/** Kinds that bring objects from elsewhere. */
const FROM_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['HelmRelease.helm.toolkit.fluxcd.io', 'Kustomization.kustomize.toolkit.fluxcd.io', 'HelmChart.helm.cattle.io'],
  ...['Application.argoproj.io', 'ApplicationSet.argoproj.io', 'Subscription.operators.coreos.com'],
]);

/** Lists of containers; `steps` and `sidecars` are those of Tekton (pkg/apis/pipeline/v1, task_types.go). */
const LISTS = ['containers', 'initContainers', 'ephemeralContainers', 'steps', 'sidecars'];

/**
 * The images of all containers and image volumes, at any depth; those that arguments and variables of a container name,
 * as operators get the images of what they make; and those of fields that are called so, in custom resources, in
 * ConfigMaps, and in their texts. What is surely an image is one of the images; what may be one is unknown.
 */
export function imagesIn(objects: readonly unknown[]): FoundImages {
  const images = new Set<string>();
  const unknown = new Set<string>();
  for (const object of objects.flatMap(listed)) {
    const makesPods = isMap(object) && makesPodsOf(object);
    const isWide = isMap(object) && mayNameImages(object);
    const found = new Search(makesPods && !objectKind(object).isOfKubernetes, isWide);
    found.visit(object, '');
    found.images.forEach((image) => images.add(image));
    found.unknown.forEach((path) => unknown.add(`${nameOf(object as PlainMap)}: ${path}`));
    const isSilent = found.images.size + found.unknown.size === 0 || found.hasOnlyVersion;
    if (makesPods && (isSilent || FROM_ELSEWHERE.has(objectKind(object).groupKind))) {
      unknown.add(nameOf(object));
    }
  }
  return { images: [...images].sort(), unknown: [...unknown].sort() };
}

/** The objects of a list. */
function listed(object: unknown): readonly unknown[] {
  return isMap(object) && Array.isArray(object.items) ? object.items.flatMap(listed) : [object];
}

/** Whether a controller makes Pods of what an object has besides containers: fields of a custom resource, or text. */
function makesPodsOf(object: PlainMap): boolean {
  const { groupKind, row, isOfKubernetes } = objectKind(object);
  const traces = (): boolean => podTracesIn(object).some(({ podSpec }) => podSpec === undefined || !isOfKubernetes);
  return (
    FROM_ELSEWHERE.has(groupKind) ||
    (!isOfMachines(groupKind) &&
      ((!isOfKubernetes && (row?.templates ?? row?.nodeAffinities) !== undefined) || traces()))
  );
}

/** Whether a kind has images of machines. */
const isOfMachines = (groupKind: string): boolean => groupKind.endsWith('.cluster.x-k8s.io');

/** Whether fields that are called so may be images: of Kubernetes' own kinds only ConfigMaps have such ones. */
function mayNameImages(object: PlainMap): boolean {
  const { groupKind, isOfKubernetes } = objectKind(object);
  const isObject = typeof object.apiVersion === 'string' && typeof object.kind === 'string';
  return isObject && !isOfMachines(groupKind) && (!isOfKubernetes || groupKind === 'ConfigMap');
}

class Search {
  public readonly images = new Set<string>();
  /** Paths of what may be an image. */
  public readonly unknown = new Set<string>();
  /** Whether there is a version of something without its image, so that an operator chooses it: `thanos: { version: 'v0.39' }`. */
  public hasOnlyVersion = false;

  /**
   * @param isSure whether a field that is called so is an image, also without a tag
   * @param isWide whether it may be one
   */
  constructor(
    private readonly isSure: boolean,
    private readonly isWide: boolean,
  ) {}

  /** @param field the field that has the value, or the list with it */
  public visit(value: unknown, path: string, field = ''): void {
    if (Array.isArray(value)) {
      value.forEach((item, index) => this.visit(item, joinPath(path, index), field));
    } else if (isMap(value)) {
      Object.entries(value).forEach(([key, inner]) => this.visitField(key, inner, joinPath(path, key)));
      if (this.isWide) {
        this.visitParts(value, path, field);
      }
    } else if (this.isWide && typeof value === 'string') {
      if (isImageField(field)) {
        value.split(/[\n,]/).forEach((each) => this.judge(each.trim(), path, this.isSure ? () => true : isFull));
      }
      if (/\n|^\s*\{/.test(value) && /image/i.test(value)) {
        this.visitText(value, path);
      }
    }
  }

  private visitField(key: string, inner: unknown, path: string): void {
    const items = Array.isArray(inner) ? inner.filter(isMap) : [];
    if (LISTS.includes(key)) {
      items.forEach((container, index) => {
        this.add(container.image, `${path}[${index}].image`);
        const { images, unknown } = argumentImages(container);
        images.forEach((image) => this.images.add(image));
        unknown.forEach((name) => this.unknown.add(`${path}[${index}] ${name}`));
      });
    } else if (key === 'volumes') {
      items.forEach(({ image }) => this.add(isMap(image) ? image.reference : undefined, path));
    }
    if (!['metadata', 'status'].includes(key)) {
      this.visit(inner, path, LISTS.includes(key) ? '' : key);
    }
  }

  /** `image: { repository, tag }`, as operator.victoriametrics.com has it, or `{ name: SIDECAR_IMAGE, value }`. */
  private visitParts(map: PlainMap, path: string, field: string): void {
    const { name, value, version, registry } = map;
    if (field !== 'env' && isImageField(String(name))) {
      this.judge(String([value, map.default].find(isText) ?? ''), path, isFull);
    }
    const isImage = isImageField(field);
    const repository = map.repository ?? (isImage ? name : undefined);
    const [tag, digest] = [map.tag, map.digest].map((part) => (isText(part) ? String(part) : undefined));
    const isWithTag = (tag ?? digest) !== undefined;
    if (isText(repository) && (isImage || isWithTag)) {
      const parts = [
        ...(isText(registry) ? [`${registry}/`] : []),
        repository,
        ...(tag === undefined ? [] : [`:${tag}`]),
        ...(digest === undefined ? [] : [`@${digest}`]),
      ];
      // a repository of Git has tags, too
      this.judge(parts.join(''), path, isImage ? () => isWithTag : isHosted);
    }
    this.hasOnlyVersion ||= this.isSure && typeof version === 'string' && !Object.keys(map).some(isImageField);
  }

  /** Of YAML and JSON all fields, of other texts, such as templates, the lines. */
  private visitText(text: string, path: string): void {
    const objects = objectsFromYaml(text, new ProblemList(), 'rounded') ?? [];
    objects.forEach((object) => this.visit(object, path));
    if (objects.length === 0) {
      [...text.matchAll(LINE)].forEach(([, value = '']) => this.judge(value.trim(), path, isFull));
    }
  }

  /** The image of a container. One that is no name is an error, unless something writes it before. */
  private add(image: unknown, path: string): void {
    if (typeof image === 'string' && image !== '') {
      if (this.isWide && imageReference(image) === undefined) {
        this.unknown.add(path);
      } else {
        this.images.add(image);
      }
    }
  }

  private judge(value: string, path: string, isCertain: (image: ImageReference) => boolean): void {
    const image = imageReference(value);
    if (image !== undefined && isCertain(image)) {
      this.images.add(image.name);
    } else if (image === undefined ? LATER.test(value) : !NO_IMAGE.test(value) && !this.images.has(value)) {
      this.unknown.add(path);
    }
  }
}

/** Of a tag, YAML may make a number. */
const isText = (part: unknown): part is string | number =>
  typeof part === 'number' || (typeof part === 'string' && part !== '');

/** A line `image: …` of a template, or `sidecar.image=…` of properties. */
const LINE =
  /^[ \t]*(?:- +|export +)?["']?(?:[\w./-]*image|RELATED_IMAGE_\w+)["']?[ \t]*[:=][ \t]*["']?([^\s"',;#][^\n"',#]*)/gim;

/** What something writes before the image is read, and an image with its protocol. */
const LATER = /\{\{|\$[({]|^(?:docker|oci):\/\//;

/** Words, numbers, ids of machine images, and files of pictures and disks. */
const NO_IMAGE = new RegExp(
  '^(?:true|false|yes|no|none|null|always|never|ifnotpresent|[\\d.]+|[\\da-f]{8}-[\\da-f-]{27})$|' +
    '\\.(?:png|jpe?g|gif|svg|ico|webp|img|iso|qcow2|raw|vmdk)$',
  'i',
);

const isImageField = (key: string): boolean => /images?$|^RELATED_IMAGE_/i.test(key);

/** Whether a name has a tag or a digest. */
const isWhole = ({ name, tag, digest }: ImageReference): boolean => digest !== undefined || name.endsWith(`:${tag}`);
const isFull = (image: ImageReference): boolean => isWhole(image) && image.name.includes('/');
const isHosted = (image: ImageReference): boolean => isWhole(image) && image.registry !== 'docker.io';

/** Images in `--config-reloader=quay.io/…:v1`, or `RELATED_IMAGE_…` of the environment, and where tags are missing. */
function argumentImages({ command, args, env }: PlainMap): FoundImages {
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const pairs = [
    ...words.map((word, index) => {
      const [, key, value] = /^--?([\w.-]+)=(.*)$/s.exec(word) ?? [];
      return [key ?? words[index - 1] ?? '', value ?? word] as const;
    }),
    ...(Array.isArray(env) ? env.filter(isMap).map(({ name, value }) => [String(name), String(value)] as const) : []),
  ];
  const images = pairs.filter(([key, value]) => isArgument(key, value)).map(([, value]) => value);
  const unknown = pairs
    .filter(([key, value]) => isImageField(key) && !images.includes(value) && !NO_IMAGE.test(value))
    .filter(([, value]) => imageReference(value) !== undefined)
    .map(([key]) => key);
  return { images, unknown };
}

/** With a tag or a digest, and with a host unless its name says that it is an image: other arguments have colons, too. */
function isArgument(key: string, value: string): boolean {
  const image = imageReference(value);
  return (
    image !== undefined &&
    isWhole(image) &&
    (/image/i.test(key) ||
      (/[.:]/.test(value.slice(0, Math.max(0, value.indexOf('/')))) && !/^\d{2,5}$/.test(image.tag ?? '')))
  );
}
