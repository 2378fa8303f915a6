import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../cluster/scope.js';
import { type ManilaCredentialsProps, planManilaCredentials } from '../control-plane/manila-credentials.js';
import type { SecretReference } from '../control-plane/volume-snapshot-class.js';
import { isMap } from '../base/plain-data.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/** What is secret of each way to authenticate. */
const SECRETS = [
  ['applicationCredential', 'secret'],
  ['password', 'password'],
] as const;

/**
 * Arguments of {@link ManilaCredentials}. Exactly one of `applicationCredential` and `password` is given.
 *
 * @category Store data on OpenStack
 */
export interface ManilaCredentialsArgs extends WithInputs<Omit<ManilaCredentialsProps, 'inManifest'>> {}

/**
 * The Secret with the credentials of Manila. The credentials are also secrets in the state.
 *
 * @category Store data on OpenStack
 */
export class ManilaCredentials extends EdgeComponent {
  /** The Secret. */
  declare public readonly resource: k8s.core.v1.Secret;
  /** The Secret, for a {@link ManilaStorageClass} and a {@link VolumeSnapshotClass}. */
  declare public readonly secret: pulumi.Output<SecretReference>;

  /**
   * @param name name of the resource
   * @param args name of the Secret, and the credentials
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER; no message contains a credential
   */
  constructor(name: string, args: ManilaCredentialsArgs, options?: pulumi.ComponentResourceOptions) {
    const given = { ...args };
    for (const [way, field] of SECRETS) {
      const credentials: unknown = given[way];
      if (credentials !== undefined) {
        const own = isMap(credentials) ? { ...credentials, [field]: pulumi.secret(credentials[field]) } : undefined;
        Object.assign(given, { [way]: own ?? pulumi.secret(credentials) });
      }
    }
    super('ManilaCredentials', name, given, options);
    if (options?.urn !== undefined) {
      return;
    }
    const plan = (props: ManilaCredentialsProps, scope: Scope): ReturnType<typeof planManilaCredentials> =>
      planManilaCredentials({ ...props, inManifest: true }, scope);
    const { attributes, output, resources } = this.render(given, plan);
    this.resource = resources[0] as k8s.core.v1.Secret;
    this.secret = output(attributes.secret);
    this.registerOutputs({ secret: this.secret });
  }
}
