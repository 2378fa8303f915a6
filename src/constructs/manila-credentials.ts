import { Construct } from 'constructs';
import { type ManilaCredentialsProps, planManilaCredentials } from '../control-plane/manila-credentials.js';
import type { SecretReference } from '../control-plane/volume-snapshot-class.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * The Secret with the credentials of Manila. It is not among the synthesized manifests, unless that is asked for: `writeArtifacts` writes it into a file of
 * its own, which only its owner can read.
 *
 * @category Store data on OpenStack
 */
export class ManilaCredentials extends Construct {
  /** The Secret, for a {@link ManilaStorageClass} and a {@link VolumeSnapshotClass}. */
  public readonly secret: SecretReference;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name of the Secret, and the credentials
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_CA_BUNDLE, EDGE_TYPE, EDGE_MISSING or
   * EDGE_UNKNOWN_PROPERTY; no message contains a credential
   */
  constructor(scope: Construct, id: string, props: ManilaCredentialsProps) {
    super(parentOf(scope, id, 'ManilaCredentials', props), id);
    this.secret = render(this, planManilaCredentials(props, scopeOf(this))).attributes.secret;
  }
}
